// Columns as stored blocks.

import Geospatial
import OrdinalSets
package import RecordModel

extension Column {
    /// The numbers of the kinds of columns. They are part of the format: none is ever used for another kind.
    private enum Kind {
        static let missing = 0
        static let int64 = 1
        static let double = 2
        static let number = 3
        static let bool = 4
        static let date = 5
        static let text = 6
        static let dictionary = 7
        static let data = 8
        static let location = 9
        static let reference = 10
        static let list = 11
        static let any = 12
    }

    /// The column, to be stored, with what is known about it. Complexity: O(size) at most, for facts not known yet.
    /// - Throws: `BinaryError` of kind `tooDeep`.
    package func blocks() throws(BinaryError) -> WrittenBlocks {
        var tree = WrittenBlocks()
        switch values {
        case .missing: tree.add("kind", Kind.missing)
        case .int64(let numbers):
            tree.add("kind", Kind.int64)
            tree.add("values", numbers)
        case .double(let numbers):
            tree.add("kind", Kind.double)
            tree.add("values", numbers)
        case .number(let numbers):
            tree.add("kind", Kind.number)
            tree.add("values", numbers.payload)
            tree.add("isDouble", numbers.isDouble)
        case .bool(let bits):
            tree.add("kind", Kind.bool)
            tree.add("values", bits)
        case .date(let seconds):
            tree.add("kind", Kind.date)
            tree.add("values", seconds)
        case .text(let texts):
            tree.add("kind", Kind.text)
            tree.add("values", texts.blocks)
        case .dictionary(let dictionary):
            tree.add("kind", Kind.dictionary)
            tree.add("codes", dictionary.codes)
            tree.add("values", dictionary.values.blocks)
        case .data(let bytes):
            tree.add("kind", Kind.data)
            tree.add("values", bytes.blocks)
        case .location(let locations):
            tree.add("kind", Kind.location)
            try locations.add(to: &tree)
        case .reference(let references):
            tree.add("kind", Kind.reference)
            try references.add(to: &tree)
        case .list(let lists):
            tree.add("kind", Kind.list)
            tree.add("offsets", lists.offsets)
            tree.add("elementCount", lists.elements.count)
            tree.add("elements", try lists.elements.blocks())
        case .any(let values):
            tree.add("kind", Kind.any)
            tree.add("values", try TextColumn(binary: values).blocks)
        }
        tree.add("presence", presence)
        addFacts(to: &tree)
        return tree
    }

    /// A stored column of `count` rows.
    /// - Throws: `BlockError`.
    package convenience init(from reader: BlockReader, count: Int) throws(BlockError) {
        let presence = try reader.optionalBitmap("presence", count: count)
        let values: Values
        switch try reader.number("kind") {
        case Kind.missing: values = .missing
        case Kind.int64: values = .int64(try reader.buffer("values", count: count))
        case Kind.double: values = .double(try reader.buffer("values", count: count))
        case Kind.number:
            values = .number(
                NumberColumn(
                    payload: try reader.buffer("values", count: count),
                    isDouble: try reader.bitmap("isDouble", count: count)))
        case Kind.bool: values = .bool(try reader.bitmap("values", count: count))
        case Kind.date: values = .date(try reader.buffer("values", count: count))
        case Kind.text: values = .text(try TextColumn(from: reader.structure("values"), count: count))
        case Kind.dictionary:
            let texts = try TextColumn(from: reader.structure("values"))
            let codes = try Self.codes(of: texts, presence, count: count, from: reader)
            values = .dictionary(DictionaryColumn(codes: codes, values: texts))
        case Kind.data: values = .data(try TextColumn(from: reader.structure("values"), count: count))
        case Kind.location: values = .location(try LocationColumn(from: reader, count: count))
        case Kind.reference:
            let names = try TextColumn(from: reader.structure("names"))
            let codes = try Self.codes(of: names, presence, count: count, from: reader)
            values = .reference(try ReferenceColumn(codes: codes, names: names, from: reader))
        case Kind.list:
            let elementCount = try reader.number("elementCount", 0...Int(UInt32.max))
            values = .list(
                ListColumn(
                    offsets: try reader.bounds("offsets", count: count, end: elementCount),
                    elements: try Column(from: reader.structure("elements"), count: elementCount)))
        case Kind.any: values = .any(try Self.boxed(from: reader, count: count))
        case let kind: throw reader.failure("kind", "there are no columns of kind \(kind)")
        }
        if case .missing = values, count > 0, presence == nil || presence?.cardinality != 0 {
            throw reader.failure("presence", "a column without values has rows with a value")
        }
        self.init(
            values: values, presence: presence, count: count, facts: try Self.facts(from: reader, count: count))
    }

    /// The codes of rows, each that of a text; without texts no row has a value.
    private static func codes(
        of texts: TextColumn, _ presence: Bitmap?, count: Int, from reader: BlockReader
    ) throws(BlockError) -> ColumnBuffer<UInt32> {
        if texts.count == 0, count > 0, presence == nil || presence?.cardinality != 0 {
            throw reader.failure("values", "rows have values, but there are none")
        }
        return try reader.numbers("codes", count: count, below: max(1, texts.count))
    }

    private static func boxed(from reader: BlockReader, count: Int) throws(BlockError) -> [FieldValue] {
        let texts = try TextColumn(from: reader.structure("values"), count: count)
        do throws(BinaryError) { return try texts.values() } catch { throw reader.failure("values", "\(error)") }
    }

    // MARK: Facts

    private func addFacts(to tree: inout WrittenBlocks) {
        tree.add("isASCII", isASCII ? 1 : 0)
        tree.add("holdsNaN", holdsNaN ? 1 : 0)
        guard let zones = zoneMap else { return }
        tree.add("minima", zones.minima)
        tree.add("maxima", zones.maxima)
    }

    private static func facts(from reader: BlockReader, count: Int) throws(BlockError) -> ColumnStatistics {
        var zones: ZoneMap?
        if reader.has("minima") {
            let blockCount = (count + ZoneMap.blockSize - 1) / ZoneMap.blockSize
            zones = ZoneMap(
                minima: try reader.array("minima", count: blockCount),
                maxima: try reader.array("maxima", count: blockCount))
        }
        return ColumnStatistics(
            isASCII: try reader.flag("isASCII"), holdsNaN: try reader.flag("holdsNaN"), zones: zones)
    }
}

extension LocationColumn {
    fileprivate func add(to tree: inout WrittenBlocks) throws(BinaryError) {
        tree.add("latitudes", latitudes)
        tree.add("longitudes", longitudes)
        guard let details else { return }
        // Most rows have none: those that have some, and what.
        let rows = details.indices.filter { details[$0] != nil }
        tree.add("detailedRows", rows.map { UInt32(truncatingIfNeeded: $0) })
        tree.add("details", try TextColumn(binary: details.compactMap(\.self)).blocks)
    }

    fileprivate init(from reader: BlockReader, count: Int) throws(BlockError) {
        var details: [Location.Details?]?
        if reader.has("details") {
            let rows: ColumnBuffer<UInt32> = try reader.numbers("detailedRows", below: count)
            let texts = try TextColumn(from: reader.structure("details"), count: rows.count)
            var all = [Location.Details?](repeating: nil, count: count)
            do throws(BinaryError) {
                for (place, details) in try texts.values(of: Location.Details.self).enumerated() {
                    all[Int(rows[place])] = details
                }
            } catch {
                throw reader.failure("details", "\(error)")
            }
            details = all
        }
        self.init(
            latitudes: try reader.buffer("latitudes", count: count),
            longitudes: try reader.buffer("longitudes", count: count), details: details)
    }
}

extension ReferenceColumn {
    fileprivate func add(to tree: inout WrittenBlocks) throws(BinaryError) {
        tree.add("codes", codes)
        tree.add("names", names.blocks)
        tree.add("deletesSelf", deletesSelf)
        guard let zones else { return }
        // Many names share few zones.
        var numbers: [RecordZone.ID: UInt32] = [:]
        var distinct: [RecordZone.ID] = []
        let zoneCodes = zones.map { zone in
            if let number = numbers[zone] { return number }
            let number = UInt32(truncatingIfNeeded: distinct.count)
            numbers[zone] = number
            distinct.append(zone)
            return number
        }
        tree.add("zoneCodes", zoneCodes)
        tree.add("zones", try TextColumn(binary: distinct).blocks)
    }

    fileprivate init(
        codes: ColumnBuffer<UInt32>, names: TextColumn, from reader: BlockReader
    ) throws(BlockError) {
        var zones: [RecordZone.ID]?
        if reader.has("zones") {
            let texts = try TextColumn(from: reader.structure("zones"))
            let distinct: [RecordZone.ID]
            do throws(BinaryError) {
                distinct = try texts.values()
            } catch {
                throw reader.failure("zones", "\(error)")
            }
            let zoneCodes: ColumnBuffer<UInt32> = try reader.numbers(
                "zoneCodes", count: names.count, below: distinct.count)
            zones = (0..<names.count).map { distinct[Int(zoneCodes[$0])] }
        }
        self.init(
            codes: codes, names: names, zones: zones,
            deletesSelf: try reader.bitmap("deletesSelf", count: codes.count))
    }
}
