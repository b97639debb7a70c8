// The embedded engine in one line: records in memory, and predicates to query them.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordFiles
public import RecordModel
import RecordStore
public import TextAnalysis

/// Records held in memory: read from files or given one by one, then counted, filtered and sorted with predicates.
///
/// Every record has an *ordinal*, its place in the order of loading, from 0. A set never changes; it may be used from
/// any thread, and copies share their storage.
public struct RecordSet: Sendable {
    /// The records, with the indexes that queries have built.
    let snapshot: Snapshot
    /// Whether queries build the indexes that they need, once and for later queries too (the default); else they read
    /// columns, which is faster for a set that runs one query.
    public var buildsIndexes = true
    /// Which fields are indexed, and for what; queries build what is declared here when they first need it.
    public var declaredIndexes = IndexDeclaration.automatic
    /// The analyzers of fields of text, by name, for queries by words; none by default.
    ///
    /// `TOKENMATCHES` and `self CONTAINS` search what an analyzer makes of the words of its field; all else looks at
    /// texts and words as they are written, and so do searches of other records, behind paths. Indexes are built for
    /// each analyzer when queries first need them. A set of a stored container begins with those of its schema; where
    /// it is of all types, with those of the names that have one and the same analyzer wherever they appear.
    public var analyzers: [String: TextAnalyzer] {
        get { fieldAnalyzers?.byField ?? [:] }
        set {
            fieldAnalyzers = FieldAnalyzers(newValue)
            templates = TemplateCache()
        }
    }
    /// What `analyzers` says; also what the set is made with.
    private(set) var fieldAnalyzers: FieldAnalyzers?
    /// Whether queries that would read every record are rejected, with an error that names the part of the predicate
    /// and the missing index.
    public var refusesScans = false
    /// Whether predicates and orders may name fields that no record has, which are nil then, as in one record without
    /// them. Else, and by default, such a name is an error that names the field that was probably meant, as in a
    /// database: it is most often a slip.
    ///
    /// Properties are no slips: what `City.where { $0.nickname == nil }` names may be absent from all records. In a set
    /// without any fields, such as one of a type that has no records, every name is allowed; in a snapshot of a
    /// database no name that its schema has not, whatever this says.
    public var allowsUnknownFields = false
    /// Whether queries that read very many records use all processor cores (the default); else each query runs on the
    /// thread of its caller.
    public var usesAllCores = true
    /// What one query may cost.
    public var limits = QueryLimits()
    /// The record type that is queried; `nil` for all records.
    public let recordType: String?
    /// The fields that predicates are bound to.
    let mergedSchema: RecordSchema
    /// Whether these are all fields that there are.
    let isDeclared: Bool
    /// Whether the set tells the fields of records that are elsewhere, and has none itself.
    package internal(set) var isOutline = false

    /// Where the records came from.
    struct Source {
        /// The file and the line of each record, where it came from files.
        var origins: OriginMap?
        /// Whether records gave names of their own; else lines name them.
        var hasNames = true
        /// Whether records gave types of their own.
        var hasTypes = true
        var report: LoadReport?
        /// The text of the records, where it is kept.
        var text: OriginalText?
        /// The fields that they name without a value, where that is kept.
        var nulls: NullFields?
        /// The schema of the store that the records are of.
        var schema: ContainerSchema?
        /// What a server did to find the records.
        var pushed: QueryExplanation.Pushed?
        /// The indexes of a server that has the records, which the plans here do not use.
        var serverIndexes: ServerIndexes?
        /// The moment that all queries are of; `nil` for that of each.
        var moment: Date?
        /// Whether records are given out as databases give them: with what is kept about them as metadata.
        var isOfDatabase = false
        /// Who reads what others share; `nil` for records of other databases.
        var reader: String?
    }

    let source: Source
    /// Predicates that were bound to the fields before.
    private(set) var templates = TemplateCache<FixedFields>()

    init(_ loaded: LoadedSegments, recordType: String?, source: Source = Source()) {
        var source = source
        source.origins = loaded.origins
        (source.hasNames, source.hasTypes) = (loaded.hasNames, loaded.hasTypes)
        self.init(Snapshot(loaded), recordType: recordType, source: source)
    }

    /// The records of a snapshot. Complexity: O(fields).
    ///
    /// - Parameter declared: The fields of the type, those without records among them; then it is an error to name
    ///   others.
    init(
        _ snapshot: Snapshot, recordType: String?, source: Source = Source(),
        declared: ContainerSchema.RecordType? = nil
    ) {
        (self.snapshot, self.recordType, self.source) = (snapshot, recordType, source)
        var merged = Self.merged(
            snapshot.schemas.filter { recordType == nil || $0.recordType == recordType }, recordType)
        if let declared {
            // Records that are gone may have had other fields.
            let known = merged.fields.filter {
                declared.fields[$0.name]?.traits.contains(.encrypted) == false || MetadataColumn.all.contains($0.name)
            }
            merged = RecordSchema(recordType: merged.recordType, fields: known)
            // Encrypted values are no fields that predicates could name.
            for (name, field) in declared.fields where !field.traits.contains(.encrypted) {
                merged.define(FieldDefinition(name: name, type: field.type))
            }
        }
        (mergedSchema, isDeclared) = (merged, declared != nil)
        fieldAnalyzers = source.schema?.analyzers(ofType: recordType)
    }

    /// The same records, with queries over one type only; references still lead to records of every type.
    public func ofType(_ type: String?) -> RecordSet {
        if type == recordType { return self }
        var set = RecordSet(snapshot, recordType: type, source: source)
        set.buildsIndexes = buildsIndexes
        set.usesAllCores = usesAllCores
        set.declaredIndexes = declaredIndexes
        set.refusesScans = refusesScans
        set.allowsUnknownFields = allowsUnknownFields
        set.limits = limits
        set.isOutline = isOutline
        // Analyzers that were given stay; those of a schema are those of the type.
        if fieldAnalyzers != source.schema?.analyzers(ofType: recordType) { set.fieldAnalyzers = fieldAnalyzers }
        return set
    }

    /// The segments whose records queries are about.
    var segments: some Sequence<StoredSegment> {
        snapshot.segments.lazy.filter { [recordType] in recordType == nil || $0.segment.recordType == recordType }
    }

    /// Number of records that queries are about. Complexity: O(segments).
    public var count: Int { recordType == nil ? snapshot.count : segments.reduce(0) { $0 + $1.liveCount } }

    /// The fields of each record type, in order of first appearance.
    public var schemas: [RecordSchema] {
        snapshot.schemas.filter { recordType == nil || $0.recordType == recordType }
    }

    /// The record of an ordinal; `nil` beyond the last. Complexity: O(fields).
    public func record(at ordinal: Int) -> Record? {
        guard (0..<snapshot.count).contains(ordinal) else { return nil }
        var rows = RecordReader(self)
        return rows.record(snapshot.address(ofNumber: ordinal))
    }

    /// The record of a name in the default zone; `nil` when there is none. Complexity: O(fields).
    public func record(named name: String) -> Record? {
        snapshot.locate(Record.ID(name)).map { found in
            var rows = RecordReader(self)
            return rows.record(RowAddress(segment: found.segment, row: found.row))
        }
    }

    /// The ordinals of the records of one type, ascending. Complexity: O(count).
    package func ordinals(ofType type: String) -> [Int] {
        var ordinals: [Int] = []
        let numbers = snapshot.recordNumbers
        for (index, stored) in snapshot.segments.enumerated() where stored.segment.recordType == type {
            for row in 0..<stored.segment.count where stored.isLive(row) {
                ordinals.append(numbers.number(segment: index, row: row))
            }
        }
        return ordinals.sorted()
    }

    /// The record of an ordinal that the set gave; its fields are read on first access.
    func row(at ordinal: Int) -> RowView { snapshot.record(ofNumber: ordinal) }
}

// MARK: Single values

extension RecordSet {
    /// The names of the record types, in order of first appearance.
    package var recordTypes: [String] { schemas.map(\.recordType) }

    /// Whether records gave names of their own; else lines name them.
    package var hasNames: Bool { source.hasNames }

    /// Whether records gave types of their own.
    package var hasTypes: Bool { source.hasTypes }

    /// The names of all fields, in order of first appearance.
    package var fieldNames: [String] {
        var seen: Set<String> = []
        return schemas.flatMap(\.fields).map(\.name).filter { seen.insert($0).inserted }
    }

    /// The record's name. The ordinal is one that the set gave.
    package func recordName(at ordinal: Int) -> String { row(at: ordinal).recordName }

    /// The record's identifier: its name and zone. The ordinal is one that the set gave.
    package func recordID(at ordinal: Int) -> Record.ID { row(at: ordinal).recordID }

    /// The number of the record's last change, which databases count; `.null` where nobody did.
    package func changeNumber(at ordinal: Int) -> FieldValue {
        value(of: .field(MetadataColumn.changeTag), at: ordinal)
    }

    /// The record's type. The ordinal is one that the set gave.
    package func recordType(at ordinal: Int) -> String { row(at: ordinal).recordType }

    /// The value of a field, of a part of the record, of a nested value (`a.b`), or a distance in metres; `.null` when
    /// the record has none. The ordinal is one that the set gave.
    package func value(of criterion: SortKey.Criterion, at ordinal: Int) -> FieldValue {
        row(at: ordinal).value(of: criterion, in: snapshot)
    }
}
