// Records with values of several kinds in a field, which only files may have.

import Foundation
import RecordDatabase

extension RecordSet {
    /// The records of lines of JSON, each value as it is; an apostrophe stands for a quote.
    static func mixed(_ lines: [String]) throws -> RecordSet {
        var options = LoadOptions()
        options.widensMixedFields = true
        let text = lines.map { $0.replacing("'", with: "\"") + "\n" }.joined()
        return try RecordSet(Data(text.utf8), options: options)
    }
}
