// What a sync engine stores: how large it is, older forms, and damage.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SyncStateTests {
    typealias Serialization = SyncEngine.State.Serialization

    private static func state(_ names: some Sequence<String>, type: String = "Note") -> Serialization {
        var state = Serialization()
        state.hasBegun = true
        state.userName = "_a11ce"
        for name in names { state.items.insert(Record(type: type, id: Record.ID(name, zoneID: .init("Z")))) }
        return state
    }

    /// A name like those that applications make of UUIDs, the same in each run.
    private static func uuid(_ number: Int) -> String {
        var bits = UInt64(truncatingIfNeeded: number &+ 1) &* 0x9E37_79B9_7F4A_7C15
        func next() -> UInt64 {
            bits ^= bits << 13
            bits ^= bits >> 7
            bits ^= bits << 17
            return bits
        }
        let text = String(format: "%016lX%016lX", next(), next())
        return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            String(text.dropFirst(range.lowerBound).prefix(range.count))
        }.joined(separator: "-")
    }

    @Test("Known records take few bytes each", arguments: ["UUID", "lower UUID", "number"])
    func size(_ kind: String) throws {
        let limit = kind == "number" ? 4.0 : 22.0
        func name(_ number: Int) -> String {
            switch kind {
            case "UUID": Self.uuid(number)
            case "lower UUID": Self.uuid(number).lowercased()
            default: "note-\(number)"
            }
        }
        let count = 10_000
        let empty = try JSONEncoder().encode(Self.state([])).count
        let state = Self.state((0..<count).map(name))
        let coded = try JSONEncoder().encode(state)
        let bytes = Double(coded.count - empty) / Double(count)
        #expect(bytes < limit, "\(kind): \(bytes)")
        #expect(try JSONDecoder().decode(Serialization.self, from: coded) == state)
        let list = try PropertyListEncoder().encode(state)
        #expect(try PropertyListDecoder().decode(Serialization.self, from: list) == state)
    }

    @Test("Names of every kind come back as they were")
    func names() throws {
        let long = String(repeating: "x", count: 255)
        let texts = [
            "a", "ab", "a\u{301}", "\u{1F600}", long, String(long.dropLast()) + "y", "",
            "00000000-0000-0000-0000-000000000000",
            "ABCDEFAB-0000-0000-0000-000000000000", "abcdefab-0000-0000-0000-000000000000",
            "AbCdEfAb-0000-0000-0000-000000000000", "ABCDEFAB-0000-0000-0000-00000000000",
            String(repeating: "-", count: 36),
        ]
        let types: [String: Set<String>] = ["Note": Set(texts), "Other": ["a"], "\u{E4}": []]
        #expect(try PackedNames.names(of: PackedNames.bytes(of: types)) == types)
        #expect(PackedNames.bytes(of: types) == PackedNames.bytes(of: types))
    }

    @Test("The form of older versions is read")
    func older() throws {
        let text = """
            {"hasBegun":true,"userName":"_a11ce","zoneTokens":[],"zonesToFetch":[],"recordChanges":[],"zoneChanges":[],
            "items":{"zones":[],"unlistedZones":[],"unlistedRecords":[],
            "records":[{"zoneName":"Z","ownerName":"__defaultOwner__"},{"names":{"Note":["b","a"]}}]}}
            """
        let state = try JSONDecoder().decode(Serialization.self, from: Data(text.utf8))
        #expect(state == Self.state(["a", "b"]))
    }

    @Test("No damage traps")
    func damage() throws {
        let names = (0..<40).map(Self.uuid) + (0..<40).map { "note-\($0)" }
        let bytes = PackedNames.bytes(of: ["Note": Set(names), "Other": ["a"]])
        for length in 0..<bytes.count {
            #expect(throws: (any Error).self) { try PackedNames.names(of: Array(bytes.prefix(length))) }
        }
        var readable = 0
        for place in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= 1 << UInt8(bit)
                if (try? PackedNames.names(of: damaged)) != nil { readable += 1 }
            }
        }
        // A flipped bit of a name is another name; nothing more is promised than that it ends.
        #expect(readable < bytes.count * 8)
        #expect(throws: DatabaseError.self) { try PackedNames.names(of: [2]) }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(KnownRecords.self, from: Data(#"{"packed":"AQE="}"#.utf8))
        }
        let coded = try JSONEncoder().encode(Self.state(names))
        for length in stride(from: 0, to: coded.count, by: 7) {
            #expect(throws: (any Error).self) {
                try JSONDecoder().decode(Serialization.self, from: coded.prefix(length))
            }
        }
        for place in coded.indices {
            var damaged = coded
            damaged[place] ^= 4
            _ = try? JSONDecoder().decode(Serialization.self, from: damaged)
        }
    }

    @Test("Names of every length come back, alone and one behind the other")
    func lengths() throws {
        for length in 0...40 {
            for first in ["x", "y"] {
                let name = String((first + String(repeating: "-", count: 40)).prefix(length))
                for names in [[name], ["a", name], [String(name.dropLast()), name], [name, name + "12345678901234"]] {
                    let types: [String: Set<String>] = ["T": Set(names)]
                    #expect(try PackedNames.names(of: PackedNames.bytes(of: types)) == types, "\(names)")
                }
            }
        }
    }

    /// What is told as missing of a zone at the end of a list of records that has some.
    private static func missing(_ items: KnownItems, in zone: RecordZone.ID, listing names: [String]) -> [String] {
        var items = items
        items.beginRecords(of: zone)
        for name in names { items.insert(Record(type: "T", id: Record.ID(name, zoneID: zone))) }
        let token = ChangeToken(
            incarnation: nil, origin: DatabaseOrigin(container: "c", scope: .private, user: "_a"), subject: .database,
            position: 0, deletionsAfter: 0)
        return items.missingRecords(of: zone, beside: RecordZoneChanges(changeToken: token)).map(\.recordID.recordName)
    }

    @Test("What is gone is not told once more when all is listed anew")
    func goneItems() {
        let (zone, other) = (RecordZone.ID("Z"), RecordZone.ID("Other"))
        let state = SyncEngine.State(.init())
        var sent = SyncEngine.SentRecords()
        sent.saved = [("a", zone), ("b", zone), ("c", zone), ("a", other)].map {
            Record(type: "T", id: Record.ID($0, zoneID: $1))
        }
        state.take(sent)
        #expect(Self.missing(state.serialization.items, in: zone, listing: ["c"]) == ["a", "b"])
        var deleted = SyncEngine.SentRecords()
        deleted.deleted = [Record.ID("a", zoneID: zone)]
        state.take(deleted)
        #expect(Self.missing(state.serialization.items, in: zone, listing: ["c"]) == ["b"])
        #expect(Self.missing(state.serialization.items, in: other, listing: []) == ["a"])
        // A zone that is made again has none of the records of the one that went.
        var zones = SyncEngine.SentZones()
        zones.deleted = [zone]
        state.take(zones)
        #expect(Self.missing(state.serialization.items, in: zone, listing: []) == [])
        #expect(Self.missing(state.serialization.items, in: other, listing: []) == ["a"])
    }
}
