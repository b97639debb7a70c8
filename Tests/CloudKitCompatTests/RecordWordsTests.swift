// The words of a record, as searches find them.

import CloudKitCompat
import Testing

@Suite struct RecordWordsTests {
    @Test("The words of a record are those of its texts, in the order of its fields")
    func words() {
        let record = CKRecord(recordType: "T")
        record["text"] = "two words"
        record["name"] = "one"
        record["size"] = 3
        #expect(record.allTokens() == ["one", "two", "words"])
    }
}
