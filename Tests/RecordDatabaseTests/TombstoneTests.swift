// Deletions in blocks and a dictionary in parts, against an array and a dictionary; copies keep what they had.

import Testing

@testable import Campaigns
@testable import RecordDatabase

@Suite struct TombstoneTests {
    @Test(arguments: [1, 1023, 1024, 1025, 5000]) func deletionsAreAsInAnArray(_ most: Int) {
        var random = SeededGenerator(seed: UInt64(most))
        var (tombstones, expected) = (Tombstones(), [Tombstone]())
        var copies: [(Tombstones, [Tombstone])] = []
        for round in 0..<12 {
            for number in 0..<Int.random(in: 0...most, using: &random) {
                let tombstone = Tombstone(recordName: "r\(number)", recordType: "T", change: Int64(round))
                tombstones.append(tombstone)
                expected.append(tombstone)
            }
            copies.append((tombstones, expected))
            let forgotten = round % 4 == 3 ? expected.count : Int.random(in: 0...expected.count, using: &random)
            tombstones.removeFirst(forgotten)
            expected.removeFirst(forgotten)
            copies.append((tombstones, expected))
        }
        for (tombstones, expected) in copies {
            #expect(tombstones.count == expected.count && tombstones.isEmpty == expected.isEmpty)
            #expect(tombstones.elementsEqual(expected))
            #expect(tombstones.last == expected.last)
        }
    }

    @Test func changesAreAsInADictionary() {
        var random = SeededGenerator(seed: 5)
        var (parts, expected) = (PartitionedDictionary<String, Int>(), [String: Int]())
        var copies = [(parts, expected)]
        for step in 0..<20_000 {
            let key = "r\(Int.random(in: 0..<4000, using: &random))"
            let value = Int.random(in: 0..<3, using: &random) == 0 ? nil : step
            (parts[key], expected[key]) = (value, value)
            #expect(parts.isEmpty == expected.isEmpty)
            if step % 4000 == 7 { copies.append((parts, expected)) }
        }
        copies.append((parts, expected))
        for (parts, expected) in copies {
            for key in (0..<4000).map({ "r\($0)" }) { #expect(parts[key] == expected[key], "\(key)") }
        }
        for key in expected.keys { parts[key] = nil }
        #expect(parts.isEmpty)
    }

    /// Of many deletions a copy that is changed has a few of its own: a hundred whole ones would take 1.5 GB.
    @Test func aCopyCopiesLittle() {
        var zone = ZoneState(id: RecordZone.ID("Z"), made: 1, capabilities: [])
        for number in 0..<200_000 {
            zone.bury(Tombstone(recordName: "r\(number)", recordType: "T", change: Int64(number)), limit: .max)
        }
        let before = ProcessMemory.allocated
        var copies: [ZoneState] = []
        for number in 0..<100 {
            copies.append(zone)
            copies[number].bury(Tombstone(recordName: "s\(number)", recordType: "T", change: 200_000), limit: .max)
            copies[number].unbury(["r\(number)"])
        }
        #expect(ProcessMemory.allocated - before < 300_000_000)
        for (number, copy) in copies.enumerated() {
            #expect(copy.deletions(after: 199_998, limit: 5).map(\.recordName) == ["r199999", "s\(number)"])
            #expect(copy.deletions(after: -1, limit: 1).first?.recordName == (number == 0 ? "r1" : "r0"))
        }
        #expect(zone.deletions(after: 199_998, limit: 5).map(\.recordName) == ["r199999"])
    }
}
