// The embedded engine in one line: records in memory, asked with predicates.

import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordFiles
public import RecordModel

/// Records held in memory: read from files or given one by one, then counted, filtered and sorted with predicates.
///
/// Every record has an *ordinal*, its place in the order of loading, from 0. A set never changes; it may be used from any
/// thread, and copies share their storage.
public struct RecordSet: Sendable {
    /// The records with what indexes questions have built.
    let indexed: IndexedTable
    /// Whether questions build the indexes that would answer them, once and for later questions too (the default); else
    /// they read columns, which is the faster way for a set that is asked once.
    public var buildsIndexes = true
    /// Which fields are indexed, and for what; questions build what is declared here when they first need it.
    public var declaredIndexes = IndexDeclaration.automatic
    /// Whether questions that would read every record are refused, with an error that names the part of the predicate and
    /// the index that would answer it.
    public var refusesScans = false
    /// Whether questions that look at very many records use all processor cores (the default); else each question runs
    /// on the thread that asks it.
    public var usesAllCores = true
    /// What one question may cost.
    public var limits = QueryLimits()
    /// The record type that questions are about; `nil` for all records.
    public let recordType: String?
    /// The ordinals of that type, ascending; `nil` when all records are meant.
    let candidates: [Int]?
    /// The fields that predicates are bound to.
    let mergedSchema: RecordSchema

    /// Where the records came from.
    struct Source {
        var report: LoadReport?
        /// The text of the records, where it is kept.
        var text: OriginalText?
        /// The fields that they name without a value, where that is kept.
        var nulls: NullFields?
        /// The schema of the store that the records are of.
        var schema: ContainerSchema?
    }

    let source: Source

    var table: RecordTable { indexed.table }

    init(_ table: RecordTable, recordType: String?, source: Source = Source()) {
        self.init(IndexedTable(table), recordType: recordType, source: source)
    }

    init(_ indexed: IndexedTable, recordType: String?, source: Source) {
        self.indexed = indexed
        let table = indexed.table
        self.recordType = recordType
        self.source = source
        mergedSchema = Self.merged(
            table.schemas.filter { recordType == nil || $0.recordType == recordType }, recordType)
        candidates =
            recordType.map { type in
                table.schemas.contains { $0.recordType != type } ? Self.ordinals(ofType: type, in: table) : nil
            } ?? nil
    }

    /// The same records, with questions about one type only; references still lead to records of every type.
    public func ofType(_ type: String?) -> RecordSet {
        var set = RecordSet(indexed, recordType: type, source: source)
        set.buildsIndexes = buildsIndexes
        set.usesAllCores = usesAllCores
        set.declaredIndexes = declaredIndexes
        set.refusesScans = refusesScans
        set.limits = limits
        return set
    }

    /// Number of records that questions are about.
    public var count: Int { candidates?.count ?? table.count }

    /// The fields of each record type, in order of first appearance.
    public var schemas: [RecordSchema] {
        table.schemas.filter { recordType == nil || $0.recordType == recordType }
    }

    /// The record of an ordinal; `nil` beyond the last. Complexity: O(fields).
    public func record(at ordinal: Int) -> Record? {
        (0..<table.count).contains(ordinal) ? table.record(ordinal) : nil
    }

    /// The record of a name in the default zone; `nil` when there is none. Complexity: O(fields).
    public func record(named name: String) -> Record? { table.position(named: name).map { table.record($0) } }

    /// The ordinals of the records of one type, ascending. Complexity: O(count).
    package func ordinals(ofType type: String) -> [Int] { Self.ordinals(ofType: type, in: table) }

    private static func ordinals(ofType type: String, in table: RecordTable) -> [Int] {
        (0..<table.count).filter { table.segments[table.address($0).segment].recordType == type }
    }
}

// MARK: Single values

extension RecordSet {
    /// The names of the record types, in order of first appearance.
    package var recordTypes: [String] { schemas.map(\.recordType) }

    /// Whether records gave names of their own; else lines name them.
    package var hasNames: Bool { table.hasNames }

    /// Whether records gave types of their own.
    package var hasTypes: Bool { table.hasTypes }

    /// The names of all fields, in order of first appearance.
    package var fieldNames: [String] {
        var seen: Set<String> = []
        return schemas.flatMap(\.fields).map(\.name).filter { seen.insert($0).inserted }
    }

    /// The record's name. The ordinal is one that the set gave.
    package func recordName(at ordinal: Int) -> String {
        let address = table.address(ordinal)
        return table.segments[address.segment].names.string(address.row)
    }

    /// The record's identifier: its name and zone. The ordinal is one that the set gave.
    package func recordID(at ordinal: Int) -> Record.ID {
        let address = table.address(ordinal)
        return table.segments[address.segment].recordID(address.row)
    }

    /// The number of the record's last change, which databases count; `.null` where nobody did.
    package func changeNumber(at ordinal: Int) -> FieldValue {
        value(of: .field(MetadataColumn.changeTag), at: ordinal)
    }

    /// The record's type. The ordinal is one that the set gave.
    package func recordType(at ordinal: Int) -> String { table.segments[table.address(ordinal).segment].recordType }

    /// The value of a field, of a part of the record, of a nested value (`a.b`), or a distance in metres; `.null` when
    /// the record has none. The ordinal is one that the set gave.
    package func value(of criterion: SortKey.Criterion, at ordinal: Int) -> FieldValue {
        table[ordinal].value(of: criterion, in: table)
    }
}
