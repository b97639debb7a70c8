// Texts: columns hold them in normal form, and folded by case and marks where that is something else.

import PredicateSemantics
import RecordModel
import TextAnalysis

extension Lowering {
    private static let cd = RowProjection.folding

    func text(_ field: FieldColumn, _ requirement: FieldConstraint.Requirement) -> Bounds {
        guard knowsTexts else { return .superset(present(field)) }
        switch requirement {
        case .equal(.string(let text), let options): return texts(field, [text], options)
        case .equal(let value, _): return value.isNull ? .nothing : .never
        case .membership(let values, let options):
            var texts: [String] = []
            for case .string(let text) in values { texts.append(text) }
            return self.texts(field, texts, options)
        case .range(let lower, let upper, let options): return textRange(field, lower, upper, options)
        case .prefix(let needle, let options): return affix(field, needle, options, .prefix)
        case .suffix(let needle, let options): return affix(field, needle, options, .suffix)
        case .substring(let needle, let options): return affix(field, needle, options, .part)
        case .pattern(.like(let pattern), let options): return like(field, pattern, options)
        case .pattern(.regularExpression(let pattern), let options):
            guard let expression = try? RegularExpression(pattern, options: options) else { return .nothing }
            return .superset(.every([present(field), required(field, .matches(expression))]))
        default: return .superset(present(field))
        }
    }

    /// The text is ASCII: then folding case is all that folding does.
    func isASCII(_ field: FieldColumn) -> Condition {
        .holds("octet_length(\(column(field.name))) = char_length(\(column(field.name)))")
    }

    // MARK: Equality

    /// One of the folded texts, by the index of heads and by the whole.
    private func among(_ source: SQLText, _ values: [String], head: SQLText? = nil) -> Condition {
        let values = values.map(SQLValue.storable)
        let heads = values.map(SQLHead.of)
        let first = head ?? source
        if values.count == 1 {
            return .holds("left(\(first), 256) = \(.text(heads[0])) AND \(source) = \(.text(values[0]))")
        }
        return .holds("left(\(first), 256) = ANY(\(.texts(heads))) AND \(source) = ANY(\(.texts(values)))")
    }

    /// As `among` for texts as they are: the index is of folded ones, which are equal where those are.
    private func amongPlain(_ field: FieldColumn, _ texts: [String]) -> Condition {
        let heads = texts.map { SQLHead.of(SQLValue.storable(TextFolding.fold($0, Self.cd))) }
        return .every([
            .holds("left(\(folded(field)), 256) = ANY(\(.texts(heads)))"),
            .holds("\(column(field.name)) = ANY(\(.texts(texts.map(SQLValue.storable))))"),
        ])
    }

    private func texts(_ field: FieldColumn, _ texts: [String], _ options: TextOptions) -> Bounds {
        if texts.isEmpty { return .never }
        if options.contains(.normalized) { return normalizedTexts(field, texts) }
        if options.contains(.localeSensitive) { return .superset(present(field)) }
        if options.isEmpty { return Bounds(exact: amongPlain(field, texts.map { TextFolding.fold($0, []) })) }
        let possible = among(folded(field), texts.map { TextFolding.fold($0, Self.cd) })
        if options == Self.cd { return Bounds(exact: possible) }
        let ascii = texts.map { TextFolding.fold($0, options) }.filter { $0.utf8.allSatisfy { $0 < 0x80 } }
        if ascii.isEmpty { return .superset(possible) }
        // Of ASCII texts [c] is [cd], and [d] is nothing.
        let certain = options == .caseInsensitive ? among(folded(field), ascii) : amongPlain(field, ascii)
        return Bounds(.every([certain, isASCII(field)]), possible)
    }

    /// `==[n]` compares texts as they were written: the column has their normal form, unless the row is marked.
    private func normalizedTexts(_ field: FieldColumn, _ texts: [String]) -> Bounds {
        let composed = amongPlain(field, texts.map { TextFolding.fold($0, []) })
        let exact = texts.filter { $0.utf8.elementsEqual(TextFolding.fold($0, []).utf8) }
        let certain: Condition =
            exact.isEmpty ? .constant(false) : .every([amongPlain(field, exact), without(.unnormalized)])
        let possible = exact.count == texts.count ? composed : .every([composed, .some([certain, isOdd])])
        return Bounds(certain, possible)
    }

    // MARK: Order

    private func textRange(
        _ field: FieldColumn, _ lower: FieldConstraint.Bound?, _ upper: FieldConstraint.Bound?, _ options: TextOptions
    ) -> Bounds {
        func condition(_ source: SQLText, _ options: TextOptions) -> Condition {
            var conditions: [Condition] = []
            for (bound, isAbove) in [(lower, true), (upper, false)] {
                guard let bound else { continue }
                guard case .string(let text) = bound.value else { return .constant(false) }
                conditions.append(
                    TextExpression(text: source).isBeyond(
                        TextFolding.fold(text, options), isAbove: isAbove, isInclusive: bound.isInclusive))
            }
            return .every(conditions)
        }
        if options.contains(.normalized) {
            let exact = Condition.every([condition(column(field.name), .normalized), without(.unnormalized)])
            return Bounds(exact, .some([exact, .every([present(field), isOdd])]))
        }
        if options.contains(.localeSensitive) { return .superset(present(field)) }
        if options.isEmpty { return Bounds(exact: condition(column(field.name), [])) }
        if options == Self.cd { return Bounds(exact: condition(folded(field), Self.cd)) }
        let source = options == .caseInsensitive ? folded(field) : column(field.name)
        let exact = Condition.every([condition(source, options), isASCII(field)])
        return Bounds(exact, .some([exact, .every([present(field), isASCII(field).negated])]))
    }
}

/// Something of a row that is a text, or NULL.
struct TextExpression {
    let text: SQLText

    /// Above a text, or below it, in the order of scalars; by the head as well, which is what indexes have.
    func isBeyond(_ value: String, isAbove: Bool, isInclusive: Bool) -> Condition {
        let value = SQLValue.storable(value)
        let (whole, head) = (SQLValue.text(value), SQLValue.text(SQLHead.of(value)))
        return switch (isAbove, isInclusive) {
        case (true, true): .holds("left(\(text), 256) >= \(head) AND \(text) >= \(whole)")
        case (true, false): .holds("left(\(text), 256) >= \(head) AND \(text) > \(whole)")
        case (false, true): .holds("left(\(text), 256) <= \(head) AND \(text) <= \(whole)")
        case (false, false): .holds("left(\(text), 256) <= \(head) AND \(text) < \(whole)")
        }
    }

    func equals(_ value: String) -> Condition {
        let value = SQLValue.storable(value)
        return .holds("left(\(text), 256) = \(.text(SQLHead.of(value))) AND \(text) = \(.text(value))")
    }
}
