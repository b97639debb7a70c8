// Codable values as field values.

import FoundationEssentials
import RecordModel

/// A value while its parts are encoded: shared by the containers that a type requests.
final class EncodedNode {
    /// What was encoded so far.
    enum Content {
        case nothing
        case value(FieldValue)
        case object([String: EncodedNode])
        case list([EncodedNode])
        /// What ties the whole to its record; `nil` for an optional property without a value.
        case metadata(RecordMetadata?)
    }

    var content = Content.nothing
    /// The Swift type that was encoded, where the encoder was told: it is known of nil too.
    let type: (any Any.Type)?

    init(_ content: Content = .nothing, as type: (any Any.Type)? = nil) {
        self.content = content
        self.type = type
    }

    /// The whole value; nil members of nested objects are left out. Complexity: O(n) in the nested values.
    var value: FieldValue {
        switch content {
        case .nothing, .metadata: .null
        case .value(let value): value
        case .object(let members): .object(members.mapValues(\.value).filter { !$0.value.isNull })
        case .list(let elements): .list(elements.map(\.value))
        }
    }

    /// The members of an object; nil ones too.
    var members: [String: EncodedNode] {
        if case .object(let members) = content { members } else { [:] }
    }

    func set(_ node: EncodedNode, for key: String) {
        guard case .object(var members) = content else { return }
        content = .nothing
        members[key] = node
        content = .object(members)
    }

    func append(_ node: EncodedNode) {
        guard case .list(var elements) = content else { return }
        content = .nothing
        elements.append(node)
        content = .list(elements)
    }

    var count: Int {
        if case .list(let elements) = content { elements.count } else { 0 }
    }
}

/// Encodes one value into a node.
struct FieldEncoder: Encoder {
    let node: EncodedNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ node: EncodedNode = EncodedNode(), at path: [any CodingKey] = []) {
        self.node = node
        codingPath = path
    }

    /// The field value of a value.
    static func value(of value: some Encodable, at path: [any CodingKey] = []) throws -> FieldValue {
        if let stored = value as? any StoredValue { return stored.fieldValue }
        let encoder = FieldEncoder(at: path)
        try value.encode(to: encoder)
        return encoder.node.value
    }

    func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .object = node.content {} else { node.content = .object([:]) }
        return KeyedEncodingContainer(KeyedFields<Key>(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .list = node.content {} else { node.content = .list([]) }
        return FieldList(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// A whole number, where it fits 64 bits.
    static func integer(_ value: some BinaryInteger, at path: [any CodingKey]) throws(RecordCodingError) -> FieldValue {
        guard let integer = Int64(exactly: value) else {
            throw RecordCodingError(
                .unsupported, path: path, message: "the number does not fit 64 bits with a sign",
                hint: "keep it as text or as a fraction")
        }
        return .int64(integer)
    }
}

extension FieldEncoder: SingleValueEncodingContainer {
    func encodeNil() { node.content = .value(.null) }
    func encode(_ value: Bool) { node.content = .value(.bool(value)) }
    func encode(_ value: String) { node.content = .value(.string(value)) }
    func encode(_ value: Double) { node.content = .value(.double(value)) }
    func encode(_ value: Float) { node.content = .value(.double(Double(value))) }
    func encode<T: Encodable & BinaryInteger>(_ value: T) throws {
        node.content = .value(try Self.integer(value, at: codingPath))
    }
    func encode<T: Encodable>(_ value: T) throws { node.content = .value(try Self.value(of: value, at: codingPath)) }
}

/// The members of an object.
private struct KeyedFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: EncodedNode
    let codingPath: [any CodingKey]

    private func set<T>(_ value: FieldValue, as type: T.Type, _ key: Key) {
        node.set(EncodedNode(.value(value), as: type), for: key.stringValue)
    }

    private func set(_ metadata: RecordMetadata?, _ key: Key) throws {
        guard codingPath.isEmpty else {
            throw RecordCodingError(
                .unsupported, path: codingPath + [key], message: "only the value of a record has metadata",
                hint: "move the property to the outermost type")
        }
        node.set(EncodedNode(.metadata(metadata)), for: key.stringValue)
    }

    private func nested(_ key: any CodingKey) -> FieldEncoder {
        let child = EncodedNode()
        node.set(child, for: key.stringValue)
        return FieldEncoder(child, at: codingPath + [key])
    }

    func encodeNil(forKey key: Key) { node.set(EncodedNode(.value(.null)), for: key.stringValue) }
    func encode(_ value: Bool, forKey key: Key) { set(.bool(value), as: Bool.self, key) }
    func encode(_ value: String, forKey key: Key) { set(.string(value), as: String.self, key) }
    func encode(_ value: Double, forKey key: Key) { set(.double(value), as: Double.self, key) }
    func encode(_ value: Float, forKey key: Key) { set(.double(Double(value)), as: Float.self, key) }
    func encode<T: Encodable & BinaryInteger>(_ value: T, forKey key: Key) throws {
        set(try FieldEncoder.integer(value, at: codingPath + [key]), as: T.self, key)
    }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        if RecordMetadata.isType(T.self) { return try set(value as? RecordMetadata, key) }
        set(try FieldEncoder.value(of: value, at: codingPath + [key]), as: T.self, key)
    }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { nested(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { nested(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { nested(NameKey("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { nested(key) }
}

/// Optional properties: a nil one is kept as nil, so that updating a record removes its field.
extension KeyedFields {
    func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try encode(optional: value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try encode(optional: value, key) }

    private func encode<T: Encodable>(optional value: T?, _ key: Key) throws {
        if let value { return try encode(value, forKey: key) }
        if RecordMetadata.isType(T.self) { return try set(nil, key) }
        set(.null, as: T.self, key)
    }
}

/// The elements of a list.
private struct FieldList: UnkeyedEncodingContainer {
    let node: EncodedNode
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    private var path: [any CodingKey] { codingPath + [IndexKey(count)] }

    private func append(_ value: FieldValue) { node.append(EncodedNode(.value(value))) }

    private func nested() -> FieldEncoder {
        let child = FieldEncoder(at: path)
        node.append(child.node)
        return child
    }

    func encodeNil() { append(.null) }
    func encode(_ value: Bool) { append(.bool(value)) }
    func encode(_ value: String) { append(.string(value)) }
    func encode(_ value: Double) { append(.double(value)) }
    func encode(_ value: Float) { append(.double(Double(value))) }
    func encode<T: Encodable & BinaryInteger>(_ value: T) throws { append(try FieldEncoder.integer(value, at: path)) }
    func encode<T: Encodable>(_ value: T) throws { append(try FieldEncoder.value(of: value, at: path)) }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        nested().container(keyedBy: type)
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }
    func superEncoder() -> any Encoder { nested() }
}
