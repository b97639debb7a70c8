// The review of single comparisons: by their text, by their meaning, by the records.

import PredicateSyntax
import RecordDatabase
import TextAnalysis

extension PredicateReview {
    // MARK: The text

    /// Slips that the text alone shows.
    mutating func judgeText(of comparison: Comparison, _ node: PredicateNode) {
        if comparison.lhs == comparison.rhs, case .key = comparison.lhs.kind {
            report(.sameSides, node.span, "a field is compared with itself")
        }
        judgeOptions(of: comparison)
        switch comparison.rhs.kind {
        case .literal(.string(let text)): judge(text: text, comparison.rhs.span, comparison)
        case .aggregate(let elements): judge(elements: elements, comparison)
        default: break
        }
    }

    private mutating func judgeOptions(of comparison: Comparison) {
        if comparison.options.contains(.normalized), comparison.options != .normalized {
            report(
                .idleOptions, comparison.operatorSpan, "with n the other options mean nothing", hint: "leave them out")
        }
        guard !comparison.options.isEmpty else { return }
        switch comparison.rhs.kind {
        case .literal(.integer), .literal(.double), .literal(.bool), .literal(.null):
            report(
                .idleOptions, comparison.operatorSpan, "the options say how texts are compared, and this is none",
                hint: "leave the brackets out")
        default: break
        }
    }

    private mutating func judge(text: String, _ span: SourceSpan, _ comparison: Comparison) {
        if text.hasPrefix("%") || text.hasPrefix("$"), text.utf8.count > 1, isOnlyPlaceholder(text) {
            report(
                .quotedPlaceholder, span, "between quotes '\(text)' is text, and takes no value",
                hint: "leave the quotes out: \(text)")
        }
        let words = ["nil", "null", "true", "false"]
        let isEquality = comparison.comparisonOperator == .equal || comparison.comparisonOperator == .notEqual
        if isEquality, words.contains(text.lowercased()) {
            report(
                .quotedWord, span, "between quotes '\(text)' is text",
                hint: "leave the quotes out: \(text.lowercased())")
        }
        if comparison.comparisonOperator == .like, !text.contains(where: { $0 == "*" || $0 == "?" }) {
            report(
                .noWildcard, span, "the pattern has no wildcard: LIKE compares the whole text",
                hint: text.contains("%")
                    ? "the wildcards are * and ?: "
                        + SQLGuess.like(CanonicalText.value(comparison.lhs), text, comparison.options.suffix)
                    : "write ==, or put * around it")
        }
        if comparison.comparisonOperator == .matches, !text.contains(where: { #".*+?[](){}|^$\"#.contains($0) }) {
            report(
                .noWildcard, span, "the pattern is a plain text: MATCHES compares the whole text",
                hint: "write CONTAINS, or put .* around it")
        }
    }

    private func isOnlyPlaceholder(_ text: String) -> Bool {
        if text.hasPrefix("$") { return text.dropFirst().allSatisfy { $0.isLetter || $0 == "_" } }
        guard let tree = try? SyntaxTree(parsing: "x == \(text)") else { return false }
        return tree.placeholders.count == 1
    }

    private mutating func judge(elements: [ExpressionNode], _ comparison: Comparison) {
        if comparison.comparisonOperator == .in {
            for element in elements {
                guard case .literal(.null) = element.kind else { continue }
                report(
                    .nilInList, element.span, "nil is in no list: records without a value are not found",
                    hint: "write x == nil OR x IN {…}")
            }
        }
        for element in elements {
            if case .literal(.string(let text)) = element.kind, isOnlyPlaceholder(text), text.hasPrefix("%") {
                report(
                    .quotedPlaceholder, element.span, "between quotes '\(text)' is text, and takes no value",
                    hint: "leave the quotes out: \(text)")
            }
        }
        if comparison.comparisonOperator == .between, elements.count == 2, let low = Self.number(elements[0]),
            let high = Self.number(elements[1]), low > high
        {
            report(
                .reversedBounds, comparison.rhs.span,
                "the bounds are in the wrong order; they are taken in the right one")
        }
    }

    private static func number(_ node: ExpressionNode) -> Double? {
        switch node.kind {
        case .literal(.integer(let value)): Double(value)
        case .literal(.double(let value)): value
        default: nil
        }
    }

    // MARK: The kinds

    /// Equality between values of kinds that are never equal: no error, but `==` holds for no record and `!=` for all.
    private mutating func judgeKinds(of comparison: BoundComparison) {
        if comparison.comparisonOperator == .in { return judgeNumbers(in: comparison) }
        let isNegated = comparison.comparisonOperator == .notEqual
        guard isNegated || comparison.comparisonOperator == .equal else { return }
        let left = comparison.quantifier == nil ? comparison.lhs.type : comparison.lhs.type.element ?? .any
        let right = comparison.rhs.type
        guard !left.fits(right), let constant = comparison.rhs.constant ?? comparison.lhs.constant else { return }
        var hint: String?
        var kind = right.phrase
        if case .bool(let flag) = constant, case .string = left {
            kind = flag ? "TRUE" : "FALSE"
            hint = "yes, no, true and false are texts between quotes only"
        } else if case .list = left, comparison.quantifier == nil {
            // `tags.length` is of the elements, one by one.
            let path = "\(comparison.lhs)"
            let isSize = right == .number && [".length", ".size", ".count"].contains { path.hasSuffix($0) }
            hint =
                isSize
                ? "the number of its elements: \(path.prefix { $0 != "." }).@count == \(comparison.rhs)"
                : "for one of its elements: \(isNegated ? "NONE" : "ANY") \(comparison.lhs) == \(comparison.rhs)"
        } else if case .string(let text) = constant, Double(text) != nil {
            hint = "leave the quotes out: \(text)"
        } else if left == .string, right == .number, comparison.lhs.constant == nil, comparison.quantifier == nil {
            hint = "numbers in it are texts: \(comparison.lhs) \(isNegated ? "!=" : "==") '\(comparison.rhs)'"
        } else if left == .date || right == .date {
            hint = "a date is written '2026-01-31' or '2026-01-31T12:00:00Z'"
            let (date, other) =
                comparison.lhs.constant == nil ? (comparison.lhs, comparison.rhs) : (comparison.rhs, comparison.lhs)
            // As it is written: 1999-03-31 is a number, too.
            if case .int64(let year) = constant, (1000...2999).contains(year), other.span.range.count == 4 {
                hint = "the year of a date: year(\(date)) \(isNegated ? "!=" : "==") \(year)"
            }
        }
        report(
            .neverEqual, comparison.rhs.constant == nil ? comparison.lhs.span : comparison.rhs.span,
            "\(left.phrase) is never equal to \(kind)", hint: hint)
    }

    /// Numbers in a list that a field of texts is looked for in, and lists that are.
    private mutating func judgeNumbers(in comparison: BoundComparison) {
        if comparison.quantifier == nil, case .list = comparison.lhs.type, comparison.lhs.constant == nil,
            case .list(let elements)? = comparison.rhs.constant,
            !elements.contains(where: { if case .list = $0 { true } else { false } })
        {
            return report(
                .neverEqual, comparison.rhs.span, "a list is never equal to one of these",
                hint: "for one of its elements: ANY \(comparison.lhs) IN \(comparison.rhs)")
        }
        guard comparison.quantifier == nil, comparison.lhs.type == .string, comparison.lhs.constant == nil,
            case .list(let elements)? = comparison.rhs.constant, !elements.isEmpty,
            elements.allSatisfy({ if case .int64 = $0 { true } else { false } })
        else { return }
        let texts = elements.map { if case .int64(let number) = $0 { "'\(number)'" } else { "" } }
        report(
            .neverEqual, comparison.rhs.span, "text is never equal to a number",
            hint: "numbers in it are texts: \(comparison.lhs) IN {\(texts.joined(separator: ", "))}")
    }

    // MARK: The words

    /// What the kinds of both sides and the words of the right one tell.
    mutating func judge(_ comparison: BoundComparison) {
        judgeKinds(of: comparison)
        guard let constraint = comparison.constraint else { return }
        switch constraint.requirement {
        case .tokens(let terms, _, let options):
            if terms.isEmpty {
                report(
                    .noToken, comparison.rhs.span, "the text holds no word, so it matches nothing",
                    hint: "'predicate tokens TEXT' shows the words of a text")
            }
            for term in terms { judge(term: term, options, comparison) }
        case .tokenPrefix(let text, let options):
            let words = Tokenizer(options: options).terms(of: text)
            if words.count > 1 {
                report(
                    .noToken, comparison.rhs.span, "no word begins with '\(text)': these are \(words.count) words",
                    hint: "'predicate tokens TEXT' shows the words of a text")
            }
        default: break
        }
    }

    private mutating func judge(term: String, _ options: TextOptions, _ comparison: BoundComparison) {
        let words = Tokenizer(options: options).terms(of: term)
        let span = comparison.lhs.constant == nil ? comparison.rhs.span : comparison.lhs.span
        if words != [term] {
            report(
                .noToken, span, "'\(term)' is no word of any text",
                hint: words.count > 1
                    ? "its words are \(words.joined(separator: ", ")): TOKENMATCHES finds them"
                    : "'predicate tokens TEXT' shows the words of a text")
        } else if linter.readsRecords, let records = linter.records, records.count > 0,
            isUnseen(term, options, comparison, in: records)
        {
            report(
                .unseenToken, span, "no record has the word '\(term)'",
                hint: linter.relaxed(comparison.description).map(Linter.note))
        }
    }

    private func isUnseen(
        _ term: String, _ options: TextOptions, _ comparison: BoundComparison, in records: RecordSet
    ) -> Bool {
        guard let subject = comparison.constraint?.subject, subject.keys.isEmpty else { return false }
        let key = ExpressionNode(.key(subject.field?.name ?? "allTokens"))
        let node = PredicateNode(
            .comparison(
                Comparison(key, .tokenMatches, options.comparisonOptions, ExpressionNode(.literal(.string(term))))))
        guard let bound = try? records.binder().bind(part: node) else { return false }
        return (try? records.count(matching: bound)) == 0
    }
}
