// An end of a range of keys.

package import RecordModel

/// An end of a range of values.
package struct KeyBound: Hashable, Sendable {
    package var value: FieldValue
    /// Whether the value itself is in the range.
    package var isInclusive: Bool

    package init(_ value: FieldValue, isInclusive: Bool) {
        self.value = value
        self.isInclusive = isInclusive
    }
}
