// What the line editor needs to know of predicates and dot commands.

import LineEditing
import PredicateSyntax
import RecordDatabase
import TextAnalysis

/// The language of the REPL: predicates over the session's records, and dot commands.
struct PredicateLanguage: EditorLanguage {
    private unowned let repl: Repl

    init(_ repl: Repl) { self.repl = repl }

    // MARK: Highlighting

    func highlights(of text: String) -> [HighlightedRange] {
        guard text.hasPrefix("."), let call = DotCommand.Call(text) else { return Self.highlights(predicate: text) }
        let head = HighlightedRange(0..<call.name.utf8.count, call.command == nil ? .plain : .command)
        guard call.command?.operand == .predicate else { return [head] }
        return [head]
            + Self.highlights(predicate: call.operand).map {
                HighlightedRange(
                    $0.range.lowerBound + call.operandStart..<$0.range.upperBound + call.operandStart, $0.role)
            }
    }

    static func highlights(predicate text: String) -> [HighlightedRange] {
        LexicalToken.tokens(of: text).map { HighlightedRange($0.range, role(of: $0, in: text)) }
    }

    private static func role(of token: LexicalToken, in text: String) -> TextRole {
        switch token.kind {
        case .keyword: .keyword
        case .comparison: .comparison
        case .option: .option
        case .arithmetic: .arithmetic
        case .key, .punctuation: .plain
        case .function: .function
        case .constant: .constant
        case .string: .string
        case .number: .number
        case .variable, .placeholder: .variable
        case .bracket: .bracket
        // A text that is not closed yet is being typed.
        case .invalid: token.isOpenText(in: text) ? .string : .invalid
        }
    }

    // MARK: Errors

    func isFinished(_ text: String) -> Bool {
        guard text.first != ".", let error = syntaxError(in: text) else { return true }
        return !Self.isAtEnd(error, of: text) || Self.isBareValue(error, text)
    }

    /// Whether a value is at the end where a comparison was expected, as in `x == 1 OR 2`: hardly the beginning of
    /// one.
    private static func isBareValue(_ error: RecordPredicateError, _ text: String) -> Bool {
        guard error.expected.contains("=="), let last = LexicalToken.tokens(of: text).last else { return false }
        return [.string, .number, .constant].contains(last.kind)
    }

    func diagnosis(of text: String, cursor: Int) -> Diagnosis? {
        guard let call = DotCommand.Call(text) else { return diagnosis(predicate: text, cursor: cursor) }
        guard let command = call.command else {
            if cursor <= call.name.utf8.count { return nil }
            let error = DotCommand.unknown(call.name)
            return Diagnosis(.error, 0..<call.name.utf8.count, error.message, hint: error.hint)
        }
        if command.operand == .predicate, !call.operand.isEmpty {
            let start = call.operandStart
            guard var found = diagnosis(predicate: call.operand, cursor: cursor - start) else { return nil }
            found.range = found.range.lowerBound + start..<found.range.upperBound + start
            return found
        }
        let isBare = call.operand.isEmpty && cursor > call.name.utf8.count
        return isBare ? Diagnosis(.unfinished, cursor..<cursor, command.usage + "  " + command.summary) : nil
    }

    private func diagnosis(predicate text: String, cursor: Int) -> Diagnosis? {
        if text.allSatisfy(\.isWhitespace) || text.hasPrefix("# ") { return nil }
        guard let error = syntaxError(in: text) else { return bindingDiagnosis(text, cursor: cursor) }
        let range = Int(error.span.range.lowerBound)..<Int(error.span.range.upperBound)
        // What is at the cursor is being typed.
        let isTyped = Self.isAtEnd(error, of: text) || range.upperBound == cursor && cursor == text.utf8.count
        if !isTyped { return Diagnosis(.error, range, error.message, hint: error.hint) }
        // That a text is still open is seen by its colour.
        if !text.contains("\n"), LexicalToken.tokens(of: text).last?.isOpenText(in: text) == true { return nil }
        return Diagnosis(.unfinished, range, Self.wanted(error))
    }

    /// What is expected, in words, as far as that is short.
    private static func wanted(_ error: RecordPredicateError) -> String {
        let expected = error.expected.prefix(6).joined(separator: " ")
        let more = error.expected.count > 6 ? " …" : ""
        return expected.isEmpty || error.message.contains(expected)
            ? error.message : "\(error.message): \(expected)\(more)"
    }

    private func syntaxError(in text: String) -> RecordPredicateError? {
        do throws(RecordPredicateError) {
            let dialect: Dialect = repl.settings.dialect == "cloudKit" ? .cloudKit : .full
            _ = try RecordPredicate.tree(of: text, dialect)
            return nil
        } catch {
            return error
        }
    }

    /// Whether more text could put the error right.
    private static func isAtEnd(_ error: RecordPredicateError, of text: String) -> Bool {
        let bytes = Array(text.utf8)
        let end = (bytes.lastIndex { $0 > 0x20 } ?? -1) + 1
        let range = error.span.range
        if Int(range.lowerBound) >= end { return true }
        let opens = bytes[Int(range.lowerBound)]
        return Int(range.upperBound) >= end && (opens == UInt8(ascii: "'") || opens == UInt8(ascii: "\""))
    }

    /// Fields that no record has, operands that can never be compared, variables without values.
    private func bindingDiagnosis(_ text: String, cursor: Int) -> Diagnosis? {
        if repl.set.count == 0 { return nil }
        do throws(RecordPredicateError) {
            let predicate = try RecordPredicate(text, repl.settings.arguments, dialect: .full)
            let unknown = try repl.set.unknownFields(of: predicate, variables: repl.settings.variables)
            let tokens = LexicalToken.tokens(of: text)
            for field in unknown {
                let token = tokens.first { $0.name == field.name && $0.range.upperBound != cursor }
                guard let token else { continue }
                return Diagnosis(.warning, token.range, "no record has a field '\(field.name)'", hint: field.hint)
            }
            let open = tokens.first { token in
                guard token.kind == .variable, token.range.upperBound != cursor else { return false }
                let name = String(text.utf8.dropFirst(token.range.lowerBound + 1).prefix(token.range.count - 1)) ?? ""
                return repl.settings.variables[name] == nil && !text.contains("SUBQUERY")
            }
            if let open {
                return Diagnosis(.warning, open.range, "the variable has no value", hint: ".let NAME = VALUE")
            }
            return slip(in: text, cursor: cursor)
        } catch {
            let range = Int(error.span.range.lowerBound)..<Int(error.span.range.upperBound)
            return Diagnosis(.error, range, error.message, hint: error.hint)
        }
    }

    /// What could never match, away from the cursor.
    private func slip(in text: String, cursor: Int) -> Diagnosis? {
        let settings = repl.settings
        let linter = Linter(
            records: repl.set, dialect: .full, arguments: settings.arguments, variables: settings.variables)
        let finding = linter.slips(in: text).first { $0.span.range.upperBound != cursor }
        return finding.map { Diagnosis(.warning, $0.span.range, $0.message, hint: $0.hint) }
    }

    // MARK: Completion

    func completions(of text: String, cursor: Int) -> CompletionList {
        let before = String(decoding: Array(text.utf8.prefix(cursor)), as: UTF8.self)
        guard before.hasPrefix("."), let call = DotCommand.Call(before) else {
            return predicate(text, cursor, start: 0)
        }
        if before.utf8.count <= call.name.utf8.count { return Self.commands(call.name) }
        guard let command = call.command else { return CompletionList(range: cursor..<cursor, candidates: []) }
        return operand(of: command, call, text, cursor)
    }

    private func predicate(_ text: String, _ cursor: Int, start: Int) -> CompletionList {
        let part = String(decoding: Array(text.utf8.dropFirst(start)), as: UTF8.self)
        let found = repl.completer.completions(
            of: part, at: cursor - start, variables: Array(repl.settings.variables.keys))
        return CompletionList(
            range: found.range.lowerBound + start..<found.range.upperBound + start,
            candidates: found.candidates.map {
                CompletionCandidate($0.text, detail: $0.detail, role: Self.role(of: $0.kind), isWhole: $0.isWhole)
            })
    }

    private static func role(of kind: PredicateCompletion.Kind) -> TextRole {
        switch kind {
        case .field: .plain
        case .keyword: .keyword
        case .comparison: .comparison
        case .option: .option
        case .function: .function
        case .constant: .constant
        case .value: .string
        case .variable: .variable
        }
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

extension LexicalToken {
    /// Whether the token is a text whose end is still to come.
    fileprivate func isOpenText(in text: String) -> Bool {
        let first = text.utf8[text.utf8.index(text.startIndex, offsetBy: range.lowerBound)]
        return (first == UInt8(ascii: "'") || first == UInt8(ascii: "\"")) && range.upperBound == text.utf8.count
    }
}
