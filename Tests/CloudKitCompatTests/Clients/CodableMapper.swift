// A library that makes records of Codable values: an encoder and a decoder of its own, system fields kept beside the
// value, and what is secret in the encrypted values of the record.

import CloudKitCompat
import Foundation

/// A value that is stored as a record.
public protocol CloudCodable: Codable {
    static var recordType: CKRecord.RecordType { get }
    /// Keys of fields that are stored encrypted.
    static var secretKeys: Set<String> { get }
    var cloudIdentifier: String { get }
    /// What ties the value to its stored version.
    var systemFields: Data? { get set }
}

public enum CloudCodingError: Error, Equatable {
    case wrongType(String)
    case unsupported(String)
    case missing(String)
    case badSystemFields
}

/// Makes records of values.
public struct CloudRecordEncoder {
    public let zoneID: CKRecordZone.ID?
    public init(zoneID: CKRecordZone.ID? = nil) { self.zoneID = zoneID }

    public func encode<Value: CloudCodable>(_ value: Value) throws -> CKRecord {
        let record = try self.record(of: value)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        let json = try JSONSerialization.jsonObject(with: try encoder.encode(value))
        guard let members = json as? [String: Any] else { throw CloudCodingError.unsupported("root") }
        for (key, member) in members where key != "systemFields" && key != "cloudIdentifier" {
            let fields: CKRecordKeyValueSetting = Value.secretKeys.contains(key) ? record.encryptedValues : record
            switch member {
            case let text as String: fields[key] = text
            case let number as NSNumber: fields[key] = number
            case let texts as [String]: fields[key] = texts
            case let numbers as [NSNumber]: fields[key] = numbers
            case is NSNull: fields[key] = nil as String?
            case let other:
                // Nested values become bytes.
                fields[key] = try JSONSerialization.data(withJSONObject: other, options: [.sortedKeys])
            }
        }
        return record
    }

    private func record<Value: CloudCodable>(of value: Value) throws -> CKRecord {
        if let data = value.systemFields {
            let coder = try NSKeyedUnarchiver(forReadingFrom: data)
            coder.requiresSecureCoding = true
            defer { coder.finishDecoding() }
            guard let record = CKRecord(coder: coder) else { throw CloudCodingError.badSystemFields }
            return record
        }
        let id = zoneID.map { CKRecord.ID(recordName: value.cloudIdentifier, zoneID: $0) }
        return CKRecord(
            recordType: Value.recordType, recordID: id ?? CKRecord.ID(recordName: value.cloudIdentifier))
    }
}

/// Makes values of records.
public struct CloudRecordDecoder {
    public init() {}

    public func decode<Value: CloudCodable>(_ type: Value.Type, from record: CKRecord) throws -> Value {
        guard record.recordType == Value.recordType else { throw CloudCodingError.wrongType(record.recordType) }
        var members: [String: Any] = ["cloudIdentifier": record.recordID.recordName]
        for key in record.allKeys() { members[key] = Self.plain(record[key]) }
        for key in record.encryptedValues.allKeys() { members[key] = Self.plain(record.encryptedValues[key]) }
        members["systemFields"] = record.systemFieldsArchive.base64EncodedString()
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        do {
            return try decoder.decode(Value.self, from: try JSONSerialization.data(withJSONObject: members))
        } catch DecodingError.keyNotFound(let key, _) {
            throw CloudCodingError.missing(key.stringValue)
        }
    }

    private static func plain(_ value: CKRecordValue?) -> Any? {
        switch value {
        case let text as String: text
        case let number as NSNumber: number
        case let texts as [String]: texts
        case let numbers as [NSNumber]: numbers
        case let bytes as Data: (try? JSONSerialization.jsonObject(with: bytes)) ?? bytes.base64EncodedString()
        default: nil
        }
    }
}

extension CKRecord {
    /// The system fields as an archive.
    public var systemFieldsArchive: Data {
        let coder = NSKeyedArchiver(requiringSecureCoding: true)
        encodeSystemFields(with: coder)
        coder.finishEncoding()
        return coder.encodedData
    }
}
