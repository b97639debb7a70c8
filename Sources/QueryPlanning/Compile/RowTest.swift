// Tests of single rows: what is left to check when indexes have given their rows.

import FoundationEssentials
package import Geospatial
import Indexing
package import OrdinalSets
package import PredicateSemantics
package import RecordColumns
import RecordModel

/// A condition on a row, in the form that a kernel or the per-record evaluator can check.
package indirect enum RowTest: Sendable {
    /// A whole number within bounds, both included; rows without a value fail.
    case int(ColumnBuffer<Int64>, presence: Bitmap?, low: Int64, high: Int64, estimate: Int?)
    /// A number or date within bounds, both included; the column holds no NaN.
    case double(ColumnBuffer<Double>, presence: Bitmap?, low: Double, high: Double, estimate: Int?)
    /// Membership in a set of rows that is there already.
    case member(Bitmap, cardinality: Int)
    /// A place within a range of distances, or in an area.
    case near(LocationColumn, presence: Bitmap?, PlaceTest)
    /// A comparison of computed numbers.
    case computed(ColumnProgram)
    /// A condition on a text of few distinct values.
    case coded(DictionaryTest)
    /// A condition on a text.
    case text(TextTest)
    /// A phrase among the words of a row.
    case phrase(PhraseTest)
    /// Anything at all, decided by the per-record evaluator.
    case evaluate(BoundNode)
}

extension RowTest {
    /// About how many of `rowCount` rows pass.
    package func estimate(rowCount: Int) -> Int {
        switch self {
        case .int(_, _, _, _, let estimate), .double(_, _, _, _, let estimate): estimate ?? rowCount / 3
        case .member(_, let cardinality): cardinality
        case .near: rowCount / 10
        case .computed, .coded, .evaluate: rowCount / 3
        case .text(let test): test.estimate(rowCount: rowCount)
        case .phrase: rowCount / 10
        }
    }

    /// The values of an index over a column that pass; `nil` for a test of something else.
    func values(of index: OrderedIndex, over column: Column?) -> Range<Int>? {
        guard let column else { return nil }
        switch (self, column.values) {
        case (.int(let tested, _, let low, let high, _), .int64(let numbers)) where tested === numbers:
            return index.values(from: .int64(low), to: .int64(high))
        case (.double(let tested, _, let low, let high, _), .double(let numbers)) where tested === numbers:
            return index.values(from: .double(low), to: .double(high))
        case (.double(let tested, _, let low, let high, _), .date(let seconds)) where tested === seconds:
            return index.values(
                from: .date(Date(timeIntervalSinceReferenceDate: low)),
                to: .date(Date(timeIntervalSinceReferenceDate: high)))
        default: return nil
        }
    }

    /// Whether a look at a column decides.
    package var isKernel: Bool { if case .evaluate = self { false } else { true } }

    /// Nanoseconds for a row out of many that are looked at one after another (measured on the release build).
    package var cost: Double {
        switch self {
        case .member: 0.05
        case .int, .double: 0.12
        case .near: 1
        case .coded: 0.2
        case .computed(let program): 0.1 * Double(program.steps.count)
        case .text(let test): test.cost
        case .phrase: 60
        case .evaluate: 200
        }
    }
}

extension OrderedIndex {
    /// The distinct values from one to another, both included.
    fileprivate func values(from low: FieldValue, to high: FieldValue) -> Range<Int> {
        distinct(from: KeyBound(low, isInclusive: true), to: KeyBound(high, isInclusive: true))
    }
}
