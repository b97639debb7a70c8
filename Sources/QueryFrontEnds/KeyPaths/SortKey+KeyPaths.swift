// Orders by the properties of Swift types.

public import PredicateSemantics

extension SortKey {
    /// Smallest value of a property first.
    ///
    /// - Throws: `RecordPredicateError` when the field of the property is not known.
    public static func ascending<Root: FieldNamed, Value>(
        _ keyPath: KeyPath<Root, Value>
    ) throws(RecordPredicateError) -> SortKey { .ascending(try Root.fieldName(of: keyPath)) }

    /// Largest value of a property first.
    ///
    /// - Throws: `RecordPredicateError` when the field of the property is not known.
    public static func descending<Root: FieldNamed, Value>(
        _ keyPath: KeyPath<Root, Value>
    ) throws(RecordPredicateError) -> SortKey { .descending(try Root.fieldName(of: keyPath)) }
}
