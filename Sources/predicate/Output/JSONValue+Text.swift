// JSON that the command makes itself: responses of the line protocol, errors, outlines.

import RecordDatabase

extension JSONValue {
    /// An object of the given members, in that order.
    static func members(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(members.map { Member(key: $0.key, value: $0.value) })
    }

    /// The JSON text on one line, without blanks.
    var text: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension FieldValue {
    /// The value as JSON that reads back as the same value alone: a date is no text there.
    var exactJSON: String {
        var writer = JSONWriter()
        writer.write(self, isNested: true)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The value as JSON text, as a record file holds it.
    var json: String {
        var writer = JSONWriter()
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
