// Whether a value can be stored in a field, and as what.

import FoundationEssentials
import Geospatial
import PredicateSyntax
import RecordModel

/// What is wrong with a value; the field and the record are added by those who know them.
struct ValueFault: Error {
    let reason: String
    let hint: String?
    /// Whether the value could be stored in no field at all, so that it is rejected before it is sent.
    let isMalformed: Bool

    init(_ reason: String, hint: String? = nil, isMalformed: Bool = true) {
        self.reason = reason
        self.hint = hint
        self.isMalformed = isMalformed
    }
}

/// Turns values into what a field of a type stores.
struct ValueCheck {
    /// The zone of the record, where its references must lead.
    let zoneID: RecordZone.ID
    /// Whose database it is: as the owner of a zone the same as the placeholder.
    let userName: String?
    /// CloudKit has no objects.
    var dialect = Dialect.full

    /// Objects in objects, and lists in them: deeper ones are rejected.
    static let maximumDepth = 100

    /// The type that a value gives a new field.
    ///
    /// - Throws: `ValueFault` for a value without a type: an empty or a mixed list, an object where there are none.
    func type(of value: FieldValue) throws(ValueFault) -> FieldType {
        switch value {
        case .bool, .int64: return .int64
        case .double: return .double
        case .string: return .string
        case .date: return .date
        case .data: return .data
        case .location: return .location
        case .reference: return .reference
        case .asset: return .asset
        case .null: throw ValueFault("a list cannot hold missing values")
        case .set: throw ValueFault("a set cannot be stored", hint: "store a list")
        case .object:
            if dialect != .full { throw Self.noObjects }
            return .object
        case .list(let elements):
            guard let first = elements.first else {
                throw ValueFault(
                    "an empty list does not tell the type of its elements", hint: "save a list with an element first",
                    isMalformed: false)
            }
            var known = try elementType(of: first)
            for element in elements.dropFirst() {
                let found = try elementType(of: element)
                if known == found { continue }
                guard Self.areNumbers(known, found) else {
                    throw ValueFault("a list holds both \(known.schemaName) and \(found.schemaName)")
                }
                known = .double
            }
            return .list(known)
        }
    }

    /// The type as which a field holds values of a declared type; `nil` where the values decide.
    ///
    /// - Throws: `ValueFault` for objects where there are none.
    func storable(_ declared: FieldType?) throws(ValueFault) -> FieldType? {
        let stored = declared?.stored
        if dialect != .full, stored == .object || stored == .list(.object) { throw Self.noObjects }
        return stored
    }

    private static let noObjects = ValueFault("CloudKit has no objects", hint: "store its members in fields")

    private func elementType(of value: FieldValue) throws(ValueFault) -> FieldType {
        if case .list = value { throw ValueFault("a list cannot hold lists") }
        return try type(of: value)
    }

    private static func areNumbers(_ a: FieldType, _ b: FieldType) -> Bool {
        [.int64, .double].contains(a) && [.int64, .double].contains(b)
    }

    /// The value as a field of a type stores it; `nil` when that is the value itself.
    ///
    /// - Throws: `ValueFault` for a value that the field cannot hold.
    func stored(_ value: FieldValue, as type: FieldType) throws(ValueFault) -> FieldValue? {
        switch (value, type) {
        case (.string, .string), (.int64, .int64), (.data, .data), (.asset, .asset), (.null, _): return nil
        case (.bool(let value), .int64): return .int64(value ? 1 : 0)
        case (.bool(let value), .double): return .double(value ? 1 : 0)
        case (.int64(let value), .double): return .double(Double(value))
        case (.double(let number), _) where !number.isFinite:
            throw ValueFault("a number is not finite")
        case (.double, .double): return nil
        case (.double(let number), .int64):
            guard let whole = NumericOrder.integer(number) else {
                throw ValueFault("INT64 cannot hold a number with a fraction", isMalformed: false)
            }
            return .int64(whole)
        case (.date(let date), .date):
            if !date.timeIntervalSinceReferenceDate.isFinite { throw ValueFault("a date is not finite") }
            return nil
        case (.location(let place), .location):
            if !place.isValid { throw ValueFault("a location lies outside ±90, ±180 degrees") }
            return nil
        case (.reference(let reference), .reference): return try stored(reference)
        case (.object, .object):
            _ = try self.type(of: value)
            return try member(value, Self.maximumDepth)
        case (.list(let elements), .list(let element)):
            _ = elements.isEmpty ? nil : try self.type(of: value)
            return try stored(elements, as: element ?? .any)
        default:
            let found = try self.type(of: value)
            throw ValueFault(
                "the field is \(type.schemaName), the value \(found.schemaName)", isMalformed: false)
        }
    }

    private func stored(_ elements: [FieldValue], as type: FieldType) throws(ValueFault) -> FieldValue? {
        try Self.changed(elements) { element throws(ValueFault) in try stored(element, as: type) }.map { .list($0) }
    }

    /// The values with those replaced for which there is another; `nil` when there is none.
    private static func changed(
        _ values: [FieldValue], _ other: (FieldValue) throws(ValueFault) -> FieldValue?
    ) throws(ValueFault) -> [FieldValue]? {
        var changed: [FieldValue]?
        for (position, value) in values.enumerated() {
            guard let value = try other(value) else { continue }
            changed = changed ?? values
            changed?[position] = value
        }
        return changed
    }

    /// A value in an object as it is stored; `nil` when that is the value itself. What is missing is left out.
    private func member(_ value: FieldValue, _ levels: Int) throws(ValueFault) -> FieldValue? {
        if levels == 0 { throw ValueFault("an object has more than \(Self.maximumDepth) levels") }
        switch value {
        case .null, .bool, .int64, .string, .data: return nil
        case .double(let number):
            if !number.isFinite { throw ValueFault("a number is not finite") }
            return nil
        case .date: return try stored(value, as: .date)
        case .location: return try stored(value, as: .location)
        case .reference(let reference):
            if reference.action == .none { return try stored(reference) }
            throw ValueFault(
                "a reference in an object has the action deleteSelf", hint: "keep it in a field of the record")
        case .asset: throw ValueFault("an object cannot hold assets", hint: "keep them in fields of the record")
        case .set: throw ValueFault("a set cannot be stored", hint: "store a list")
        case .list(let elements):
            return try Self.changed(elements) { element throws(ValueFault) in
                try member(element, levels - 1)
            }.map { .list($0) }
        case .object(let members):
            var stored = members
            for (name, value) in members {
                if let other = try member(value, levels - 1) { stored[name] = other }
                if value.isNull { stored[name] = nil }
            }
            return stored == members ? nil : .object(stored)
        }
    }

    private func stored(_ reference: RecordReference) throws(ValueFault) -> FieldValue? {
        let zoneID = reference.recordID.zoneID
        if zoneID == self.zoneID { return nil }
        guard zoneID.zoneName == self.zoneID.zoneName, zoneID.ownerName == userName else {
            throw ValueFault("a reference leads to a record of another zone", isMalformed: false)
        }
        let id = Record.ID(reference.recordID.recordName, zoneID: self.zoneID)
        return .reference(RecordReference(recordID: id, action: reference.action))
    }

    /// Bytes of a value that count against limits: assets count nothing.
    static func byteCount(_ value: FieldValue) -> Int {
        switch value {
        case .null, .asset: 0
        case .bool: 1
        case .int64, .double, .date: 8
        case .location: 16
        case .string(let text): text.utf8.count
        case .data(let bytes): bytes.count
        case .reference(let reference): reference.recordID.recordName.utf8.count
        case .list(let elements), .set(let elements): elements.reduce(0) { $0 + byteCount($1) }
        case .object(let members): members.values.reduce(0) { $0 + byteCount($1) }
        }
    }
}

extension ValueCheck {
    /// The check of a record that a caller saves in a zone.
    init(zoneID: RecordZone.ID, _ caller: Caller) {
        self.init(zoneID: zoneID, userName: caller.home, dialect: caller.configuration.dialect)
    }
}
