// All that ever changes a store: the entries of its log.

import RecordModel
import RecordStorage

/// One change of a store. The state of a store follows from its changes in their order.
enum StoreChange: Sendable {
    /// Records, zones and subscriptions of one database, and the schema that grew with them.
    case commit(Commit)
    /// A commit whose records came as columns, and the file that they are in.
    case load(Commit, SegmentPlace)
    /// A schema in place of the one before.
    case schema(ContainerSchema)
    /// Roles of a user in place of those before.
    case roles(Set<String>, userName: String)
}

extension StoreChange: BinaryCodable {
    /// What a change begins with. Numbers are part of the format: none is ever used for something else.
    fileprivate enum Mark {
        static let commit: UInt8 = 1
        static let schema: UInt8 = 2
        static let roles: UInt8 = 3
        static let load: UInt8 = 4
    }

    func write(to writer: inout BinaryWriter) throws(BinaryError) {
        switch self {
        case .commit(let commit):
            writer.write(byte: Mark.commit)
            try commit.write(to: &writer)
        case .load(let commit, let place):
            writer.write(byte: Mark.load)
            place.write(to: &writer)
            try commit.write(to: &writer)
        case .schema(let schema):
            writer.write(byte: Mark.schema)
            try schema.write(to: &writer)
        case .roles(let roles, let userName):
            writer.write(byte: Mark.roles)
            writer.write(userName)
            try writer.write(list: roles.sorted())
        }
    }

    init(from reader: inout BinaryReader) throws(BinaryError) {
        let start = reader.offset
        switch try reader.byte() {
        case Mark.commit: self = .commit(try Commit(from: &reader))
        case Mark.load:
            let place = try SegmentPlace(from: &reader)
            self = .load(try Commit(from: &reader), place)
        case Mark.schema: self = .schema(try ContainerSchema(from: &reader))
        case Mark.roles:
            let userName = try reader.text()
            self = .roles(Set(try reader.list(of: String.self)), userName: userName)
        case let mark: throw BinaryError(.unknownKind(mark), offset: start)
        }
    }
}

extension StoreChange {
    /// The file of records that a change in its stored form names, if it names one.
    /// - Throws: `BinaryError`.
    static func file(of bytes: [UInt8]) throws(BinaryError) -> SegmentPlace? {
        guard bytes.first == Mark.load, case .load(_, let place) = try StoreChange(binary: bytes) else { return nil }
        return place
    }
}
