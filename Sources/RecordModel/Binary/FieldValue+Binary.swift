// Values of fields as bytes: every kind, with all of its bits.

package import FoundationEssentials
package import Geospatial

extension FieldValue: BinaryCodable {
    /// What a value begins with. Numbers are part of the format: none is ever used for something else.
    private enum Mark {
        static let null: UInt8 = 0
        static let no: UInt8 = 1
        static let yes: UInt8 = 2
        static let int64: UInt8 = 3
        static let double: UInt8 = 4
        static let string: UInt8 = 5
        static let date: UInt8 = 6
        static let data: UInt8 = 7
        static let location: UInt8 = 8
        static let reference: UInt8 = 9
        static let asset: UInt8 = 10
        static let list: UInt8 = 11
        static let set: UInt8 = 12
        static let object: UInt8 = 13
    }

    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        switch self {
        case .null: writer.write(byte: Mark.null)
        case .bool(let flag): writer.write(byte: flag ? Mark.yes : Mark.no)
        case .int64(let number):
            writer.write(byte: Mark.int64)
            writer.write(signed: number)
        case .double(let number):
            writer.write(byte: Mark.double)
            writer.write(number)
        case .string(let text):
            writer.write(byte: Mark.string)
            writer.write(text)
        case .date(let date):
            writer.write(byte: Mark.date)
            date.write(to: &writer)
        case .data(let data):
            writer.write(byte: Mark.data)
            writer.write(bytes: data)
        case .location(let location):
            writer.write(byte: Mark.location)
            try location.write(to: &writer)
        case .reference(let reference):
            writer.write(byte: Mark.reference)
            try reference.write(to: &writer)
        case .asset(let asset):
            writer.write(byte: Mark.asset)
            asset.write(to: &writer)
        case .list(let elements): try Self.write(elements, Mark.list, to: &writer)
        case .set(let elements): try Self.write(elements, Mark.set, to: &writer)
        case .object(let values):
            writer.write(byte: Mark.object)
            writer.write(count: values.count)
            try writer.nest { writer throws(BinaryError) in
                // In order of the keys, so that equal values have equal bytes.
                for (key, value) in values.sorted(by: { $0.key < $1.key }) {
                    writer.write(key)
                    try value.write(to: &writer)
                }
            }
        }
    }

    private static func write(
        _ elements: [FieldValue], _ mark: UInt8, to writer: inout BinaryWriter
    ) throws(BinaryError) {
        writer.write(byte: mark)
        try writer.nest { writer throws(BinaryError) in try writer.write(list: elements) }
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let start = reader.offset
        switch try reader.byte() {
        case Mark.null: self = .null
        case Mark.no: self = .bool(false)
        case Mark.yes: self = .bool(true)
        case Mark.int64: self = .int64(try reader.signed())
        case Mark.double: self = .double(try reader.double())
        case Mark.string: self = .string(try reader.text())
        case Mark.date: self = .date(try Date(from: &reader))
        case Mark.data: self = .data(Data(try reader.counted()))
        case Mark.location: self = .location(try Location(from: &reader))
        case Mark.reference: self = .reference(try RecordReference(from: &reader))
        case Mark.asset: self = .asset(try Asset(from: &reader))
        case Mark.list: self = .list(try Self.elements(from: &reader))
        case Mark.set: self = .set(try Self.elements(from: &reader))
        case Mark.object:
            // An entry takes two bytes at least.
            let count = try reader.count(ofBytes: 2)
            var values: [String: FieldValue] = [:]
            values.reserveCapacity(count)
            try reader.nest { reader throws(BinaryError) in
                for _ in 0..<count { values[try reader.text()] = try FieldValue(from: &reader) }
            }
            self = .object(values)
        case let mark: throw BinaryError(.unknownKind(mark), offset: start)
        }
    }

    private static func elements(from reader: inout BinaryReader) throws(BinaryError) -> [FieldValue] {
        try reader.nest { reader throws(BinaryError) in try reader.list() }
    }
}

extension String: BinaryCodable {
    package func write(to writer: inout BinaryWriter) { writer.write(self) }
    package init(from reader: inout BinaryReader) throws(BinaryError) { self = try reader.text() }
}

extension Double: BinaryCodable {
    package func write(to writer: inout BinaryWriter) { writer.write(self) }
    package init(from reader: inout BinaryReader) throws(BinaryError) { self = try reader.double() }
}

extension Date: BinaryCodable {
    package func write(to writer: inout BinaryWriter) { writer.write(timeIntervalSinceReferenceDate) }
    package init(from reader: inout BinaryReader) throws(BinaryError) {
        self.init(timeIntervalSinceReferenceDate: try reader.double())
    }
}

extension Location: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        writer.write(latitude)
        writer.write(longitude)
        try writer.write(optional: details)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let latitude = try reader.double()
        self.init(latitude: latitude, longitude: try reader.double(), details: try reader.optional())
    }
}

extension Location.Details: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        for number in [altitude, horizontalAccuracy, verticalAccuracy, course, speed] {
            try writer.write(optional: number)
        }
        try writer.write(optional: timestamp)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        self.init(
            altitude: try reader.optional(), horizontalAccuracy: try reader.optional(),
            verticalAccuracy: try reader.optional(), course: try reader.optional(), speed: try reader.optional(),
            timestamp: try reader.optional())
    }
}

extension RecordReference: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        writer.write(byte: UInt8(truncatingIfNeeded: action.rawValue))
        try recordID.write(to: &writer)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let number = try reader.byte()
        guard let action = Action(rawValue: Int(number)) else {
            throw BinaryError(.unknownKind(number), offset: reader.offset - 1)
        }
        self.init(recordID: try Record.ID(from: &reader), action: action)
    }
}

extension Asset: BinaryCodable {
    package func write(to writer: inout BinaryWriter) {
        writer.write(path)
        writer.write(byte: size == nil ? 0 : 1)
        if let size { writer.write(signed: size) }
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        let path = try reader.text()
        self.init(path: path, size: try reader.flag() ? try reader.signed() : nil)
    }
}
