// Segments in files: they come back as they were, with their indexes, or are refused.

import FoundationEssentials
import Geospatial
import Indexing
import OrdinalSets
import RecordColumns
import RecordModel
import RecordStore
import Testing
import TextAnalysis
import _TestSupport

@testable import Campaigns
@testable import RecordStorage

/// A folder that is gone when nobody refers to it any more.
final class TemporaryFolder {
    let path = FileManager.default.temporaryDirectory.appending(path: "storage-tests-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: URL(filePath: file(name)))
        return file(name)
    }

    func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: file(name)))) }
}

@Suite struct SegmentFileTests {
    private static func segment(_ records: [Record]) throws -> StoredSegment {
        let store = RecordStore()
        var batch = RecordBatch()
        for record in records { batch.save(record) }
        try store.commit(batch)
        return try #require(store.snapshot.segments.first)
    }

    private static func records(_ values: [FieldValue], zone: RecordZone.ID = .default) -> [Record] {
        values.enumerated().map { row, value in
            Record(
                type: "T", id: Record.ID("r\(row)", zoneID: zone),
                fields: ["row": .int64(Int64(row)), "field": value])
        }
    }

    private static let details = Location.Details(altitude: 8848, course: 12, timestamp: .distantFuture)

    /// Values of one field, in columns of every kind and in cases that have a form of their own.
    static let columns: [(name: String, values: [FieldValue])] = [
        ("nothing", [.null, .null]), ("whole", [1, .int64(.min), .null]), ("fractions", [0.5, .double(.nan)]),
        ("mixed", [1, 0.5, .int64(.max), .null]), ("truth", [true, false, .null]),
        ("dates", [.date(.distantPast), .null, .date(Date(timeIntervalSinceReferenceDate: 0.5))]),
        ("texts", (0..<600).map { .string("text \($0 * 7919 % 1000) é") }), ("empty texts", ["", ""]),
        ("few texts", (0..<200).map { $0 % 7 == 0 ? .null : .string("text \($0 % 3)") }),
        ("bytes", [.data(Data([0, 255])), .data(Data()), .null]),
        ("places", [.location(Location(latitude: 1, longitude: -2)), .null]),
        (
            "places with details",
            [
                .location(Location(latitude: 1, longitude: 2)), .null,
                .location(Location(latitude: 3, longitude: 4, details: details)),
            ]
        ),
        (
            "references",
            [.reference(RecordReference("a")), .reference(RecordReference("b", action: .deleteSelf)), .null]
        ),
        (
            "references to zones",
            (0..<9).map { number in
                let zone = RecordZone.ID("z\(number % 2)", ownerName: number % 3 == 0 ? "o" : "__defaultOwner__")
                return .reference(RecordReference(recordID: Record.ID("a", zoneID: zone)))
            }
        ),
        ("lists", [["a", "b"], [], .null, ["b"]]),
        ("lists of places", [[.location(Location(latitude: 1, longitude: 1))]]),
        ("lists of lists", [[[1], [2, .null]], [], [[3]]]),
        ("objects", [.object(["a": ["b"], "c": .null]), .null, .object([:])]),
        ("assets", [.asset(Asset(path: "p", size: 3)), .null]),
    ]

    @Test(arguments: columns.indices) func everyKindOfColumnComesBack(_ number: Int) throws {
        let (name, values) = Self.columns[number]
        let folder = try TemporaryFolder()
        for zone in [RecordZone.ID.default, RecordZone.ID("zone", ownerName: "owner")] {
            let stored = try Self.segment(Self.records(values, zone: zone))
            // Whatever index there can be.
            for column in stored.segment.columns.indices {
                _ = stored.indexes.ordered(column: column)
                _ = stored.indexes.ordered(column: column, options: .caseInsensitive)
                _ = stored.indexes.wordPositions(column: column, options: .caseInsensitive)
                _ = stored.indexes.spatial(column: column)
                _ = stored.indexes.trigrams(column: column)
                _ = stored.indexes.nonASCIITerms(column: column)
            }
            _ = stored.indexes.tokens(column: nil, options: [])
            let file = folder.file("segment of \(zone.zoneName)")
            let written = try SegmentFile.write(stored, to: file, sync: false)
            let opened = try SegmentFile.open(file, checksum: written.checksum)
            #expect(opened.byteCount == written.byteCount && opened.outdatedIndexes == 0)
            let (before, after) = (stored.segment, opened.stored.segment)
            #expect(before.count == values.count && after.count == values.count)
            #expect(before.schema == after.schema && before.zoneID == after.zoneID)
            for row in 0..<before.count {
                let (mine, theirs) = (before.value(of: "field", row: row), after.value(of: "field", row: row))
                #expect(try mine.binary() == theirs.binary(), "\(name): \(mine) became \(theirs)")
                #expect(before.record(row).id == after.record(row).id, "\(name)")
                #expect(after.row(named: "r\(row)") == row)
                #expect(stored.sequences[row] == opened.stored.sequences[row])
            }
            #expect(after.row(named: "nobody") == nil)
            for (mine, theirs) in zip(before.columns, after.columns) {
                #expect(mine.isASCII == theirs.isASCII && mine.holdsNaN == theirs.holdsNaN && mine.type == theirs.type)
                #expect(
                    mine.zoneMap?.minima == theirs.zoneMap?.minima && mine.zoneMap?.maxima == theirs.zoneMap?.maxima)
            }
            opened.stored.indexes.readAll()
            #expect(opened.stored.indexes.unreadable.isEmpty)
            #expect(
                opened.stored.indexes.summaries.map(\.entries) == stored.indexes.summaries.map(\.entries), "\(name)")
            try SegmentFile.verify(file, checksum: written.checksum)
        }
    }

    /// What a column and its indexes have together is in the file once.
    @Test func sharedTextsAreWrittenOnce() throws {
        let folder = try TemporaryFolder()
        let texts = (0..<200).map { FieldValue.string("\($0) " + String(repeating: "x", count: 1_000)) }
        let stored = try Self.segment(Self.records(texts))
        let column = try #require(stored.segment.schema.position(of: "field"))
        #expect(stored.indexes.ordered(column: column) != nil)
        let written = try SegmentFile.write(stored, to: folder.file("shared"), sync: false)
        #expect((200_000..<300_000).contains(written.byteCount), "\(written.byteCount)")
    }

    @Test func filesThatAreNoSegmentsAreRejected() throws {
        let folder = try TemporaryFolder()
        let written = try SegmentFile.write(
            try Self.segment(Self.records(["a", "b"])), to: folder.file("good"), sync: true)
        let good = try folder.bytes("good")
        func code(_ bytes: [UInt8], checksum: UInt64? = nil) throws -> StorageError.Code? {
            let path = try folder.write(bytes, "bad")
            do throws(StorageError) { _ = try SegmentFile.open(path, checksum: checksum) } catch {
                #expect(error.path == path)
                return error.code
            }
            return nil
        }
        #expect(try code([]) == .notAStore)
        #expect(
            try code(Array("a text file of more than sixty-four bytes, which is no segment of records".utf8))
                == .notAStore)
        #expect(try code(Array(good.prefix(63))) == .notAStore)
        #expect(try code(Array(good.dropLast())) == .corrupted)
        #expect(try code(good + [0]) == .corrupted)
        #expect(try code(good) == nil)
        #expect(try code(good, checksum: written.checksum) == nil)
        #expect(try code(good, checksum: written.checksum ^ 1) == .corrupted)
        // A newer format, with a header that is whole.
        var header = try SegmentHeader(Array(good.prefix(64)), path: "", size: good.count)
        header.version += 1
        #expect(try code(header.bytes + good.dropFirst(64)) == .incompatibleVersion)
        #expect(throws: StorageError.self) { try SegmentFile.open(folder.path) }
        do throws(StorageError) {
            _ = try SegmentFile.open(folder.file("nowhere"))
            Issue.record("opened a file that is not there")
        } catch { #expect(error.code == .missing) }
    }

    /// Checksums say nothing of what they are made over: who looks at all of a file finds what opening it does not.
    @Test func aTextThatIsNoneIsFound() throws {
        let folder = try TemporaryFolder()
        let stored = try Self.segment(Self.records(["one text", "another text"]))
        _ = try SegmentFile.write(stored, to: folder.file("good"), sync: false)
        let good = try folder.bytes("good")
        let same = try #require(SegmentCheck.sealed(good))
        try SegmentFile.verify(folder.write(same, "same"))
        let text = Array("one text".utf8)
        let place = try #require(good.indices.first { good[$0...].starts(with: text) })
        var bytes = good
        // No text has this byte.
        bytes[place] = 0xFF
        let sealed = try #require(SegmentCheck.sealed(bytes))
        let bad = try folder.write(sealed, "bad")
        #expect(try SegmentFile.open(bad).stored.segment.count == 2)
        let error = #expect(throws: StorageError.self) { try SegmentFile.verify(bad) }
        #expect(error?.code == .corrupted && error?.path == bad)
    }

    /// An index that cannot be read, and one of other values that has its checksum: neither keeps a file from being
    /// opened, and who looks at all of it finds both.
    @Test func anIndexThatIsNotThatOfItsColumnIsFound() throws {
        let folder = try TemporaryFolder()
        let (low, high): (Int64, Int64) = (0x0102_0304_0506_0708, 0x1112_1314_1516_1718)
        let values: [FieldValue] = [.int64(high), .int64(low), .int64(high)]
        let stored = try Self.segment(Self.records(values))
        let column = try #require(stored.segment.schema.position(of: "field"))
        #expect(stored.indexes.ordered(column: column)?.entryCount == 3)
        _ = try SegmentFile.write(stored, to: folder.file("good"), sync: false)
        let good = try folder.bytes("good")
        try SegmentFile.verify(folder.file("good"))
        // Indexes lie behind the columns, and numbers have their lowest byte first.
        let number = (0..<8).map { UInt8(truncatingIfNeeded: high >> ($0 * 8)) }
        let place = try #require(good.indices.last { good[$0...].starts(with: number) })
        var damaged = good
        damaged[place] += 1
        let sealed = try #require(SegmentCheck.sealed(damaged))
        let cases: [(name: String, bytes: [UInt8], reason: String)] = [
            ("damaged", damaged, "the block does not have its checksum"),
            ("sealed", sealed, "the ordered index of field is not that of its values"),
        ]
        for (name, bytes, reason) in cases {
            let path = try folder.write(bytes, name)
            let segment = try SegmentFile.open(path).stored.segment
            #expect((0..<3).map { segment.value(of: "field", row: $0) } == values, "\(name)")
            let error = #expect(throws: StorageError.self, "\(name)") { try SegmentFile.verify(path) }
            #expect(error?.code == .corrupted && error?.path == path, "\(name)")
            #expect(error?.reason.contains(reason) == true, "\(name): \(error?.reason ?? "")")
        }
    }

    @Test func writingLeavesNothingHalf() throws {
        let folder = try TemporaryFolder()
        let stored = try Self.segment(Self.records(["a", "b"]))
        #expect(throws: StorageError.self) { try SegmentFile.write(stored, to: folder.file("no/segment"), sync: false) }
        var deep = FieldValue.null
        for _ in 0..<BinaryWriter.maximumDepth + 2 { deep = .list([deep]) }
        let tooDeep = try Self.segment(Self.records([.object(["a": deep])]))
        do throws(StorageError) {
            _ = try SegmentFile.write(tooDeep, to: folder.file("segment"), sync: false)
            Issue.record("wrote a value that cannot be read")
        } catch { #expect(error.code == .limitExceeded) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func writingFollowsNoLink() throws {
        let folder = try TemporaryFolder()
        let victim = try folder.write([1, 2, 3], "victim")
        try FileManager.default.createSymbolicLink(atPath: folder.file("segment.new"), withDestinationPath: victim)
        let stored = try Self.segment(Self.records(["a", "b"]))
        _ = try SegmentFile.write(stored, to: folder.file("segment"), sync: false)
        try SegmentFile.verify(folder.file("segment"))
        #expect(try folder.bytes("victim") == [1, 2, 3])
    }

    /// Indexes of text are left out where the tables that they were made with are not known, and built when asked for.
    @Test func indexesOfOtherTextVersionsAreOutdated() throws {
        let folder = try TemporaryFolder()
        let stored = try Self.segment(Self.records(["é", "e", "f é"]))
        let text = try #require(stored.segment.schema.position(of: "field"))
        let number = try #require(stored.segment.schema.position(of: "row"))
        _ = (stored.indexes.ordered(column: text), stored.indexes.wordPositions(column: text, options: []))
        _ = stored.indexes.ordered(column: number)
        let path = folder.file("segment")
        _ = try SegmentFile.write(stored, to: path, sync: false, textVersion: "ICU 1, Unicode 1")
        let opened = try SegmentFile.open(path)
        let indexes = opened.stored.indexes
        // The order, the words and their places.
        #expect(opened.outdatedIndexes == 3)
        #expect(indexes.ordered(column: text, building: false) == nil)
        #expect(indexes.ordered(column: number, building: false)?.entryCount == 3)
        var built = 0
        indexes.buildOutdated { built += 1 }
        #expect(built == 3 && indexes.outdatedCount == 0 && indexes.builtCount == stored.indexes.builtCount)
        #expect(indexes.ordered(column: text, building: false)?.distinct(equalTo: "é") != nil)
        #expect(indexes.wordPositions(column: text, options: [], building: false)?.wordCount == 4)
        let again = folder.file("again")
        _ = try SegmentFile.write(opened.stored, to: again, sync: false)
        #expect(try SegmentFile.open(again).outdatedIndexes == 0)
    }

    /// An index of analyzed words is stored with its analyzer, and serves no other.
    @Test func indexesOfAnalyzedWordsAreThoseOfTheirAnalyzer() throws {
        let folder = try TemporaryFolder()
        let stored = try Self.segment(Self.records(["running the", "runs", "walks"]))
        let text = try #require(stored.segment.schema.position(of: "field"))
        let english = WordAnalysis(TextAnalyzer(language: .english, stopWords: ["the"]))
        _ = stored.indexes.wordPositions(column: text, options: .caseInsensitive, analysis: english)
        let path = folder.file("segment")
        _ = try SegmentFile.write(stored, to: path, sync: false)
        let indexes = try SegmentFile.open(path).stored.indexes
        func terms(_ analyzer: TextAnalyzer?) -> Int? {
            indexes.tokens(
                column: text, options: .caseInsensitive, analysis: analyzer.map { WordAnalysis($0) }, building: false
            )?.distinctCount
        }
        #expect(terms(english.analyzer) == 2)
        #expect(terms(nil) == nil && terms(TextAnalyzer(language: .english)) == nil)
        let positions = indexes.wordPositions(
            column: text, options: .caseInsensitive, analysis: WordAnalysis(english.analyzer), building: false)
        #expect(positions?.wordCount == 3)
        try indexes.verify()
        // Under other tables of Unicode they are rebuilt like all of text.
        let old = folder.file("old")
        _ = try SegmentFile.write(stored, to: old, sync: false, textVersion: "ICU 1, Unicode 1")
        #expect(try SegmentFile.open(old).outdatedIndexes == 2)
    }

    /// A segment that is mapped stays readable when its file is deleted; a file that is there is never written over.
    @Test func openSegmentsOutliveTheirFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("segment")
        _ = try SegmentFile.write(try Self.segment(Self.records(["a", "b"])), to: path, sync: false)
        let first = try SegmentFile.open(path).stored.segment
        let bytes = FileManager.default.contents(atPath: path)
        let other = try Self.segment(Self.records(["c"]))
        #expect(throws: StorageError.self) { try SegmentFile.write(other, to: path, sync: false) }
        #expect(FileManager.default.contents(atPath: path) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("")) == ["segment"])
        let next = folder.file("next")
        _ = try SegmentFile.write(other, to: next, sync: false)
        let second = try SegmentFile.open(next).stored.segment
        try FileManager.default.removeItem(atPath: path)
        #expect(first.value(of: "field", row: 1) == "b")
        #expect(second.value(of: "field", row: 0) == "c")
    }
}

@Suite(.waits) struct StorageCampaignTests {
    @Test(arguments: [(1, 90, 40), (2, 200, 40), (3, 1, 9)] as [(UInt64, Int, Int)])
    func openedSegmentsGiveTheSameResults(seed: UInt64, records: Int, succeeded: Int) throws {
        let folder = try TemporaryFolder()
        var campaign = StorageCampaign(seed: seed, records: records, folder: folder.path)
        campaign.roundTrip(predicates: 40)
        for difference in campaign.differences.prefix(5) { Issue.record("\(difference)") }
        #expect(campaign.succeeded > succeeded, "\(campaign.succeeded) of \(campaign.comparisons)")
    }

    @Test(arguments: [11, 12] as [UInt64]) func damagedFilesGiveTheSameResultsOrAreRejected(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        var campaign = StorageCampaign(seed: seed, records: 60, folder: folder.path)
        campaign.damage(times: 60)
        for difference in campaign.differences.prefix(5) { Issue.record("\(difference)") }
        #expect(campaign.rejected > 10 && campaign.opened > 5)
    }
}
