// What the line editor needs to know of predicates and dot commands.

import LineEditing
import PredicateEditing
import RecordDatabase
import TextAnalysis

/// The language of the REPL: predicates over the session's records, and dot commands.
struct PredicateLanguage: EditorLanguage {
    private unowned let repl: Repl

    init(_ repl: Repl) { self.repl = repl }

    /// What knows predicates, with the session's settings.
    private var assistant: PredicateAssistant {
        var assistant = PredicateAssistant(records: repl.set)
        assistant.dialect = repl.settings.dialect == "cloudKit" ? .cloudKit : .full
        assistant.arguments = repl.settings.arguments
        assistant.variables = repl.settings.variables
        assistant.variableHint = ".let NAME = VALUE"
        return assistant
    }

    // MARK: Highlighting

    func highlights(of text: String) -> [HighlightedRange] {
        guard text.hasPrefix("."), let call = DotCommand.Call(text) else {
            return PredicateAssistant.highlights(of: text)
        }
        let head = HighlightedRange(0..<call.name.utf8.count, call.command == nil ? .plain : .command)
        guard call.command?.operand == .predicate else { return [head] }
        return [head]
            + PredicateAssistant.highlights(of: call.operand).map {
                HighlightedRange(
                    $0.range.lowerBound + call.operandStart..<$0.range.upperBound + call.operandStart, $0.role)
            }
    }

    // MARK: Errors

    func isFinished(_ text: String) -> Bool {
        text.first == "." || Repl.isPlainCommand(text) || assistant.isFinished(text)
    }

    func diagnosis(of text: String, cursor: Int) -> Diagnosis? {
        if Repl.isPlainCommand(text) { return nil }
        guard let call = DotCommand.Call(text) else { return assistant.diagnosis(of: text, cursor: cursor) }
        guard let command = call.command else {
            if cursor <= call.name.utf8.count { return nil }
            let error = DotCommand.unknown(call.name)
            return Diagnosis(.error, 0..<call.name.utf8.count, error.message, hint: error.hint)
        }
        if command.operand == .predicate, !call.operand.isEmpty {
            let start = call.operandStart
            guard var found = assistant.diagnosis(of: call.operand, cursor: cursor - start) else { return nil }
            found.range = found.range.lowerBound + start..<found.range.upperBound + start
            return found
        }
        let isBare = call.operand.isEmpty && cursor > call.name.utf8.count
        return isBare ? Diagnosis(.unfinished, cursor..<cursor, command.usage + "  " + command.summary) : nil
    }

    // MARK: Completion

    func completions(of text: String, cursor: Int) -> CompletionList {
        let before = String(decoding: Array(text.utf8.prefix(cursor)), as: UTF8.self)
        if before == "." { return Self.commands(before) }
        guard before.hasPrefix("."), let call = DotCommand.Call(before) else {
            return predicate(text, cursor, start: 0)
        }
        if before.utf8.count <= call.name.utf8.count { return Self.commands(call.name) }
        guard let command = call.command else { return CompletionList(range: cursor..<cursor, candidates: []) }
        return operand(of: command, call, text, cursor)
    }

    private func predicate(_ text: String, _ cursor: Int, start: Int) -> CompletionList {
        let part = String(decoding: Array(text.utf8.dropFirst(start)), as: UTF8.self)
        let found = assistant.completions(of: part, cursor: cursor - start, by: repl.completer)
        return CompletionList(
            range: found.range.lowerBound + start..<found.range.upperBound + start, candidates: found.candidates)
    }

    private static func commands(_ typed: String) -> CompletionList {
        let candidates = matching(
            typed,
            DotCommand.all.map { command in
                CompletionCandidate(command.name, detail: command.summary, role: .command)
            })
        return CompletionList(range: 0..<typed.utf8.count, candidates: candidates)
    }

    private func operand(
        of command: DotCommand, _ call: DotCommand.Call, _ text: String, _ cursor: Int
    ) -> CompletionList {
        if command.operand == .predicate { return predicate(text, cursor, start: call.operandStart) }
        let start = call.operand.utf8.lastIndex { $0 == 0x20 || $0 == 0x2C }
        let word = start.map { String(call.operand[call.operand.utf8.index(after: $0)...]) } ?? call.operand
        let range = cursor - word.utf8.count..<cursor
        switch command.operand {
        case .file:
            let paths = FilePath.completions(of: word)
            return CompletionList(
                range: range,
                candidates: paths.map { CompletionCandidate($0, isWhole: !$0.hasSuffix("/")) })
        case .fields:
            let fields = Self.matching(word, repl.set.fieldNames.map { CompletionCandidate($0, isWhole: false) })
            return CompletionList(range: range, candidates: fields)
        case .choice(let choices):
            return CompletionList(
                range: range, candidates: Self.matching(word, choices.map { CompletionCandidate($0, isWhole: false) }))
        case .text where command.name == ".type":
            let types = repl.set.ofType(nil).recordTypes.map { CompletionCandidate($0, isWhole: false) }
            return CompletionList(range: range, candidates: Self.matching(word, types))
        case .none, .text, .predicate: return CompletionList(range: range, candidates: [])
        }
    }

    /// Those that fit what was typed, the best first.
    private static func matching(_ typed: String, _ candidates: [CompletionCandidate]) -> [CompletionCandidate] {
        FuzzyMatch.ranked(candidates, typed: typed, by: \.text)
    }
}
