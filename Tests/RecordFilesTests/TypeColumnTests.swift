// Whether files say of what type their records are, and how they are named.

import RecordModel
import Testing

@testable import RecordFiles

@Suite struct TypeColumnTests {
    @Test(arguments: [
        ("id,type,n\n1,City,2\n", "f.csv", true, true), ("n,m\n1,2\n", "f.csv", false, false),
        ("id\tn\na\t2\n", "f.tsv", true, false), ("type,n\nCity,2\n", "f.csv", false, true),
        (#"{"id":"1","type":"City"}"# + "\n", "f.ndjson", true, true), (#"{"n":1}"# + "\n", "f.ndjson", false, false),
    ]) func namesAndTypes(_ text: String, _ file: String, _ hasNames: Bool, _ hasTypes: Bool) throws {
        let loaded = try load(text, name: file)
        #expect(loaded.records.count == 1)
        #expect(loaded.records.hasNames == hasNames && loaded.records.hasTypes == hasTypes, "\(text)")
    }
}
