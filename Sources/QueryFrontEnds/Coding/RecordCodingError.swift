// Why a value cannot be kept as a record, or a record is no value of a type.

import FoundationEssentials
public import RecordModel

/// A value that cannot be kept as a record, or a record that is no value of the requested type: where, why, and what
/// may help. Values of records are never part of it.
public struct RecordCodingError: DescribedError, Hashable, Codable {
    /// Kinds of errors.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A field that the type needs has no value.
        case missingValue
        /// A field holds another kind of value than the type takes.
        case typeMismatch
        /// A value of the right kind that the type does not take: no case of an enumeration, a number out of range.
        case invalidValue
        /// A value that no field can hold.
        case unsupported
        /// The record is of another type.
        case recordType
        /// The record cannot be kept with the others: its name is taken, or a field's kind differs.
        case conflict
    }

    /// What went wrong, for programs.
    public var kind: Kind
    /// The type of the record.
    public var recordType: String
    /// Where in the value, as the coding keys say: `address.lines[2]`; empty for the whole.
    public var path: String
    /// One short clause without a full stop.
    public var message: String
    /// What to do about it.
    public var hint: String?

    init(
        _ kind: Kind, recordType: String = "", path: [any CodingKey], message: String, hint: String? = nil
    ) {
        self.kind = kind
        self.recordType = recordType
        self.path = Self.text(of: path)
        self.message = message
        self.hint = hint
    }

    /// The error of a record that cannot be kept beside the others.
    ///
    /// - Parameter field: The field that is at fault; nil for the whole record.
    package init(conflictOf recordType: String, field: String?, message: String, hint: String?) {
        self.init(
            .conflict, recordType: recordType, path: field.map { [NameKey($0)] } ?? [], message: message, hint: hint)
    }

    private static func text(of path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return text
    }
}

extension RecordCodingError {
    /// `City.address.lines[2]: what is wrong (hint)`.
    public var description: String {
        let place = [recordType, path].filter { !$0.isEmpty }.joined(separator: ".")
        return (place.isEmpty ? "" : place + ": ") + message + (hint.map { " (\($0))" } ?? "")
    }
}

extension RecordCodingError {
    /// The error that coding ended with: one of this module's, the standard ones of types with their own coding, or
    /// any other.
    init(_ error: any Error, recordType: String) {
        switch error {
        case let error as RecordCodingError: self = error
        case DecodingError.keyNotFound(let key, let context):
            self.init(.missingValue, path: context.codingPath + [key], message: "the field has no value")
        case DecodingError.valueNotFound(_, let context):
            self.init(.missingValue, path: context.codingPath, message: "the field has no value")
        case DecodingError.typeMismatch(let type, let context):
            self.init(.typeMismatch, path: context.codingPath, message: "the value is no \(type)")
        case DecodingError.dataCorrupted(let context):
            self.init(.invalidValue, path: context.codingPath, message: "the type does not take the value")
        case EncodingError.invalidValue(_, let context):
            self.init(.unsupported, path: context.codingPath, message: "the type does not encode the value")
        default:
            self.init(.invalidValue, path: [], message: "the type does not take the values: \(Swift.type(of: error))")
        }
        self.recordType = recordType
    }
}

/// A place in a list.
struct IndexKey: CodingKey {
    var index: Int
    var stringValue: String { "\(index)" }
    var intValue: Int? { index }
    init(_ index: Int) { self.index = index }
    init?(stringValue: String) { nil }
    init?(intValue: Int) { self.init(intValue) }
}

/// A member by its name.
struct NameKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
}
