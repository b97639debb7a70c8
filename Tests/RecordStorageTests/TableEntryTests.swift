// Entries of the tables: each is behind a checksum of it and its key, and what cannot be written is not lost in silence.

import Foundation
import RecordStore
import Testing
import _TestSupport

@testable import RecordStorage

@Suite struct TableEntryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ mode: StorageEnvironment.Mode = .readWrite) throws -> StorageEnvironment {
        try StorageEnvironment(
            path: folder.file("store"), mode: mode, new: StoreMetadata(identifier: "test", assetFolder: ""))
    }

    private var tables: String { folder.file("store") + "/data.mdb" }

    /// One bit of the value of an entry of the log or the state is another one: nothing of it is given to anybody.
    @Test(arguments: ["a change of the log", "a part of the state"])
    func aValueThatIsNotAsItWasWritten(_ which: String) throws {
        var environment: StorageEnvironment? = try open()
        try environment?.append(Array("a change of the log".utf8))
        try environment?.checkpoint(["part": Array("a part of the state".utf8)], through: 0)
        environment?.close()
        environment = nil
        var bytes = try Data(contentsOf: URL(filePath: tables))
        var count = 0
        var place = bytes.startIndex
        while let found = bytes[place...].firstRange(of: Data(which.utf8)) {
            bytes[found.lowerBound + 3] ^= 0x20
            place = found.upperBound
            count += 1
        }
        try #require(count > 0)
        try bytes.write(to: URL(filePath: tables))
        let error = #expect(throws: StorageError.self) {
            let damaged = try open()
            defer { damaged.close() }
            _ = try damaged.contents()
        }
        #expect(error?.code == .corrupted && error?.hint?.isEmpty == false, "\(String(describing: error))")
    }

    /// A branch whose key is less than the last one before it leads lookups astray, though all entries are in order.
    @Test func aBranchThatLeadsAstray() throws {
        let writer = try open()
        for part in 0..<20 { try writer.append((0..<50).map { Array("change \(part * 50 + $0) of some length".utf8) }) }
        writer.close()
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: tables)))
        func half(_ place: Int) -> Int { Int(bytes[place]) | Int(bytes[place + 1]) << 8 }
        var changed = 0
        // A page has its number in 8 bytes, 2 more, flags, the bounds of its free room, and the places of its entries.
        for page in stride(from: 0, to: bytes.count, by: 4096) where half(page) == page / 4096 && half(page + 10) == 1 {
            for entry in 1..<max(1, (half(page + 12) - 16) / 2) {
                let place = page + half(page + 16 + 2 * entry)
                guard half(place + 6) == 8, bytes[place + 15] > 9 else { continue }
                bytes[place + 15] -= 9
                changed += 1
            }
        }
        try #require(changed > 2)
        try Data(bytes).write(to: URL(filePath: tables))
        let error = #expect(throws: StorageError.self) {
            let damaged = try open()
            defer { damaged.close() }
            _ = try damaged.contents()
        }
        #expect(error?.code == .corrupted, "\(String(describing: error))")
    }

    /// Keys have 511 bytes at most; a state with a longer name is rejected, and the one before stays.
    @Test func whatCannotBeWrittenIsToldAndChangesNothing() throws {
        let environment = try open()
        defer { environment.close() }
        try environment.append([Array("one".utf8), Array("two".utf8)])
        try environment.checkpoint(["part": [1, 2, 3]], through: 1)
        #expect(throws: StorageError.self) {
            try environment.checkpoint(["part": [4], String(repeating: "x", count: 600): [5]], through: 2)
        }
        let contents = try environment.contents()
        #expect(contents.parts == ["part": [1, 2, 3]] && contents.log == [Array("two".utf8)])
    }

    /// Tables that nothing was ever written to are told as such to those who only read.
    @Test func tablesThatHoldNothing() throws {
        try FileManager.default.createDirectory(atPath: folder.file("store"), withIntermediateDirectories: true)
        try TableFile(path: folder.file("store"), access: .write, durability: .full).close()
        let error = #expect(throws: StorageError.self) {
            let environment = try open(.readOnly)
            defer { environment.close() }
            _ = try environment.contents()
        }
        #expect(error?.code == .corrupted && error?.description.contains("hold nothing") == true)
    }

    // MARK: The log

    /// Numbers of changes, and of the last one that the state holds: without a gap, up to the greatest number.
    private static let logs: [(through: UInt64, numbers: [UInt64], isRight: Bool)] = [
        (0, [1, 2], true), (0, [], true), (5, [], true), (1, [2], true), (.max - 1, [.max], true), (.max, [], true),
        (0, [1, 3], false), (0, [2], false), (1, [1, 2], false), (.max, [0], false), (.max, [.max], false),
    ]

    @Test(arguments: logs.indices) func changesFollowOneAnother(_ which: Int) throws {
        let (through, numbers, isRight) = Self.logs[which]
        let environment = try open()
        try environment.write { transaction throws(StorageError) in
            for number in numbers {
                try transaction.put(transaction.logEntry([7]), for: StoreKeys.key(number), in: .log)
            }
            try transaction.put(transaction.through(through), for: StoreKeys.through, in: .meta)
        }
        if isRight {
            #expect(try environment.contents().log == numbers.map { _ in [7] })
            environment.close()
            let again = try open()
            defer { again.close() }
            let last = numbers.last ?? through
            #expect(again.lastChange == last)
            if last < .max {
                try again.append([8])
                #expect(again.lastChange == last + 1)
            } else {
                let error = #expect(throws: StorageError.self) { try again.append([8]) }
                #expect(error?.code == .corrupted && again.lastChange == last)
            }
        } else {
            let error = #expect(throws: StorageError.self) { try environment.contents() }
            #expect(error?.code == .corrupted && error?.reason.contains("the log lacks change") == true)
            environment.close()
        }
    }

    /// The number that is left is given, and no other.
    @Test func theLastNumberIsGiven() throws {
        let environment = try open()
        try environment.checkpoint([:], through: .max - 2)
        environment.close()
        let again = try open()
        defer { again.close() }
        #expect(throws: StorageError.self) { try again.append([[1], [2], [3]]) }
        try again.append([[1], [2]])
        #expect(throws: StorageError.self) { try again.append([3]) }
        #expect(try again.contents().log == [[1], [2]] && again.lastChange == .max)
    }
}
