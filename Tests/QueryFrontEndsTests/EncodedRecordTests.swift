// Values whose own coding says that there is no value.

import RecordModel
import Testing

@testable import QueryFrontEnds

@Suite struct EncodedRecordTests {
    private struct Note: RecordConvertible, Equatable {
        var title: String?
        var inner = 1

        private enum Key: String, CodingKey { case title, inner, object, list }

        init(title: String?) { self.title = title }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            title = try container.decodeIfPresent(String.self, forKey: .title)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            if let title {
                try container.encode(title, forKey: .title)
            } else {
                try container.encodeNil(forKey: .title)
            }
            var object = container.nestedContainer(keyedBy: Key.self, forKey: .object)
            try object.encodeNil(forKey: .title)
            try object.encode(inner, forKey: .inner)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encodeNil()
            try list.encode(2)
        }
    }

    /// A stored record may have a value: that there is none now is said of a field, not of a member within one.
    @Test func nothingIsSaid() throws {
        let encoded = try EncodedRecord(Note(title: nil))
        #expect(encoded.fields == ["title": .null, "object": .object(["inner": 1]), "list": .list([.null, 2])])
        let record = encoded.record()
        #expect(record.fields == ["object": .object(["inner": 1]), "list": .list([.null, 2])])
        #expect(try EncodedRecord(Note(title: "x")).fields["title"] == "x")
    }
}
