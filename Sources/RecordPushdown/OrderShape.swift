// Orders, and where in an order a page begins.

package import PredicateSemantics
package import RecordModel
import TextAnalysis

/// An order of rows that the server makes as the sorting of records does.
package struct OrderShape: Sendable {
    /// A key, and its values among those of records.
    private enum Key {
        case number(NumberExpression)
        case text(TextExpression)
        /// The record's name, which every row has.
        case name
    }

    private let keys: [(key: Key, isAscending: Bool)]

    /// The order by keys; `nil` where the server cannot make it.
    ///
    /// - Parameters:
    ///   - order: Keys that tell any two records of a zone apart.
    ///   - knowsTexts: As of `Lowering`.
    package init?(_ order: [SortKey], _ layout: ColumnLayout, knowsTexts: Bool = true) {
        var keys: [(Key, Bool)] = []
        for key in order {
            switch key.criterion {
            case .recordName: keys.append((.name, key.isAscending))
            case .field(let field):
                guard let column = layout.fields[field] ?? ColumnLayout.system[field], !column.isList else {
                    return nil
                }
                let text: SQLText = "\(name: "r").\(name: column.name)"
                switch column.kind {
                case .int64, .double, .date:
                    keys.append((.number(NumberExpression(text: text, kind: column.kind)), key.isAscending))
                case .string where knowsTexts: keys.append((.text(TextExpression(text: text)), key.isAscending))
                default: return nil
                }
            default: return nil
            }
        }
        guard keys.contains(where: { if case .name = $0.0 { true } else { false } }) else { return nil }
        self.keys = keys.map { (key: $0.0, isAscending: $0.1) }
    }

    private static var name: SQLText { "\(name: "r")._n" }

    /// The order, as it follows ORDER BY.
    ///
    /// - Parameter zone: What the name of a row's zone is, where rows are of several.
    package func clause(zone: SQLText?) -> SQLText {
        var parts: [SQLText] = []
        for (key, isAscending) in keys {
            let direction: SQLText = isAscending ? "ASC NULLS FIRST" : "DESC NULLS LAST"
            switch key {
            case .number(let number): parts.append("\(number.text) \(direction)")
            // Indexes have the heads of texts.
            case .text(let text): parts += ["left(\(text.text), 256) \(direction)", "\(text.text) \(direction)"]
            case .name: parts.append(isAscending ? "\(Self.name)" : "\(Self.name) DESC")
            }
        }
        if let zone { parts.append(zone) }
        return .joined(parts, by: ", ")
    }

    /// The rows behind the last record of a page; `nil` for values that are not of the order.
    ///
    /// - Parameters:
    ///   - values: What the record has of each key.
    ///   - zone: What the name of a row's zone is and that of the record's, where rows are of several.
    package func behind(_ values: [FieldValue], zone: (text: SQLText, name: String)?) -> Condition? {
        guard values.count == keys.count else { return nil }
        var (alternatives, level): ([Condition], [Condition]) = ([], [])
        for ((key, isAscending), value) in zip(keys, values) {
            guard let place = Self.place(key, value, isAscending) else { return nil }
            alternatives.append(.every(level + [place.beyond]))
            level.append(place.level)
        }
        if let zone { alternatives.append(.every(level + [.holds("\(zone.text) > \(.text(zone.name))")])) }
        // Beside it what the index of the first key can use.
        let start = keys.first.flatMap { Self.start($0.key, values[0], $0.isAscending) }
        return .every([start ?? .constant(true), .some(alternatives)])
    }

    /// Rows whose key comes behind a value, and those that have the value.
    private static func place(_ key: Key, _ value: FieldValue, _ isAscending: Bool) -> (
        beyond: Condition, level: Condition
    )? {
        let (beyond, level, presence): (Condition, Condition, SQLText)
        switch (key, value) {
        case (.name, .string(let name)):
            guard let name = SQLValue.name(name).map(SQLValue.text) else { return nil }
            return (
                .holds(isAscending ? "\(Self.name) > \(name)" : "\(Self.name) < \(name)"),
                .holds("\(Self.name) = \(name)")
            )
        case (.name, _): return nil
        case (.number(let number), .null): (beyond, level, presence) = (.constant(false), .constant(false), number.text)
        case (.number(let number), _):
            guard value.number != nil || number.kind == .date else { return nil }
            beyond = number.isBeyond(.init(value, isInclusive: false), isAbove: isAscending)
            (level, presence) = (number.equals(value), number.text)
        case (.text(let text), .null): (beyond, level, presence) = (.constant(false), .constant(false), text.text)
        case (.text(let text), .string(let value)):
            let value = TextFolding.fold(value, [])
            beyond = text.isBeyond(value, isAbove: isAscending, isInclusive: false)
            (level, presence) = (text.equals(value), text.text)
        case (.text, _): return nil
        }
        // Missing values come first, and last in the other direction.
        if value.isNull {
            return (
                isAscending ? .holds("\(presence) IS NOT NULL") : .constant(false), .holds("\(presence) IS NULL")
            )
        }
        return (isAscending ? beyond : .some([beyond, .holds("\(presence) IS NULL")]), level)
    }

    /// The rows that come no earlier than a value of the first key, if an index can find them.
    private static func start(_ key: Key, _ value: FieldValue, _ isAscending: Bool) -> Condition? {
        switch (key, value) {
        case (.number(let number), _) where isAscending && !value.isNull:
            number.isBeyond(.init(value, isInclusive: true), isAbove: true)
        case (.text(let text), .string(let value)) where isAscending:
            text.isBeyond(TextFolding.fold(value, []), isAbove: true, isInclusive: true)
        default: nil
        }
    }
}
