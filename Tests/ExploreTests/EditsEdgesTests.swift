// Clicks, brushes and circles: the text that each makes, and the edits that nobody means.

import Foundation
import RecordDatabase
import Testing

@testable import ExploreServer

@Suite struct EditsEdgesTests {
    private static func explorer() throws -> Explorer {
        let reference = FieldValue.reference(RecordReference("r0", action: .none))
        return RowSample.explorer(
            try RowSample.set([
                [
                    "n": 1, "country": "CH", "tags": ["a"], "owner": reference, "friends": .list([reference]),
                    "when": .date(Date(timeIntervalSinceReferenceDate: 0)),
                    "place": .location(Location(latitude: 47.5, longitude: 8.5)),
                ]
            ]))
    }

    /// A text, edits of it, and the text behind them; `nil` where a page sends no such edits.
    private static let cases: [(text: String, edits: String, new: String?)] = [
        ("n == 1", "[]", "n == 1"),
        ("", #"[{"join":"n == 1"}]"#, "n == 1"),
        ("n == 1 OR n == 2", #"[{"join":"country == 'CH'"}]"#, "(n == 1 OR n == 2) AND country == 'CH'"),
        ("n == 1", #"[{"join":"n == 2"},{"join":"n == 3"},{"remove":0}]"#, "n == 2 AND n == 3"),
        // Conditions by their numbers.
        ("n == 1 AND n == 2 AND n == 3", #"[{"remove":0}]"#, "n == 2 AND n == 3"),
        ("n == 1 AND n == 2 AND n == 3", #"[{"remove":1}]"#, "n == 1 AND n == 3"),
        ("n == 1 AND n == 2 AND n == 3", #"[{"remove":2}]"#, "n == 1 AND n == 2"),
        ("n == 1", #"[{"remove":0}]"#, ""),
        ("n == 1", #"[{"remove":1}]"#, nil), ("n == 1", #"[{"remove":-1}]"#, nil), ("", #"[{"remove":0}]"#, nil),
        ("n == 1", #"[{"remove":"0"}]"#, nil), ("n == 1", #"[{"remove":null}]"#, nil),
        // Values.
        ("", #"[{"toggle":{"field":"country","value":"'CH'"}}]"#, "country == 'CH'"),
        ("", #"[{"toggle":{"field":"country","value":"'CH'","isNot":false}}]"#, "country == 'CH'"),
        ("", #"[{"toggle":{"field":"country","value":"'CH'","isNot":true}}]"#, "country != 'CH'"),
        ("", #"[{"toggle":{"field":"tags","value":"'a'"}}]"#, "ANY tags == 'a'"),
        ("", #"[{"toggle":{"field":"tags","value":"'a'","isNot":true}}]"#, "NONE tags == 'a'"),
        ("", #"[{"toggle":{"field":"owner","value":"'r0'"}}]"#, "owner.recordName == 'r0'"),
        ("", #"[{"toggle":{"field":"friends","value":"'r0'"}}]"#, "ANY friends.recordName == 'r0'"),
        ("", #"[{"toggle":{"field":"no such","value":"1"}}]"#, "#'no such' == 1"),
        ("n > 0 AND country == 'CH'", #"[{"toggle":{"field":"country","value":"'CH'"}}]"#, "n > 0"),
        ("", #"[{"toggle":{"field":"country"}}]"#, nil), ("", #"[{"toggle":{"value":"1"}}]"#, nil),
        ("", #"[{"toggle":{"field":"","value":"1"}}]"#, nil), ("", #"[{"toggle":{"field":1,"value":"1"}}]"#, nil),
        // Ranges, from either end.
        ("", #"[{"range":{"field":"n","from":1,"to":5.5}}]"#, "n BETWEEN {1, 5.5}"),
        ("", #"[{"range":{"field":"n","from":5.5,"to":1}}]"#, "n BETWEEN {1, 5.5}"),
        ("n BETWEEN {1, 2}", #"[{"range":{"field":"n","from":3,"to":4}}]"#, "n BETWEEN {3, 4}"),
        (
            "", #"[{"range":{"field":"when","from":86400,"to":0}}]"#,
            "when BETWEEN {date('2001-01-01'), date('2001-01-02')}"
        ),
        ("", #"[{"range":{"field":"n","from":1}}]"#, nil), ("", #"[{"range":{"field":"n","to":1}}]"#, nil),
        ("", #"[{"range":{"from":1,"to":2}}]"#, nil), ("", #"[{"range":{"field":"n","from":"1","to":2}}]"#, nil),
        // Circles, in whole metres.
        (
            "", #"[{"circle":{"field":"place","latitude":47.5,"longitude":-8,"radius":1499.5}}]"#,
            "distance(place, 47.5, -8) < 1500"
        ),
        (
            "n > 0 AND distance(place, 1, 2) < 3",
            #"[{"circle":{"field":"place","latitude":-90,"longitude":180,"radius":0.75}}]"#,
            "n > 0 AND distance(place, -90, 180) < 1"
        ),
        // One metre at least: nothing is nearer than 0.
        (
            "", #"[{"circle":{"field":"place","latitude":1,"longitude":2,"radius":0.25}}]"#,
            "distance(place, 1, 2) < 1"
        ),
        ("", #"[{"circle":{"field":"place","latitude":1,"longitude":2,"radius":0}}]"#, nil),
        ("", #"[{"circle":{"field":"place","latitude":1,"longitude":2,"radius":-5}}]"#, nil),
        ("", #"[{"circle":{"field":"place","latitude":1,"longitude":2}}]"#, nil),
        ("", #"[{"circle":{"field":"place","latitude":90.5,"longitude":2,"radius":5}}]"#, nil),
        ("", #"[{"circle":{"field":"place","latitude":1,"longitude":181,"radius":5}}]"#, nil),
        ("", #"[{"circle":{"field":"","latitude":1,"longitude":2,"radius":5}}]"#, nil),
        // One edit is one member.
        ("", "[{}]", nil), ("", "[1]", nil), ("", #"["join"]"#, nil), ("", #"[{"other":1}]"#, nil), ("", "{}", nil),
        ("", "null", nil), ("n == 1", #"[{"join":"n == 2","remove":0}]"#, nil), ("", #"[{"join":1}]"#, nil),
    ]

    @Test func editsOfATextAndThoseThatAreNone() throws {
        let explorer = try Self.explorer()
        for (text, edits, new) in Self.cases {
            let json = JSONValue.of(["text": .string(text), "edits": try JSONReader.tree(edits)])
            if let new {
                let reply = try explorer.edited(json)
                #expect(reply["text"] == .string(new), "\(text) \(edits)")
                #expect(reply["cursor"] == .int64(Int64(new.utf16.count)), "\(text) \(edits)")
                #expect(reply["message"] == nil)
            } else {
                #expect(throws: RequestError.self, "\(text) \(edits)") { try explorer.edited(json) }
            }
        }
        #expect(throws: RequestError.self) { try explorer.edited(.of(["text": .string("")])) }
    }

    /// A text that is no predicate stays as it is, and what is wrong is said.
    @Test func textsThatAreNoPredicates() throws {
        let explorer = try Self.explorer()
        for (text, edits) in [
            ("n ==", "[]"), ("n == 1", #"[{"join":"n =="}]"#), ("n == 1", #"[{"toggle":{"field":"n","value":"'"}}]"#),
        ] {
            let reply = try explorer.edited(.of(["text": .string(text), "edits": try JSONReader.tree(edits)]))
            #expect(reply["text"] == nil && reply["message"] != nil, "\(text) \(edits)")
        }
    }

    @Test func aHundredEditsAtMost() throws {
        let explorer = try Self.explorer()
        let edit = try JSONReader.tree(#"{"range":{"field":"n","from":1,"to":2}}"#)
        func json(_ count: Int) -> JSONValue { .of(["edits": .array([JSONValue](repeating: edit, count: count))]) }
        #expect(try explorer.edited(json(99))["text"] == .string("n BETWEEN {1, 2}"))
        #expect(try explorer.edited(json(100))["text"] == .string("n BETWEEN {1, 2}"))
        #expect(throws: RequestError.self) { try explorer.edited(json(101)) }
    }

    /// The cursor is told in the units in which pages count.
    @Test func theCursorIsBehindTheText() throws {
        let reply = try Self.explorer().edited(.of(["text": .string("n == '😀'"), "edits": .array([])]))
        #expect(reply["text"] == .string("n == '😀'") && reply["cursor"] == .int64(9))
    }
}
