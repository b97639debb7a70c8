// Elements of lists: by inverted indexes where they are equal to something, else one after another.

import PredicateSemantics
import RecordModel
import TextAnalysis

extension Lowering {
    /// Some element of the list meets the requirement.
    func elements(_ field: FieldColumn, _ requirement: FieldConstraint.Requirement) -> Bounds {
        let list = column(field.name)
        switch field.kind {
        case .string:
            switch requirement {
            case .equal(let value, let options): return members(field, [value], options)
            case .membership(let values, let options): return members(field, values, options)
            case .prefix(let needle, let options): return elementPrefix(field, needle, options)
            default: break
            }
        case .reference:
            switch requirement {
            case .equal(let value, _): return targets([value], list)
            case .membership(let values, _): return targets(values, list)
            default: break
            }
        case .int64, .double, .date:
            switch requirement {
            case .equal(let value, _): return numbers([value], list, field.kind)
            case .membership(let values, _): return numbers(values, list, field.kind)
            case .range(let lower, let upper, _):
                let element = NumberExpression(text: "e", kind: field.kind).isWithin(lower, upper)
                return Bounds(exact: "EXISTS (SELECT 1 FROM unnest(\(list)) e WHERE \(element.text))")
            default: break
            }
        case .location: break
        }
        return .superset(.holds("cardinality(\(list)) > 0"))
    }

    private func numbers(_ values: [FieldValue], _ list: SQLText, _ kind: FieldColumn.Kind) -> Bounds {
        let members = values.compactMap { NumberExpression.value($0, as: kind) }
        return members.isEmpty ? .never : Bounds(exact: "\(list) && \(NumberExpression.list(members))")
    }

    private func targets(_ values: [FieldValue], _ list: SQLText) -> Bounds {
        guard let names = names(values, in: zoneID) else { return .superset(.holds("cardinality(\(list)) > 0")) }
        if names.isEmpty { return .never }
        let bounds = Bounds(exact: "\(list) && \(.texts(names))")
        return zoneID == nil ? .superset(bounds.possible) : bounds
    }

    private func members(_ field: FieldColumn, _ values: [FieldValue], _ options: TextOptions) -> Bounds {
        var texts: [String] = []
        for case .string(let text) in values { texts.append(text) }
        if texts.isEmpty { return .never }
        let someElement = Condition.holds("cardinality(\(column(field.name))) > 0")
        guard knowsTexts, !options.contains(.localeSensitive) else { return .superset(someElement) }
        let list = options.isEmpty ? column(field.name) : folded(field)
        let folding = options.isEmpty ? [] : RowProjection.folding
        let wanted = texts.map { SQLValue.storable(TextFolding.fold($0, folding)) }
        let found = Condition.holds("\(list) && \(.texts(wanted))")
        // The index is of the folded heads.
        let heads = texts.map { SQLHead.of(SQLValue.storable(TextFolding.fold($0, RowProjection.folding))) }
        let condition = Condition.every([found, .holds("heads(\(folded(field))) && \(.texts(heads))")])
        return options.isEmpty || options == RowProjection.folding
            ? Bounds(exact: condition) : .superset(condition)
    }

    private func elementPrefix(_ field: FieldColumn, _ needle: String, _ options: TextOptions) -> Bounds {
        if TextFolding.fold(needle, options).isEmpty { return .never }
        guard knowsTexts, options.isEmpty || options == RowProjection.folding else {
            return .superset(.holds("cardinality(\(column(field.name))) > 0"))
        }
        let list = options.isEmpty ? column(field.name) : folded(field)
        let pattern = Pattern.escaped(TextFolding.fold(needle, options)) + "%"
        return Bounds(exact: "EXISTS (SELECT 1 FROM unnest(\(list)) e WHERE e LIKE \(.text(pattern)))")
            .certain(if: without(.joining))
    }
}
