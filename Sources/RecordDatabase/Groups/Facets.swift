// The values of a field with their counts.

public import RecordModel

/// A value and the number of records that have it.
public struct ValueCount: Hashable, Sendable {
    /// The value.
    public var value: FieldValue
    /// How many records have it.
    public var count: Int

    /// A value with a count.
    public init(_ value: FieldValue, _ count: Int) { (self.value, self.count) = (value, count) }
}

/// The most frequent values of a field, and how many there are.
public struct Facets: Hashable, Sendable {
    /// The values with their counts, most frequent first; of equal counts in the order of sort keys.
    public var values: [ValueCount]
    /// Number of distinct values, those beyond the limit included.
    public var distinctCount: Int
    /// Number of records without a value, or with an empty list.
    public var missingCount: Int
}
