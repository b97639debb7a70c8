// Ordered indexes as stored blocks.

import RecordColumns
import RecordModel
import TextAnalysis

extension OrderedIndex {
    /// The numbers of families and of kinds of keys. They are part of the format: none is ever used for another.
    private enum Number {
        static let numbers = 0
        static let dates = 1
        static let texts = 2
        static let references = 3

        static let int = 0
        static let double = 1
        static let text = 2
    }

    /// The index, to be stored, with what finds its texts.
    var blocks: WrittenBlocks {
        var tree = WrittenBlocks()
        switch family {
        case .number: tree.add("family", Number.numbers)
        case .date: tree.add("family", Number.dates)
        case .text(let options):
            tree.add("family", Number.texts)
            tree.add("options", options.rawValue)
        case .reference: tree.add("family", Number.references)
        }
        tree.add("isOverLists", isOverLists ? 1 : 0)
        tree.add("order", order)
        tree.add("starts", starts)
        switch keys {
        case .int(let numbers):
            tree.add("keys", Number.int)
            tree.add("values", numbers)
        case .double(let numbers):
            tree.add("keys", Number.double)
            tree.add("values", numbers)
        case .text(let texts):
            tree.add("keys", Number.text)
            tree.add("texts", texts.texts.blocks)
            tree.add("positions", texts.positions)
            tree.add("mayJoin", texts.mayJoin ? 1 : 0)
            tree.add("table", texts.table(of: self, using: textPositions).blocks)
        }
        return tree
    }

    /// A stored index over `rowCount` rows.
    ///
    /// - Parameter column: What it is an order of, where that is a column: knows the zone of references.
    /// - Throws: `BlockError`.
    convenience init(from reader: BlockReader, rowCount: Int, of column: Column? = nil) throws(BlockError) {
        let order: ColumnBuffer<UInt32> = try reader.numbers("order", below: rowCount)
        let starts: ColumnBuffer<UInt32>? =
            reader.has("starts") ? try reader.bounds("starts", end: order.count, isStrict: true) : nil
        let distinctCount = starts.map { $0.count - 1 } ?? order.count
        let keys: OrderedKeys
        var table: ByteIndex?
        switch try reader.number("keys") {
        case Number.int: keys = .int(try reader.buffer("values", count: distinctCount))
        case Number.double: keys = .double(try reader.buffer("values", count: distinctCount))
        case Number.text:
            keys = .text(try TextKeys(from: reader, distinctCount: distinctCount, rowCount: rowCount))
            table = try ByteIndex(from: reader.structure("table"), below: distinctCount)
        case let number: throw reader.failure("keys", "there are no keys of kind \(number)")
        }
        self.init(
            family: try Self.family(from: reader, keys, column), order: order, starts: starts, keys: keys,
            rowCount: rowCount, isOverLists: try reader.flag("isOverLists"))
        if let table { textPositions.keep(table) }
    }

    private static func family(
        from reader: BlockReader, _ keys: OrderedKeys, _ column: Column?
    ) throws(BlockError) -> Family {
        switch (try reader.number("family"), keys) {
        case (Number.numbers, .int), (Number.numbers, .double): return .number
        case (Number.dates, .double), (Number.dates, .int): return .date
        case (Number.references, .text):
            guard let zoneID = column?.referenceZone else {
                throw reader.failure("family", "the column does not refer to one zone")
            }
            return .reference(zoneID)
        case (Number.texts, .text):
            return .text(TextOptions(rawValue: try reader.number("options", 0...Int(UInt8.max))))
        case (let number, _): throw reader.failure("family", "family \(number) does not go with the keys")
        }
    }
}

extension Column {
    /// The zone of all records that the values, or the elements of lists, refer to.
    fileprivate var referenceZone: RecordZone.ID? {
        switch values {
        case .reference(let references): references.zone
        case .list(let lists): lists.elements.referenceZone
        default: nil
        }
    }
}

extension TextKeys {
    fileprivate init(from reader: BlockReader, distinctCount: Int, rowCount: Int) throws(BlockError) {
        let texts = try TextColumn(from: reader.structure("texts"))
        var positions: ColumnBuffer<UInt32>?
        if reader.has("positions") {
            positions = try reader.numbers("positions", count: distinctCount, below: texts.count)
        } else if texts.count < rowCount {
            throw reader.failure("texts", "expected the texts of \(rowCount) rows, found \(texts.count)")
        }
        self.init(texts: texts, positions: positions, mayJoin: try reader.flag("mayJoin"))
    }
}
