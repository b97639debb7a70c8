// Makes values of any decodable type, each different from the others, to learn where properties are encoded.

import FoundationEssentials
import RecordModel

/// Decodes values out of nothing: every leaf has a value of its own.
///
/// What was decoded from it is recorded, whether or not decoding succeeds.
final class SampleSource {
    /// Which sample this is. Leaves with few values (truth values, cases) take a pattern over the samples that tells
    /// them apart; the odd sample of a pair holds the opposite truth values of the even one, so that no property that
    /// combines others shows the pattern of a third.
    let sample: Int
    private var leaves = 0
    /// Whether the outermost type has a coding key of that name.
    private(set) var hasKey: (String) -> Bool = { _ in false }
    /// The types that the outermost type's members were decoded as.
    private(set) var memberTypes: [String: any Any.Type] = [:]
    /// The type of field that the outermost type was about to be decoded from; `nil` for lists.
    private(set) var outermostType: FieldType?

    /// Deepest nesting; what may be nil or empty is so from there on, so that recursive types come to an end.
    static let maximumDepth = 4

    init(sample: Int) { self.sample = sample }

    /// A number that no other leaf of this sample has.
    func number() -> Int {
        leaves += 1
        return sample &* 1009 &+ leaves
    }

    /// A number for a leaf with few values: the leaf's own number, bit after bit over the samples, then chance.
    func pattern() -> UInt64 {
        leaves += 1
        let pair = sample / 2
        if pair < 8 { return UInt64(leaves) >> UInt64(pair) }
        var mixed = UInt64(leaves) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(pair) &* 0xD1B5_4A32_D192_ED03
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    func truth() -> Bool { (pattern() & 1 == 1) != (sample % 2 == 1) }

    func noteKeys<Key: CodingKey>(of _: Key.Type, at path: [any CodingKey]) {
        guard path.isEmpty else { return }
        hasKey = { Key(stringValue: $0) != nil }
        outermostType = .object
    }

    func note(_ type: any Any.Type, at path: [any CodingKey], of field: FieldType? = nil) {
        if path.isEmpty { outermostType = field }
        guard path.count == 1, path[0].intValue == nil, memberTypes[path[0].stringValue] == nil else { return }
        memberTypes[path[0].stringValue] = type
    }
}

/// The decoder at one place of a sample.
struct SampleDecoder: Decoder, SingleValueDecodingContainer {
    let source: SampleSource
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ source: SampleSource, at path: [any CodingKey] = []) {
        self.source = source
        codingPath = path
    }

    var isDeep: Bool { codingPath.count >= SampleSource.maximumDepth }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        source.noteKeys(of: type, at: codingPath)
        guard codingPath.count <= 2 * SampleSource.maximumDepth else {
            throw RecordCodingError(.unsupported, path: codingPath, message: "the type has no end")
        }
        return KeyedDecodingContainer(SampleMembers<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { SampleElements(decoder: self) }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { isDeep }

    func decode(_ type: Bool.Type) -> Bool {
        source.note(type, at: codingPath, of: .bool)
        return source.truth()
    }
    func decode(_ type: String.Type) -> String {
        source.note(type, at: codingPath, of: .string)
        return "Sample \(source.number())"
    }
    func decode(_ type: Double.Type) -> Double {
        source.note(type, at: codingPath, of: .double)
        return Double(source.number()) + 0.25
    }
    func decode(_ type: Float.Type) -> Float {
        source.note(type, at: codingPath, of: .double)
        return Float(source.number()) + 0.25
    }
    func decode<T: Decodable & BinaryInteger>(_ type: T.Type) -> T {
        source.note(type, at: codingPath, of: .int64)
        // Bytes have too few values for a number of their own: a pattern tells them apart.
        return T(exactly: source.number()) ?? T(truncatingIfNeeded: source.pattern() & 0x7F)
    }
    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        source.note(type, at: codingPath)
        if let stored = type as? any StoredValue.Type, let value = stored.sample(source.number()) as? T {
            return value
        }
        if let cases = type as? any CaseIterable.Type, let value = one(of: cases) as? T { return value }
        return try T(from: self)
    }

    private func one<Cases: CaseIterable>(of _: Cases.Type) -> Cases? {
        let all = Array(Cases.allCases)
        return all.isEmpty ? nil : all[Int(source.pattern() % UInt64(all.count))]
    }
}

/// Every member that a type decodes.
private struct SampleMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SampleDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }
    /// A dictionary has one member; a type with fixed keys names its own.
    var allKeys: [Key] { decoder.isDeep ? [] : [Key(stringValue: "sample")].compactMap(\.self) }

    private func member(_ key: any CodingKey) -> SampleDecoder {
        SampleDecoder(decoder.source, at: codingPath + [key])
    }

    func contains(_: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { member(key).decodeNil() }
    func decode(_ type: Bool.Type, forKey key: Key) -> Bool { member(key).decode(type) }
    func decode(_ type: String.Type, forKey key: Key) -> String { member(key).decode(type) }
    func decode(_ type: Double.Type, forKey key: Key) -> Double { member(key).decode(type) }
    func decode(_ type: Float.Type, forKey key: Key) -> Float { member(key).decode(type) }
    func decode<T: Decodable & BinaryInteger>(_ type: T.Type, forKey key: Key) -> T { member(key).decode(type) }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try member(key).decode(type) }
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { member(key).unkeyedContainer() }
    func superDecoder() -> any Decoder { member(NameKey("super")) }
    func superDecoder(forKey key: Key) -> any Decoder { member(key) }
}

/// Two elements, and more for those who decode more.
private struct SampleElements: UnkeyedDecodingContainer {
    let decoder: SampleDecoder
    private(set) var currentIndex = 0

    init(decoder: SampleDecoder) { self.decoder = decoder }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { decoder.isDeep ? 0 : 2 }
    var isAtEnd: Bool { currentIndex >= (count ?? 0) }

    private mutating func next() -> SampleDecoder {
        currentIndex += 1
        return SampleDecoder(decoder.source, at: codingPath + [IndexKey(currentIndex - 1)])
    }

    mutating func decodeNil() -> Bool { false }
    mutating func decode(_ type: Bool.Type) -> Bool { next().decode(type) }
    mutating func decode(_ type: String.Type) -> String { next().decode(type) }
    mutating func decode(_ type: Double.Type) -> Double { next().decode(type) }
    mutating func decode(_ type: Float.Type) -> Float { next().decode(type) }
    mutating func decode<T: Decodable & BinaryInteger>(_ type: T.Type) -> T { next().decode(type) }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested>
    {
        try next().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { next().unkeyedContainer() }
    mutating func superDecoder() -> any Decoder { next() }
}
