// How much one query to a record set may cost.

import PredicateSemantics
import RecordColumns
import RecordModel
import RecordStore

/// Limits of what one query may cost, for untrusted predicates.
///
/// A query beyond a limit fails with a `RecordPredicateError` whose `evaluationKind` is `timeLimit`, `resultLimit`
/// or `stepLimit`. By default only the steps of a record are limited.
public struct QueryLimits: Hashable, Sendable {
    /// The time that a query may take, from binding to the last record given out. It may take some milliseconds
    /// longer; an index whose building takes longer than that is built to its end for the queries that follow.
    public var time: Duration?
    /// Bytes of memory that a result may take, about: 8 for each ordinal, and texts, names and values of records.
    public var resultBytes: Int?
    /// Steps that deciding one record may take, where it is decided on its own: comparisons within SUBQUERY, elements
    /// of lists that are looked at or made, and stretches of 64 bytes of texts that are read again for every element. A
    /// step takes up to a tenth of a microsecond.
    ///
    /// What grows with the product of lengths ends here: a SUBQUERY within a SUBQUERY over long lists, and paths
    /// through lists of references to records with lists of references.
    public var stepsPerRecord: Int

    /// Bounds; `nil` for none.
    public init(time: Duration? = nil, resultBytes: Int? = nil, stepsPerRecord: Int = 50_000_000) {
        self.time = time
        self.resultBytes = resultBytes
        self.stepsPerRecord = stepsPerRecord
    }

    /// The surroundings in which a predicate is evaluated on records.
    func context(of predicate: BoundPredicate) -> EvaluationContext {
        if predicate.usesContext { return .current(maximumSteps: stepsPerRecord) }
        return contextWithoutMoment
    }

    /// The context of a predicate that uses neither the time nor chance.
    var contextWithoutMoment: EvaluationContext {
        EvaluationContext(now: EvaluationContext.unused.now, maximumSteps: stepsPerRecord)
    }

    /// Rejects a result of so many bytes.
    /// - Throws: `EvaluationError` of kind `resultLimit`.
    func check(resultBytes bytes: Int) throws(EvaluationError) {
        guard let resultBytes, bytes > resultBytes else { return }
        throw EvaluationError(
            kind: .resultLimit, span: .none, message: "the result takes more than \(resultBytes) bytes",
            hint: "set a lower limit of records")
    }
}

extension RecordSet {
    /// The records of rows, in their order.
    /// - Throws: `EvaluationError` of kind `resultLimit`, `timeLimit` or `cancelled`.
    func records(at found: [SnapshotRow]) throws(EvaluationError) -> [Record] {
        let watch = QueryDeadline.watch
        var records: [Record] = []
        records.reserveCapacity(found.count)
        var bytes = 0
        var rows = RecordReader(self)
        for row in found {
            let record = rows.record(RowAddress(segment: row.segment, row: row.row))
            if limits.resultBytes != nil {
                bytes += record.memory
                try limits.check(resultBytes: bytes)
            }
            if records.count % 1024 == 1023 { try watch.check() }
            records.append(record)
        }
        return records
    }
}

/// Makes the records of rows; those of one segment share the object that they read from.
struct RecordReader {
    private let snapshot: Snapshot
    private var loaded: [Int: LoadedRows] = [:]
    /// The rows of a database, which keeps more about a record than its fields.
    private var stored: ResultRows?
    /// Who reads what others share.
    private let reader: String?

    init(_ set: RecordSet) {
        (snapshot, reader) = (set.snapshot, set.source.reader)
        stored = set.source.isOfDatabase ? ResultRows(snapshot) : nil
    }

    mutating func record(_ address: RowAddress) -> Record {
        let segment = snapshot.segments[address.segment].segment
        if let version = stored?.version(segment: address.segment, row: address.row) {
            let record = version.record(segment.recordID(address.row))
            return reader.map { record.seen(by: $0) } ?? record
        }
        let rows = loaded[address.segment] ?? LoadedRows(segment)
        loaded[address.segment] = rows
        return rows.record(address.row)
    }
}

extension Record {
    /// About the bytes that the record takes in memory.
    fileprivate var memory: Int {
        fields.reduce(128 + id.recordName.utf8.count) { total, field in
            total + 64 + field.key.utf8.count + ValueCheck.byteCount(field.value)
        }
    }
}
