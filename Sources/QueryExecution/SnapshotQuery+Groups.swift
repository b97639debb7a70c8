// How many matching records there are of each value of a field.

internal import CKernels
import Geospatial
import Indexing
import OrdinalSets
package import PredicateSemantics
import RecordColumns
package import RecordModel
import RecordStore

extension SnapshotQuery {
    /// The number of matching records by distinct value of a field; of a list field by element, each once a record.
    /// Records without a value are not counted.
    ///
    /// - Throws: `EvaluationError` as `count`.
    /// - Complexity: O(matches) where values are coded or few match, else O(rows).
    package func groupCounts(of field: String) throws(EvaluationError) -> [FieldValue: Int] {
        var counts = GroupCounts(isMixed: snapshot.schemas.contains { $0.type(of: field) == .number })
        for part in parts {
            let indexes = part.query.indexes
            guard let position = indexes.segment.schema.position(of: field) else { continue }
            let column = indexes.segment.columns[position]
            let rows = try part.query.rowSet()
            if rows.isEmpty { continue }
            let isWide = rows.cardinality > indexes.segment.count / 8
            if isWide, column.hasIndexedGroups, let index = indexes.ordered(column: position) {
                counts.add(index, rows.bitmap)
            } else {
                counts.add(column, rows.ordinals)
            }
        }
        return counts.counts
    }
}

extension Column {
    /// Whether the keys of the column's ordered index are its values, and reading them by code is not the better way.
    fileprivate var hasIndexedGroups: Bool {
        switch values {
        case .int64, .double, .number, .date, .text: true
        case .list(let lists):
            switch lists.elements.values {
            case .int64, .double, .number, .date, .text, .dictionary: true
            default: false
            }
        default: false
        }
    }
}

/// Counts by value over several segments.
private struct GroupCounts {
    private(set) var counts: [FieldValue: Int] = [:]
    /// Whether whole numbers may be stored as fractional ones: they are one value.
    let isMixed: Bool

    init(isMixed: Bool) { self.isMixed = isMixed }

    private mutating func add(_ value: FieldValue, _ count: Int) {
        guard count > 0 else { return }
        switch value {
        case .double(let number) where isMixed:
            counts[Int64(exactly: number).map { .int64($0) } ?? value, default: 0] += count
        default: counts[value.compared, default: 0] += count
        }
    }

    /// Counts the rows of every distinct value of an index.
    mutating func add(_ index: OrderedIndex, _ members: Bitmap) {
        for distinct in 0..<index.distinctCount {
            let count = unsafe index.run(ofDistinct: distinct..<distinct + 1).withRows { rows in
                unsafe members.words.withUnsafeBufferPointer { words in
                    // SAFETY: the rows of an index are below the segment's row count, which the words cover.
                    unsafe kernels_list_filter_count(rows.baseAddress, rows.count, words.baseAddress)
                }
            }
            add(index.key(ofDistinct: distinct), Int(count))
        }
    }

    /// Counts the values of rows, by code where there are codes.
    mutating func add(_ column: Column, _ rows: [UInt32]) {
        switch column.values {
        case .dictionary(let dictionary):
            add(column, rows, dictionary.codes, distinct: dictionary.values.count) { .string(dictionary.string($0)) }
        case .reference(let references):
            add(column, rows, references.codes, distinct: references.names.count) {
                .reference(references.reference($0))
            }
        case .list(let lists):
            for row in rows where column.isPresent(Int(row)) {
                for value in Set(lists.elements(Int(row)).map(\.compared)) where !value.isNull { add(value, 1) }
            }
        default:
            for row in rows where column.isPresent(Int(row)) { add(column.value(Int(row)), 1) }
        }
    }

    /// - Parameter value: The value of a row.
    private mutating func add(
        _ column: Column, _ rows: [UInt32], _ codes: ColumnBuffer<UInt32>, distinct: Int, _ value: (Int) -> FieldValue
    ) {
        var groups = [(count: Int, row: Int)](repeating: (0, 0), count: distinct)
        for row in rows where column.isPresent(Int(row)) {
            let code = Int(codes[Int(row)])
            groups[code] = (groups[code].count + 1, Int(row))
        }
        for group in groups where group.count > 0 { add(value(group.row), group.count) }
    }
}

extension FieldValue {
    /// The value as predicates compare it: references by their records, places by their positions.
    fileprivate var compared: FieldValue {
        switch self {
        case .reference(let reference): .reference(RecordReference(recordID: reference.recordID))
        case .location(let place): .location(Location(latitude: place.latitude, longitude: place.longitude))
        default: self
        }
    }
}
