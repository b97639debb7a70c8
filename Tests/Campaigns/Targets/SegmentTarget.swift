// Segment files from strangers: refused, or opened; who can forge checksums can make a store lie, but not crash.

import CXXHash
import FoundationEssentials
import Indexing
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStorage
import RecordStore

/// Opens bytes as the file of a segment: as they are, and with checksums that fit.
struct SegmentCheck: Sendable {
    private let path: String

    init(path: String) { self.path = path }

    func run(_ bytes: [UInt8]) -> FuzzOutcome {
        var outcome = FuzzOutcome.rejected
        for bytes in [bytes, Self.sealed(bytes)] {
            guard let bytes else { break }
            guard FileManager.default.createFile(atPath: path, contents: Data(bytes)) else {
                return .finding("cannot write \(path)")
            }
            do throws(StorageError) {
                runQuery(try SegmentFile.open(path).stored, bytes)
                outcome = .accepted
                try SegmentFile.verify(path)
            } catch {
                let known: Set<StorageError.Code> = [.corrupted, .notAStore, .incompatibleVersion]
                if !known.contains(error.code) { return .finding("an error that does not fit: \(error)") }
            }
        }
        return outcome
    }

    /// Reads all that is there. What a forged file says may be untrue: only that there is an answer counts.
    private func runQuery(_ stored: StoredSegment, _ bytes: [UInt8]) {
        for row in 0..<min(64, stored.segment.count) { _ = stored.segment.record(row) }
        guard let schema = Self.schema, stored.segment.recordType == schema.recordType else { return }
        let snapshot = RecordStore(segments: [stored], schemas: [schema], nextSequence: 1 << 30).snapshot
        var queries = RandomPredicates(seed: bytes.reduce(5381) { $0 &* 33 &+ UInt64($1) })
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            for _ in 0..<4 {
                let query = queries.query()
                guard let predicate = try? RecordPredicate(format: query.text, arguments: query.arguments),
                    let bound = try? Binder(schema: schema).bind(predicate)
                else { continue }
                let plan = SnapshotQuery(
                    bound, over: snapshot, type: schema.recordType, settings: .init(usage: usage, context: .unused))
                if let rows = try? plan.rows() { for row in rows.prefix(8) { _ = snapshot.recordID(row) } }
                _ = try? plan.count()
                _ = try? plan.groupCounts(of: "few")
            }
        }
        stored.indexes.readAll()
        _ = stored.indexes.unreadable
    }

    /// The fields as they usually are; those of a forged file may be others.
    private static let schema: RecordSchema? = {
        let builder = RecordLoader()
        var source = RandomRecords(seed: 1)
        for (line, record) in source.records(20).enumerated() {
            guard (try? builder.append(record, origin: line + 1)) != nil else { return nil }
        }
        return builder.finish().schemas.first
    }()

    // MARK: Forged checksums

    /// The bytes with the size and the checksums that they should have; `nil` where there is no table of contents.
    static func sealed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= headerByteCount else { return nil }
        let (offset, count) = (number(bytes, at: 24), number(bytes, at: 32))
        guard offset >= headerByteCount, count > 0, offset <= bytes.count, count <= bytes.count - offset else {
            return nil
        }
        var bytes = bytes
        put(UInt64(bytes.count), &bytes, at: 16)
        let contents = Array(bytes[offset..<offset + count])
        if let tree = try? BlockTree<BlockPlace>(binary: contents) {
            let sealed = tree.map { place -> BlockPlace in
                guard place.offset >= 0, place.byteCount >= 0, place.offset <= bytes.count,
                    place.byteCount <= bytes.count - place.offset
                else { return place }
                let block = bytes[place.offset..<place.offset + place.byteCount]
                return BlockPlace(offset: place.offset, byteCount: place.byteCount, checksum: checksum(block))
            }
            if let contents = try? sealed.binary(), contents.count == count {
                bytes.replaceSubrange(offset..<offset + count, with: contents)
            }
        }
        put(checksum(bytes[offset..<offset + count]), &bytes, at: 40)
        put(checksum(bytes[..<(headerByteCount - 8)]), &bytes, at: headerByteCount - 8)
        return bytes
    }

    private static let headerByteCount = 64

    private static func number(_ bytes: [UInt8], at place: Int) -> Int {
        Int(clamping: (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) })
    }

    private static func put(_ number: UInt64, _ bytes: inout [UInt8], at place: Int) {
        for index in 0..<8 { bytes[place + index] = UInt8(truncatingIfNeeded: number >> UInt64(8 * index)) }
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        // SAFETY: the function reads the bytes that it is given.
        unsafe bytes.withUnsafeBytes { unsafe cxxhash_checksum($0.baseAddress, $0.count) }
    }

    // MARK: Inputs

    /// Small segments with indexes, and a few fields each.
    func seeds() -> [[UInt8]] {
        let fields: [Set<String>] = [
            ["whole", "small", "few"], ["text", "tags"], ["place", "date"], ["owner", "numbers", "flag"],
            ["mixed", "wide", "nested"], ["prose"], ["unique", "fraction", "friends"],
        ]
        return fields.enumerated().compactMap { number, names in
            let store = RecordStore()
            var source = RandomRecords(seed: UInt64(number))
            var batch = RecordBatch()
            for record in source.records(12) {
                batch.save(
                    Record(type: record.type, id: record.id, fields: record.fields.filter { names.contains($0.key) }))
            }
            guard (try? store.commit(batch)) != nil, let schema = store.snapshot.schemas.first else { return nil }
            store.flush()
            var queries = RandomPredicates(seed: UInt64(number))
            for _ in 0..<40 {
                let query = queries.query()
                guard let predicate = try? RecordPredicate(format: query.text, arguments: query.arguments),
                    let bound = try? Binder(schema: schema).bind(predicate)
                else { continue }
                let plan = SnapshotQuery(
                    bound, over: store.snapshot, type: schema.recordType, settings: .init(context: .unused))
                _ = try? plan.rows()
            }
            // No file is written over another.
            try? FileManager.default.removeItem(atPath: path)
            guard let stored = store.snapshot.segments.first,
                (try? SegmentFile.write(stored, to: path, sync: false)) != nil,
                let data = FileManager.default.contents(atPath: path)
            else { return nil }
            return [UInt8](data)
        }
    }

    /// Other bytes in a few places, most of them whole numbers in place of others; nothing moves.
    static func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        guard !bytes.isEmpty else { return bytes }
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            var place = Int.random(in: 0..<bytes.count, using: &generator)
            if generator.oneIn(3) { place = bytes.count - 1 - place % min(bytes.count, 2048) }
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[place] = generator.pick([0, 1, 0x7F, 0x80, 0xFF])
            case 1: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes[place] &+= generator.pick([1, 255, 2, 254])
            case 3:
                let number = generator.pick([0, 1, UInt32.max, 1 << 31, 0x7FFF_FFFF, UInt32(bytes.count)])
                for index in 0..<4 where place & ~3 + index < bytes.count {
                    bytes[place & ~3 + index] = UInt8(truncatingIfNeeded: number >> UInt32(8 * index))
                }
            case 4:
                let other = Int.random(in: 0..<bytes.count, using: &generator)
                for index in 0..<8 where place + index < bytes.count && other + index < bytes.count {
                    bytes[place + index] = bytes[other + index]
                }
            default: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        return bytes
    }
}

extension FuzzTarget {
    static let segments = FuzzTarget(
        name: "segments", summary: "segment files: as they are, and with checksums that fit whatever they say",
        run: { check.run($0) }, seeds: { check.seeds() }, mutated: { SegmentCheck.mutated($0, &$1) },
        byteLimit: 1 << 16)

    private static var check: SegmentCheck { SegmentCheck(path: ScratchFolder.place("segment")) }
}
