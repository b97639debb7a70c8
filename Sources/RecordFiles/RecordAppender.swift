// Puts JSON objects into a table as records.

package import RecordColumns
import RecordModel

/// Puts JSON objects into a table as records: tapes in, rows out.
final class RecordAppender {
    private let loader: RecordLoader
    private let options: LoadOptions
    private let idKey: Int
    private let typeKey: Int
    private let zoneKey: Int
    private let defaultType: [UInt8]
    /// The keys of fields whose texts are no dates.
    private let textKeys: [Int]

    /// A field of a record: number of the key, tape index of the value.
    private struct Field {
        var key: Int
        var value: Int
    }

    /// The fields of the record at hand.
    private let fields = ColumnBuffer<Field>()
    /// For every key the number of the record that had it last, to find repeated keys.
    private let lastUse = ColumnBuffer<Int>()
    private var serial = 0
    /// For every key whether its field is read: 1 yes, 2 no, 0 not known yet.
    private let wanted = ColumnBuffer<UInt8>()
    /// The keys of the record added last that are null, where that is kept.
    private(set) var nullKeys: [Int] = []
    /// Names and types that are not strings, as text.
    private let nameText = ColumnBuffer<UInt8>()
    private let typeText = ColumnBuffer<UInt8>()

    init(_ loader: RecordLoader, _ options: LoadOptions) throws(FileError) {
        self.loader = loader
        self.options = options
        defaultType = Array(options.defaultType.utf8)
        do throws(ColumnError) {
            idKey = try loader.fieldNames.number(of: options.idField)
            typeKey = if let field = options.typeField { try loader.fieldNames.number(of: field) } else { -1 }
            zoneKey = try loader.fieldNames.number(of: SystemKeys.zone)
            var textKeys: [Int] = []
            for field in options.textFields { textKeys.append(try loader.fieldNames.number(of: field)) }
            self.textKeys = textKeys
        } catch {
            throw FileError(error)
        }
    }

    /// Puts an object of a tape, about `size` bytes of text, into the table; `fallbackName` names it when it has no
    /// identifier.
    /// - Throws: `FileError` without file and line; the table is as before then.
    func append(
        _ tape: JSONTape, at index: Int, size: Int, origin: Int, isFeature: Bool = false, fallbackName: () -> String
    ) throws(FileError) {
        guard unsafe tape.kind(index) == JSONTape.Kind.object else {
            throw FileError(
                kind: .notARecord, message: "expected a JSON object",
                hint: "every line is one record: {\"field\": value, …}")
        }
        fields.truncate(to: 0)
        serial += 1
        if isFeature {
            try unsafe collectFeature(tape, index)
        } else {
            try unsafe collectFields(tape, index)
        }
        var name: UnsafeBufferPointer<UInt8>?
        var type: UnsafeBufferPointer<UInt8>?
        var zoneID: RecordZone.ID?
        for position in 0..<fields.count {
            let field = fields[position]
            if field.key == idKey {
                unsafe name = try unsafe text(tape, field.value, into: nameText, field: options.idField)
            } else if field.key == typeKey {
                unsafe type = try unsafe text(tape, field.value, into: typeText, field: options.typeField ?? "")
            } else if field.key == zoneKey {
                zoneID = try unsafe zone(tape, field.value)
            }
        }
        try unsafe begin(name: name, type: type, zoneID: zoneID, origin: origin, fallbackName: fallbackName)
        do throws(FileError) {
            let row = loader.row
            let known = loader.columnsByKey
            for position in 0..<fields.count {
                let field = fields[position]
                guard field.key != idKey, field.key != typeKey, field.key != zoneKey else { continue }
                if field.key < known.count, let column = known[field.key] {
                    try unsafe append(tape, field.value, to: column, row: row, origin: origin)
                } else {
                    let column = loader.column(forKey: field.key)
                    try unsafe append(tape, field.value, to: column, row: row, origin: origin)
                }
            }
        } catch {
            loader.rollBack()
            throw error
        }
        if !textKeys.isEmpty { keepTexts() }
        loader.commit(bytes: size)
        guard options.keepsNulls else { return }
        nullKeys.removeAll(keepingCapacity: true)
        for position in 0..<fields.count where unsafe tape.kind(fields[position].value) == JSONTape.Kind.null {
            nullKeys.append(fields[position].key)
        }
    }

    /// Has the texts of the record at hand stay what they are, where the file is said to have no dates.
    private func keepTexts() {
        let columns = loader.columnsByKey
        for key in textKeys where key < columns.count { columns[key]?.shape.keepTexts() }
    }

    /// Notes the fields of an object, and finds repeated ones.
    private func collectFields(_ tape: JSONTape, _ index: Int) throws(FileError) {
        let serial = serial
        let fieldNames = loader.fieldNames
        let end = unsafe tape.end(index)
        var position = index + 1
        var previous = -1
        while position < end {
            let key: Int
            do throws(ColumnError) {
                key = try unsafe fieldNames.number(of: tape.string(position), after: previous)
            } catch {
                throw FileError(error)
            }
            while lastUse.count <= key { lastUse.append(0) }
            guard lastUse[key] != serial else {
                throw FileError(
                    kind: .duplicate, field: loader.fieldNames[key], message: "the field occurs twice in the record")
            }
            lastUse[key] = serial
            if options.wantedFields == nil || isWanted(key) { fields.append(Field(key: key, value: position + 1)) }
            previous = key
            unsafe position = tape.next(position + 1)
        }
    }

    /// Whether a field is one of those that are read, or a part of the record other than a field.
    private func isWanted(_ key: Int) -> Bool {
        while wanted.count <= key { wanted.append(0) }
        if wanted[key] == 0 {
            let isPart = key == idKey || key == typeKey || key == zoneKey
            let isNamed = options.wantedFields?.contains(loader.fieldNames[key]) ?? true
            wanted[key] = isPart || isNamed ? 1 : 2
        }
        return wanted[key] == 1
    }

    /// Notes the fields of a feature: its properties, its identifier and its shape.
    private func collectFeature(_ tape: JSONTape, _ index: Int) throws(FileError) {
        let parts = unsafe FeatureCollection.parts(of: tape, index)
        if let properties = parts.properties { try unsafe collectFields(tape, properties) }
        if let id = parts.id { try add(options.idField, id) }
        guard let geometry = parts.geometry, unsafe tape.kind(geometry) != JSONTape.Kind.null else { return }
        try add(unsafe FeatureCollection.isPoint(tape, geometry) ? "location" : "geometry", geometry)
    }

    /// Notes a field under a name, or with a number behind it where a property has that name.
    private func add(_ name: String, _ value: Int) throws(FileError) {
        var (tried, count) = (name, 0)
        while true {
            let key: Int
            do throws(ColumnError) { key = try loader.fieldNames.number(of: tried) } catch { throw FileError(error) }
            while lastUse.count <= key { lastUse.append(0) }
            if lastUse[key] != serial {
                lastUse[key] = serial
                return fields.append(Field(key: key, value: value))
            }
            count += 1
            tried = "\(name)_\(count)"
        }
    }

    private func begin(
        name: UnsafeBufferPointer<UInt8>?, type: UnsafeBufferPointer<UInt8>?, zoneID: RecordZone.ID?, origin: Int,
        fallbackName: () -> String
    ) throws(FileError) {
        do throws(ColumnError) {
            let given = unsafe name
            unsafe try defaultType.withUnsafeBufferPointer { defaultType throws(ColumnError) in
                let type = unsafe type ?? defaultType
                let zoneID = zoneID ?? options.defaultZone
                if let name = unsafe given {
                    try unsafe loader.begin(type: type, name: name, zoneID: zoneID, origin: origin)
                } else {
                    let name = Array(fallbackName().utf8)
                    unsafe try name.withUnsafeBufferPointer { name throws(ColumnError) in
                        try unsafe loader.begin(type: type, name: name, zoneID: zoneID, origin: origin)
                    }
                }
            }
        } catch {
            var error = FileError(error)
            if error.kind == .duplicate { error.field = options.idField }
            throw error
        }
        if unsafe name != nil { loader.noteName() }
        if unsafe type != nil { loader.hasTypes = true }
    }

    /// The zone of a record.
    private func zone(_ tape: JSONTape, _ index: Int) throws(FileError) -> RecordZone.ID {
        guard unsafe tape.kind(index) == JSONTape.Kind.string else {
            throw FileError(kind: .value, field: SystemKeys.zone, message: "expected the name of a zone")
        }
        return RecordZone.ID(unsafe String(decoding: tape.string(index), as: UTF8.self))
    }

    /// An identifier or a type as text; `nil` for null.
    private func text(
        _ tape: JSONTape, _ index: Int, into buffer: ColumnBuffer<UInt8>, field: String
    ) throws(FileError) -> UnsafeBufferPointer<UInt8>? {
        let text: String
        switch unsafe tape.kind(index) {
        case JSONTape.Kind.string: return unsafe tape.string(index)
        case JSONTape.Kind.null: return nil
        case JSONTape.Kind.int64: text = unsafe String(tape.int64(index))
        case JSONTape.Kind.uint64: text = unsafe String(tape.uint64(index))
        case JSONTape.Kind.double: text = unsafe tape.double(index).description
        default:
            throw FileError(
                kind: .value, field: field, message: "expected a text or a number",
                hint: "name another field as identifier or type")
        }
        buffer.truncate(to: 0)
        for byte in text.utf8 { buffer.append(byte) }
        // SAFETY: the buffer lives as long as the appender, and is not changed before the next record.
        return unsafe buffer.elements
    }

    // MARK: Values

    /// Puts a value of a tape into a row.
    /// - Throws: `FileError` without file and line.
    func append(
        _ tape: JSONTape, _ index: Int, to column: ColumnBuilder, row: Int, origin: Int
    ) throws(FileError) {
        do throws(ColumnError) {
            switch unsafe tape.kind(index) {
            case JSONTape.Kind.string:
                return try unsafe column.append(text: tape.string(index), row: row, origin: origin)
            case JSONTape.Kind.int64: return try unsafe column.append(tape.int64(index), row: row, origin: origin)
            case JSONTape.Kind.double: return try unsafe column.append(tape.double(index), row: row, origin: origin)
            case JSONTape.Kind.uint64:
                return try unsafe column.append(Double(tape.uint64(index)), row: row, origin: origin)
            case JSONTape.Kind.true: return try column.append(true, row: row, origin: origin)
            case JSONTape.Kind.false: return try column.append(false, row: row, origin: origin)
            case JSONTape.Kind.null: return
            default: break
            }
        } catch {
            throw FileError(error)
        }
        if unsafe tape.kind(index) == JSONTape.Kind.array {
            try unsafe appendList(tape, index, to: column, row: row, origin: origin)
        } else if try unsafe !appendPair(tape, index, to: column, row: row, origin: origin),
            try unsafe !appendTyped(tape, index, to: column, row: row, origin: origin)
        {
            try unsafe appendTree(tape, index, to: column, row: row, origin: origin)
        }
    }

    private func appendList(
        _ tape: JSONTape, _ index: Int, to column: ColumnBuilder, row: Int, origin: Int
    ) throws(FileError) {
        let list: ColumnBuilder
        do throws(ColumnError) { list = try column.beginList(row: row, origin: origin) } catch {
            throw FileError(error)
        }
        let end = unsafe tape.end(index)
        var position = index + 1
        while position < end {
            if unsafe tape.kind(position) == JSONTape.Kind.null { list.appendMissing() }
            try unsafe append(tape, position, to: list, row: list.count, origin: origin)
            unsafe position = tape.next(position)
        }
        do throws(ColumnError) { try column.endList() } catch { throw FileError(error) }
    }

    /// The common objects of two members, without a tree in between: locations and references. `false` for others.
    private func appendPair(
        _ tape: JSONTape, _ index: Int, to column: ColumnBuilder, row: Int, origin: Int
    ) throws(FileError) -> Bool {
        let end = unsafe tape.end(index)
        guard index + 1 < end else { return false }
        let first = index + 2
        let second = unsafe tape.next(first) + 1
        guard second < end, unsafe tape.next(second) == end else { return false }
        let (firstKey, secondKey) = unsafe (tape.string(first - 1), tape.string(second - 1))
        do throws(ColumnError) {
            if let a = unsafe JSONConventions.coordinate(firstKey),
                let b = unsafe JSONConventions.coordinate(secondKey), a != b,
                let x = unsafe tape.number(first), let y = unsafe tape.number(second)
            {
                let (latitude, longitude) = a == .latitude ? (x, y) : (y, x)
                // A location that is out of bounds is reported by way of the tree.
                guard latitude >= -90, latitude <= 90, longitude >= -180, longitude <= 180 else { return false }
                try column.append(latitude: latitude, longitude: longitude, row: row, origin: origin)
                return true
            }
            if unsafe JSONConventions.equals(firstKey, "reference"),
                unsafe JSONConventions.equals(secondKey, "action"),
                unsafe tape.kind(first) == JSONTape.Kind.string, unsafe tape.kind(second) == JSONTape.Kind.string
            {
                let action = unsafe tape.string(second)
                let deletes = unsafe JSONConventions.equals(action, "deleteSelf")
                guard unsafe deletes || JSONConventions.equals(action, "none") else { return false }
                try unsafe column.append(
                    reference: tape.string(first), action: deletes ? .deleteSelf : .none, row: row, origin: origin)
                return true
            }
        } catch {
            throw FileError(error)
        }
        return false
    }

    /// The objects that say of what type a value is: texts that look like dates, and lists. `false` for others.
    private func appendTyped(
        _ tape: JSONTape, _ index: Int, to column: ColumnBuilder, row: Int, origin: Int
    ) throws(FileError) -> Bool {
        guard unsafe index + 1 < tape.end(index), unsafe tape.string(index + 1).first == UInt8(ascii: "$") else {
            return false
        }
        if unsafe JSONConventions.equals(tape.string(index + 1), "$string"),
            unsafe tape.next(index + 2) == tape.end(index), unsafe tape.kind(index + 2) == JSONTape.Kind.string
        {
            do throws(ColumnError) {
                try unsafe column.append(literal: tape.string(index + 2), row: row, origin: origin)
            } catch {
                throw FileError(error)
            }
            return true
        }
        guard unsafe JSONConventions.equals(tape.string(index + 1), "$list"),
            unsafe tape.kind(index + 2) == JSONTape.Kind.array,
            case .object(let members)? = try? unsafe tape.value(index), members.count == 2, members[1].key == "of",
            let type = JSONConventions.elementType(members[1].value)
        else { return false }
        column.shape.declare(.list(type))
        try unsafe appendList(tape, index + 2, to: column, row: row, origin: origin)
        return true
    }

    private func appendTree(
        _ tape: JSONTape, _ index: Int, to column: ColumnBuilder, row: Int, origin: Int
    ) throws(FileError) {
        let value: FieldValue
        do throws(JSONError) {
            value = try FieldValue(json: unsafe tape.value(index))
        } catch {
            var error = FileError(error)
            error.field = column.shape.name
            throw error
        }
        do throws(ColumnError) { try column.append(value, row: row, origin: origin) } catch { throw FileError(error) }
    }
}

extension FileError {
    /// The error of a column, without file and line; earlier lines are left packed in `earlierLine`.
    package init(_ error: ColumnError) {
        switch error.kind {
        case .mixture(let existing, let found, let first):
            self.init(
                kind: .mixture, field: error.field,
                message: "holds \(Self.phrase(found)) here but \(Self.phrase(existing)) before",
                hint: "one field holds values of one kind")
            earlierLine = first
        case .duplicateName(let first):
            self.init(
                kind: .duplicate, message: "two records have this name",
                hint: "names are unique; name another field as identifier if this is not one")
            earlierLine = first
        case .tooManyFields(let limit):
            self.init(
                kind: .limit, message: "more than \(limit) different fields",
                hint: "objects whose keys are values belong into a field of their own")
        case .tooManyTypes(let limit):
            self.init(
                kind: .limit, message: "more than \(limit) different record types",
                hint: "name another field as type, or none")
        case .tooManyZones(let limit):
            self.init(
                kind: .limit, message: "more than \(limit) different zones with their record types",
                hint: "split the file by zones")
        case .tooLarge:
            self.init(kind: .limit, field: error.field, message: "more than 4 GiB in one field of a segment")
        case .notStorable:
            self.init(kind: .value, field: error.field, message: "a value of this kind cannot be stored")
        }
    }

    static func phrase(_ kind: ValueKind) -> String {
        let isVowel = kind.rawValue.first.map { "aeiou".contains($0) } ?? false
        return (isVowel ? "an " : "a ") + kind.rawValue
    }

    /// The error of a JSON text, without file and line.
    init(_ error: JSONError) {
        let kind: Kind =
            switch error.kind {
            case .malformed: .malformed
            case .encoding: .encoding
            case .limit: .limit
            case .repeatedKey: .duplicate
            case .value: .value
            }
        self.init(kind: kind, message: error.message, hint: error.hint)
    }
}
