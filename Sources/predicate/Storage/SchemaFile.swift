// Schemas in CloudKit's schema language, from files.

import FoundationEssentials
import RecordDatabase

/// A file of CloudKit's schema language.
enum SchemaFile {
    /// Reads the schema of a file; `-` is standard input.
    /// - Throws: `CommandError`, for a wrong text with its place.
    static func read(_ path: String) throws(CommandError) -> ContainerSchema {
        guard let data = try? Data(contentsOf: URL(filePath: path == "-" ? "/dev/stdin" : path)) else {
            throw CommandError(.inputOutput, "cannot read the schema '\(path)'")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw CommandError(.badData, "the schema '\(path)' is not UTF-8")
        }
        do throws(SyntaxError) {
            return try ContainerSchema(text: text)
        } catch {
            throw CommandError(error, in: text, path)
        }
    }
}

extension CommandError {
    /// A schema text that is wrong: the place, what was expected there, and a hint.
    fileprivate init(_ error: SyntaxError, in text: String, _ path: String) {
        let source = SourceText(text)
        let place = source.position(ofByte: Int(error.span.lowerBound))
        let file = path == "-" ? "standard input" : path
        self.init(.badData, "\(file):\(place.line):\(place.column): \(error.message)", hint: error.hint)
        stage = "schema"
        excerpt = source.caret(error.span)
        details = [
            JSONValue.Member(key: "file", value: .string(path)),
            JSONValue.Member(key: "line", value: .int64(Int64(place.line))),
            JSONValue.Member(key: "column", value: .int64(Int64(place.column))),
        ]
        if !error.expected.isEmpty {
            details.append(JSONValue.Member(key: "expected", value: .array(error.expected.map { .string($0) })))
        }
    }
}
