// What records are sorted by.

public import Geospatial
package import RecordModel

/// One criterion of an order of records.
///
/// Missing values come first in ascending order and last in descending order, records without a place last in either
/// order of distances; text is ordered by Unicode scalar of the
/// normalised string; values of different kinds by kind. Records that are equal by all keys keep their order.
public struct SortKey: Hashable, Sendable, Codable {
    /// What of a record is compared.
    public enum Criterion: Hashable, Sendable, Codable {
        /// The value of a field; `id` and `type` where there are no fields of these names; dots step into nested
        /// objects.
        case field(String)
        /// Metres along the geodesic from a location field to a place.
        case distance(String, from: Location)
        /// The record's name.
        case recordName
        /// How well the record matches the predicate's token comparisons: its BM25 score.
        case relevance
    }

    /// What of a record is compared.
    public var criterion: Criterion
    /// Small values first.
    public var isAscending: Bool

    /// A key of the given criterion and direction.
    public init(_ criterion: Criterion, isAscending: Bool = true) {
        self.criterion = criterion
        self.isAscending = isAscending
    }

    /// Smallest value of a field first.
    public static func ascending(_ field: String) -> SortKey { SortKey(.field(field)) }

    /// Largest value of a field first.
    public static func descending(_ field: String) -> SortKey { SortKey(.field(field), isAscending: false) }

    /// Best match first: by the BM25 score of the words, phrases and beginnings of words that the predicate's token
    /// comparisons look for. The predicate must have such a comparison, not under NOT.
    public static let relevance = SortKey(.relevance, isAscending: false)

    /// Nearest first: by the distance of a location field from a place.
    public static func distance(_ field: String, _ place: Location) -> SortKey {
        SortKey(.distance(field, from: place))
    }
}

extension SortKey {
    /// The value of the key's criterion as it is compared.
    package func prepared(_ value: FieldValue) -> FieldValue {
        // Who wants the nearest does not want what is nowhere.
        if value.isNull, isAscending, case .distance = criterion { return .double(.infinity) }
        return SortOrder.prepared(value)
    }

    /// −1, 0 or 1 as a record of value `a` comes before, level with or behind one of value `b`.
    package func compare(prepared a: FieldValue, _ b: FieldValue) -> Int {
        let order = SortOrder.compare(prepared: a, b)
        return isAscending ? order : -order
    }
}

extension [SortKey] {
    /// −1, 0 or 1 as a record with values `a` of all keys comes before, level with or behind one with values `b`.
    package func compare(prepared a: [FieldValue], _ b: [FieldValue]) -> Int {
        for (key, values) in zip(self, zip(a, b)) {
            let order = key.compare(prepared: values.0, values.1)
            if order != 0 { return order }
        }
        return 0
    }
}
