// Many names in few bytes.

import FoundationEssentials
import RecordModel

/// Sets of names by another name, in the form that is stored: sorted, each without what it shares with the one before,
/// and names that are UUIDs as their 16 bytes.
enum PackedNames {
    private static let form: UInt8 = 1

    /// How a name is written.
    private enum Kind: UInt8, CaseIterable {
        case text, upperUUID, lowerUUID

        /// The kind of a name, and what is written of it.
        static func packed(_ name: String) -> (kind: Kind, bytes: [UInt8]) {
            let text = Array(name.utf8)
            if text.count == 36, let uuid = UUID(uuidString: name) {
                let upper = uuid.uuidString
                let kind: Kind? = name == upper ? .upperUUID : name == upper.lowercased() ? .lowerUUID : nil
                if let kind { return (kind, uuid.bytes) }
            }
            return (.text, text)
        }

        /// How many bytes each has; `nil` where they tell so themselves.
        var length: Int? { self == .text ? nil : 16 }

        /// The name that some bytes stand for; `nil` for none.
        func name(_ bytes: [UInt8]) -> String? {
            switch self {
            case .text: String(validating: bytes, as: UTF8.self)
            case .upperUUID: UUID(bytes: bytes)?.uuidString
            case .lowerUUID: UUID(bytes: bytes)?.uuidString.lowercased()
            }
        }
    }

    static func bytes(of names: [String: Set<String>]) -> [UInt8] {
        var writer = BinaryWriter()
        writer.write(byte: form)
        writer.write(count: names.count)
        for (type, names) in names.sorted(by: { $0.key < $1.key }) {
            writer.write(type)
            var kinds: [Kind: [[UInt8]]] = [:]
            for name in names {
                let (kind, bytes) = Kind.packed(name)
                kinds[kind, default: []].append(bytes)
            }
            for kind in Kind.allCases {
                write((kinds[kind] ?? []).sorted { $0.lexicographicallyPrecedes($1) }, kind, to: &writer)
            }
        }
        return writer.bytes
    }

    private static func write(_ names: [[UInt8]], _ kind: Kind, to writer: inout BinaryWriter) {
        writer.write(count: names.count)
        var last: [UInt8] = []
        for name in names {
            let shared = zip(last, name).prefix { $0 == $1 }.count
            // Mostly one byte says how much is shared, and how much follows.
            let rest = name.count - shared
            if kind.length != nil {
                writer.write(count: shared)
            } else if shared < 16, rest < 15 {
                writer.write(byte: UInt8(shared << 4 | rest))
            } else {
                writer.write(byte: 15)
                writer.write(count: shared)
                writer.write(count: rest)
            }
            for byte in name[shared...] { writer.write(byte: byte) }
            last = name
        }
    }

    /// - Throws: `BinaryError` for bytes that are damaged; `DatabaseError` of code `incompatibleVersion` for those of a
    ///   newer version.
    static func names(of bytes: [UInt8]) throws -> [String: Set<String>] {
        var reader = BinaryReader(bytes)
        guard try reader.byte() <= form else {
            throw DatabaseError(.incompatibleVersion, "the state was encoded by a newer version")
        }
        var names: [String: Set<String>] = [:]
        for _ in 0..<(try reader.count(ofBytes: 4)) {
            let type = try reader.text()
            var known: Set<String> = []
            for kind in Kind.allCases { try read(kind, from: &reader, into: &known) }
            names[type] = known
        }
        try reader.finish()
        return names
    }

    /// How many bytes a name shares with the one before, and how many follow.
    private static func lengths(
        _ kind: Kind, from reader: inout BinaryReader
    ) throws(BinaryError) -> (shared: Int, rest: Int) {
        if let length = kind.length {
            let shared = try reader.number(upTo: length)
            return (shared, length - shared)
        }
        let head = try reader.byte()
        if head != 15 { return (Int(head >> 4), Int(head & 15)) }
        return (try reader.number(upTo: Int.max), try reader.count())
    }

    private static func read(
        _ kind: Kind, from reader: inout BinaryReader, into names: inout Set<String>
    ) throws(BinaryError) {
        var last: [UInt8] = []
        for _ in 0..<(try reader.count()) {
            let (shared, rest) = try lengths(kind, from: &reader)
            guard shared <= last.count else { throw reader.error(.outOfRange) }
            last.removeLast(last.count - shared)
            for _ in 0..<rest { last.append(try reader.byte()) }
            guard let name = kind.name(last) else { throw reader.error(.notText) }
            names.insert(name)
        }
    }
}

extension UUID {
    fileprivate var bytes: [UInt8] {
        let all = uuid
        return [
            all.0, all.1, all.2, all.3, all.4, all.5, all.6, all.7, all.8, all.9, all.10, all.11, all.12, all.13,
            all.14,
            all.15,
        ]
    }

    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
                bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            ))
    }
}
