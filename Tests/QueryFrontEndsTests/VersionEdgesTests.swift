// Values that know the version of their record: what of it they keep, and where they may not say it.

import Foundation
import QueryFrontEnds
import RecordModel
import Testing

@Suite struct VersionEdgesTests {
    /// A value with all that the database notes of a record, each in a property of its own.
    private struct Note: RecordConvertible, Equatable {
        var recordID: Record.ID?
        var text: String?
        var creationDate: Date?
        var modificationDate: Date?
        var creatorUserRecordID: Record.ID?
        var lastModifiedUserRecordID: Record.ID?
        var recordChangeTag: String?
        var parent: RecordReference?
    }

    private struct Page: RecordConvertible, Equatable {
        var metadata: RecordMetadata
        var text: String
    }

    private struct Draft: RecordConvertible, Equatable {
        var metadata: RecordMetadata?
        var text: String
    }

    private struct Book: RecordConvertible {
        var cover: Page
    }

    private struct Shelf: RecordConvertible {
        var draft: Draft
    }

    private let id = Record.ID("n", zoneID: RecordZone.ID("Z"))

    private var note: Note {
        Note(
            recordID: id, text: "x", creationDate: Date(timeIntervalSinceReferenceDate: 1),
            modificationDate: Date(timeIntervalSinceReferenceDate: 2), creatorUserRecordID: Record.ID("_a"),
            lastModifiedUserRecordID: Record.ID("_b"), recordChangeTag: "tag", parent: RecordReference("p"))
    }

    @Test("A value with the change tag of its record makes that version of the record, and no other one")
    func versions() throws {
        let encoded = try EncodedRecord(note)
        let record = encoded.record()
        #expect(encoded.id == id && encoded.keepsChangeTag)
        #expect(record.id == id && record.recordChangeTag == "tag" && record.fields == ["text": "x"])
        #expect(record.creationDate == note.creationDate && record.modificationDate == note.modificationDate)
        #expect(record.creatorUserRecordID == Record.ID("_a") && record.lastModifiedUserRecordID == Record.ID("_b"))
        #expect(record.parent?.recordID == Record.ID("p"))
        #expect(try record.value(as: Note.self) == note)
        // Under another identifier, and where it was told so, it is a new record.
        let other = encoded.record(Record.ID("other"))
        #expect(other.id == Record.ID("other") && other.recordChangeTag == nil && other.creationDate == nil)
        let fresh = encoded.withoutVersion().record()
        #expect(fresh.id == id && fresh.recordChangeTag == nil && fresh.fields == ["text": "x"])
    }

    @Test("Without an identifier or a tag there is no version")
    func newRecords() throws {
        var (nameless, untagged) = (note, note)
        nameless.recordID = nil
        untagged.recordChangeTag = nil
        let encoded = try EncodedRecord(nameless)
        #expect(encoded.id == nil && encoded.record().recordChangeTag == nil)
        #expect(encoded.record().id != encoded.record().id)
        #expect(encoded.record(id).id == id && encoded.record(id).recordChangeTag == nil)
        let record = try EncodedRecord(untagged).record()
        #expect(record.id == id && record.recordChangeTag == nil && record.creationDate == nil)
        let error = #expect(throws: RecordCodingError.self) { try EncodedRecord(identified: nameless) }
        #expect(error?.kind == .missingValue && error?.recordType == "Note")
        #expect(try EncodedRecord(identified: untagged).id == id)
        // The property counts, not its value.
        #expect(try EncodedRecord(untagged).keepsChangeTag)
        #expect(try !EncodedRecord(Owner(name: "a", age: 1)).keepsChangeTag)
    }

    @Test("Metadata come with the value of a record, in whichever way they are declared, and make it again")
    func metadata() throws {
        var plain = note
        plain.parent = nil
        let stored = try Record(plain)
        var record = try Record(Page(metadata: RecordMetadata(id: id), text: "x"))
        #expect(record.id == id && record.recordChangeTag == nil && record.fields == ["text": "x"])
        let page = try record.value(as: Page.self)
        #expect(page.metadata.id == id && page.metadata.recordType == "Page" && page.metadata.zoneID == id.zoneID)
        #expect(page.metadata.recordChangeTag == nil && stored.recordChangeTag == "tag")
        record = try Record(Draft(metadata: RecordMetadata(id: id), text: "x"))
        #expect(record.id == id)
        #expect(try record.value(as: Draft.self).metadata?.id == id)
        let encoded = try EncodedRecord(Draft(metadata: nil, text: "x"))
        #expect(encoded.id == nil && encoded.keepsChangeTag && encoded.record().fields == ["text": "x"])
    }

    @Test("Only the outermost value has metadata, whether there are any or not")
    func nestedMetadata() throws {
        let cover = #expect(throws: RecordCodingError.self) {
            try Record(Book(cover: Page(metadata: RecordMetadata(id: id), text: "x")))
        }
        #expect(cover?.kind == .unsupported && cover?.path == "cover.metadata")
        let draft = #expect(throws: RecordCodingError.self) {
            try Record(Shelf(draft: Draft(metadata: nil, text: "x")))
        }
        #expect(draft?.kind == .unsupported && draft?.path == "draft.metadata")
    }
}
