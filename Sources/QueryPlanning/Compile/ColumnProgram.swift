// A comparison of computed numbers in the form that the kernels run over columns.

package import CKernels
package import OrdinalSets
package import PredicateSemantics
package import RecordColumns

/// A comparison compiled against the columns of one segment: `rating * 2 + population / 1000000.0 > 9`.
///
/// Rows whose arithmetic leaves what the kernels compute exactly come back undecided, and the evaluator decides
/// them. A program never fails: what could fail is not compiled.
///
/// An object, as plans are copied and a program refers to much.
package final class ColumnProgram: Sendable {
    /// A column as the steps read it.
    package enum Input: Sendable {
        case int(ColumnBuffer<Int64>)
        case double(ColumnBuffer<Double>)
        /// Bits of numbers of either kind.
        case mixed(ColumnBuffer<UInt64>)
        case bits(Bitmap)
    }

    package let inputs: [Input]
    package let steps: [kernels_step]
    /// Whether a step may leave rows undecided.
    package let mayBeUndecided: Bool
    /// The rows for which the steps decide; `nil` for all. Others have no value on one side.
    package let present: Bitmap?
    /// The rows that count as selected because neither side has a value: nil equals nil.
    package let bothMissing: Bitmap?
    /// Whether the rows are meant that the steps do not select, rows without a value included.
    package let isNegated: Bool
    /// The comparison itself, for single and for undecided rows.
    package let node: BoundNode

    init(
        _ written: ProgramEmitter, inputs: [Input], present: Bitmap?, bothMissing: Bitmap?, isNegated: Bool,
        node: BoundNode
    ) {
        (self.inputs, steps, mayBeUndecided) = (inputs, written.steps, written.mayBeUndecided)
        (self.present, self.bothMissing) = (present, bothMissing)
        (self.isNegated, self.node) = (isNegated, node)
    }
}
