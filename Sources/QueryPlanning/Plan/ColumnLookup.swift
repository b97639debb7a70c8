// The rows of a small segment that meet the constraints of a template, read from its columns: most have none.

import OrdinalSets
package import PredicateSemantics
package import RecordColumns
import RecordModel
import TextAnalysis

/// Constraints, each exact and not negated, ready to be compared with the columns of segment after segment.
///
/// For segments that are too small for indexes: a plan for one takes ten times as long as to look at its rows.
package struct ColumnLookup: Sendable {
    /// A constraint in the terms of columns.
    private enum Condition: Sendable {
        case interval(Interval, isOfDates: Bool)
        /// Equal to a text, of which this is the folded form.
        case text([UInt8], TextOptions)
    }

    private let conditions: [(field: String, condition: Condition)]
    private let keys: RecordKeys

    /// - Returns: `nil` where a constraint is none that columns tell by themselves.
    package init?(_ constraints: [FieldConstraint], keys: RecordKeys) {
        var conditions: [(field: String, condition: Condition)] = []
        conditions.reserveCapacity(constraints.count)
        for constraint in constraints {
            guard constraint.isExact, !constraint.isNegated, constraint.subject.keys.isEmpty,
                !constraint.subject.isElementwise, let field = constraint.subject.field,
                let condition = Self.condition(constraint.requirement)
            else { return nil }
            conditions.append((field.name, condition))
        }
        (self.conditions, self.keys) = (conditions, keys)
    }

    private static func condition(_ requirement: FieldConstraint.Requirement) -> Condition? {
        let interval: Interval
        switch requirement {
        case .equal(.string(let text), let options):
            return options.contains(.localeSensitive)
                ? nil : .text(Array(TextFolding.fold(text, options).utf8), options)
        case .equal(let value, _):
            let bound = FieldConstraint.Bound(value, isInclusive: true)
            interval = Interval(lower: bound, upper: bound)
        case .range(let lower, let upper, _): interval = Interval(lower: lower, upper: upper)
        default: return nil
        }
        let bounds = interval.bounds
        if bounds.allSatisfy({ $0.value.number != nil }) { return .interval(interval, isOfDates: false) }
        return bounds.allSatisfy { $0.value.kind == .date } ? .interval(interval, isOfDates: true) : nil
    }

    /// The rows of a segment that meet all constraints, deleted ones among them, ascending; `nil` where a column is not
    /// of the kind of its constraint.
    ///
    /// - Complexity: O(rows · constraints).
    package func rows(of segment: Segment) -> [UInt32]? {
        var rows: [UInt32]?
        for (field, condition) in conditions {
            guard let position = segment.schema.position(of: field) else {
                // No record has the field; what is no field may be a part of the record.
                if keys.isPartOfRecord(field) { return nil }
                rows = []
                continue
            }
            guard let found = Self.rows(rows, of: segment.columns[position], condition) else { return nil }
            rows = found
        }
        return rows ?? Array(0..<UInt32(truncatingIfNeeded: segment.count))
    }

    /// Those of some rows of a column that meet a condition; `nil` for some stands for all of them.
    private static func rows(_ some: [UInt32]?, of column: Column, _ condition: Condition) -> [UInt32]? {
        let presence = column.presence
        func kept(_ isMet: (Int) -> Bool) -> [UInt32] {
            var kept: [UInt32] = []
            for place in 0..<(some?.count ?? column.count) {
                let row = some?[place] ?? UInt32(truncatingIfNeeded: place)
                if isMet(Int(row)), presence?[Int(row)] ?? true { kept.append(row) }
            }
            return kept
        }
        switch (column.values, condition) {
        case (.missing, _): return []
        case (.int64(let numbers), .interval(let interval, isOfDates: false)):
            guard let bounds = IntBounds(interval) else { return [] }
            return kept { numbers[$0] >= bounds.low && numbers[$0] <= bounds.high }
        case (.double(let numbers), .interval(let interval, isOfDates: false)),
            (.date(let numbers), .interval(let interval, isOfDates: true)):
            guard !column.holdsNaN, let bounds = DoubleBounds(interval) else { return nil }
            return kept { numbers[$0] >= bounds.low && numbers[$0] <= bounds.high }
        case (.text(let texts), .text(let text, let options)):
            return kept { Self.equals(texts, $0, text, options) }
        case (.dictionary(let dictionary), .text(let text, let options)):
            let codes = (0..<dictionary.values.count).filter { Self.equals(dictionary.values, $0, text, options) }
            return codes.isEmpty ? [] : kept { codes.contains(Int(dictionary.codes[$0])) }
        default: return nil
        }
    }

    /// Whether a text of a column, folded, has exactly these bytes.
    private static func equals(_ texts: TextColumn, _ row: Int, _ folded: [UInt8], _ options: TextOptions) -> Bool {
        let isFolded =
            options.contains(.normalized)
            || !options.contains(.caseInsensitive)
                && (unsafe texts.withBytes(row) { unsafe $0.allSatisfy { $0 < 0x80 } })
        return isFolded
            ? unsafe folded.withUnsafeBufferPointer { unsafe texts.equals(row, $0) }
            : TextFolding.fold(texts.string(row), options).utf8.elementsEqual(folded)
    }
}
