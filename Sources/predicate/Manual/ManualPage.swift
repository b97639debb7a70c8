// The manual page in roff, drawn from the tables that make the help texts.

import RecordDatabase

/// The manual page of the command.
struct ManualPage {
    var commands: [CommandSpecification]

    /// The page for the `man` macros, ending in a line break.
    var text: String {
        var lines = [
            ".TH PREDICATE 1 \"\" \"predicate \(ProjectVersion.current)\" \"User Commands\"", ".SH NAME",
            "predicate \\- " + Self.escaped(HelpText.purpose), ".SH SYNOPSIS",
        ]
        for command in commands {
            lines += [".B predicate \(command.name)", Self.escaped("[OPTION…] \(command.operands)"), ".br"]
        }
        lines += [".SH COMMANDS"]
        for command in commands { lines += section(command) }
        lines += [".SH EXIT STATUS"]
        for (status, meaning) in HelpText.exitStatus { lines += [".TP", ".B \(status)", Self.escaped(meaning)] }
        lines += [".SH ENVIRONMENT"]
        for (name, meaning) in HelpText.environment { lines += [".TP", ".B \(name)", Self.escaped(meaning)] }
        return lines.map { $0 + "\n" }.joined()
    }

    private func section(_ command: CommandSpecification) -> [String] {
        var lines = [".SS predicate \(command.name)", Self.escaped(command.summary)]
        if !command.discussion.isEmpty {
            // Lines that are indented are laid out by hand.
            lines +=
                command.discussion.contains("\n  ") || command.discussion.contains("  {") ? [".PP", ".nf"] : [".PP"]
            lines += command.discussion.split(separator: "\n").map { Self.escaped(String($0)) }
            if lines.contains(".nf") { lines.append(".fi") }
        }
        for option in command.allOptions {
            let spellings = option.spellings.map { "\\fB\(Self.escaped($0))\\fR" }.joined(separator: ", ")
            let value =
                option.value.map { value in
                    let value = "\\fI\(Self.escaped(value))\\fR"
                    return option.isValueOptional ? "[=\(value)]" : " " + value
                } ?? ""
            lines += [".TP", spellings + value, Self.escaped(option.summary)]
        }
        if !command.examples.isEmpty { lines += [".PP", "Examples:"] }
        for example in command.examples {
            lines += [".PP", Self.escaped(example.explanation) + ":", ".PP", ".nf", ".RS"]
            lines += example.command.split(separator: "\n").map { Self.escaped(String($0)) }
            lines += [".RE", ".fi"]
        }
        return lines
    }

    /// A line of text: nothing in it is taken for roff.
    static func escaped(_ line: String) -> String {
        var text = ""
        for scalar in line.unicodeScalars {
            switch scalar {
            case "\\": text += "\\e"
            case "-": text += "\\-"
            case "'": text += "\\(aq"
            case "`": text += "\\(ga"
            case "^": text += "\\(ha"
            case "~": text += "\\(ti"
            case "…": text += "..."
            default:
                if scalar.isASCII {
                    text.unicodeScalars.append(scalar)
                } else {
                    text += "\\[u\(Self.hexadecimal(scalar.value))]"
                }
            }
        }
        return text.hasPrefix(".") ? "\\&" + text : text
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
