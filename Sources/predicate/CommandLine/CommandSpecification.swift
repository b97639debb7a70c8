// What a sub-command takes: its options, operands and examples, and the help text drawn from them.

/// One option of a command.
struct OptionSpecification: Sendable {
    /// The long name, with dashes: `--limit`.
    var name: String
    /// A one-letter name, with its dash: `-n`.
    var letter: String?
    /// What the value is called in the help; `nil` for a switch.
    var value: String?
    /// The values that are allowed; empty when any is.
    var choices: [String]
    /// Whether the value may be left out: then it is one of the choices, or none.
    var isValueOptional: Bool
    /// Whether the option may be given more than once.
    var repeats: Bool
    var summary: String

    init(
        _ name: String, letter: String? = nil, value: String? = nil, choices: [String] = [],
        isValueOptional: Bool = false, repeats: Bool = false, _ summary: String
    ) {
        self.name = name
        self.letter = letter
        self.value = value
        self.choices = choices
        self.isValueOptional = isValueOptional
        self.repeats = repeats
        self.summary = summary
    }

    /// The names it may be given by, the letter first.
    var spellings: [String] { (letter.map { [$0] } ?? []) + [name] }

    /// Whether its value is the path of a file.
    var takesFile: Bool { value == "FILE" }
}

/// A worked call for the help text.
struct Example: Sendable {
    var explanation: String
    var command: String

    init(_ explanation: String, _ command: String) {
        self.explanation = explanation
        self.command = command
    }
}

/// What a sub-command takes.
struct CommandSpecification: Sendable {
    var name: String
    /// The operands as the usage line shows them.
    var operands: String
    /// The operands that are allowed; empty when any is.
    var operandChoices: [String] = []
    /// One line for the list of commands.
    var summary: String
    /// What a reader needs beyond the summary; may be empty.
    var discussion: String
    var options: [OptionSpecification]
    var examples: [Example]

    /// All options, the one for help too.
    var allOptions: [OptionSpecification] { options + [Self.helpOption] }

    /// Whether operands are paths of files.
    var takesFiles: Bool { operands.contains("FILE") }

    /// The help text, ending in a line break.
    func help(style: Style) -> String {
        var text = style.bold("usage: ") + "predicate \(name)"
        if !options.isEmpty { text += " [OPTION…]" }
        if !operands.isEmpty { text += " \(operands)" }
        text += "\n\n\(summary)\n"
        if !discussion.isEmpty { text += "\n\(discussion)\n" }
        text += "\n" + style.bold("options") + "\n" + Self.list(allOptions)
        if !examples.isEmpty {
            text += "\n" + style.bold("examples") + "\n"
            for example in examples { text += "  \(style.dim("# " + example.explanation))\n  \(example.command)\n" }
        }
        return text
    }

    static let helpOption = OptionSpecification("--help", letter: "-h", "Show this text.")

    private static func list(_ options: [OptionSpecification]) -> String {
        let heads = options.map { option in
            var head = option.letter.map { "\($0), " } ?? "    "
            head += option.name
            if let value = option.value { head += option.isValueOptional ? "[=\(value)]" : " \(value)" }
            return head
        }
        let width = min(heads.map(\.count).max() ?? 0, 30)
        var text = ""
        for (head, option) in zip(heads, options) {
            text += "  " + head
            text +=
                head.count > width
                ? "\n" + String(repeating: " ", count: width + 4)
                : String(repeating: " ", count: width - head.count + 2)
            text += option.summary + "\n"
        }
        return text
    }
}
