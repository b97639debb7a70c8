// Dot commands that set how queries run and results are shown. Without an operand they tell what is set.

import PredicateSyntax
import RecordDatabase

extension DotCommand {
    static let settingCommands: [DotCommand] = [
        setting(
            ".sort", .fields, "[KEY [desc] …]",
            "Order by fields, or by distance(FIELD,LAT,LON); 'off' as in the files."
        ) {
            (repl, text) throws(CommandError) in
            let (keys, locales) = try FieldSelector.collatedKeys(text)
            try FieldSelector.check(keys, in: repl.set)
            (repl.settings.sort, repl.settings.locales) = (keys, locales)
        },
        setting(".limit", .text, "[N]", "At most N records; 'off' all.") { (repl, text) throws(CommandError) in
            guard !text.isEmpty else {
                repl.settings.limit = nil
                return
            }
            guard let number = Int(text), number >= 0 else {
                throw .operand("'\(text)' is not a whole number", ".limit 10")
            }
            repl.settings.limit = number
        },
        setting(".fields", .fields, "[A,B …]", "Only these fields; 'off' all.") { (repl, text) throws(CommandError) in
            let fields =
                text.isEmpty ? nil : try FieldSelector.list(FieldSelector.words(text).joined(separator: ","))
            try FieldSelector.check(fields ?? [], in: repl.set)
            repl.settings.fields = fields
        },
        setting(".mode", .choice(OutputFormat.names), "[FORMAT]", OutputFormat.names.joined(separator: ", ") + ".") {
            (repl, text) throws(CommandError) in
            if text.isEmpty {
                repl.settings.format = StandardStream.output.isTerminal ? .table : .ndjson
                return
            }
            guard let format = OutputFormat(rawValue: text) else {
                let near = EditDistance.closest(to: text, in: OutputFormat.names)
                throw .operand(
                    "'\(text)' is not a format",
                    near.map { "did you mean '\($0)'?" } ?? OutputFormat.names.joined(separator: ", "))
            }
            repl.settings.format = format
        },
        setting(".keys", .choice(["emacs", "vi"]), "[emacs|vi]", "Edit lines with the keys of Emacs or of vi.") {
            (repl, text) throws(CommandError) in
            guard ["", "emacs", "vi"].contains(text) else {
                throw .operand("'emacs' or 'vi' was expected", ".keys vi")
            }
            repl.usesViKeys = text.isEmpty ? HistoryFile.prefersViKeys : text == "vi"
        },
        DotCommand(
            ".explain", .predicate, "[on|off|PREDICATE]", "Show query plans instead of records.", run: explain),
        DotCommand(
            ".snippets", .choice(["on", "off"]), "[on|off]", "Show the words around what token comparisons look for."
        ) { (repl, text) throws(CommandError) in
            repl.settings.showsSnippets = try flag(text, of: repl.settings.showsSnippets, ".snippets", repl)
        },
        DotCommand(".timer", .choice(["on", "off"]), "[on|off]", "Show counts and times.") {
            (repl, text) throws(CommandError) in
            repl.settings.showsTimer = try flag(text, of: repl.settings.showsTimer, ".timer", repl)
        },
        DotCommand(
            ".let", .text, "[NAME = VALUE]", "Give $NAME a value: JSON, LAT,LON or a text; without a value none.",
            run: letVariable),
    ]

    /// A command that keeps its operand, so that it can be told and saved.
    private static func setting(
        _ name: String, _ operand: Operand, _ operandName: String, _ summary: String,
        _ apply: @escaping @Sendable (Repl, String) throws(CommandError) -> Void
    ) -> DotCommand {
        DotCommand(name, operand, operandName, summary) { (repl, text) throws(CommandError) in
            if text.isEmpty, repl.isInteractive {
                let standard = name == ".mode" ? repl.settings.format.rawValue : "off"
                return repl.session.note("\(name) \(repl.settingTexts[name] ?? standard)")
            }
            try apply(repl, text == "off" ? "" : text)
            repl.settingTexts[name] = text.isEmpty || text == "off" ? nil : text
        }
    }

    private static func explain(_ repl: Repl, _ text: String) throws(CommandError) {
        if ["on", "off"].contains(text) || text.isEmpty && repl.last == nil {
            repl.settings.isExplained = try flag(text, of: repl.settings.isExplained, ".explain", repl)
            return
        }
        var query = text.isEmpty ? repl.last?.query : try repl.settings.query(text)
        query?.settings.isExplained = true
        if let query { try repl.show(query, try repl.find(query)) }
    }

    private static func flag(
        _ text: String, of current: Bool, _ name: String, _ repl: Repl
    ) throws(CommandError) -> Bool {
        switch text {
        case "on": return true
        case "off": return false
        case "":
            repl.session.note("\(name) \(current ? "on" : "off")")
            return current
        default: throw .operand("'on' or 'off' was expected", "\(name) on")
        }
    }

    private static func letVariable(_ repl: Repl, _ text: String) throws(CommandError) {
        let parts = text.split(maxSplits: 1) { $0 == "=" || $0 == " " }.map { String($0).trimmed }
        guard let first = parts.first else {
            for (name, value) in repl.settings.variables.sorted(by: { $0.key < $1.key }) {
                repl.session.output.write("$\(name) = \(value.exactJSON)\n")
            }
            return
        }
        let name = first.hasPrefix("$") ? String(first.dropFirst()) : first
        guard name.first?.isLetter == true || name.hasPrefix("_"),
            name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else { throw .operand("'\(first)' is not a name", ".let limit = 1000") }
        var value = parts.count > 1 ? parts[1] : ""
        if value.hasPrefix("=") { value = String(value.dropFirst()).trimmed }
        repl.settings.variables[name] = try value.isEmpty ? nil : Self.value(value)
    }

    /// JSON where it is JSON, a place where it is two degrees, else the text, perhaps in quotation marks.
    /// - Throws: `CommandError` of status `usage` for JSON that means nothing.
    private static func value(_ text: String) throws(CommandError) -> FieldValue {
        if let place = try? Location(text: text) { return .location(place) }
        let scalars = text.unicodeScalars
        if scalars.count > 1, scalars.first == "'", scalars.last == "'" {
            return .string(String(scalars.dropFirst().dropLast()))
        }
        return try ParsedArguments.value(text, of: ".let")
    }
}
