// The folder of segment files: which files stay, and which segments are written again.

import Foundation
import RecordModel
import RecordStore
import Testing
import _TestSupport

@testable import RecordStorage

@Suite struct SegmentFolderTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open() -> SegmentFolder { SegmentFolder(path: folder.path, syncs: false) }

    private func segment(_ texts: String...) throws -> StoredSegment {
        let store = RecordStore()
        var batch = RecordBatch()
        for text in texts { batch.save(Record(type: "T", id: Record.ID(text), fields: ["t": .string(text)])) }
        try store.commit(batch)
        return try #require(store.snapshot.segments.first)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    /// Files that are made for a state that is still to be written stay, whatever the states before it name.
    @Test func filesOfAStateThatIsToComeAreKept() throws {
        let segments = open()
        _ = try segments.place(of: segment("old"), rewrites: true)
        segments.beginKeeping()
        let (first, second) = (try segment("first"), try segment("second"))
        let places = [try segments.place(of: first, rewrites: true), try segments.place(of: second, rewrites: true)]
        #expect(places.map(\.number) == [2, 3])
        #expect(try segments.removeFiles(except: []) > 0)
        #expect(try names() == ["2.segment", "3.segment"])
        // They are still known: nothing is written twice.
        #expect(try segments.place(of: first, rewrites: true) == places[0])
        #expect(try segments.place(of: second, rewrites: true) == places[1])
        segments.endKeeping()
        #expect(try segments.removeFiles(except: [3]) == places[0].byteCount)
        #expect(try names() == ["3.segment"])
    }

    /// What an interrupted writer left goes, also beside the finished file of its number; files of others stay.
    @Test func unfinishedFilesGo() throws {
        let segments = open()
        let place = try segments.place(of: segment("a"), rewrites: true)
        #expect(place.number == 1)
        for name in ["1.segment.new", "2.segment.new", "7.segment", "1.segments", "1.segment.old", "x.segment", "a"] {
            _ = try folder.write([1, 2, 3], name)
        }
        #expect(try segments.removeFiles(except: [1]) == 9)
        #expect(try names() == ["1.segment", "1.segment.old", "1.segments", "a", "x.segment"])
        try SegmentFile.verify(folder.file("1.segment"), checksum: place.checksum)
    }

    /// A number in another form than that of the store is of a file of someone else.
    @Test func numbersInOtherFormsAreOfOthers() throws {
        let segments = open()
        #expect(try segments.place(of: segment("a"), rewrites: true).number == 1)
        let others = ["+9.segment", "-0.segment", "-1.segment", "007.segment", "00.segment", "+3.segment.new"]
        for name in others + ["9.segment", "0.segment"] { _ = try folder.write([1, 2, 3], name) }
        #expect(try segments.removeFiles(except: [1]) == 6)
        #expect(try names() == (others + ["1.segment"]).sorted())
        #expect(try segments.place(of: segment("b"), rewrites: true).number == 10)
    }

    /// A file that somebody put where the next one would go is left as it is.
    @Test func filesOfOthersKeepTheirNumbers() throws {
        let segments = open()
        for name in ["1.segment", "2.segment"] { _ = try folder.write([1, 2, 3], name) }
        let places = try ["a", "b"].map { try segments.place(of: segment($0), rewrites: true) }
        #expect(places.map(\.number) == [3, 4])
        #expect(try folder.bytes("1.segment") == [1, 2, 3] && folder.bytes("2.segment") == [1, 2, 3])
        for place in places { try SegmentFile.verify(folder.file("\(place.number).segment"), checksum: place.checksum) }
    }

    /// An index that cannot be read is built again, and the segment is written with it, once.
    @Test func aSegmentWithADamagedIndexIsWrittenAgain() throws {
        let stored = try segment("b", "a", "c")
        let column = try #require(stored.segment.schema.position(of: "t"))
        _ = stored.indexes.ordered(column: column)
        let place = try open().place(of: stored, rewrites: true)
        let good = try folder.bytes("1.segment")
        let header = try SegmentHeader(Array(good.prefix(64)), path: "", size: good.count)
        // Indexes are the last before the table of contents, but for bytes that fill up.
        for distance in 1...256 {
            var bytes = good
            bytes[header.contents.offset - distance] ^= 1
            _ = try folder.write(bytes, "1.segment")
            let segments = open()
            let opened = try segments.open(place).stored
            #expect(opened.indexes.ordered(column: column)?.entryCount == 3)
            if opened.indexes.unreadable.isEmpty { continue }
            #expect(opened.indexes.unreadable.count == 1 && opened.indexes.builtCount == stored.indexes.builtCount)
            #expect(try segments.place(of: opened, rewrites: false) == place)
            let next = try segments.place(of: opened, rewrites: true)
            #expect(next.number == 2)
            try SegmentFile.verify(folder.file("2.segment"), checksum: next.checksum)
            #expect(try segments.place(of: opened, rewrites: true) == next)
            return
        }
        Issue.record("no byte of the index was found")
    }

    /// A segment that got an index is written again where that is wanted; one that has what its file has is not.
    @Test func aSegmentWithANewIndexIsWrittenAgain() throws {
        _ = try open().place(of: segment("b", "a"), rewrites: true)
        let bytes = try folder.bytes("1.segment")
        let header = try SegmentHeader(Array(bytes.prefix(64)), path: "", size: bytes.count)
        let place = SegmentPlace(number: 1, checksum: header.contents.checksum, byteCount: bytes.count)
        let segments = open()
        let opened = try segments.open(place).stored
        #expect(try segments.place(of: opened, rewrites: true) == place)
        let column = try #require(opened.segment.schema.position(of: "t"))
        _ = opened.indexes.ordered(column: column)
        #expect(try segments.place(of: opened, rewrites: false) == place)
        let next = try segments.place(of: opened, rewrites: true)
        #expect(next.number == 2)
        #expect(try open().open(next).stored.indexes.builtCount == opened.indexes.builtCount)
    }

    /// A number is given once: none of a file that is there, whoever made it, and none of one that was removed. A
    /// segment whose file is gone is written again.
    @Test func numbersOfFilesAreNotGivenAgain() throws {
        for name in ["1.segment", "5.segment.new", "-5.segment", "9007199254740993.segment"] {
            _ = try folder.write([1], name)
        }
        let segments = open()
        let (first, second) = (try segment("a"), try segment("b"))
        #expect(try segments.place(of: first, rewrites: true).number == 2)
        #expect(try folder.bytes("1.segment") == [1])
        #expect(try segments.removeFiles(except: [2]) == 2)
        #expect(try names() == ["-5.segment", "2.segment", "9007199254740993.segment"])
        #expect(try segments.place(of: second, rewrites: true).number == 6)
        try segments.removeFiles(except: [6])
        let again = try segments.place(of: first, rewrites: false)
        #expect(again.number == 7)
        try SegmentFile.verify(folder.file("7.segment"), checksum: again.checksum)
    }

    @Test func placesOfFilesComeBack() throws {
        for place in [
            SegmentPlace(number: 1 << 53, checksum: .max, byteCount: .max),
            SegmentPlace(number: 0, checksum: 1, byteCount: 2),
        ] {
            #expect(try SegmentPlace(binary: place.binary()) == place)
        }
        let tooLarge = SegmentPlace(number: 1 << 53 + 1, checksum: 1, byteCount: 2)
        #expect(throws: BinaryError.self) { try SegmentPlace(binary: tooLarge.binary()) }
    }
}
