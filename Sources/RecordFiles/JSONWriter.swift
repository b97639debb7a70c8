// Records and values as JSON.

import FoundationEssentials
import Geospatial
package import RecordColumns
package import RecordModel

/// Writes compact JSON as UTF-8 into `bytes`.
///
/// Doubles have the fewest digits that read back the same, and stay doubles (`2.0`). Fields that are dates are texts
/// of RFC 3339 in UTC; what else JSON has no form for is written in the forms that `FieldValue.init(json:)` reads.
package struct JSONWriter {
    /// What was written so far.
    package var bytes: [UInt8] = []
    /// Whether texts that read as dates are marked as texts, so that a reader takes them for what they are.
    private let marksTexts: Bool

    /// - Parameter marksTexts: Whether texts that read as dates are written as `{"$string": text}`.
    package init(marksTexts: Bool = false) { self.marksTexts = marksTexts }

    // MARK: Records

    /// Writes a row as an object: the type and the name under their keys where requested, then the fields that have
    /// a value, in order of the schema or as given.
    package mutating func write(
        row: RowView, keys: RecordKeys, fields: [String]? = nil, includesName: Bool, includesType: Bool
    ) {
        bytes.append(UInt8(ascii: "{"))
        var separator = Separator()
        if includesType, let key = keys.type {
            separator.write(to: &bytes)
            write(key: key)
            write(row.segment.recordType)
        }
        if includesName {
            separator.write(to: &bytes)
            write(key: keys.id)
            unsafe row.segment.names.withBytes(row.row) { unsafe write(utf8: $0) }
        }
        let columns: [(String, Column?)] =
            if let fields { fields.map { ($0, row.segment.column(named: $0)) } } else {
                Array(zip(row.segment.schema.fields.map(\.name), row.segment.columns))
            }
        for (name, column) in columns {
            guard let column, column.isPresent(row.row) else { continue }
            separator.write(to: &bytes)
            write(key: name)
            write(column, row: row.row)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes the value of a column's row; `null` when it has none.
    package mutating func write(_ column: Column, row: Int) {
        guard column.isPresent(row) else { return write(word: "null") }
        switch column.values {
        case .text(let texts): unsafe texts.withBytes(row) { unsafe write(text: $0) }
        case .dictionary(let texts): unsafe texts.values.withBytes(Int(texts.codes[row])) { unsafe write(text: $0) }
        case .int64(let numbers): write(numbers[row])
        case .double(let numbers): write(numbers[row])
        case .list(let lists):
            bytes.append(UInt8(ascii: "["))
            var separator = Separator()
            for element in lists.range(row) {
                separator.write(to: &bytes)
                write(lists.elements, row: element)
            }
            bytes.append(UInt8(ascii: "]"))
        default: write(column.value(row), isNested: false)
        }
    }

    // MARK: Values

    /// Writes a value. A date that is not nested in an object is a text, others are `{"$date": …}`.
    package mutating func write(_ value: FieldValue, isNested: Bool = false) {
        switch value {
        case .null: write(word: "null")
        case .bool(let value): write(word: value ? "true" : "false")
        case .int64(let value): write(value)
        case .double(let value): write(value)
        case .string(var value): value.withUTF8 { unsafe isNested ? write(utf8: $0) : write(text: $0) }
        case .date(let date): write(date, isNested: isNested)
        case .data(let data):
            write(mark: "$data") { $0.write(String(decoding: Base64.encode(data), as: UTF8.self)) }
        case .location(let location): write(location)
        case .reference(let reference): write(reference)
        case .asset(let asset):
            write(object: [("$asset", .string(asset.path))] + (asset.size.map { [("size", .int64($0))] } ?? []))
        case .list(let elements): write(list: elements, isNested: isNested)
        case .set(let elements): write(mark: "$set") { $0.write(list: elements, isNested: true) }
        case .object(let members):
            let sorted = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            if Self.looksSpecial(members) {
                write(mark: "$object") { $0.write(object: sorted) }
            } else {
                write(object: sorted)
            }
        }
    }

    /// Writes a JSON tree.
    package mutating func write(_ json: JSONValue) {
        switch json {
        case .null: write(word: "null")
        case .bool(let value): write(word: value ? "true" : "false")
        case .int64(let value): write(value)
        case .double(let value): write(value)
        case .string(let value): write(value)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            var separator = Separator()
            for element in elements {
                separator.write(to: &bytes)
                write(element)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            var separator = Separator()
            for member in members {
                separator.write(to: &bytes)
                write(key: member.key)
                write(member.value)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Writes a text in quotes.
    package mutating func write(_ text: String) {
        var text = text
        text.withUTF8 { unsafe write(utf8: $0) }
    }

    /// Writes a whole number.
    package mutating func write(_ number: Int64) { bytes.append(contentsOf: String(number).utf8) }

    /// Writes a fractional number.
    package mutating func write(_ number: Double) {
        if number.isFinite {
            bytes.append(contentsOf: number.description.utf8)
        } else {
            write(mark: "$double") { $0.write(number.isNaN ? "NaN" : number > 0 ? "Infinity" : "-Infinity") }
        }
    }

    /// Writes the text of a field.
    private mutating func write(text: UnsafeBufferPointer<UInt8>) {
        guard marksTexts, unsafe RFC3339.parse(text) != nil else { return unsafe write(utf8: text) }
        write(mark: "$string") { unsafe $0.write(utf8: text) }
    }

    /// Writes a list without elements, and of what type they would be.
    package mutating func write(emptyListOf type: FieldType) {
        bytes.append(contentsOf: "{\"$list\":[],\"of\":".utf8)
        write(type.schemaName)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a text of UTF-8 in quotes.
    package mutating func write(utf8 text: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var start = text.startIndex
        for position in text.indices {
            let byte = unsafe text[position]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            unsafe bytes.append(contentsOf: text[start..<position])
            start = position + 1
            bytes.append(contentsOf: Self.escape(byte))
        }
        unsafe bytes.append(contentsOf: text[start...])
        bytes.append(UInt8(ascii: "\""))
    }

    // MARK: Parts

    private struct Separator {
        private var isFirst = true
        mutating func write(to bytes: inout [UInt8]) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
        }
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case 8: Array("\\b".utf8)
        case 9: Array("\\t".utf8)
        case 10: Array("\\n".utf8)
        case 12: Array("\\f".utf8)
        case 13: Array("\\r".utf8)
        case 0..<0x20: Array((byte < 16 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
        default: [UInt8(ascii: "\\"), byte]
        }
    }

    private mutating func write(word: String) { bytes.append(contentsOf: word.utf8) }

    /// Writes the key of an object's first member.
    package mutating func write(key: String) {
        write(key)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Writes the key of another member.
    package mutating func write(nextKey key: String) {
        bytes.append(UInt8(ascii: ","))
        write(key: key)
    }

    private mutating func write(mark: String, _ value: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        write(key: mark)
        value(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(object members: [(String, FieldValue)]) {
        bytes.append(UInt8(ascii: "{"))
        var separator = Separator()
        for (key, value) in members {
            separator.write(to: &bytes)
            write(key: key)
            write(value, isNested: true)
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(list elements: [FieldValue], isNested: Bool) {
        bytes.append(UInt8(ascii: "["))
        var separator = Separator()
        for element in elements {
            separator.write(to: &bytes)
            write(element, isNested: isNested)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func write(_ date: Date, isNested: Bool) {
        let seconds = date.timeIntervalSinceReferenceDate
        if let text = RFC3339.exactBytes(seconds) {
            if isNested {
                write(mark: "$date") { $0.write(String(decoding: text, as: UTF8.self)) }
            } else {
                unsafe text.withUnsafeBufferPointer { unsafe write(utf8: $0) }
            }
        } else {
            bytes.append(contentsOf: "{\"$date\":".utf8)
            write(seconds)
            bytes.append(contentsOf: ",\"since\":2001}".utf8)
        }
    }

    private mutating func write(_ location: Location) {
        bytes.append(contentsOf: "{\"latitude\":".utf8)
        write(location.latitude)
        bytes.append(contentsOf: ",\"longitude\":".utf8)
        write(location.longitude)
        if let details = location.details {
            bytes.append(contentsOf: ",\"details\":{".utf8)
            var separator = Separator()
            for (key, path) in JSONConventions.details {
                guard let number = details[keyPath: path] else { continue }
                separator.write(to: &bytes)
                write(key: key)
                write(number)
            }
            if let timestamp = details.timestamp {
                separator.write(to: &bytes)
                write(key: "timestamp")
                write(timestamp, isNested: true)
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func write(_ reference: RecordReference) {
        var members: [(String, FieldValue)] = [
            ("reference", .string(reference.recordID.recordName)), ("action", .string(reference.action.name)),
        ]
        let zone = reference.recordID.zoneID
        if zone != .default { members += [("zone", .string(zone.zoneName)), ("owner", .string(zone.ownerName))] }
        write(object: members)
    }

    /// Whether an object's keys may be read as one of the forms for other values.
    private static func looksSpecial(_ members: [String: FieldValue]) -> Bool {
        guard members.count <= 4 else { return false }
        return members.keys.contains { key in
            key.utf8.first == UInt8(ascii: "$")
                || ["latitude", "lat", "longitude", "lon", "lng", "reference"].contains(key)
                || key == "coordinates" && members["type"] == .string("Point")
        }
    }
}
