// Why a value could not be taken into a column.

/// Kinds of values that do not mix within one field.
package enum ValueKind: String, Hashable, Sendable {
    case number, bool, string, date, data, location, reference, asset, list, object
}

/// Values of two kinds in one field, which was widened for them.
package struct KindMixture: Hashable, Sendable {
    package var field: String
    /// The kind of the values before.
    package var existing: ValueKind
    package var found: ValueKind
    /// The record with the first value of the other kind.
    package var origin: Int
}

/// Why a record could not be taken into a table. Origins are numbers of the caller's choice, such as lines.
@usableFromInline
package struct ColumnError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The field holds another kind of values since the record of origin `first`.
        case mixture(existing: ValueKind, found: ValueKind, first: Int)
        /// A record of that name came before, at origin `first`.
        case duplicateName(first: Int)
        /// More different fields than the limit.
        case tooManyFields(limit: Int)
        /// More different record types than the limit.
        case tooManyTypes(limit: Int)
        /// More record types of zones than the limit.
        case tooManyZones(limit: Int)
        /// More than 4 GiB of one field in one segment.
        case tooLarge
        /// A kind of value that cannot be stored.
        case notStorable
    }

    package var kind: Kind
    /// The field, or `nil` when the error is about the record.
    package var field: String?

    package init(_ kind: Kind, field: String? = nil) {
        self.kind = kind
        self.field = field
    }
}
