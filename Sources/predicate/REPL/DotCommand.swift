// The commands of the line-by-line loop.

import RecordDatabase

/// A line that begins with a dot.
struct DotCommand {
    var name: String
    var operand: String
    var summary: String
    /// Does what the command says; the text behind its name comes trimmed.
    var run: (String, inout ReadEvaluatePrintLoop) throws(CommandError) -> Void

    /// All of them, in the order of `.help`.
    static var all: [DotCommand] {
        [
            DotCommand(
                name: ".help", operand: "[WORD]", summary: "List the commands, or those that mention WORD.", run: help),
            DotCommand(name: ".schema", operand: "", summary: "Show the fields, their types and values.", run: schema),
            DotCommand(
                name: ".sort", operand: "[KEY[:desc] …]", summary: "Order the records; without KEY as in the file.",
                run: sort),
            DotCommand(name: ".limit", operand: "[N]", summary: "At most N records; without N all.", run: limit),
            DotCommand(
                name: ".fields", operand: "[A,B …]", summary: "Only these fields; without any, all.", run: fields),
            DotCommand(
                name: ".format", operand: "FORMAT", summary: OutputFormat.names.joined(separator: ", "), run: format),
            DotCommand(
                name: ".explain", operand: "on|off", summary: "Show how answers are found, not the records.",
                run: explain),
            DotCommand(name: ".timer", operand: "on|off", summary: "Show counts and times.", run: timer),
            DotCommand(name: ".quit", operand: "", summary: "End.", run: { _, _ in }),
        ]
    }

    private static func help(_ word: String, _ loop: inout ReadEvaluatePrintLoop) throws(CommandError) {
        let heads = all.map { $0.operand.isEmpty ? $0.name : "\($0.name) \($0.operand)" }
        let width = heads.map(\.count).max() ?? 0
        for (head, command) in zip(heads, all) where word.isEmpty || (head + command.summary).contains(word) {
            loop.session.output.write(
                "  \(head)\(String(repeating: " ", count: width - head.count + 2))\(command.summary)\n")
        }
    }

    private static func schema(_: String, _ loop: inout ReadEvaluatePrintLoop) throws(CommandError) {
        let format: OutputFormat = loop.settings.format.isTable ? loop.settings.format : .table
        SchemaPrinter(set: loop.set, format: format, width: loop.settings.tableWidth, session: loop.session).write()
    }

    private static func sort(_ text: String, _ loop: inout ReadEvaluatePrintLoop) throws(CommandError) {
        var keys: [SortKey] = []
        for key in FieldSelector.words(text) { keys.append(try FieldSelector.sortKey(key)) }
        loop.settings.sort = keys
    }

    private static func limit(_ text: String, _ loop: inout ReadEvaluatePrintLoop) throws(CommandError) {
        if text.isEmpty {
            loop.settings.limit = nil
        } else if let number = Int(text), number >= 0 {
            loop.settings.limit = number
        } else {
            throw CommandError(.usage, "'\(text)' is not a whole number", hint: ".limit 10")
        }
    }

    private static func fields(_ text: String, _ loop: inout ReadEvaluatePrintLoop) throws(CommandError) {
        loop.settings.fields = text.isEmpty ? nil : try FieldSelector.list(text)
    }

    private static func format(_ text: String, _ loop: inout ReadEvaluatePrintLoop) throws(CommandError) {
        guard let format = OutputFormat(rawValue: text) else {
            throw CommandError(.usage, "formats are \(OutputFormat.names.joined(separator: ", "))")
        }
        loop.settings.format = format
    }

    private static func explain(_ text: String, _ loop: inout ReadEvaluatePrintLoop) throws(CommandError) {
        loop.settings.isExplained = try isOn(text)
    }

    private static func timer(_ text: String, _ loop: inout ReadEvaluatePrintLoop) throws(CommandError) {
        loop.settings.showsTimer = try isOn(text)
    }

    private static func isOn(_ text: String) throws(CommandError) -> Bool {
        switch text {
        case "on", "": return true
        case "off": return false
        default: throw CommandError(.usage, "'on' or 'off' was expected")
        }
    }
}
