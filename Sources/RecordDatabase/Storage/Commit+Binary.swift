// Commits as bytes.
//
// Names that repeat (types, zones, fields) are written once at the front, and records name them by number.

import FoundationEssentials
package import RecordModel
import RecordStore

/// Different values, each with a number in order of first use.
private struct Numbering<Value: Hashable & BinaryCodable> {
    private(set) var values: [Value] = []
    private var numbers: [Value: Int] = [:]

    mutating func number(of value: Value) -> Int {
        if let known = numbers[value] { return known }
        numbers[value] = values.count
        values.append(value)
        return values.count - 1
    }
}

/// The names at the front of a commit.
private struct CommitNames {
    var texts = Numbering<String>()
    var zones = Numbering<RecordZone.ID>()
}

extension BinaryWriter {
    fileprivate mutating func write(_ text: String, _ names: inout CommitNames) {
        write(count: names.texts.number(of: text))
    }

    fileprivate mutating func write(_ id: Record.ID, _ names: inout CommitNames) {
        write(id.recordName)
        write(count: names.zones.number(of: id.zoneID))
    }
}

/// The names of a commit that is read.
private struct ReadNames {
    let texts: [String]
    let zones: [RecordZone.ID]

    func text(_ reader: inout BinaryReader) throws(BinaryError) -> String {
        try Self.element(of: texts, &reader)
    }

    func recordID(_ reader: inout BinaryReader) throws(BinaryError) -> Record.ID {
        let name = try reader.text()
        return Record.ID(name, zoneID: try Self.element(of: zones, &reader))
    }

    private static func element<Value>(of values: [Value], _ reader: inout BinaryReader) throws(BinaryError) -> Value {
        guard !values.isEmpty else { throw reader.error(.outOfRange) }
        return values[try reader.number(upTo: values.count - 1)]
    }
}

extension Commit: BinaryCodable {
    /// What is stored of the batch that a client sent.
    private enum TokenMark {
        static let none: UInt8 = 0
        static let token: UInt8 = 1
        static let batch: UInt8 = 2
    }

    /// What is stored of the kind of a save.
    private enum SaveMark {
        static let changed: UInt8 = 0
        static let new: UInt8 = 1
        static let rewritten: UInt8 = 2
    }

    /// Which links of a record a save sets.
    private enum LinkMark {
        static let parent: UInt8 = 1
        static let share: UInt8 = 2
    }

    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        var names = CommitNames()
        var body = BinaryWriter()
        try writeRecords(to: &body, &names)
        try origin.write(to: &writer)
        writer.write(signed: Int64(client))
        try writer.write(optional: userName)
        date.write(to: &writer)
        try writer.write(list: names.texts.values)
        try writer.write(list: names.zones.values)
        writer.write(bytes: body.bytes)
        writer.write(count: madeZones.count)
        for zone in madeZones {
            zone.id.write(to: &writer)
            writer.write(signed: zone.change)
        }
        writer.write(count: deletedZones.count)
        for zone in deletedZones {
            zone.id.write(to: &writer)
            writer.write(signed: zone.change)
            writer.write(byte: zone.reason.rawValue)
        }
        try writer.write(optional: schema)
        try writer.write(list: savedSubscriptions)
        writer.write(count: deletedSubscriptions.count)
        for deleted in deletedSubscriptions {
            writer.write(deleted.userName)
            writer.write(deleted.id)
        }
        if let sentBatch {
            writer.write(byte: TokenMark.batch)
            sentBatch.write(to: &writer)
        } else {
            writer.write(byte: clientToken == nil ? TokenMark.none : TokenMark.token)
            if let clientToken { writer.write(bytes: clientToken) }
        }
        writer.write(count: deletionsKept)
        // At the end, and only where there is some: older versions knew nothing of it.
        if !sharing.isEmpty { try sharing.write(to: &writer) }
    }

    private func writeRecords(to writer: inout BinaryWriter, _ names: inout CommitNames) throws(BinaryError) {
        writer.write(count: saves.count)
        for save in saves {
            writer.write(save.id, &names)
            writer.write(save.type, &names)
            writer.write(byte: save.isNew ? SaveMark.new : save.isRewritten ? SaveMark.rewritten : SaveMark.changed)
            writer.write(signed: save.change)
            writer.write(count: save.fields.count)
            for (key, value) in save.fields {
                writer.write(key, &names)
                try value.write(to: &writer)
            }
            writer.write(byte: (save.parent == nil ? 0 : LinkMark.parent) | (save.share == nil ? 0 : LinkMark.share))
            if let parent = save.parent { try writer.write(optional: parent) }
            if let share = save.share { try writer.write(optional: share) }
        }
        writer.write(count: deletions.count)
        for deletion in deletions {
            writer.write(deletion.id, &names)
            writer.write(deletion.type, &names)
            writer.write(signed: deletion.change)
        }
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let origin = try DatabaseOrigin(from: &reader)
        let client = Int(clamping: try reader.signed())
        let userName: String? = try reader.optional()
        self.init(origin: origin, client: client, userName: userName, date: try Date(from: &reader))
        let texts: [String] = try reader.list()
        let names = ReadNames(texts: texts, zones: try reader.list())
        var body = BinaryReader(Array(try reader.counted()))
        try readRecords(from: &body, names)
        try body.finish()
        for _ in 0..<(try reader.count(ofBytes: 2)) {
            madeZones.append((try RecordZone.ID(from: &reader), try reader.signed()))
        }
        for _ in 0..<(try reader.count(ofBytes: 3)) {
            let (id, change, number) = (try RecordZone.ID(from: &reader), try reader.signed(), try reader.byte())
            guard let reason = ZoneDeletionReason(rawValue: number) else { throw reader.error(.outOfRange) }
            deletedZones.append((id, change, reason))
        }
        schema = try reader.optional()
        savedSubscriptions = try reader.list()
        for _ in 0..<(try reader.count(ofBytes: 2)) {
            deletedSubscriptions.append((try reader.text(), try reader.text()))
        }
        try readToken(from: &reader)
        deletionsKept = try reader.number(upTo: .max)
        if reader.remaining > 0 { sharing = try SharingChanges(from: &reader) }
    }

    private mutating func readToken(from reader: inout BinaryReader) throws(BinaryError) {
        let start = reader.offset
        switch try reader.byte() {
        case TokenMark.none: return
        case TokenMark.token: clientToken = Data(try reader.counted())
        case TokenMark.batch:
            sentBatch = try SentBatch(from: &reader)
            clientToken = sentBatch?.token
        case let mark: throw BinaryError(.unknownKind(mark), offset: start)
        }
    }

    private mutating func readRecords(from reader: inout BinaryReader, _ names: ReadNames) throws(BinaryError) {
        let count = try reader.count(ofBytes: 6)
        saves.reserveCapacity(count)
        for _ in 0..<count {
            let id = try names.recordID(&reader)
            let type = try names.text(&reader)
            let start = reader.offset
            let mark = try reader.byte()
            guard mark <= SaveMark.rewritten else { throw BinaryError(.unknownKind(mark), offset: start) }
            let change = try reader.signed()
            var fields: [String: FieldValue] = [:]
            let fieldCount = try reader.count(ofBytes: 2)
            fields.reserveCapacity(fieldCount)
            for _ in 0..<fieldCount {
                let key = try names.text(&reader)
                fields[key] = try FieldValue(from: &reader)
            }
            let linkStart = reader.offset
            let links = try reader.byte()
            guard links <= LinkMark.parent | LinkMark.share else {
                throw BinaryError(.unknownKind(links), offset: linkStart)
            }
            let parent: RecordReference?? = links & LinkMark.parent != 0 ? .some(try reader.optional()) : nil
            let share: RecordReference?? = links & LinkMark.share != 0 ? .some(try reader.optional()) : nil
            saves.append(
                Save(
                    id: id, type: type, fields: fields, isNew: mark == SaveMark.new, change: change, parent: parent,
                    share: share, isRewritten: mark == SaveMark.rewritten))
        }
        for _ in 0..<(try reader.count(ofBytes: 4)) {
            let id = try names.recordID(&reader)
            let type = try names.text(&reader)
            deletions.append(Deletion(id: id, type: type, change: try reader.signed()))
        }
    }
}

extension DatabaseOrigin: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        writer.write(container)
        writer.write(byte: UInt8(truncatingIfNeeded: scope.rawValue))
        try writer.write(optional: user)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let container = try reader.text()
        let number = try reader.byte()
        guard let scope = DatabaseScope(rawValue: Int(number)) else { throw reader.error(.unknownKind(number)) }
        self.init(container: container, scope: scope, user: try reader.optional())
    }
}

extension ContainerSchema: BinaryCodable {
    /// Schemas are written as JSON: they are few, and their form grows.
    package func write(to writer: inout BinaryWriter) throws(BinaryError) { try writer.write(json: self) }
    package init(from reader: inout BinaryReader) throws(BinaryError) { self = try reader.json() }
}

extension StoredSubscription: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        writer.write(userName)
        try writer.write(json: subscription)
    }

    /// A subscription whose predicate is not bound yet.
    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let userName = try reader.text()
        self.init(userName: userName, subscription: try reader.json(), predicate: nil)
    }
}

extension BinaryWriter {
    /// Appends a value in its coded form.
    fileprivate mutating func write(json value: some Encodable) throws(BinaryError) {
        guard let data = try? JSONEncoder().encode(value) else { throw BinaryError(.tooDeep, offset: bytes.count) }
        write(bytes: data)
    }
}

extension BinaryReader {
    fileprivate mutating func json<Value: Decodable>() throws(BinaryError) -> Value {
        let bytes = Data(try counted())
        guard let value = try? JSONDecoder().decode(Value.self, from: bytes) else { throw error(.notText) }
        return value
    }
}
