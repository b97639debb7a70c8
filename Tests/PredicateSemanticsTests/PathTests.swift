// Paths at their edges: lists that hold nil and lists, sets that repeat members, positions that are nil.

import FoundationEssentials
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing
import TextAnalysis

@Suite struct PathTests {
    static let object = FieldValue.object([
        "lists": [[1, nil], nil, [1, 2]], "objects": [.object(["x": 1]), .object(["x": nil]), .object([:])],
        "members": .set([1, 1.0, 2]), "numbers": [10, 20, 30], "mixed": [1, nil, 1.0, 2], "nothing": nil,
        "map": .object(["k": "v"]), "place": .location(.init(latitude: 50.45, longitude: 30.52)),
    ])

    /// Predicates that hold for `object`.
    static let truths = [
        "lists.@unionOfArrays.self.@count == 3", "lists.@distinctUnionOfArrays.self.@count == 2",
        "lists.@unionOfSets.self.@count == 2", "lists.@distinctUnionOfSets.self.@count == 2",
        "lists.@max.self == 2", "lists.@min.self == 1", "lists.@sum.self == 4", "lists.@count == 3",
        "objects.@unionOfObjects.x.@count == 1", "objects.x.@count == 3", "objects.@sum.x == 1",
        "mixed.@unionOfObjects.self.@count == 3", "mixed.@distinctUnionOfObjects.self.@count == 2",
        "mixed.@avg.self * 3 == 4", "members.@count == 2", "members[SIZE] == 2",
        "numbers[nothing] == nil", "map[nothing] == nil", "numbers[1.0] == 20", "map['none'] == nil",
        "place.latitude == 50.45", "place.longitude == 30.52", "place.height == nil", "nothing.longitude == nil",
    ]

    @Test(arguments: truths) func holds(text: String) { #expect(outcome(text, of: Self.object) == "T") }

    /// What a database writes about a record, each under its own name.
    @Test func metadata() throws {
        let metadata = Record.Metadata(
            creationDate: Date(timeIntervalSinceReferenceDate: 1), creatorUserRecordID: Record.ID("_c"),
            modificationDate: Date(timeIntervalSinceReferenceDate: 2), lastModifiedUserRecordID: Record.ID("_m"))
        let stored = Record(
            type: "T", id: Record.ID("r"),
            version: HeldVersion(metadata: metadata, parent: RecordReference("up"), fields: ["n": 1]))
        for text in [
            "creationDate == CAST(1, 'NSDate')", "modificationDate == CAST(2, 'NSDate')",
            "creatorUserRecordID.recordName == '_c'", "lastModifiedUserRecordID.recordName == '_m'",
            "parent.recordName == 'up'", "recordName == 'r' AND recordType == 'T' AND n == 1",
        ] {
            #expect(try RecordPredicate(format: text).evaluate(on: stored), "\(text)")
        }
        let made = Record(type: "T", id: Record.ID("r"))
        for name in [
            "creationDate", "modificationDate", "creatorUserRecordID", "lastModifiedUserRecordID", "parent",
        ] {
            #expect(try RecordPredicate(format: "\(name) == nil").evaluate(on: made), "\(name)")
        }
    }

    /// Fields, elements of lists and the levels of a predicate: exactly as many as are allowed, and one more.
    @Test func depths() throws {
        func isLimited(
            _ text: String, _ depth: Int, _ arguments: [FieldValue] = [], _ value: FieldValue? = nil
        ) throws -> Bool {
            let (tree, binder) = (try SyntaxTree(parsing: text), Binder(settings: .init(maximumDepth: depth)))
            let variables = value.map { ["v": $0] } ?? [:]
            do throws(BindingError) {
                _ = try binder.bind(tree, arguments: arguments, variables: variables)
                return false
            } catch {
                #expect(error.kind == .limit)
                return true
            }
        }
        let texts = [
            ("a == 1", 2), ("NOT a == 1", 3), ("a + 1 == 2", 3), ("a == 1 AND b == 2 AND c == 3 AND d == 4", 3),
            ("a + 1 == 2 OR b + 1 == 2", 4),
        ]
        for (text, depth) in texts {
            #expect(try !isLimited(text, depth) && isLimited(text, depth - 1), "\(text)")
        }
        let (flat, deep): ([FieldValue], [FieldValue]) = (
            [[[1]], .set([[1]]), .object(["x": [1]]), .object(["x": .object(["y": 1])])],
            [[[[1]]], .set([[[1]]]), .object(["x": [[1]]]), .object(["x": .object(["y": .object(["z": 1])])])]
        )
        for value in flat {
            #expect(try !isLimited("a == %@", 2, [value]) && !isLimited("a == $v", 2, [], value), "\(value)")
        }
        for value in deep {
            #expect(try isLimited("a == %@", 2, [value]) && isLimited("a == $v", 2, [], value), "\(value)")
        }
    }

    /// What a predicate of kinds that do not fit is told to be written as; `nil` where nothing is.
    static let hints: [(text: String, hint: String?)] = [
        ("population > '5'", "leave the quotes out: population > 5"),
        ("population > 'x'", "CAST(text, 'NSNumber') makes text a number"),
        ("name < 5", "as numbers: CAST(name, 'NSNumber') < 5"),
        ("5 >= name", "as numbers: 5 >= CAST(name, 'NSNumber')"),
        ("name > founded", "the left side is text: load it as dates, or give its column the type TIMESTAMP"),
        ("founded < name", "a date is written '2026-01-31' or '2026-01-31T12:00:00Z'"),
        (
            "founded > 5",
            "a date is date('2026-01-31'), now() - 7d, an argument, or CAST(seconds since 2001, 'NSDate')"
        ),
        ("tags > 'a'", "write ANY before the list"), ("'a' < tags", nil),
        ("tags LIKE 'a'", "write ANY before the list"),
        ("name LIKE tags", nil), ("photo LIKE 'a'", nil), ("year(name) == 2024", "date(text) reads a text as a date"),
        ("name UNION tags == nil", "the length of text is .length"), ("population UNION tags == nil", nil),
    ]

    @Test(arguments: hints) func hint(text: String, hint: String?) throws {
        let error = #expect(throws: BindingError.self) {
            try Binder(schema: BinderTests.schema).bind(SyntaxTree(parsing: text))
        }
        #expect(error?.hint == hint)
    }

    /// Arguments are values of users, which no message repeats.
    @Test func hintsWithoutArguments() throws {
        let error = #expect(throws: BindingError.self) {
            try Binder(schema: BinderTests.schema).bind(SyntaxTree(parsing: "name < %@"), arguments: [5])
        }
        #expect(error?.hint == "as numbers: CAST(name, 'NSNumber') < …")
        let quoted = #expect(throws: BindingError.self) {
            try Binder(schema: BinderTests.schema).bind(SyntaxTree(parsing: "population > %@"), arguments: ["5"])
        }
        #expect(quoted?.hint == "CAST(text, 'NSNumber') makes text a number")
    }

    /// Keys behind a field, beside what is known before any record is.
    @Test(arguments: [
        ("owner.name == 'x'", true), ("ANY owner.boss.name == 'x'", true), ("owner.name == owner.nick", false),
        ("owner.tags[0] == 'x'", false), ("owner == 'x'", false),
    ]) func pathsBesideConstants(_ text: String, _ isPathWithConstant: Bool) throws {
        guard case .comparison(let comparison) = try Binder().bind(SyntaxTree(parsing: text)).root else {
            Issue.record("\(text) is no comparison")
            return
        }
        #expect(comparison.isPathWithConstant == isPathWithConstant)
    }

    @Test func conformingTypes() throws {
        let root = try Binder().bind(SyntaxTree(parsing: "s UTI-CONFORMS-TO 'public.audio'")).root
        guard case .comparison(let comparison) = root,
            case .membership(let members, .caseInsensitive)? = comparison.constraint?.requirement
        else {
            Issue.record("\(root)")
            return
        }
        #expect(
            MemberSet.distinct(members) == [
                "public.audio", "com.microsoft.waveform-audio", "public.aiff-audio", "public.mp3",
                "public.mpeg-4-audio",
            ])
    }
}

extension MemberSet {
    /// Values without repetitions, in their order.
    fileprivate static func distinct(_ values: [FieldValue]) -> [FieldValue] {
        var set = MemberSet()
        for value in values { set.insert(value) }
        return set.members
    }
}
