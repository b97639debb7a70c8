// Records whose parts few have: encrypted values, shares, keys that are not ASCII, values that go and come back.

import Foundation
import RecordModel
import Testing

@Suite struct RecordPartsTests {
    /// By code point, not in the order of Swift's strings: a letter and its mark are two scalars.
    @Test func keysAreInOrderOfTheirScalars() {
        let keys = ["e\u{301}", "f", "z", "\u{FF5E}", "😀"]
        var record = Record(type: "T", id: Record.ID("r"))
        for key in keys.reversed() { record[key] = .string("a \(key)") }
        #expect(record.allKeys() == keys && record.changedKeys() == keys)
        #expect(record.allTokens() == keys.flatMap { ["a", $0] })
        #expect(Record(type: "T", id: Record.ID("r"), fields: ["é": 1, "z": 1]).allKeys() == ["z", "é"])
    }

    /// Only texts have words, and white space of any kind parts them.
    @Test func tokensAreTheWordsOfTexts() {
        let record = Record(
            type: "T", id: Record.ID("r"),
            fields: ["b": " two\twords\n", "a": "The\u{A0}first", "c": 3, "d": ["list"], "e": ""])
        #expect(record.allTokens() == ["The", "first", "two", "words"])
    }

    @Test func fieldsGoAndComeBack() {
        var record = Record(type: "T", id: Record.ID("r"), fields: ["a": 1, "none": .null])
        #expect(record.changedKeys() == ["a"])
        for _ in 0..<2 { record["a"] = FieldValue.null }
        #expect(record.fields == [:] && record.changedKeys() == ["a"])
        record["b"] = 2
        record["a"] = 3
        record["c"] = FieldValue.null
        #expect(record.fields == ["a": 3, "b": 2] && record.changedKeys() == ["a", "b", "c"])
    }

    private static var version: HeldVersion {
        HeldVersion(
            metadata: Record.Metadata(recordChangeTag: "1"), share: RecordReference("s"),
            fields: ["a": 1, "secret": .data(Data([1]))])
    }

    /// What is stored of an encrypted value is no field; what it says is read beside the fields.
    @Test func encryptedValuesAreNoFields() throws {
        var record = Record(type: "T", id: Record.ID("r"), version: Self.version)
        record.encryptedValues = EncryptedValues(stored: ["secret": "open", "lost": .null])
        #expect(record["secret"] == FieldValue.null && record.allKeys() == ["a"] && record.fields == ["a": 1])
        #expect(record.encryptedValues["secret"] == FieldValue.string("open"))
        #expect(record.encryptedValues.allKeys() == ["secret"] && record.encryptedValues.changedKeys() == [])
        record.encryptedValues["new"] = "x"
        record.encryptedValues["secret"] = FieldValue.null
        #expect(record.encryptedValues.fields == ["new": "x"] && !record.encryptedValues.isEmpty)
        #expect(record.encryptedValues.changedKeys() == ["new", "secret"] && record.changedKeys() == [])
        // What was fetched stays what it was.
        let ancestor = try #require(record.ancestor)
        #expect(ancestor.encryptedValues == EncryptedValues(stored: ["secret": "open", "lost": .null]))
        #expect(ancestor["secret"] == FieldValue.null && ancestor != record)
        let seen = record.seen(as: Record.ID("other"), RecordVersion(rows: Self.version, row: 0))
        #expect(seen.id == Record.ID("other") && seen.encryptedValues == ancestor.encryptedValues)
        let decoded = try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(record))
        #expect(decoded == record && decoded.encryptedValues == record.encryptedValues)
        // The stored bytes are left out: the values are coded as they are shown.
        #expect(decoded.version?.fields == ["a": 1] && decoded.share == RecordReference("s"))
        record.encryptedValues["new"] = FieldValue.null
        #expect(record.encryptedValues.isEmpty)
    }

    /// What few records have lies together, and none of it goes when another part is set.
    @Test func rarePartsStayWhenOthersAreSet() {
        var record = Record(type: "T", id: Record.ID("r"))
        #expect(record.declaredTypes == [:] && record.newShare == nil && record.encryptedValues.isEmpty)
        record.newShare = RecordReference("s")
        record.encryptedValues["k"] = 5
        record.declaredTypes = ["n": .int64]
        let encrypted = EncryptedValues(stored: [:], edits: ["k": 5])
        #expect(record.newShare == RecordReference("s") && record.share == RecordReference("s"))
        #expect(record.encryptedValues == encrypted && record.declaredTypes == ["n": .int64])
        record.newShare = nil
        #expect(record.share == nil && record.encryptedValues == encrypted && record.declaredTypes == ["n": .int64])
        record.encryptedValues = EncryptedValues()
        #expect(record.declaredTypes == ["n": .int64] && record.encryptedValues.isEmpty)
        record.declaredTypes = [:]
        #expect(record.declaredTypes == [:])
    }

    /// Records are equal when all that they say is.
    @Test func recordsDifferByEachPart() {
        func record(_ change: (inout Record) -> Void) -> Record {
            var record = Record(type: "T", id: Record.ID("r"), version: Self.version)
            change(&record)
            return record
        }
        let plain = record { _ in }
        #expect(plain == record { $0["a"] = 1 })
        let other = HeldVersion(metadata: Record.Metadata(recordChangeTag: "2"), fields: Self.version.fields)
        let others = [
            record { $0["a"] = 2 }, record { $0["b"] = 1 }, record { $0.setParent(Record.ID("p")) },
            record { $0.encryptedValues["k"] = 1 }, Record(type: "U", id: Record.ID("r"), version: Self.version),
            Record(type: "T", id: Record.ID("q"), version: Self.version),
            Record(type: "T", id: Record.ID("r"), version: other),
            Record(type: "T", id: Record.ID("r", zoneID: RecordZone.ID("z")), version: Self.version),
        ]
        for (number, other) in others.enumerated() { #expect(plain != other, "\(number)") }
        let removed = record { $0["a"] = FieldValue.null }
        #expect(removed != plain && removed.fields.keys.sorted() == ["secret"])
    }

    @Test func zonesAreTheirNamesAndOwners() throws {
        let zones = [
            RecordZone.ID.default, RecordZone.ID("z"), RecordZone.ID("z", ownerName: "bob"), RecordZone.ID("y"),
            RecordZone.ID("_defaultZone", ownerName: "bob"),
        ]
        for (number, zone) in zones.enumerated() {
            let same = RecordZone.ID(zone.zoneName, ownerName: zone.ownerName)
            #expect(zone == same && zone.hashValue == same.hashValue)
            #expect(zones.firstIndex(of: zone) == number)
            #expect(try JSONDecoder().decode(RecordZone.ID.self, from: JSONEncoder().encode(zone)) == zone)
            #expect(zone.isDefault == (number == 0 || number == 4))
        }
        #expect(Set(zones).count == zones.count)
    }

    /// An asset that was made of a file is for the record that claims it first; copies share the claim.
    @Test func newAssetsAreForOneRecord() throws {
        let (a, b) = (Record.ID("a"), Record.ID("a", zoneID: RecordZone.ID("z")))
        let made = try Asset(fileURL: URL(filePath: "/some/file"))
        let copy = made
        #expect(made.claim(for: a) && made.claim(for: a) && copy.claim(for: a))
        #expect(!made.claim(for: b) && !copy.claim(for: b))
        let named = Asset(path: "/some/file")
        #expect(named.claim(for: a) && named.claim(for: b) && named == made && named.hashValue == made.hashValue)
        #expect(named != Asset(path: "/some/file", size: 0) && Asset(path: "").fileURL == nil)
        #expect(named.fileURL?.path == "/some/file")
        let error = #expect(throws: DatabaseError.self) {
            try Asset(fileURL: try #require(URL(string: "https://example.org/file")))
        }
        #expect(error?.code == .invalidArguments)
    }

    @Test func actionsHaveNames() {
        #expect(RecordReference.Action(name: "none") == RecordReference.Action.none)
        #expect(RecordReference.Action(name: "deleteSelf") == .deleteSelf && RecordReference.Action(name: "x") == nil)
        #expect(RecordReference("r") != RecordReference("r", action: .deleteSelf))
        #expect(RecordReference.Action.deleteSelf.rawValue == 1 && RecordReference.Action.none.rawValue == 0)
    }
}
