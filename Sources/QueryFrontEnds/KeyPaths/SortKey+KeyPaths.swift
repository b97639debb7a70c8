// Orders by the properties of Swift types.

public import Geospatial
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

    /// A criterion of an order of the records of a Swift type: `[.descending(\.population), .ascending(\.name)]`.
    public struct Of<Root: RecordConvertible>: Hashable, Sendable {
        /// The key for calls that do not know the Swift type.
        public let untyped: SortKey
        /// Whether the key is of a property, whose field is no slip. Keys that differ here alone are equal.
        package private(set) var isOfProperty = false

        /// A key that was made in another way, taken for one of the type.
        public init(_ untyped: SortKey) { self.untyped = untyped }

        private init(property untyped: SortKey) { (self.untyped, isOfProperty) = (untyped, true) }

        public static func == (a: Self, b: Self) -> Bool { a.untyped == b.untyped }
        public func hash(into hasher: inout Hasher) { hasher.combine(untyped) }

        /// Smallest value of a property first.
        ///
        /// - Throws: `RecordPredicateError` when the field of the property is not known.
        public static func ascending<Value>(_ keyPath: KeyPath<Root, Value>) throws(RecordPredicateError) -> Self {
            Self(property: try .ascending(keyPath))
        }

        /// Largest value of a property first.
        ///
        /// - Throws: `RecordPredicateError` when the field of the property is not known.
        public static func descending<Value>(_ keyPath: KeyPath<Root, Value>) throws(RecordPredicateError) -> Self {
            Self(property: try .descending(keyPath))
        }

        /// Nearest first: by the distance of a property from a place.
        ///
        /// - Throws: `RecordPredicateError` when the field of the property is not known.
        public static func distance<Value>(
            _ keyPath: KeyPath<Root, Value>, _ place: Location
        ) throws(RecordPredicateError) -> Self where Value: FieldOperand, Value.Family == LocationFamily {
            Self(property: .distance(try Root.fieldName(of: keyPath), place))
        }

        /// Smallest value of a field first.
        public static func ascending(_ field: String) -> Self { Self(.ascending(field)) }
        /// Largest value of a field first.
        public static func descending(_ field: String) -> Self { Self(.descending(field)) }
        /// Nearest first: by the distance of a location field from a place.
        public static func distance(_ field: String, _ place: Location) -> Self { Self(.distance(field, place)) }
        /// Best match first, as `SortKey.relevance`.
        public static var relevance: Self { Self(.relevance) }
    }
}
