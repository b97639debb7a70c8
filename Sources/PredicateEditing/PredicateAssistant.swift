// What an editor needs to know of predicates over records: colours, what is wrong, what could be typed.

package import LineEditing
package import PredicateSyntax
package import RecordDatabase

/// Helps to type predicates: the same in a terminal and on a page.
package struct PredicateAssistant: Sendable {
    /// The records that predicates are meant for.
    package var records: RecordSet
    /// What is not of this dialect is an error.
    package var dialect = Dialect.full
    /// Values of placeholders.
    package var arguments: [FieldValue] = []
    /// Values of `$variables`, by name without the dollar sign.
    package var variables: [String: FieldValue] = [:]
    /// How a variable gets a value, for people.
    package var variableHint: String?

    /// An assistant for predicates over records.
    package init(records: RecordSet) { self.records = records }

    // MARK: Highlighting

    /// Stretches of a text by what they are, finished or not.
    package static func highlights(of text: String) -> [HighlightedRange] {
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

    /// Whether a text is a predicate, or wrong: else more is expected behind it.
    package func isFinished(_ text: String) -> Bool {
        guard let error = syntaxError(in: text) else { return true }
        return !Self.isAtEnd(error, of: text) || Self.isBareValue(error, text)
    }

    /// Whether a value is at the end where a comparison was expected, as in `x == 1 OR 2`: hardly the beginning of
    /// one.
    private static func isBareValue(_ error: RecordPredicateError, _ text: String) -> Bool {
        guard error.expected.contains("=="), let last = LexicalToken.tokens(of: text).last else { return false }
        return [.string, .number, .constant].contains(last.kind)
    }

    /// What is wrong while the cursor is at a byte; `nil` when nothing is. What is at the cursor is being typed.
    package func diagnosis(of text: String, cursor: Int) -> Diagnosis? {
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
        if records.count == 0, !records.isOutline { return nil }
        do throws(RecordPredicateError) {
            let predicate = try RecordPredicate(text, arguments, dialect: .full)
            let unknown = try records.unknownFields(of: predicate, variables: variables)
            let tokens = LexicalToken.tokens(of: text)
            for field in unknown {
                let token = tokens.first { $0.name == field.name && $0.range.upperBound != cursor }
                guard let token else { continue }
                return Diagnosis(.warning, token.range, "no record has a field '\(field.name)'", hint: field.hint)
            }
            let open = tokens.first { token in
                guard token.kind == .variable, token.range.upperBound != cursor else { return false }
                let name = String(text.utf8.dropFirst(token.range.lowerBound + 1).prefix(token.range.count - 1)) ?? ""
                return variables[name] == nil && !text.contains("SUBQUERY")
            }
            if let open {
                return Diagnosis(.warning, open.range, "the variable has no value", hint: variableHint)
            }
            return slip(in: text, cursor: cursor)
        } catch {
            let range = Int(error.span.range.lowerBound)..<Int(error.span.range.upperBound)
            return Diagnosis(.error, range, error.message, hint: error.hint)
        }
    }

    /// What could never match, away from the cursor.
    private func slip(in text: String, cursor: Int) -> Diagnosis? {
        let linter = Linter(records: records, dialect: .full, arguments: arguments, variables: variables)
        let finding = linter.slips(in: text).first { $0.span.range.upperBound != cursor }
        return finding.map { Diagnosis(.warning, $0.span.range, $0.message, hint: $0.hint) }
    }

    // MARK: Completion

    /// What could appear at the cursor.
    /// - Parameter completer: That of the records.
    package func completions(of text: String, cursor: Int, by completer: PredicateCompleter) -> CompletionList {
        let found = completer.completions(of: text, at: cursor, variables: Array(variables.keys))
        return CompletionList(
            range: found.range,
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
}

extension LexicalToken {
    /// Whether the token is a text whose end is still to come.
    fileprivate func isOpenText(in text: String) -> Bool {
        let first = text.utf8[text.utf8.index(text.startIndex, offsetBy: range.lowerBound)]
        return (first == UInt8(ascii: "'") || first == UInt8(ascii: "\"")) && range.upperBound == text.utf8.count
    }
}
