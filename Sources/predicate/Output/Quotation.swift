// Texts between the quotation marks of another language: escaped scalar by scalar, since a mark or a format character
// beside a quote makes one `Character` of both, which no comparison of characters finds.

extension String {
    /// The text with some of its Unicode scalars replaced.
    ///
    /// - Parameter escape: What a scalar is written as; `nil` for itself.
    func escaping(_ escape: (Unicode.Scalar) -> String?) -> String {
        var scalars = UnicodeScalarView()
        for scalar in unicodeScalars {
            if let text = escape(scalar) {
                scalars.append(contentsOf: text.unicodeScalars)
            } else {
                scalars.append(scalar)
            }
        }
        return String(scalars)
    }

    /// Whether a Unicode scalar occurs in the text.
    func contains(scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}

/// Words of a command line, in hints and in files of commands.
enum ShellWord {
    /// The word as a POSIX shell and the dot commands read it: as it is where nothing in it means anything to them,
    /// else between apostrophes, those in it between quotation marks.
    static func quoted(_ word: String) -> String {
        isPlain(word) ? word : "'" + word.escaping { $0 == "'" ? #"'"'"'"# : nil } + "'"
    }

    private static func isPlain(_ word: String) -> Bool {
        !word.isEmpty
            && word.unicodeScalars.allSatisfy { scalar in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".", "/", ",", ":", "@", "%", "+": true
                // Without meaning to a shell, and no blank of any kind.
                default: scalar.properties.isAlphabetic
                }
            }
    }
}
