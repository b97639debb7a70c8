// The values of the cases as records of one store, in memory or written to a folder, closed and opened again.

import Foundation
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Testing
import _TestSupport

@testable import Campaigns
@testable import RecordDatabase

/// The values of all cases that can be records.
///
/// An answer is about all records of a type, and an error about one of them is the error of the answer: the records of
/// a type are the values of one case, and of the others that have the same values.
struct ConformanceStore {
    /// A case that records can be asked about.
    ///
    /// Others are not: those that have no value, as they are about a text alone; those where SELF is a number, a text
    /// or a list, as a record has fields; and those with a set, which a column keeps as a list, whose order and
    /// repetitions count.
    struct TestQuery {
        let one: ConformanceCase
        let values: [FieldValue]
        /// Tells the values from those of other cases.
        let bytes: [UInt8]
        let arguments: [FieldValue]
        let variables: [String: FieldValue]

        /// `nil` for a case that is not asked.
        init?(_ one: ConformanceCase) throws {
            guard let values = try one.fieldValues else { return nil }
            for value in values {
                guard case .object = value, !Self.hasSet(value) else { return nil }
            }
            (self.one, self.values) = (one, values)
            bytes = try FieldValue.list(values).binary()
            arguments = try (one.arguments ?? []).map(FieldValue.init)
            variables = try one.fieldVariables
        }

        private static func hasSet(_ value: FieldValue) -> Bool {
            switch value {
            case .set: true
            case .list(let elements): elements.contains(where: hasSet)
            case .object(let members): members.values.contains(where: hasSet)
            default: false
            }
        }
    }

    private let store: RecordStore
    /// The record types of values, by their bytes: one of all, or one of each.
    private let types: [[UInt8]: [String]]
    private let sets: [String: RecordSet]

    private init(_ store: RecordStore, types: [[UInt8]: [String]], buildsIndexes: Bool) {
        (self.store, self.types) = (store, types)
        let snapshot = store.snapshot
        let segments = Dictionary(grouping: snapshot.segments, by: \.segment.recordType)
        let schemas = Dictionary(grouping: snapshot.schemas, by: \.recordType)
        var sets: [String: RecordSet] = [:]
        for (type, segments) in segments {
            let part = Snapshot(version: 0, segments: segments, schemas: schemas[type] ?? [], isSealed: true)
            sets[type] = RecordSet(part, recordType: type)
            sets[type]?.buildsIndexes = buildsIndexes
            // Values of cases have the fields that they have.
            sets[type]?.allowsUnknownFields = true
        }
        self.sets = sets
    }

    /// A store in memory, which builds the indexes that questions ask for.
    init(_ queries: [TestQuery]) throws {
        var types: [[UInt8]: [String]] = [:]
        let store = RecordStore()
        var singles = RecordBatch()
        for query in queries where types[query.bytes] == nil {
            let (values, type) = (query.values, "T\(types.count)")
            types[query.bytes] = [type]
            if values.count == 1 {
                Self.save(values, type, in: &singles)
                continue
            }
            var batch = RecordBatch()
            Self.save(values, type, in: &batch)
            do throws(CommitError) {
                try store.commit(batch)
            } catch {
                // A field of numbers in one of them and of texts in another: one type cannot have both.
                types[query.bytes] = values.indices.map { "\(type)of\($0)" }
                for (number, value) in values.enumerated() {
                    Self.save([value], "\(type)of\(number)", in: &singles)
                }
            }
        }
        try store.commit(singles)
        self.init(store, types: types, buildsIndexes: true)
    }

    private static func save(_ values: [FieldValue], _ type: String, in batch: inout RecordBatch) {
        for (number, value) in values.enumerated() {
            guard case .object(let fields) = value else { continue }
            batch.save(Record(type: type, id: Record.ID("\(type)-\(number)"), fields: fields))
        }
    }

    /// The store as it comes back from a folder: with the indexes that it has, and no others.
    func reloaded() throws -> ConformanceStore {
        let folder = FileManager.default.temporaryDirectory.appending(path: "conformance-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return ConformanceStore(try ReloadedStore.reload(store, in: folder), types: types, buildsIndexes: false)
    }

    /// Number of indexes that were built, or read without a fault.
    var indexCount: Int {
        sets.values.reduce(0) { $0 + $1.snapshot.segments.map(\.indexes).reduce(0) { $0 + $1.builtCount } }
    }

    var faults: [String] { sets.values.flatMap(\.snapshot.segments).flatMap(\.indexes.unreadable).map(\.description) }

    /// Which values of a case match.
    ///
    /// - Parameter knowsKinds: Whether the predicate is bound to the kinds of fields that the store has.
    func matches(_ query: TestQuery, _ predicate: RecordPredicate, knowsKinds: Bool) throws -> [Int] {
        var matches: [Int] = []
        var count = 0
        for type in try #require(types[query.bytes]) {
            let set = try #require(sets[type])
            let found =
                knowsKinds
                ? try set.ordinals(matching: predicate, variables: query.variables)
                : try ordinals(of: set, matching: predicate, query.variables)
            matches += found.map { $0 + count }
            count += set.count
        }
        return matches
    }

    private func ordinals(
        of set: RecordSet, matching predicate: RecordPredicate, _ variables: [String: FieldValue]
    ) throws -> [Int] {
        let bound = try Binder().bind(predicate, variables: variables)
        let query = SnapshotQuery(bound, over: set.snapshot, type: nil)
        do throws(EvaluationError) {
            return try query.numbers().map { Int($0) }
        } catch {
            throw RecordPredicateError(error, in: predicate.text)
        }
    }
}

extension ConformanceCase {
    /// The values that it is about; `nil` when it has none.
    var fieldValues: [FieldValue]? {
        get throws { try (values ?? value.map { [$0] })?.map(FieldValue.init) }
    }

    var fieldVariables: [String: FieldValue] {
        get throws { try variables.mapValues(FieldValue.init) }
    }
}
