// Identifiers and schemas of records as bytes.

extension Record.ID: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        writer.write(recordName)
        zoneID.write(to: &writer)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let name = try reader.text()
        self.init(name, zoneID: try RecordZone.ID(from: &reader))
    }
}

extension RecordZone.ID: BinaryCodable {
    /// What a zone begins with: most are the default one, and most others are the current user's.
    private enum Mark {
        static let `default`: UInt8 = 0
        static let own: UInt8 = 1
        static let other: UInt8 = 2
    }

    package func write(to writer: inout BinaryWriter) {
        if self == .default {
            writer.write(byte: Mark.default)
        } else if ownerName == Self.currentUserName {
            writer.write(byte: Mark.own)
            writer.write(zoneName)
        } else {
            writer.write(byte: Mark.other)
            writer.write(zoneName)
            writer.write(ownerName)
        }
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let start = reader.offset
        switch try reader.byte() {
        case Mark.default: self = .default
        case Mark.own: self.init(try reader.text())
        case Mark.other:
            let name = try reader.text()
            self.init(name, ownerName: try reader.text())
        case let mark: throw BinaryError(.unknownKind(mark), offset: start)
        }
    }
}

extension FieldType: BinaryCodable {
    /// The types without parts, each at the place of its number.
    private static let simple: [FieldType] = [
        .int64, .double, .number, .bool, .string, .date, .data, .location, .reference, .asset, .object, .any,
    ]
    private static let listMark: UInt8 = 100
    private static let emptyListMark: UInt8 = 101

    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        switch self {
        case .list(let element?):
            writer.write(byte: Self.listMark)
            try writer.nest { writer throws(BinaryError) in try element.write(to: &writer) }
        case .list(nil): writer.write(byte: Self.emptyListMark)
        default: writer.write(byte: UInt8(Self.simple.firstIndex(of: self) ?? Self.simple.count - 1))
        }
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let start = reader.offset
        switch try reader.byte() {
        case Self.listMark:
            self = .list(try reader.nest { reader throws(BinaryError) in try FieldType(from: &reader) })
        case Self.emptyListMark: self = .list(nil)
        case let number where Int(number) < Self.simple.count: self = Self.simple[Int(number)]
        case let number: throw BinaryError(.unknownKind(number), offset: start)
        }
    }
}

extension FieldDefinition: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        writer.write(name)
        try type.write(to: &writer)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let name = try reader.text()
        self.init(name: name, type: try FieldType(from: &reader))
    }
}

extension RecordSchema: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        writer.write(recordType)
        try writer.write(list: fields)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let recordType = try reader.text()
        let fields: [FieldDefinition] = try reader.list()
        self.init(recordType: recordType, fields: fields)
        // Of two fields with one name the schema keeps the later.
        guard self.fields.count == fields.count else { throw reader.error(.outOfRange) }
    }
}
