// Quotation for shells.

import PredicateEditing

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
