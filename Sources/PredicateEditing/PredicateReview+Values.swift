// The review of single comparisons by the values that records have: paths that lead nowhere or into lists, functions of
// one value, dates that are texts.

import PredicateSyntax
import RecordDatabase

extension PredicateReview {
    /// For how many paths of a predicate the records are looked at: each takes a while.
    private static let mostPaths = 8

    /// Slips that the records' values show. The hints are the comparison as it was probably meant.
    mutating func judgeValues(of comparison: Comparison, _ node: PredicateNode) {
        guard let records = linter.records, records.count > 0 else { return }
        for side in [comparison.lhs, comparison.rhs] { judgeFunction(side, comparison, records) }
        judgeDates(of: comparison, records)
        guard linter.looksAtPaths, pathCount < Self.mostPaths, let path = comparison.lhs.path else { return }
        pathCount += 1
        if let unknown = records.unknownField(onPath: path.keys) {
            let span = path.spans[min(unknown.depth, path.spans.count - 1)]
            report(
                .unknownKey, span, "no record has '\(unknown.name)'",
                hint: unknown.suggestedPath.map { keys in
                    "did you mean \(Self.text(comparison.replacing(keys: keys)))?"
                })
        } else if path.isWhole {
            judgeList(comparison, path.keys, records)
        }
    }

    /// A comparison as text.
    private static func text(_ comparison: Comparison) -> String {
        SyntaxTree(PredicateNode(.comparison(comparison))).description
    }

    // MARK: Lists

    /// A path through a list that is compared as if it led to one value.
    private mutating func judgeList(_ comparison: Comparison, _ path: [String], _ records: RecordSet) {
        guard comparison.quantifier == nil, path.count > 1, case .literal(let literal) = comparison.rhs.kind else {
            return
        }
        if case .null = literal { return }
        // Of most paths the first record that has one tells enough; of lists, as many as nobody waits for at a prompt.
        guard records.facts(ofPath: path).listCount > 0,
            records.facts(ofPath: path, wantsAll: true, within: .milliseconds(50)).singleCount == 0
        else { return }
        let reason: String
        switch comparison.comparisonOperator {
        case .equal, .notEqual: reason = "which never equals one value"
        case .contains:
            guard case .string = literal, !isSatisfied(comparison, records) else { return }
            reason = "and CONTAINS compares its elements as a whole"
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .beginsWith, .endsWith, .like, .matches,
            .tokenMatches:
            reason = "which is not compared like one value"
        default: return
        }
        var meant = comparison
        meant.quantifier = .any
        report(
            .listWithoutAny, comparison.lhs.span, "'\(path.joined(separator: "."))' is a list, \(reason)",
            hint: "for one of its elements: \(Self.text(meant))")
    }

    private func isSatisfied(_ comparison: Comparison, _ records: RecordSet) -> Bool {
        var records = records
        records.buildsIndexes = false
        records.limits.time = .milliseconds(200)
        let text = Self.text(comparison)
        guard let predicate = try? RecordPredicate(text, [], dialect: linter.dialect) else { return true }
        return (try? records.count(matching: predicate, variables: linter.variables)) != 0
    }

    // MARK: Functions

    /// A function of a list that gets one value, of which it is the value itself.
    private mutating func judgeFunction(_ side: ExpressionNode, _ comparison: Comparison, _ records: RecordSet) {
        guard case .function(let function, let operands) = side.kind, operands.count == 1,
            case .key(let name) = operands[0].kind,
            [.sum, .count, .min, .max, .average, .median, .mode, .stddev].contains(function)
        else { return }
        let types = Set(records.schemas.flatMap(\.fields).filter { $0.name == name }.map(\.type))
        let isSingle = types.allSatisfy { type in
            switch type {
            case .int64, .double, .number, .string, .date, .bool: true
            default: false
            }
        }
        guard isSingle, !types.isEmpty else { return }
        let key = CanonicalText.key(name)
        let word = function.written
        let hint: String
        switch function {
        case .max, .min:
            let order = function == .max ? ":desc" : ""
            hint =
                "the record with the \(function == .max ? "largest" : "smallest"): TRUEPREDICATE with "
                + "--sort \(key)\(order) --limit 1 (.sort \(key)\(order) and .limit 1 between predicates)"
        case .count: hint = "--count (.mode count between predicates) counts the records that match"
        default: hint = "a predicate looks at one record at a time: \(word)(list) is of a list that the record has"
        }
        report(
            .loneValue, side.span,
            "\(word)() is of one record's values, and '\(name)' is one value: it looks at no other record", hint: hint)
    }

    // MARK: Dates

    private static let ordering: [ComparisonOperator] = [
        .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .between,
    ]

    /// Texts that are dates to people, put in an order that is none of dates.
    private mutating func judgeDates(of comparison: Comparison, _ records: RecordSet) {
        guard Self.ordering.contains(comparison.comparisonOperator), case .key(let name) = comparison.lhs.kind,
            let meant = comparison.rhs.writtenDates.first(where: { !$0.isOrdered })
                ?? comparison.rhs.writtenDates.first,
            let field = records.schemas.flatMap(\.fields).first(where: { $0.name == name }), field.type == .string
        else { return }
        let values = Self.texts(of: name, in: records)
        let dates = values.compactMap(WrittenDate.init)
        // Most of them, so that a stray number is no date.
        guard let style = DateStyle(dates), dates.count * 2 > values.count else { return }
        if style.isOrdered, meant.isOrdered { return }
        let hint: String
        if style.isOrdered {
            let rewritten = Self.text(comparison.writingDates(in: style))
            hint = "write the date as the field has it: \(rewritten)"
        } else {
            let day = Comparison(comparison.lhs, .equal, [], ExpressionNode(.literal(.string(meant.text(in: style)))))
            hint = "dates of the form 2026-01-31 have the order of days: write the field so; one day: \(Self.text(day))"
        }
        report(
            .dateAsText, comparison.lhs.span,
            "'\(name)' holds texts such as '\(style.sample.text)', which are compared letter by letter, not as dates",
            hint: hint)
    }

    /// The first texts of a field.
    private static func texts(of name: String, in records: RecordSet) -> [String] {
        var texts: [String] = []
        let ordinals = records.recordType.map { records.ordinals(ofType: $0) } ?? Array(0..<min(1_000, records.count))
        for ordinal in ordinals.prefix(1_000) {
            if case .string(let text) = records.value(of: .field(name), at: ordinal) { texts.append(text) }
            if texts.count == 100 { break }
        }
        return texts
    }
}

extension ExpressionNode {
    /// The keys that the path begins with, the place of each, and whether they are all of it; `nil` for no field.
    fileprivate var path: (keys: [String], spans: [SourceSpan], isWhole: Bool)? {
        guard case .path(let base, let steps) = kind, case .key(let first) = base.kind else { return nil }
        var (keys, spans) = ([first], [base.span])
        for step in steps {
            guard case .key(let key) = step.kind, !key.hasPrefix("@") else { return (keys, spans, false) }
            keys.append(key)
            spans.append(step.span)
        }
        return (keys, spans, true)
    }

    /// The dates of a text, or of several.
    fileprivate var writtenDates: [WrittenDate] {
        switch kind {
        case .literal(.string(let text)): WrittenDate(text).map { [$0] } ?? []
        case .aggregate(let elements): elements.flatMap(\.writtenDates)
        default: []
        }
    }
}

extension Comparison {
    /// The comparison with other keys at the beginning of the path on its left.
    fileprivate func replacing(keys: [String]) -> Comparison {
        guard case .path(_, let steps) = lhs.kind, let first = keys.first else { return self }
        let others = keys.dropFirst().map { PathStep(.key($0)) } + steps.dropFirst(keys.count - 1)
        var comparison = self
        comparison.lhs = ExpressionNode(.path(base: ExpressionNode(.key(first)), steps: others))
        return comparison
    }

    /// The comparison with the dates on its right as a field writes them.
    fileprivate func writingDates(in style: DateStyle) -> Comparison {
        // One end of a range may tell the month from the day in the other.
        let isMonthFirst = rhs.writtenDates.compactMap(\.isMonthFirst).first
        func written(_ node: ExpressionNode) -> ExpressionNode {
            switch node.kind {
            case .literal(.string(let text)):
                let date = WrittenDate(text)
                let written = date.map { $0.text(in: style, isMonthFirst: isMonthFirst) + $0.time }
                return ExpressionNode(.literal(.string(written ?? text)))
            case .aggregate(let elements): return ExpressionNode(.aggregate(elements.map(written)))
            default: return node
            }
        }
        var comparison = self
        comparison.rhs = written(rhs)
        return comparison
    }
}
