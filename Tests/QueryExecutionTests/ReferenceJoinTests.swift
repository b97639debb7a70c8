// Paths through references are answered by semi-joins, and as the evaluator would.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct ReferenceJoinTests {
    private static func record(_ type: String, _ name: String, _ fields: [String: FieldValue]) -> Record {
        Record(type: type, id: Record.ID(name), fields: fields)
    }

    /// Artists, albums, tracks and lists of tracks; `t4` leads nowhere, `t5` has no album; labels have a `name` that is
    /// a number.
    private static let records: [Record] = [
        record("Label", "l1", ["name": .int64(7)]),
        record("Artist", "a1", ["name": "Ann", "age": 40]), record("Artist", "a2", ["name": "Bob", "age": 30]),
        record("Artist", "a3", ["age": 20]),
        record("Album", "b1", ["title": "Live", "artist": .reference(RecordReference("a1"))]),
        record("Album", "b2", ["title": "Studio", "artist": .reference(RecordReference("a2")), "tags": ["x", "y"]]),
        record("Album", "b3", ["title": "Live", "artist": .reference(RecordReference("a3"))]),
        record("Track", "t1", ["album": .reference(RecordReference("b1"))]),
        record("Track", "t2", ["album": .reference(RecordReference("b2"))]),
        record("Track", "t3", ["album": .reference(RecordReference("b3"))]),
        record("Track", "t4", ["album": .reference(RecordReference("gone"))]),
        record("Track", "t5", ["length": 5]),
        record(
            "Playlist", "p1", ["tracks": .list([.reference(RecordReference("t1")), .reference(RecordReference("t2"))])]),
        record(
            "Playlist", "p2", ["tracks": .list([.reference(RecordReference("t3")), .reference(RecordReference("t4"))])]),
        record("Playlist", "p3", ["tracks": .list([])]), record("Playlist", "p4", ["length": 5]),
        record("Playlist", "p5", ["tracks": .list([.reference(RecordReference("t5"))])]),
        record(
            "Shelf", "s1",
            ["lists": .list([.reference(RecordReference("p4")), .reference(RecordReference("p5"))])]),
        record("Shelf", "s2", ["lists": .list([.reference(RecordReference("p1"))])]),
        record("Shelf", "s3", ["lists": .list([.reference(RecordReference("p5"))])]), record("Shelf", "s4", [:]),
        record("Shelf", "s5", ["lists": .list([.reference(RecordReference("p4"))])]),
        record("Node", "n1", ["name": "A"]),
        record("Node", "n2", ["name": "B", "above": .reference(RecordReference("n1"))]),
        record("Node", "n3", ["name": "C", "above": .reference(RecordReference("n2"))]),
        record("Node", "n4", ["name": "A", "above": .reference(RecordReference("n3"))]),
    ]

    private static let cases: [(type: String, predicate: String, names: [String])] = [
        ("Track", "album.title == 'Live'", ["t1", "t3"]),
        ("Track", "album.title != 'Live'", ["t2", "t4", "t5"]),
        ("Track", "NOT (album.title CONTAINS 'i')", ["t4", "t5"]),
        ("Track", "album.artist.name == 'Ann'", ["t1"]),
        ("Track", "album.artist.name == nil", ["t3", "t4", "t5"]),
        ("Track", "album.artist.name BEGINSWITH[c] 'b'", ["t2"]),
        ("Track", "album.artist.age * 2 > 50", ["t1", "t2"]),
        ("Track", "album.artist.age < 35 AND album.title == 'Live'", ["t3"]),
        ("Track", "recordType == 'Track' AND album.title == 'Live'", ["t1", "t3"]),
        ("Track", "recordType IN {'Album', 'Artist'}", []),
        ("Track", "NOT (recordType BEGINSWITH 'Alb') AND length == 5", ["t5"]),
        ("Track", "ANY album.tags == 'x'", ["t2"]),
        ("Track", "'y' IN album.tags", ["t2"]),
        ("Track", "album.absent == nil", ["t1", "t2", "t3", "t4", "t5"]),
        ("Playlist", "ANY tracks.album.title CONTAINS 'Live'", ["p1", "p2"]),
        ("Playlist", "ANY tracks.album.title == nil", ["p2", "p5"]),
        ("Playlist", "ALL tracks.album.title != 'Studio'", ["p2", "p3", "p4", "p5"]),
        ("Playlist", "NONE tracks.album.title == 'Studio'", ["p2", "p3", "p4", "p5"]),
        ("Playlist", "ALL tracks.album.artist.age > 25", ["p1", "p3", "p4"]),
        ("Playlist", "ANY tracks.album.tags == 'x'", ["p1"]),
        // One field at several depths.
        ("Node", "above.name == 'A'", ["n2"]), ("Node", "above.above.name == 'A'", ["n3"]),
        ("Node", "above.above.name == 'B' OR above.name == 'A'", ["n2", "n4"]),
        ("Node", "above.above.above.name == 'A' AND above.above.name == 'B'", ["n4"]),
        ("Node", "above.name == 'C' AND above.above.above.name == 'A'", ["n4"]),
        // The condition has no meaning for labels, so that it is planned for each segment's references by themselves.
        ("Node", "above.above.name BEGINSWITH 'A'", ["n3"]), ("Node", "above.above.name BEGINSWITH 'B'", ["n4"]),
        ("Node", "above.above.above.name BEGINSWITH 'A'", ["n4"]),
        ("Playlist", "ANY tracks.album.artist.age IN {20, 40}", ["p1", "p2"]),
        // Records of the middle that lack the list are ends of the path: t5 has no album, p4 no tracks.
        ("Shelf", "ANY lists.tracks.length == nil", ["s1", "s2", "s5"]),
        ("Shelf", "ANY lists.tracks.length == 5", ["s1", "s3"]),
        ("Shelf", "ALL lists.tracks.length == nil", ["s2", "s4", "s5"]),
        ("Shelf", "NONE lists.tracks.length == 5", ["s2", "s4", "s5"]),
    ]

    /// The names of records that others lead to, also of one that is not there: no record has to be looked up.
    private static let nameCases: [(type: String, predicate: String, names: [String])] = [
        ("Track", "album.recordName == 'gone'", ["t4"]), ("Track", "album.recordName == 'b1'", ["t1"]),
        ("Track", "album.recordName != 'b1'", ["t2", "t3", "t4", "t5"]),
    ]

    @Test(arguments: nameCases.indices)
    func namesOfRecordsThatAreGone(_ number: Int) throws { try check(Self.nameCases[number], isJoined: false) }

    @Test(arguments: cases.indices)
    func pathsAreServedByJoins(_ number: Int) throws { try check(Self.cases[number], isJoined: true) }

    private func check(_ one: (type: String, predicate: String, names: [String]), isJoined: Bool) throws {
        let (type, text, names) = one
        let loader = RecordLoader()
        let store = RecordStore()
        let scattered = RecordStore()
        var batch = RecordBatch()
        for (line, record) in Self.records.enumerated() {
            try loader.append(record, origin: line + 1)
            batch.save(record)
            // So few of each type are not merged: every record is a segment of its own.
            var own = RecordBatch()
            own.save(record)
            try scattered.commit(own)
        }
        try store.commit(batch)
        let loaded = Snapshot(loader.finish())
        let schema = try #require(loaded.schema(ofType: type))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text))
        for usage in [SegmentPlanner.IndexUsage.built, .all] {
            let query = SnapshotQuery(bound, over: loaded, type: type, settings: .init(usage: usage, context: .unused))
            #expect(try query.numbers().map { loaded.record(ofNumber: Int($0)).recordName } == names)
            if isJoined { #expect(try query.report().contains { $0.isEvaluated } == false) }
            for snapshot in [store.snapshot, scattered.snapshot] {
                let stored = SnapshotQuery(
                    bound, over: snapshot, type: type, settings: .init(usage: usage, context: .unused))
                #expect(try stored.rows().map { snapshot.recordID($0).recordName }.sorted() == names)
            }
        }
    }

    /// All segments of a query follow their references to the records that are still there, the second one too.
    @Test func joinsOfSeveralSegmentsLeaveOutWhatIsDeleted() throws {
        let store = RecordStore()
        var albums = RecordBatch()
        for number in 0..<10 {
            albums.save(Self.record("Album", "b\(number)", ["title": number == 3 || number == 4 ? "Live" : "Studio"]))
        }
        try store.commit(albums)
        // So many that each commit is a segment with indexes; few of their albums are there.
        for part in ["s", "t"] {
            var batch = RecordBatch()
            for number in 0..<700 {
                let album = RecordReference("b\(number)")
                batch.save(Self.record("Track", "\(part)\(number)", ["album": .reference(album)]))
            }
            try store.commit(batch)
        }
        var deletion = RecordBatch()
        deletion.delete(Record.ID("b3"))
        try store.commit(deletion)
        let snapshot = store.snapshot
        #expect(snapshot.segments.count { $0.segment.recordType == "Track" } == 2)
        let schema = try #require(snapshot.schema(ofType: "Track"))
        for (text, names) in [
            ("album.title == 'Live'", ["s4", "t4"]), ("album.title == 'Live' OR album.title == 'none'", ["s4", "t4"]),
        ] {
            let bound = try Binder(schema: schema).bind(RecordPredicate(format: text))
            let query = SnapshotQuery(bound, over: snapshot, type: "Track", settings: .init(context: .unused))
            #expect(try query.rows().map { snapshot.recordID($0).recordName } == names, "\(text)")
        }
    }

    /// A record that comes, goes or changes makes a difference for those that lead to it.
    @Test func joinsFollowCommits() throws {
        let store = RecordStore()
        var batch = RecordBatch()
        for record in Self.records { batch.save(record) }
        try store.commit(batch)
        let schema = try #require(store.snapshot.schema(ofType: "Track"))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: "album.title == 'Live'"))
        func names() throws -> [String] {
            let snapshot = store.snapshot
            let query = SnapshotQuery(bound, over: snapshot, type: "Track", settings: .init(context: .unused))
            return try query.rows().map { snapshot.recordID($0).recordName }
        }
        var change = RecordBatch()
        change.change(Record.ID("b1"), ["title": "Dead"])
        change.change(Record.ID("b2"), ["title": "Live"])
        change.save(Self.record("Album", "gone", ["title": "Live"]))
        change.delete(Record.ID("b3"))
        try store.commit(change)
        #expect(try names() == ["t2", "t4"])
        store.merge()
        #expect(try names() == ["t2", "t4"])
    }
}

extension PlanReport {
    /// Whether some step asks the evaluator about rows, those of other types aside.
    fileprivate var isEvaluated: Bool {
        step != "semi-join" && (detail.contains("evaluate") || inputs.contains(where: \.isEvaluated))
    }
}
