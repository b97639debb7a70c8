// Tests of single rows: what is left to check when indexes have given their rows.

package import Geospatial
package import OrdinalSets
package import PredicateSemantics
package import RecordColumns

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
