// Searches of fields with analyzers: the evaluator and the plans of memory and stores, which must agree.

import Foundation
import PredicateSemantics
import RecordModel
import Testing
import TextAnalysis
import _TestSupport

@testable import RecordDatabase

@Suite struct AnalyzerSearchTests {
    static let analyzers: [String: TextAnalyzer] = [
        "body": TextAnalyzer(
            language: .english, stopWords: ["the", "of", "a"], synonyms: [["car", "automobile"], ["dog", "hound"]]),
        "title": TextAnalyzer(language: .german, stopWords: ["der"]),
        "tags": TextAnalyzer(synonyms: [["car", "dog"]]),
    ]
    private static let words = [
        "run", "Running", "runs", "the", "of", "a", "der", "car", "cars", "automobile", "dog", "hounds", "Haus",
        "Häuser",
        "house", "houses", "state", "art",
    ]

    private static func text(_ random: inout SplitMix64, upTo count: Int) -> String {
        (0..<Int.random(in: 1...count, using: &random)).map { _ in
            words[Int.random(in: 0..<words.count, using: &random)]
        }.joined(separator: " ")
    }

    private static func records(_ count: Int, _ random: inout SplitMix64) -> [Record] {
        (0..<count).map { number in
            var fields: [String: FieldValue] = [:]
            for field in ["body", "title", "plain"] where Int.random(in: 0..<4, using: &random) > 0 {
                fields[field] = .string(text(&random, upTo: 7))
            }
            if Bool.random(using: &random) {
                fields["tags"] = .list((0..<2).map { _ in .string(text(&random, upTo: 3)) })
            }
            return Record(type: "Note", id: Record.ID("r\(number)"), fields: fields)
        }
    }

    private static func predicate(_ random: inout SplitMix64) -> RecordPredicate {
        func comparison() -> String {
            let query = Self.text(&random, upTo: 4)
            let letters = ["[cd]", "[c]", "", "[cdp]", "[cp]"][Int.random(in: 0..<5, using: &random)]
            switch Int.random(in: 0..<8, using: &random) {
            case 0: return "body TOKENMATCHES\(letters) '\(query)'"
            case 1: return "title TOKENMATCHES\(letters) '\(query)'"
            case 2: return "plain TOKENMATCHES\(letters) '\(query)'"
            case 3: return "tags TOKENMATCHES\(letters) '\(query)'"
            case 4: return "self CONTAINS '\(query)'"
            case 5: return "ANY tokenize(body, 'cd') BEGINSWITH 'run'"
            default: return "allTokens TOKENMATCHES\(letters) '\(query)'"
            }
        }
        let joined =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: "\(comparison()) AND \(comparison())"
            case 1: "NOT (\(comparison())) OR \(comparison())"
            default: comparison()
            }
        return RecordPredicate(stringLiteral: joined)
    }

    /// What the evaluator says of each record.
    private static func names(
        _ records: [Record], _ predicate: RecordPredicate, _ analyzers: [String: TextAnalyzer]
    ) throws -> [String] {
        let binder = Binder(settings: Binder.Settings(analyzers: FieldAnalyzers(analyzers)))
        let bound = try binder.bind(predicate)
        return try records.filter { try bound.evaluate(on: $0) }.map(\.id.recordName).sorted()
    }

    private static func names(_ set: RecordSet, _ predicate: RecordPredicate) throws -> [String] {
        try set.ordinals(matching: predicate).map { set.recordName(at: $0) }.sorted()
    }

    private static func schema(_ analyzers: [String: TextAnalyzer]) -> ContainerSchema {
        var fields: [String: ContainerSchema.Field] = [:]
        for field in ["body", "title", "plain"] { fields[field] = .init(.string, analyzer: analyzers[field]) }
        fields["tags"] = .init(.list(.string), analyzer: analyzers["tags"])
        return ContainerSchema(recordTypes: ["Note": .init(fields: fields)])
    }

    // MARK: Meaning

    @Test func whatIsFound() throws {
        let record = Record(
            type: "Note", id: Record.ID("r"),
            fields: [
                "body": "The state of the art of running automobiles", "title": "Häuser der Stadt", "plain": "The dogs",
                "tags": ["a car", "houses"],
            ])
        let cases: [(text: String, isFound: Bool)] = [
            ("body TOKENMATCHES[cd] 'RUNS'", true), ("body TOKENMATCHES[cd] 'ran'", false),
            ("body TOKENMATCHES[cd] 'the cars of states'", true), ("body TOKENMATCHES[cd] 'the of'", false),
            ("body TOKENMATCHES[cd] 'the dog'", false), ("body TOKENMATCHES 'RUNS'", false),
            ("title TOKENMATCHES[c] 'haus'", true), ("title TOKENMATCHES[c] 'der haus'", true),
            ("plain TOKENMATCHES[cd] 'dog'", false), ("plain TOKENMATCHES[cd] 'the dogs'", true),
            ("tags TOKENMATCHES[cd] 'dog'", true), ("ANY tags TOKENMATCHES[cd] 'house'", false),
            ("body TOKENMATCHES[cdp] 'state of the art'", true), ("body TOKENMATCHES[cdp] 'states in an arts'", false),
            ("body TOKENMATCHES[cdp] 'state the of art'", true), ("body TOKENMATCHES[cdp] 'state art'", false),
            ("body TOKENMATCHES[cdp] 'the run'", true), ("body TOKENMATCHES[cdp] 'art run'", false),
            ("allTokens TOKENMATCHES[cd] 'run haus dogs'", true), ("allTokens TOKENMATCHES[cd] 'run haus cat'", false),
            ("allTokens TOKENMATCHES[cd] 'the runs'", true), ("allTokens TOKENMATCHES[cd] 'the of'", false),
            ("allTokens TOKENMATCHES[cdp] 'the dogs'", true), ("allTokens TOKENMATCHES[cdp] 'the dog'", false),
            ("self CONTAINS 'cat runs'", true), ("self CONTAINS 'cats ran'", false),
            ("'runs' IN self", true), ("'runs' IN allTokens", false), ("'running' IN allTokens", true),
            ("body CONTAINS 'runs'", false), ("lowercase(body) TOKENMATCHES 'runs'", false),
        ]
        var set = try RecordSet(records: [record])
        #expect(try set.count(matching: "body TOKENMATCHES[cd] 'runs'") == 0)
        set.analyzers = Self.analyzers
        for (text, isFound) in cases {
            let predicate = RecordPredicate(stringLiteral: text)
            #expect(try predicate.evaluate(on: record, analyzers: Self.analyzers) == isFound, "\(text)")
            #expect(try set.count(matching: predicate) == (isFound ? 1 : 0), "\(text)")
        }
    }

    @Test func matchesShowTheWordsAsWritten() throws {
        let record = Record(
            type: "Note", id: Record.ID("r"),
            fields: ["body": "He bought the state of the art, running cars", "plain": "runs"])
        let cases: [(text: String, marked: [String])] = [
            ("body TOKENMATCHES[cd] 'runs automobile'", ["He bought the state of the art, [running] [cars]"]),
            ("body TOKENMATCHES[cdp] 'state of the arts'", ["He bought the [state of the art], running cars"]),
            ("allTokens TOKENMATCHES[cd] 'runs the'", ["He bought the state of the art, [running] cars", "[runs]"]),
            ("body TOKENMATCHES[cd] 'the'", []),
        ]
        for (text, marked) in cases {
            let predicate = RecordPredicate(stringLiteral: text)
            let snippets = try predicate.snippets(in: record, analyzers: Self.analyzers)
            #expect(snippets.map { $0.marked("[", "]") } == marked, "\(text)")
        }
    }

    @Test func pathsAndOtherTypesAreSearchedAsWritten() throws {
        let author = Record(type: "Author", id: Record.ID("a"), fields: ["body": "running"])
        let note = Record(
            type: "Note", id: Record.ID("n"),
            fields: ["author": .reference(RecordReference(recordID: author.id)), "body": "running"])
        var set = try RecordSet(records: [author, note]).ofType("Note")
        set.analyzers = Self.analyzers
        for buildsIndexes in [true, false] {
            set.buildsIndexes = buildsIndexes
            #expect(try set.count(matching: "author.body TOKENMATCHES[cd] 'runs'") == 0)
            #expect(try set.count(matching: "author.body TOKENMATCHES[cd] 'running' AND body TOKENMATCHES 'runs'") == 1)
        }
    }

    // MARK: Plans

    @Test(arguments: [1, 2, 3] as [UInt64]) func plansAgreeWithTheEvaluator(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let records = Self.records(80, &random)
        var building = try RecordSet(records: records)
        building.analyzers = Self.analyzers
        var scanning = try RecordSet(records: records)
        scanning.analyzers = Self.analyzers
        scanning.buildsIndexes = false
        var found = 0
        for _ in 0..<80 {
            let predicate = Self.predicate(&random)
            let expected = try Self.names(records, predicate, Self.analyzers)
            found += expected.isEmpty || expected.count == records.count ? 0 : 1
            #expect(try Self.names(building, predicate) == expected, "\(predicate)")
            #expect(try Self.names(scanning, predicate) == expected, "\(predicate)")
            guard predicate.text.contains("TOKENMATCHES") || predicate.text.contains("self") else { continue }
            let scores = try building.ordinalsByRelevance(matching: predicate, limit: 200)
            let others = try scanning.ordinalsByRelevance(matching: predicate, limit: 200)
            #expect(scores.map(\.ordinal) == others.map(\.ordinal), "\(predicate)")
            #expect(scores.map(\.score) == others.map(\.score), "\(predicate)")
            for result in scores.prefix(3) {
                let record = try #require(building.record(at: result.ordinal))
                let matches = try predicate.textMatches(in: record, analyzers: Self.analyzers)
                #expect((result.score > 0) == !matches.isEmpty, "\(predicate)")
            }
        }
        #expect(found > 30)
    }

    /// A word that was left out is within one text: phrases do not reach from one element of a list to the next.
    @Test(arguments: [false, true]) func phrasesStayWithinATextInScores(isBuilding: Bool) throws {
        let analyzers = ["tags": TextAnalyzer(stopWords: ["the"]), "body": TextAnalyzer(stopWords: ["the"])]
        let lists: [[String]] = [
            ["cat", "dog"], ["cat the dog"], ["cat a dog", "cat"], ["cat"], ["other", "cat", "dog"],
        ]
        var set = try RecordSet(
            records: lists.enumerated().map { number, texts in
                Record(
                    type: "T", id: Record.ID("r\(number)"),
                    fields: ["tags": .list(texts.map { .string($0) }), "body": .string(texts[0])])
            })
        set.analyzers = analyzers
        set.buildsIndexes = isBuilding
        // A score of zero, or more: the phrase alone tells them apart.
        for (field, matching) in [("tags", [1, 2]), ("body", [1, 2]), ("allTokens", [1, 2])] {
            let predicate = try RecordPredicate(
                format: "\(field) TOKENMATCHES[cp] 'cat the dog' OR \(field) TOKENMATCHES[c] 'nothing'")
            #expect(try set.ordinalsByRelevance(matching: predicate, limit: 9).map(\.ordinal).sorted() == matching)
            let all = try RecordPredicate(
                format: "\(field) TOKENMATCHES[cp] 'cat the dog' OR \(field) TOKENMATCHES[c] 'cat' OR tags.@count > 0")
            let scores = try set.ordinalsByRelevance(matching: all, limit: 9)
            #expect(Set(scores.prefix(2).map(\.ordinal)) == Set(matching), "\(field): \(scores)")
        }
    }

    /// Many groups of synonyms are one walk over their words; groups that share a stem are one.
    @Test func synonymGroupsAreJoined() throws {
        let chain = (0..<2_000).map { ["w\($0)", "w\($0 + 1)"] } + (0..<2_000).map { ["a\($0)", "b\($0)"] }
        let record = Record(type: "T", id: Record.ID("r"), fields: ["body": "w700 a5"])
        let analyzers = ["body": TextAnalyzer(synonyms: chain.shuffled())]
        for (word, isFound) in [("w0", true), ("w2000", true), ("b5", true), ("b6", false), ("a4", false)] {
            let predicate = try RecordPredicate(format: "body TOKENMATCHES[c] '\(word)'")
            #expect(try predicate.evaluate(on: record, analyzers: analyzers) == isFound, "\(word)")
        }
    }

    @Test(arguments: [4] as [UInt64]) func storesAgreeWithTheEvaluator(seed: UInt64) async throws {
        let folder = TemporaryFolder()
        var random = SplitMix64(seed: seed)
        // So many that their segment has indexes.
        let records = Self.records(620, &random)
        var container = try Container(identifier: "test", storedAt: folder.url)
        try container.setSchema(Self.schema(Self.analyzers))
        for part in [records[..<300], records[300..<600], records[600...]] {
            _ = try await container.privateDatabase.modifyRecords(saving: Array(part), deleting: [])
        }
        try await container.compact()
        // The second time by other stop words, which the stored indexes are not of.
        var analyzers = Self.analyzers
        for round in 0..<3 {
            if round == 1 {
                try await container.checkpoint()
                container.close()
                container = try Container(identifier: "test", storedAt: folder.url)
                #expect(container.schema.recordTypes["Note"]?.fields["body"]?.analyzer == analyzers["body"])
            } else if round == 2 {
                analyzers["body"] = TextAnalyzer(stopWords: ["run"], synonyms: [["the", "art"]])
                analyzers["title"] = nil
                try container.setSchema(Self.schema(analyzers))
            }
            let database = container.privateDatabase
            let set = try database.snapshot().records(ofType: "Note")
            #expect(set.analyzers == analyzers)
            // The words of the stored indexes are those of the analyzer that they were made with.
            let ofBody = set.indexes.filter { $0.field == "body" && $0.kind == "token" && $0.analyzer != nil }
            #expect(ofBody.isEmpty == (round == 0))
            #expect(ofBody.allSatisfy { $0.analyzer == Self.analyzers["body"] })
            for _ in 0..<20 {
                let predicate = Self.predicate(&random)
                let expected = try Self.names(records, predicate, analyzers)
                #expect(try Self.names(set, predicate) == expected, "\(predicate)")
                guard !predicate.text.contains("ANY tokenize") else { continue }
                let page = try await database.recordPage(
                    matching: Query("Note", predicate), in: .all, resultsLimit: 1000)
                #expect(page.matchResults.map(\.0.recordName).sorted() == expected, "\(predicate)")
            }
        }
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
        let stored = try RecordSet(storedAt: folder.url)
        #expect(stored.analyzers == analyzers)
        #expect(stored.ofType("Note").analyzers == analyzers)
        for _ in 0..<20 {
            let predicate = Self.predicate(&random)
            #expect(try Self.names(stored, predicate) == Self.names(records, predicate, analyzers), "\(predicate)")
        }
    }

    // MARK: Subscriptions and live queries

    /// The subscriptions that a record triggers.
    private static func told(_ body: String, _ container: Container) async throws -> Set<String> {
        let news = try Container(sharing: container, account: .localUser).notifications
        let names = ["r\(UUID())", "end\(UUID())"]
        for name in names {
            try await container.publicDatabase.save(
                Record(type: "Note", id: Record.ID(name), fields: ["body": .string(name == names[0] ? body : "")]))
        }
        var found: Set<String> = []
        for await notification in news {
            if notification.recordID?.recordName == names[1] { break }
            found.insert(notification.subscriptionID)
        }
        return found
    }

    @Test func subscriptionsAndLiveQueriesFollow() async throws {
        let folder = TemporaryFolder()
        var container = try Container(identifier: "test", storedAt: folder.url)
        try container.setSchema(Self.schema([:]))
        let runs: RecordPredicate = "body TOKENMATCHES[cd] 'runs'"
        try await container.publicDatabase.save(Subscription(recordType: "Note", predicate: runs, id: "runs"))
        try await container.publicDatabase.save(
            Subscription(recordType: "Note", predicate: "TRUEPREDICATE", id: "all"))
        #expect(try await Self.told("running", container) == ["all"])
        try container.setSchema(Self.schema(Self.analyzers))
        #expect(try await Self.told("running", container) == ["all", "runs"])
        #expect(try await Self.told("walking", container) == ["all"])
        container.close()
        container = try Container(identifier: "test", storedAt: folder.url)
        #expect(try await Self.told("running", container) == ["all", "runs"])

        var steps = container.publicDatabase.changes(matching: Query("Note", runs), in: .default).makeAsyncIterator()
        guard case .initial(let records) = try await steps.next() else {
            Issue.record("no result")
            return
        }
        #expect(records.count == 3)
        try await container.publicDatabase.save(
            Record(type: "Note", id: Record.ID("live"), fields: ["body": "The running"]))
        guard case .inserted(let record, _) = try await steps.next() else {
            Issue.record("no step")
            return
        }
        #expect(record.id.recordName == "live")
        container.close()
    }

    // MARK: Schemas

    @Test func schemasKeepAnalyzers() throws {
        let schema = Self.schema(Self.analyzers)
        let read = try JSONDecoder().decode(ContainerSchema.self, from: JSONEncoder().encode(schema))
        #expect(read == schema)
        #expect(try ContainerSchema(text: schema.text) == schema, "\(schema.text)")
    }

    @Test func analyzersThatCannotBeAreRejected() throws {
        let cases: [(field: ContainerSchema.Field, reason: String)] = [
            (.init(.int64, analyzer: TextAnalyzer()), "field f of T cannot have an analyzer"),
            (
                .init(.string, analyzer: TextAnalyzer(stopWords: ["of the"])),
                "field f of T has an analyzer with 'of the', which is not one word"
            ),
        ]
        for (field, reason) in cases {
            let container = try Container(identifier: "test")
            let error = #expect(throws: DatabaseError.self) {
                try container.setSchema(ContainerSchema(recordTypes: ["T": .init(fields: ["f": field])]))
            }
            #expect(error?.code == .invalidArguments)
            #expect(error?.reason == reason)
        }
    }

    @Test func typesThatDisagreeHaveNoAnalyzerTogether() {
        var schema = Self.schema(Self.analyzers)
        schema.recordTypes["Page"] = .init(fields: ["body": .init(.string), "name": .init(.string)])
        #expect(Set(schema.analyzers(ofType: nil)?.byField.keys.map { $0 } ?? []) == ["title", "tags"])
        // Nor is it that of either where both have one.
        let other = TextAnalyzer(stopWords: ["an"])
        schema.recordTypes["Page"] = .init(fields: ["body": .init(.string, analyzer: other), "name": .init(.string)])
        #expect(Set(schema.analyzers(ofType: nil)?.byField.keys.map { $0 } ?? []) == ["title", "tags"])
        #expect(schema.analyzers(ofType: "Note")?.byField == Self.analyzers)
        #expect(schema.analyzers(ofType: "Page")?.byField == ["body": other])
        schema.recordTypes["Page"] = .init(fields: ["body": .init(.string)])
        #expect(schema.analyzers(ofType: "Page") == nil)
    }
}
