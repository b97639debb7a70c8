// Text broken into lines between words.

import RecordDatabase
import TextAnalysis

/// Breaking of text.
enum WrappedText {
    /// Lines of at most so many terminal columns; a longer word has its own.
    static func lines(of text: String, columns: Int) -> [String] {
        // As it is where it fits, blanks included.
        if TextWidth.columns(of: text) <= columns { return [text] }
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            let longer = line.isEmpty ? String(word) : line + " " + word
            if line.isEmpty || TextWidth.columns(of: longer) <= columns {
                lines[lines.count - 1] = longer
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
