// Conditions on a field of few distinct values: every value is decided once, and rows by their value.

package import OrdinalSets
package import PredicateSemantics
import PredicateSyntax
package import RecordColumns
import RecordModel
import Synchronization

/// A condition on one field of texts with few distinct values, whatever it requires of the text.
package final class DictionaryTest: Sendable {
    /// What the condition says of the values.
    package struct Decision: Sendable {
        /// The codes of the values for which it holds, as a bitmap over codes.
        package var codes: Bitmap
        /// Number of those codes.
        package var count: Int
        /// Whether it holds for rows without a value.
        package var holdsForMissing: Bool
    }

    /// The code of each row.
    package let codes: ColumnBuffer<UInt32>
    /// The rows that have a value; `nil` when all have.
    package let presence: Bitmap?
    package let node: BoundNode
    /// Number of distinct values.
    package let valueCount: Int
    private let values: TextColumn
    private let slot: Int
    private let decided = Mutex<Decision?>(nil)

    init(_ dictionary: DictionaryColumn, presence: Bitmap?, slot: Int, node: BoundNode) {
        codes = dictionary.codes
        values = dictionary.values
        valueCount = dictionary.values.count
        self.presence = presence
        self.slot = slot
        self.node = node
    }

    /// Whether the values have been decided.
    package var isDecided: Bool { decided.withLock { $0 != nil } }

    /// What the condition says of the values.
    /// - Throws: `EvaluationError` when it has no meaning for a value.
    /// - Complexity: one evaluation for each distinct value the first time, then O(1).
    package func decision() throws(EvaluationError) -> Decision {
        if let known = decided.withLock({ $0 }) { return known }
        var codes = Bitmap(count: valueCount)
        let watch = QueryDeadline.watch
        for code in 0..<valueCount {
            try watch.checkTime()
            codes[code] = try SingleValue.holds(node, slot: slot, .string(values.string(code)))
        }
        // What a comparison says that gave up is not kept.
        try watch.check()
        let decision = Decision(
            codes: codes, count: codes.cardinality,
            holdsForMissing: try SingleValue.holds(node, slot: slot, .null))
        decided.withLock { $0 = decision }
        return decision
    }
}

/// A record of which one field is read.
struct SingleValue: RecordSource {
    private let slot: Int
    private let value: FieldValue

    /// Whether a condition that reads nothing but the field of that slot holds for a value.
    /// - Throws: `EvaluationError` when it has no meaning for the value.
    static func holds(_ node: BoundNode, slot: Int, _ value: FieldValue) throws(EvaluationError) -> Bool {
        try node.evaluate(on: SingleValue(slot: slot, value: value), context: .unused)
    }

    func value(at slot: Int) -> FieldValue { slot == self.slot ? value : .null }
    func value(named _: String) -> FieldValue { .null }
    var wholeValue: FieldValue { .null }
    func forEachText(_: (String, String) -> Bool) {}
}

extension BoundComparison {
    /// The one field that the comparison reads; `nil` when it reads several, none, or more than fields.
    var soleField: FieldReference? {
        var field: FieldReference?
        return lhs.reads(only: &field, \.field) && rhs.reads(only: &field, \.field) ? field : nil
    }
}

extension Operand {
    fileprivate var field: FieldReference? { if case .field(let field) = kind { field } else { nil } }
}
