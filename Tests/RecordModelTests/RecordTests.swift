// Records without a database: fields, keys, names, equality, coding.

import Foundation
import RecordModel
import Testing

@Suite struct RecordTests {
    private static let stored = HeldVersion(
        metadata: Record.Metadata(
            creationDate: Date(timeIntervalSince1970: 1), creatorUserRecordID: Record.ID("_a"),
            modificationDate: Date(timeIntervalSince1970: 2), lastModifiedUserRecordID: Record.ID("_b"),
            recordChangeTag: "7"),
        parent: RecordReference("p"), fields: ["a": 1, "b": "two words", "c": [true]])
    private static let fetched = Record(type: "T", id: Record.ID("r"), version: stored)

    @Test func storedVersionsAreReadThroughChanges() throws {
        var record = Self.fetched
        #expect(record.changedKeys() == [] && record.allKeys() == ["a", "b", "c"])
        record["a"] = .null
        record["d"] = 5
        record["b"] = record["b"] as FieldValue
        #expect(record.allKeys() == ["b", "c", "d"] && record.changedKeys() == ["a", "b", "d"])
        #expect(record.fields == ["b": "two words", "c": [true], "d": 5])
        #expect(record.recordChangeTag == "7" && record.creatorUserRecordID == Record.ID("_a"))
        #expect(record.ancestor == Self.fetched && record != Self.fetched)
        #expect(record.parent == RecordReference("p"))
        record.setParent(nil)
        #expect(record.parent == nil && record.hasParentChange)
        #expect(throws: DatabaseError.self) { try record.setParent(RecordReference("q", action: .deleteSelf)) }
    }

    @Test func fieldsReadAsTypes() {
        var record = Record(type: "T", id: Record.ID("r"), fields: ["gone": .null])
        record["name"] = "x"
        record["count"] = 3
        record["tags"] = ["a", "b"]
        record["flag"] = true
        let (name, count, tags): (String?, Int?, [String]?) = (record["name"], record["count"], record["tags"])
        #expect(name == "x" && count == 3 && tags == ["a", "b"])
        #expect(record["count"] as Double? == 3 && record["count"] as Int8? == 3 && record["name"] as Int? == nil)
        #expect(record["flag"] as Bool? == true && record["gone"] as String? == nil)
        record["name"] = nil as String?
        #expect(record["name"] == FieldValue.null && record.allKeys() == ["count", "flag", "tags"])
    }

    @Test(arguments: [Self.fetched, Record(type: "T", id: Record.ID("n", zoneID: .init("z")), fields: ["a": 1])])
    func codedRecordsKeepEverything(_ record: Record) throws {
        var record = record
        record["a"] = .null
        record["x"] = .reference(RecordReference("t", action: .deleteSelf))
        record.setParent(Record.ID("q"))
        let decoded = try JSONDecoder().decode(Record.self, from: JSONEncoder().encode(record))
        #expect(decoded == record && decoded.changedKeys() == record.changedKeys() && decoded.hasParentChange)
        let bare = try Record(systemFields: record.encodedSystemFields)
        #expect(bare.id == record.id && bare.type == record.type && bare.recordChangeTag == record.recordChangeTag)
        #expect(bare.allKeys() == [] && bare.changedKeys() == [])
    }

    @Test func newerFormsAreRejected() {
        let newer = Data(#"{"format": 99}"#.utf8)
        #expect(throws: DatabaseError(.incompatibleVersion, "the record was encoded by a newer version")) {
            try Record(systemFields: newer)
        }
        #expect { try Record(systemFields: Data("x".utf8)) } throws: {
            ($0 as? DatabaseError)?.code == .invalidArguments
        }
    }

    /// What was set since a record was sent stays set when it is saved; what was sent does not.
    @Test func changesDuringASaveStay() {
        let number: [FieldValue] = [.double(.nan), .list([.double(.nan)]), .object(["n": .double(.nan)])]
        var sent = Record(
            type: "T", id: Record.ID("r"),
            fields: ["a": 1, "b": 2, "t": "\u{E9}", "n": number[0], "l": number[1], "o": number[2]])
        sent.encryptedValues["e"] = FieldValue.int64(1)
        sent.setParent(Record.ID("p"))
        sent.newShare = RecordReference("s")
        let stored = Record(
            type: "T", id: sent.id,
            version: HeldVersion(
                metadata: Record.Metadata(recordChangeTag: "8"), parent: RecordReference("p"), fields: sent.fields))
        let untouched = sent.saved(as: stored, sent: sent)
        #expect(untouched.recordChangeTag == "8" && untouched.changedKeys() == [] && !untouched.hasParentChange)
        #expect(untouched.encryptedValues.changedKeys() == [] && untouched.newShare == nil)

        var now = sent
        now["a"] = FieldValue.null
        now["t"] = "e\u{301}"
        now["x"] = 3
        now.encryptedValues["e"] = FieldValue.int64(2)
        now.setParent(nil)
        now.newShare = RecordReference("other")
        let touched = now.saved(as: stored, sent: sent)
        #expect(touched.recordChangeTag == "8" && touched.changedKeys() == ["a", "t", "x"])
        #expect(touched.allKeys() == ["b", "l", "n", "o", "t", "x"] && touched.encryptedValues.changedKeys() == ["e"])
        #expect(touched.parent == nil && touched.hasParentChange && touched.newShare == RecordReference("other"))
    }

    /// Two assets of one file are two, also where its bytes are the same.
    @Test func otherAssetsOfAFileAreChanges() throws {
        let file = URL(filePath: "/photo")
        let assets = (0..<2).compactMap { _ in try? Asset(fileURL: file) }
        try #require(assets.count == 2)
        let fields: [String: FieldValue] = ["a": .asset(assets[0]), "l": .list([.asset(assets[0])])]
        let sent = Record(type: "T", id: Record.ID("r"), fields: fields)
        let stored = Record(
            type: "T", id: sent.id,
            version: HeldVersion(
                metadata: Record.Metadata(recordChangeTag: "8"), parent: nil, fields: ["a": .asset(Asset(path: "/x"))]))
        #expect(sent.saved(as: stored, sent: sent).changedKeys() == [])
        for field in ["a", "l"] {
            var now = sent
            now[field] = field == "a" ? .asset(assets[1]) : .list([.asset(assets[1])])
            #expect(now.saved(as: stored, sent: sent).changedKeys() == [field])
        }
    }
}
