// Command-line words -> options and operands, checked against what the command takes.

import PredicateSyntax
import RecordDatabase

/// The options and operands of one call.
struct ParsedArguments {
    /// The options given, in order.
    private(set) var options: [(name: String, value: String)] = []
    /// The other words, in order.
    private(set) var operands: [String] = []

    /// Splits the words behind the command's name.
    ///
    /// Options may be before, between and behind operands; `--name=value` and `-nVALUE` work; `--` ends the options;
    /// a single `-`, and a dash before anything but a letter, begin operands.
    /// - Throws: `CommandError` of status `usage`, with the nearest option as hint.
    init(_ words: [String], for command: CommandSpecification) throws(CommandError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            } else if word.hasPrefix("--") {
                try takeLong(word, &rest, command)
            } else if Self.isShortOption(word, of: command) {
                try takeShort(word, &rest, command)
            } else {
                operands.append(word)
            }
        }
    }

    /// Adds an option without a value, as if it had been given.
    mutating func add(_ name: String) { options.append((name, "")) }

    /// Whether a word is a letter behind a dash, perhaps with its value: no number, no place, and no predicate such as
    /// `-(a + b) < 0`, `-x > 3`, or `-size > 3` where no option of that letter takes a value.
    private static func isShortOption(_ word: String, of command: CommandSpecification) -> Bool {
        let letters = Array(word.unicodeScalars.prefix(3))
        guard letters.count > 1, letters[0] == "-", letters[1].properties.isAlphabetic else { return false }
        if letters.count == 3, letters[2] == " " { return false }
        guard word.unicodeScalars.contains(" ") else { return true }
        return command.allOptions.contains { $0.letter == String(word.prefix(2)) && $0.value != nil }
    }

    private mutating func takeLong(
        _ word: String, _ rest: inout ArraySlice<String>, _ command: CommandSpecification
    ) throws(CommandError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let known = command.allOptions
        guard let option = known.first(where: { $0.name == parts[0] }) else {
            let near = EditDistance.closest(to: parts[0], in: known.map(\.name))
            throw CommandError(
                .usage, "'predicate \(command.name)' has no option '\(parts[0])'",
                hint: near.map { "did you mean '\($0)'?" } ?? "'predicate \(command.name) --help' lists the options")
        }
        try take(option, parts.count > 1 ? parts[1] : nil, &rest)
    }

    private mutating func takeShort(
        _ word: String, _ rest: inout ArraySlice<String>, _ command: CommandSpecification
    ) throws(CommandError) {
        let letter = String(word.prefix(2))
        let known = command.allOptions
        guard let option = known.first(where: { $0.letter == letter }) else {
            throw CommandError(
                .usage, "'predicate \(command.name)' has no option '\(letter)'",
                hint: "'predicate \(command.name) --help' lists the options; "
                    + "put '--' before a word that begins with a dash")
        }
        let attached = String(word.dropFirst(2))
        try take(option, attached.isEmpty ? nil : attached, &rest)
    }

    private mutating func take(
        _ option: OptionSpecification, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(CommandError) {
        if !option.repeats, self[option.name] != nil {
            throw CommandError(.usage, "option '\(option.name)' is given twice")
        }
        guard let valueName = option.value else {
            if attached != nil { throw CommandError(.usage, "option '\(option.name)' takes no value") }
            options.append((option.name, ""))
            return
        }
        if option.isValueOptional, attached == nil, rest.first.map({ !option.choices.contains($0) }) ?? true {
            options.append((option.name, ""))
            return
        }
        guard let value = attached ?? rest.popFirst() else {
            throw CommandError(.usage, "option '\(option.name)' needs a value: \(option.name) \(valueName)")
        }
        if !option.choices.isEmpty, !option.choices.contains(value) {
            let near = EditDistance.closest(to: value, in: option.choices)
            throw CommandError(
                .usage, "'\(value)' is not a value of '\(option.name)': \(option.choices.joined(separator: ", "))",
                hint: near.map { "did you mean '\($0)'?" })
        }
        options.append((option.name, value))
    }

    /// The value of an option (empty for a switch), `nil` when it is not given.
    subscript(name: String) -> String? { options.last { $0.name == name }?.value }

    /// Whether an option is given.
    func has(_ name: String) -> Bool { self[name] != nil }

    /// All values of a repeatable option, in order.
    func all(_ name: String) -> [String] { options.filter { $0.name == name }.map(\.value) }

    /// The value of an option as a whole number from zero.
    /// - Throws: `CommandError` of status `usage`.
    func count(_ name: String) throws(CommandError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw CommandError(.usage, "'\(text)' is not a whole number for '\(name)'")
        }
        return number
    }
}
