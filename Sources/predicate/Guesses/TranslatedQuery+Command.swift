// A query of another language as a call of this command.

import PredicateEditing

extension TranslatedQuery {
    /// The whole call for a shell.
    /// - Parameters:
    ///   - files: The files that the call named.
    ///   - given: Its other options, as words.
    func command(files: [String], given: [String] = []) -> String {
        var words = ["predicate"]
        let named = files.isEmpty ? [source ?? "FILE"] : files
        switch verb {
        case .query:
            words += ["query"] + (predicate != nil || !givesFigures ? [Self.shellWord(predicateText)] : [])
            words += named.map(Self.word)
        case .schema: words += ["schema"] + named.map(Self.word)
        case .delete: words += ["delete", Self.word(named[0]), Self.shellWord(predicateText)]
        case .update(let settings):
            words += ["update", Self.word(named[0]), Self.shellWord(predicateText)]
            for setting in settings { words += ["--set", Self.shellWord(setting)] }
        }
        words += options.map { $0.hasPrefix("-") ? $0 : Self.shellWord($0) }
        words += given.map { $0.hasPrefix("-") ? $0 : Self.shellWord($0) }
        return words.joined(separator: " ")
    }

    /// A word for a shell: a text with single quotes in double ones.
    private static func shellWord(_ text: String) -> String {
        guard text.contains(scalar: "'") else { return ShellWord.quoted(text) }
        return "\"" + text.escaping { "\"$`\\".unicodeScalars.contains($0) ? "\\\($0)" : nil } + "\""
    }

    private static func word(_ file: String) -> String {
        file == "FILE" || file == "STORE" ? file : ShellWord.quoted(file)
    }

    private var givesFigures: Bool {
        ["--count-by", "--stats", "--distinct", "--histogram"].contains { options.contains($0) }
    }
}
