// Field values as Codable values.

import FoundationEssentials
import RecordModel

/// Decodes a value from a field value.
struct FieldDecoder: Decoder {
    let value: FieldValue
    /// The record, where the value of a whole record is decoded.
    let record: Record?
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: FieldValue, of record: Record? = nil, at path: [any CodingKey] = []) {
        self.value = value
        self.record = record
        codingPath = path
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let members) = value else { throw mismatch("an object") }
        return KeyedDecodingContainer(
            KeyedFields<Key>(
                members: members, record: record, systemValues: record?.systemValues ?? [:], codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        switch value {
        case .list(let elements), .set(let elements): return FieldList(elements: elements, codingPath: codingPath)
        default: throw mismatch("a list")
        }
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    /// The error for a value of another kind than expected.
    func mismatch(_ expected: String) -> RecordCodingError {
        value.isNull
            ? RecordCodingError(
                .missingValue, path: codingPath, message: "the field has no value",
                hint: "make the property optional if records may lack it")
            : RecordCodingError(
                .typeMismatch, path: codingPath, message: "expected \(expected), found a value of kind \(value.kind)")
    }
}

extension FieldDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    private func decoded<T: FieldValueRepresentable>(as phrase: String) throws(RecordCodingError) -> T {
        guard let result = T(fieldValue: value) else { throw mismatch(phrase) }
        return result
    }

    func decode(_: Bool.Type) throws -> Bool { try decoded(as: "a truth value") }
    func decode(_: String.Type) throws -> String { try decoded(as: "text") }
    func decode(_: Double.Type) throws -> Double { try decoded(as: "a number") }
    func decode(_: Float.Type) throws -> Float { try decoded(as: "a number") }
    func decode<T: Decodable & BinaryInteger>(_: T.Type) throws -> T {
        let integer: T?
        switch value {
        case .int64(let value): integer = T(exactly: value)
        case .double(let value): integer = T(exactly: value)
        case .bool(let value): integer = value ? 1 : 0
        default: throw mismatch("a whole number")
        }
        guard let integer else {
            throw RecordCodingError(
                .invalidValue, path: codingPath, message: "the number is not whole or does not fit \(T.self)")
        }
        return integer
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        if let stored = type as? any StoredValue.Type {
            guard let result = stored.init(fieldValue: value) as? T, !value.isNull || type == FieldValue.self else {
                throw mismatch(stored.phrase)
            }
            return result
        }
        return try T(from: self)
    }
}

/// The members of an object, or the fields and the other parts of a record.
private struct KeyedFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: [String: FieldValue]
    let record: Record?
    /// The parts of the record that are no fields.
    let systemValues: [String: FieldValue]
    let codingPath: [any CodingKey]

    var allKeys: [Key] { members.keys.sorted().compactMap { Key(stringValue: $0) } }

    private func decoder(_ key: any CodingKey) -> FieldDecoder {
        let name = key.stringValue
        return FieldDecoder(systemValues[name] ?? members[name] ?? .null, at: codingPath + [key])
    }

    func contains(_ key: Key) -> Bool { members[key.stringValue] != nil || systemValues[key.stringValue] != nil }
    func decodeNil(forKey key: Key) -> Bool { decoder(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder(key).decode(type) }
    func decode<T: Decodable & BinaryInteger>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder(key).decode(type)
    }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try metadata(type) ?? decoder(key).decode(type)
    }
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        if let metadata = metadata(type) { return metadata }
        return contains(key) && !decodeNil(forKey: key) ? try decode(type, forKey: key) : nil
    }

    /// What ties the record to its stored version, for a property of that type; `nil` for others.
    private func metadata<T>(_ type: T.Type) -> T? {
        guard RecordMetadata.isType(type), let record else { return nil }
        return RecordMetadata(record) as? T
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try decoder(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }
    func superDecoder() throws -> any Decoder { decoder(NameKey("super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { decoder(key) }
}

/// The elements of a list.
private struct FieldList: UnkeyedDecodingContainer {
    let elements: [FieldValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    init(elements: [FieldValue], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    /// The next element, which is passed only when `body` returns.
    private mutating func next<T>(_ body: (FieldDecoder) throws -> T) throws -> T {
        let path = codingPath + [IndexKey(currentIndex)]
        guard !isAtEnd else {
            throw RecordCodingError(.missingValue, path: path, message: "the list has no more elements")
        }
        let result = try body(FieldDecoder(elements[currentIndex], at: path))
        currentIndex += 1
        return result
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }
    mutating func decode(_ type: Bool.Type) throws -> Bool { try next { try $0.decode(type) } }
    mutating func decode(_ type: String.Type) throws -> String { try next { try $0.decode(type) } }
    mutating func decode(_ type: Double.Type) throws -> Double { try next { try $0.decode(type) } }
    mutating func decode(_ type: Float.Type) throws -> Float { try next { try $0.decode(type) } }
    mutating func decode<T: Decodable & BinaryInteger>(_ type: T.Type) throws -> T { try next { try $0.decode(type) } }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next { try $0.decode(type) } }
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try next { try $0.container(keyedBy: type) }
    }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }
    mutating func superDecoder() throws -> any Decoder { try next { $0 } }
}
