// Segments that were written and opened again must answer as they did; files that were damaged, too, or be refused.

import FoundationEssentials
import Indexing
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStorage
import RecordStore

/// Writes the segments of a random store into files, damages the files, and compares answers.
struct StorageCampaign {
    /// Answers compared so far.
    private(set) var comparisons = 0
    /// Those among them where a predicate could be answered, and some records matched.
    private(set) var succeeded = 0
    /// Damaged files that were refused, and that were opened.
    private(set) var (rejected, opened) = (0, 0)
    private(set) var differences: [ResultCampaign.Difference] = []

    private let seed: UInt64
    private let folder: String
    private var generator: SeededGenerator
    private var queries: RandomPredicates
    private let store = RecordStore()

    /// - Parameter folder: Where files are written: a folder of the campaign's own.
    init(seed: UInt64, records: Int, folder: String) {
        self.seed = seed
        self.folder = folder
        generator = SeededGenerator(seed: seed ^ 0xF11E)
        queries = RandomPredicates(seed: seed)
        fill(records)
    }

    /// Records in two types and two zones, some of them changed and deleted again, in a few segments.
    private mutating func fill(_ count: Int) {
        var source = RandomRecords(seed: seed)
        for start in stride(from: 0, to: count, by: max(1, count / 3)) {
            var batch = RecordBatch()
            for number in start..<min(count, start + max(1, count / 3)) {
                let plain = source.record(number, of: count)
                let zone = generator.oneIn(9) ? RecordZone.ID("other") : .default
                batch.save(
                    Record(
                        type: generator.oneIn(9) ? "Other" : plain.type, id: Record.ID("r\(number)", zoneID: zone),
                        fields: plain.fields))
            }
            for _ in 0..<count / 20 {
                let id = Record.ID("r\(Int.random(in: 0..<max(1, start), using: &generator))")
                if store.snapshot.record(id) == nil { continue }
                if generator.oneIn(2) {
                    batch.delete(id)
                } else {
                    batch.change(id, ["text": "changed", "whole": .null])
                }
            }
            // Records of the campaign always fit.
            _ = try? store.commit(batch)
        }
        if generator.oneIn(2) { store.merge() }
    }

    // MARK: Round trips

    /// Asks the store so many predicates, which builds indexes; writes its segments, opens them, and asks again.
    mutating func roundTrip(predicates: Int) {
        let requested = (0..<predicates).map { _ in queries.query() }
        let before = requested.map { results($0, store.snapshot, .all) }
        guard let files = write(), let snapshot = open(files) else { return }
        compareRecords(with: snapshot)
        for (query, expected) in zip(requested, before) {
            for (way, usage) in Self.ways {
                compare(query, expected, with: results(query, snapshot, usage), way: "opened, \(way)")
            }
        }
        for stored in snapshot.segments {
            stored.indexes.readAll()
            check("indexes", expected: "", found: stored.indexes.unreadable.map(\.description).joined(), text: "")
        }
        // What was opened can be written again, and is the same.
        let again = snapshot.segments.enumerated().map { number, stored in
            Self.outcome { () throws(StorageError) in
                try SegmentFile.write(stored, to: Self.freePath("\(folder)/again-\(number)"), sync: true)
            }
        }
        for (file, again) in zip(files, again) {
            check("written again", expected: "\(file.written)", found: "\(again)", text: "")
        }
    }

    private static let ways: [(name: String, usage: SegmentPlanner.IndexUsage)] = [
        ("scan", .none), ("what is built", .built), ("indexes", .all),
    ]

    /// A segment's file.
    private struct File {
        let path: String
        let written: String
        let checksum: UInt64
        let stored: StoredSegment
    }

    /// A path without the file that an earlier round left there: no file is written over another.
    private static func freePath(_ path: String) -> String {
        try? FileManager.default.removeItem(atPath: path)
        return path
    }

    private mutating func write() -> [File]? {
        var files: [File] = []
        for (number, stored) in store.snapshot.segments.enumerated() {
            let path = Self.freePath("\(folder)/\(number)")
            do throws(StorageError) {
                let written = try SegmentFile.write(stored, to: path, sync: false)
                files.append(File(path: path, written: "\(written)", checksum: written.checksum, stored: stored))
                try SegmentFile.verify(path, checksum: written.checksum)
            } catch {
                check("writing", expected: "a file", found: "\(error)", text: "")
                return nil
            }
        }
        return files
    }

    /// The store of some files, with the deleted rows that it had.
    private mutating func open(_ files: [File]) -> Snapshot? {
        do throws(StorageError) {
            var segments: [StoredSegment] = []
            for file in files {
                var stored = try SegmentFile.open(file.path, checksum: file.checksum).stored
                stored.deleted = file.stored.deleted
                segments.append(stored)
            }
            let image = store.image
            return RecordStore(
                segments: segments, schemas: image.snapshot.schemas, nextSequence: image.nextSequence
            ).snapshot
        } catch {
            check("opening", expected: "a segment", found: "\(error)", text: "")
            return nil
        }
    }

    private mutating func compareRecords(with snapshot: Snapshot) {
        let original = store.snapshot
        check("segments", expected: "\(original.segments.count)", found: "\(snapshot.segments.count)", text: "")
        for (mine, theirs) in zip(original.segments, snapshot.segments) {
            for row in 0..<mine.segment.count {
                let (record, other) = (mine.segment.record(row), theirs.segment.record(row))
                let isSame =
                    record.id == other.id && Self.bytes(record) == Self.bytes(other)
                    && mine.sequences[row] == theirs.sequences[row]
                    && theirs.segment.row(named: record.id.recordName) == row
                check("record", expected: "\(record)", found: "\(other)", text: "", when: !isSame)
            }
        }
    }

    private static func bytes(_ record: Record) -> [UInt8]? { try? FieldValue.object(record.fields).binary() }

    // MARK: Damage

    /// Damages the files so many times, each time in another way, and opens them.
    mutating func damage(times: Int) {
        // Some indexes to be damaged.
        for _ in 0..<16 { _ = results(queries.query(), store.snapshot, .all) }
        guard let files = write(), !files.isEmpty else { return }
        let contents = files.map { [UInt8](FileManager.default.contents(atPath: $0.path) ?? Data()) }
        for _ in 0..<times {
            let number = Int.random(in: 0..<files.count, using: &generator)
            let (bytes, what) = damaged(contents[number])
            let path = "\(folder)/damaged"
            guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
                check("damage", expected: "a file", found: "none", text: what)
                return
            }
            check(files, number, path, what)
        }
    }

    private mutating func check(_ files: [File], _ number: Int, _ path: String, _ what: String) {
        let file = files[number]
        do throws(StorageError) {
            // Half of the time the store's manifest is there to tell which file it should be.
            var stored = try SegmentFile.open(path, checksum: generator.oneIn(2) ? file.checksum : nil).stored
            opened += 1
            stored.deleted = file.stored.deleted
            let original = store.snapshot
            var segments = original.segments
            segments[number] = stored
            let snapshot = RecordStore(segments: segments, schemas: original.schemas, nextSequence: 0).snapshot
            compareRecords(with: snapshot)
            for _ in 0..<3 {
                let query = queries.query()
                let expected = results(query, original, .built)
                compare(query, expected, with: results(query, snapshot, .all), way: "\(what), opened")
            }
        } catch {
            rejected += 1
            let known: Set<StorageError.Code> = [.corrupted, .notAStore, .incompatibleVersion]
            check(
                "refusal", expected: "a fitting code", found: "\(error)", text: what, when: !known.contains(error.code))
        }
    }

    /// A damaged copy, and what was done to it.
    private mutating func damaged(_ bytes: [UInt8]) -> ([UInt8], String) {
        var bytes = bytes
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            bytes.removeSubrange(place...)
            return (bytes, "cut off at \(place)")
        case 1:
            // As after a power failure: a page that never reached the disk.
            let start = place & ~4095
            let end = min(bytes.count, start + 4096)
            for index in start..<end { bytes[index] = 0 }
            return (bytes, "zeros from \(start) to \(end)")
        case 2:
            bytes += (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
            return (bytes, "longer")
        case 3:
            // In the head or the table of contents, where most is at stake.
            let place = generator.oneIn(2) ? place % 64 : bytes.count - 1 - place % min(bytes.count, 4096)
            bytes[place] ^= UInt8.random(in: 1...255, using: &generator)
            return (bytes, "another byte at \(place)")
        default:
            let bit = Int.random(in: 0..<8, using: &generator)
            bytes[place] ^= 1 << UInt8(bit)
            return (bytes, "bit \(bit) of byte \(place)")
        }
    }

    // MARK: Comparing

    private struct Outcomes {
        var ids: [Record.ID]
        var count: Int
        var groups: [FieldValue: Int]
    }

    /// What a store answers; `nil` for a predicate that cannot be bound or evaluated.
    private func results(
        _ query: RandomPredicates.Query, _ snapshot: Snapshot, _ usage: SegmentPlanner.IndexUsage
    ) -> Outcomes? {
        guard let schema = snapshot.schema(ofType: RandomRecords.type),
            let predicate = try? RecordPredicate(format: query.text, arguments: query.arguments),
            let bound = try? Binder(schema: schema).bind(predicate)
        else { return nil }
        let plan = SnapshotQuery(
            bound, over: snapshot, type: RandomRecords.type, settings: .init(usage: usage, context: .current()))
        guard let rows = try? plan.rows(), let count = try? plan.count() else { return nil }
        return Outcomes(
            ids: rows.map(snapshot.recordID), count: count, groups: (try? plan.groupCounts(of: "few")) ?? [:])
    }

    private mutating func compare(
        _ query: RandomPredicates.Query, _ expected: Outcomes?, with found: Outcomes?, way: String
    ) {
        if expected?.ids.isEmpty == false { succeeded += 1 }
        let text = "\(query.text) \(query.arguments)"
        let isSame = expected?.ids == found?.ids && expected?.count == found?.count && expected?.groups == found?.groups
        check(
            way, expected: "\(String(describing: expected))", found: "\(String(describing: found))", text: text,
            when: !isSame)
    }

    private mutating func check(
        _ way: String, expected: String, found: String, text: String, when isDifferent: Bool? = nil
    ) {
        comparisons += 1
        guard isDifferent ?? (expected != found) else { return }
        differences.append(
            ResultCampaign.Difference(seed: seed, text: text, way: way, expected: expected, found: found))
    }

    private static func outcome(_ body: () throws(StorageError) -> SegmentFile.Written) -> String {
        do throws(StorageError) { return "\(try body())" } catch { return "\(error)" }
    }
}
