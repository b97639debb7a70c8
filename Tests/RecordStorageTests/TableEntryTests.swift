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

    /// Entries behind a key, as many as so many bytes have room for: each value has eight bytes of checksum.
    @Test func entriesAreReadInPieces() throws {
        let environment = try open()
        defer { environment.close() }
        let all: [[UInt8]] = [[1], [1, 0], [2], [9]]
        try environment.write { transaction throws(StorageError) in
            for key in all { try transaction.put([key[0], 7], for: key, in: .state) }
        }
        let cases: [(after: [UInt8]?, byteCount: Int, keys: [[UInt8]])] = [
            (nil, .max, all), (nil, 1, [[1]]), (nil, 10, [[1]]), (nil, 11, [[1], [1, 0]]),
            ([1], .max, [[1, 0], [2], [9]]), ([1, 0], .max, [[2], [9]]), ([0], 1, [[1]]), ([5], .max, [[9]]),
            ([9], .max, []),
        ]
        for (key, byteCount, keys) in cases {
            let found = try environment.read { transaction throws(StorageError) in
                try transaction.entries(of: .state, after: key, byteCount: byteCount).map { [$0.key, $0.value] }
            }
            #expect(found == keys.map { [$0, [$0[0], 7]] }, "\(String(describing: key)) \(byteCount)")
        }
    }

    /// What is taken away is gone, and nothing else: an entry that passes the test behind one that does not stays.
    @Test func entriesAreTakenAway() throws {
        let environment = try open()
        defer { environment.close() }
        try environment.write { transaction throws(StorageError) in
            for number in 1...6 as ClosedRange<UInt8> { try transaction.put([number], for: [number], in: .state) }
            try transaction.delete([2], in: .state)
            try transaction.delete([77], in: .state)
            try transaction.put([50, 51], for: [5], in: .state)
            try transaction.deletePrefix(of: .state) { $0[0] != 4 }
        }
        let found = try environment.read { transaction throws(StorageError) in
            var found: [[UInt8]?] = [try transaction.lastKey(in: .state)]
            for number in 1...6 as ClosedRange<UInt8> {
                found.append(try transaction.value(of: [number], in: .state))
            }
            return found
        }
        #expect(found == [[6], nil, nil, nil, [4], [50, 51], [6]])
    }

    /// A commit that did not leave its number is one of another state of the tables.
    @Test func everyCommitLeavesItsNumber() throws {
        let environment = try open()
        defer { environment.close() }
        try environment.append([1])
        try environment.append([] as [[UInt8]])
        try environment.append([2])
        #expect(try environment.contents().log == [[1], [2]] && environment.lastChange == 2)
        try environment.write { transaction throws(StorageError) in try transaction.put([1], for: [1], in: .state) }
        let error = #expect(throws: StorageError.self) { try environment.contents() }
        #expect(error?.code == .corrupted && error?.reason.contains("not those of commit") == true)
    }

    /// A state takes the place of the one before it, with all of its parts; what the store says of itself only where
    /// that is told, and its history stays.
    @Test func aStateReplacesTheOneBefore() throws {
        let environment = try open()
        defer { environment.close() }
        let states: [[String: [UInt8]]] = [
            ["a": [1], "b": [2], "c": []], ["b": [2], "c": [3], "d": [4]], [:], ["a": [1]],
        ]
        let before = try environment.metadata()
        for (number, parts) in states.enumerated() {
            try environment.append([UInt8(number)])
            try environment.checkpoint(parts, through: UInt64(number))
            let contents = try environment.contents()
            #expect(contents.parts == parts && contents.log == [[UInt8(number)]] && contents.metadata == before)
        }
        try environment.checkpoint([:], through: 4, metadata: StoreMetadata(identifier: "other", assetFolder: "x"))
        let after = try environment.metadata()
        #expect(after.identifier == "other" && after.assetFolder == "x")
        #expect(after.generation == before.generation && after.generation != nil)
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
