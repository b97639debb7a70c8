// Which segments are merged, and how.

import Indexing
import OrdinalSets
import RecordColumns
import RecordModel

/// Merging in tiers: eight segments of one tier become one of the next, so that there are few segments, and a row is
/// copied once per tier. Eight of the small ones, which are in no tier, become one. When commits pause, fewer are left:
/// each more than twice as large as all smaller ones together.
enum MergePolicy {
    /// Segments of a tier that are merged; also the ratio of sizes between tiers.
    static let fanOut = 8
    /// Segments of fewer rows are small: they are merged by the commit that brings their number to `fanOut`.
    static let smallRows = 64
    /// Segments of one type and zone at which commits wait for merging.
    static let overdueCount = 64
    /// Segments beyond these sizes are left alone.
    static let maximumRows = 1 << 25
    static let maximumBytes = 1 << 30

    /// How often the rows can be divided by `fanOut`.
    private static func tier(_ stored: StoredSegment) -> Int {
        (Int.bitWidth - 1 - max(1, stored.segment.count).leadingZeroBitCount) / fanOut.trailingZeroBitCount
    }

    /// Whether some tier has as many segments as are merged, among all types and zones: after most commits none has,
    /// and nothing else is looked at.
    private static func hasFullTier(_ segments: [StoredSegment]) -> Bool {
        var counts = InlineArray<22, UInt32>(repeating: 0)
        for stored in segments where stored.segment.count >= smallRows {
            let tier = tier(stored)
            counts[tier] += 1
            if counts[tier] >= fanOut { return true }
        }
        return false
    }

    /// Segments by type and zone: only such are merged.
    private static func groups(_ segments: [StoredSegment]) -> [[StoredSegment]] {
        Array(Dictionary(grouping: segments, by: \.group).values)
    }

    /// Whether so many segments wait to be merged that writing should wait too.
    static func isOverdue(_ segments: [StoredSegment]) -> Bool {
        segments.count >= overdueCount && groups(segments).contains { $0.count >= overdueCount }
    }

    /// Segments to be merged next in the background, the smallest first; `nil` when all is well.
    static func next(in segments: [StoredSegment]) -> [StoredSegment]? {
        guard hasFullTier(segments) || segments.contains(where: isMostlyDeleted) else { return nil }
        var candidates: [[StoredSegment]] = []
        for group in groups(segments) {
            let large = group.filter { $0.segment.count >= smallRows && isMergeable($0) }
            candidates += Dictionary(grouping: large, by: tier).values.filter { $0.count >= fanOut }
            candidates += large.filter(isMostlyDeleted).map { [$0] }
        }
        return candidates.min { size($0) < size($1) }
    }

    /// Segments to be merged next while hardly anybody writes, the smallest first; `nil` when all is well.
    static func nextInPause(in segments: [StoredSegment]) -> [StoredSegment]? {
        groups(segments).compactMap(fragments).min { size($0) < size($1) }
    }

    /// The smallest segments of a group up to the first that is more than twice as large as all before it; `nil` where
    /// there are not two of them.
    private static func fragments(of group: [StoredSegment]) -> [StoredSegment]? {
        let large = group.filter { $0.segment.count >= smallRows && isMergeable($0) }
            .sorted { $0.segment.count < $1.segment.count }
        var found: [StoredSegment] = []
        var (rows, bytes) = (0, 0)
        for stored in large {
            if stored.segment.count > 2 * rows {
                if found.count > 1 { return found }
                (found, rows, bytes) = ([], 0, 0)
            }
            rows += stored.segment.count
            bytes += stored.segment.byteCount
            if rows > maximumRows || bytes > maximumBytes { break }
            found.append(stored)
        }
        return found.count > 1 ? found : nil
    }

    /// How many segments are in some tier.
    static func tieredCount(_ segments: [StoredSegment]) -> Int { segments.count { $0.segment.count >= smallRows } }

    private static func size(_ segments: [StoredSegment]) -> Int { segments.reduce(0) { $0 + $1.segment.count } }

    private static func isMergeable(_ stored: StoredSegment) -> Bool {
        !stored.isComplete && stored.segment.count <= maximumRows && stored.segment.byteCount <= maximumBytes
    }

    /// Whether half of the rows of a segment that is worth it are deleted.
    private static func isMostlyDeleted(_ stored: StoredSegment) -> Bool {
        stored.segment.count >= smallRows && stored.liveCount * 2 < stored.segment.count
    }

    /// The segments with small ones merged where they have become many; `nil` where they have not.
    ///
    /// All small ones become one, which goes on taking in others until it is small no more: recent commits are in few
    /// segments, and what is copied again is never much.
    static func mergingSmall(_ segments: [StoredSegment], _ schemas: [RecordSchema]) -> [StoredSegment]? {
        let small = segments.filter { $0.segment.count < smallRows }
        guard small.count >= fanOut else { return nil }
        var result: [StoredSegment]?
        for group in groups(small) where group.count >= fanOut {
            guard let merged = merged(group, schemas) else { continue }
            result = (result ?? segments).filter { stored in !group.contains { $0.isSame(as: stored) } } + merged
        }
        return result
    }

    /// The live rows of segments of one type and zone as one segment, or none when no row is left; `nil` when they do
    /// not fit one.
    ///
    /// - Parameter siblings: What readers have used in these segments is built: they shall not wait for it once more.
    static func merged(
        _ segments: [StoredSegment], _ schemas: [RecordSchema], indexedLike siblings: [StoredSegment] = []
    ) -> [StoredSegment]? {
        guard let first = segments.first?.segment else { return [] }
        let (rows, sequences) = RowGather.merging(
            segments.map { RowGather.Source(numbers: $0.sequences, deleted: $0.deleted?.rows) })
        if rows.count == 0 { return [] }
        let schema = schemas.first { $0.recordType == first.recordType } ?? first.schema
        do throws(ColumnError) {
            let segment = try Segment.gathered(
                rows, of: segments.map(\.segment), schema: schema, zoneID: first.zoneID)
            let stored = StoredSegment(segment, sequences: sequences)
            if segment.count >= Snapshot.indexedRows {
                let parts = segments.enumerated().map { source, part in
                    SegmentIndexes.Part(part.indexes, rows: rows.destinations(of: source, count: part.segment.count))
                }
                let siblings = siblings.filter { $0.segment.recordType == segment.recordType }
                stored.indexes.build(like: siblings.map(\.indexes), from: parts)
                // The first commit that looks for a name shall not wait for this one either.
                segment.findNames()
            }
            return [stored]
        } catch {
            return nil
        }
    }
}

extension StoredSegment {
    /// What it may be merged with: segments of its type and zone.
    var group: CommitPlan.Group { CommitPlan.Group(recordType: segment.recordType, zoneID: segment.zoneID) }
}
