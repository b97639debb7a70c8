// Where the evaluator reads a record from.

package import RecordModel

/// A record as the evaluator sees it: fields by slot, and the few things that need the whole record.
///
/// Slots number `BoundPredicate.fieldNames`, so that a table looks each column up once per query and not per record.
package protocol RecordSource {
    /// The value of the field at `slot` in the bound predicate's field names; `.null` when absent.
    func value(at slot: Int) -> FieldValue
    /// The value of a field by name, for paths that arrive through a reference; `.null` when absent.
    func value(named name: String) -> FieldValue
    /// The evaluated object itself, for SELF: an object of all fields, or the plain value.
    var wholeValue: FieldValue { get }
    /// Whether SELF is a record, so that `SELF CONTAINS 'x'` searches tokens.
    var isRecord: Bool { get }
    /// Visits the texts that `allTokens` covers, string fields and string elements of lists, each with the name of its
    /// field, until the body is false.
    ///
    /// The record's name and type, dates and references are not among them.
    func forEachText(_ body: (_ field: String, _ text: String) -> Bool)
    /// The record that a reference points at, where the source can reach it.
    func resolve(_ reference: RecordReference) -> (any RecordSource)?
}

extension RecordSource {
    package var isRecord: Bool { true }
    package func resolve(_: RecordReference) -> (any RecordSource)? { nil }
}

/// The names behind the slots of a bound predicate, shared by all records it is evaluated on.
final class FieldNames: Sendable {
    let names: [String]
    /// Whether a name means the record itself and not one of its fields.
    let needsIdentity: Bool

    init(_ names: [String]) {
        self.names = names
        needsIdentity = names.contains { Binder.Settings.recordFields[$0] != nil }
    }
}

/// A record, read by name.
package struct RecordFields: RecordSource {
    /// The values by field name, without absent ones.
    package let fields: [String: FieldValue]
    /// The record itself, where its name or type may be read: the copy is saved for the many that are not.
    private let identity: Record?
    private let names: FieldNames
    private let resolver: (@Sendable (RecordReference) -> Record?)?

    /// A source over a record.
    ///
    /// - Parameters:
    ///   - names: The bound predicate's field names, by slot.
    ///   - resolver: Finds the record behind a reference; without one, paths through references are nil.
    package init(
        _ record: Record, names: [String], resolver: (@Sendable (RecordReference) -> Record?)? = nil
    ) {
        self.init(record, FieldNames(names), resolver)
    }

    init(_ record: Record, _ names: FieldNames, _ resolver: (@Sendable (RecordReference) -> Record?)?) {
        fields = record.fields
        identity = names.needsIdentity ? record : nil
        self.names = names
        self.resolver = resolver
    }

    /// A record of which any name may be read, but no slot: one that a path arrived at, or that several predicates
    /// are evaluated on (`BoundPredicate.source`).
    package init(_ record: Record, resolver: (@Sendable (RecordReference) -> Record?)?) {
        fields = record.fields
        identity = record
        names = FieldNames([])
        self.resolver = resolver
    }

    /// The same record with the slots of a predicate.
    init(_ source: RecordFields, _ names: FieldNames) {
        fields = source.fields
        identity = source.identity
        resolver = source.resolver
        self.names = names
    }

    package func value(at slot: Int) -> FieldValue {
        slot < names.names.count ? value(named: names.names[slot]) : .null
    }

    package func value(named name: String) -> FieldValue {
        if let value = fields[name] { return value }
        guard let identity else { return .null }
        switch name {
        case "recordID": return identity.id.fieldValue
        case "recordName": return .string(identity.id.recordName)
        case "recordType": return .string(identity.type)
        case "creationDate": return identity.creationDate.map { .date($0) } ?? .null
        case "modificationDate": return identity.modificationDate.map { .date($0) } ?? .null
        case "creatorUserRecordID": return identity.creatorUserRecordID?.fieldValue ?? .null
        case "lastModifiedUserRecordID": return identity.lastModifiedUserRecordID?.fieldValue ?? .null
        case "parent": return identity.parent.map { .reference($0) } ?? .null
        default: return .null
        }
    }

    package var wholeValue: FieldValue { .object(fields) }

    package func forEachText(_ body: (_ field: String, _ text: String) -> Bool) { Self.forEachText(in: fields, body) }

    package func resolve(_ reference: RecordReference) -> (any RecordSource)? {
        guard let resolver, let record = resolver(reference) else { return nil }
        return RecordFields(record, resolver: resolver)
    }

    /// Visits string values and string elements of list values, until the body is false.
    static func forEachText(in fields: [String: FieldValue], _ body: (String, String) -> Bool) {
        for (field, value) in fields where !forEachText(in: value, { body(field, $0) }) { return }
    }

    /// Visits a string, or the strings of a list; false when the body said so.
    static func forEachText(in value: FieldValue, _ body: (String) -> Bool) -> Bool {
        switch value {
        case .string(let text): return body(text)
        case .list(let elements), .set(let elements):
            for case .string(let text) in elements where !body(text) { return false }
            return true
        default: return true
        }
    }
}

/// A plain value: an object is read as a record, anything else is only SELF.
package struct PlainValue: RecordSource {
    /// The value that is read.
    package let wholeValue: FieldValue
    private let names: FieldNames

    /// A source over a value, with the bound predicate's field names by slot.
    package init(_ value: FieldValue, names: [String]) { self.init(value, FieldNames(names)) }

    init(_ value: FieldValue, _ names: FieldNames) {
        wholeValue = value
        self.names = names
    }

    /// No value and no fields: where constants are folded.
    static let none = PlainValue(.null, FieldNames([]))

    package var isRecord: Bool { if case .object = wholeValue { true } else { false } }

    package func value(at slot: Int) -> FieldValue {
        slot < names.names.count ? value(named: names.names[slot]) : .null
    }

    package func value(named name: String) -> FieldValue {
        if case .object(let members) = wholeValue { return members[name] ?? .null }
        return KeyPaths.member(of: wholeValue, key: name, source: nil)
    }

    package func forEachText(_ body: (_ field: String, _ text: String) -> Bool) {
        if case .object(let members) = wholeValue {
            RecordFields.forEachText(in: members, body)
        } else {
            _ = RecordFields.forEachText(in: wholeValue) { body("", $0) }
        }
    }
}
