// predicate update and predicate delete.

import Foundation
import Testing
import _TestSupport

struct ChangeCommandTests {
    private static let cities = """
        {"id":"bern","name":"Bern","country":"CH","population":130000,"founded":"1191-01-01T00:00:00Z","zip":"3000"}
        {"id":"basel","name":"Basel","country":"CH","population":170000,"zip":"4000"}
        {"id":"paris","name":"Paris","country":"FR","population":2100000,"zip":"75000"}

        """

    /// A store with the cities.
    private static func store(in folder: borrowing TemporaryFolder) throws -> String {
        let store = folder.url.appendingPathComponent("a.store").path
        let run = try CommandRun(["import", store, "--type", "City", "-q"], input: cities)
        try #require(run.status == 0, "\(run.errors)")
        return store
    }

    private static func fields(_ store: String, _ predicate: String, _ fields: String) throws -> [String] {
        try CommandRun(["query", predicate, store, "-o", "tsv", "--fields", fields, "--sort", "name"]).lines
    }

    @Test func updateSetsAndUnsets() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder)
        let run = try CommandRun([
            "update", store, "country == 'CH' AND population > 150000", "--set", "zip=4051", "--set",
            "population=180000",
            "--set", "founded=0374-01-01", "--unset", "country", "--yes",
        ])
        #expect(run.status == 0 && run.errors == "1 record changed\n", "\(run)")
        #expect(
            try Self.fields(store, "name == 'Basel'", "zip,population,founded,country") == [
                "zip\tpopulation\tfounded\tcountry", "4051\t180000\t0374-01-01T00:00:00Z\t",
            ])
        #expect(try Self.fields(store, "country == 'CH'", "name") == ["name", "Bern"])
    }

    @Test func deleteTakesWhatMatches() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder)
        let run = try CommandRun(["delete", store, "founded < %@", "-a", "1300-01-01", "-y"])
        #expect(run.status == 0 && run.errors == "1 record deleted\n", "\(run)")
        #expect(try CommandRun(["query", "TRUEPREDICATE", store, "-c"]).output == "2\n")
        let none = try CommandRun(["delete", store, "country == 'XX'", "--yes"])
        #expect(none.status == 1 && none.errors.contains("no record matches"))
    }

    @Test func dryRunsChangeNothing() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder)
        let delete = try CommandRun(["delete", store, "TRUEPREDICATE", "--dry-run"])
        #expect(delete.status == 0 && delete.errors == "3 records of 3 would be deleted\n", "\(delete)")
        let update = try CommandRun(["update", store, "name == 'Bern'", "--unset", "zip", "--dry-run"])
        #expect(update.errors == "1 record of 3 would be changed\n", "\(update)")
        #expect(try CommandRun(["query", "zip != nil", store, "-c"]).output == "3\n")
    }

    /// Wrong calls: nothing is changed, and the error says what helps.
    static let wrong: [(words: [String], status: Int32, text: String)] = [
        (["delete", "STORE", "name == 'Bern'"], 2, "--yes does it"),
        (["delete", "STORE"], 2, "needs a predicate"),
        (["delete", "STORE", "nme == 'Bern'", "-y"], 2, "nme"),
        (["update", "STORE", "name == 'Bern'", "-y"], 2, "--set FIELD=VALUE"),
        (["update", "STORE", "name == 'Bern'", "--set", "ppulation=3", "-y"], 2, "did you mean 'population'?"),
        (["update", "STORE", "name == 'Bern'", "--set", "population", "-y"], 2, "takes FIELD=VALUE"),
        (["update", "STORE", "name == 'Bern'", "--set", "population=many", "-y"], 2, "population"),
        (["update", "STORE", "name == 'Bern'", "--set", "founded=soon", "-y"], 2, "is no date for 'founded'"),
        (["update", "STORE", "name == 'Bern'", "--set", "zip=1", "--unset", "zip", "-y"], 2, "two values"),
        (["update", "STORE", "name == ", "--set", "zip=1", "-y"], 2, "expected"),
        (["delete", "STORE", "name == 'Bern'", "-y", "--type", "Cty"], 2, "did you mean 'City'?"),
        (["delete", "/no/such/store", "TRUEPREDICATE", "-y"], 4, "is no store"),
    ]

    @Test(arguments: wrong.indices) func wrongCalls(_ index: Int) throws {
        let call = Self.wrong[index]
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder)
        let run = try CommandRun(call.words.map { $0 == "STORE" ? store : $0 })
        #expect(run.status == call.status && run.errors.contains(call.text), "\(call.words) \(run)")
        #expect(try CommandRun(["query", "zip != nil", store, "-c"]).output == "3\n")
    }

    @Test func newFieldsAreDefinedWhenAsked() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder)
        let run = try CommandRun(["update", store, "name == 'Bern'", "--set", "note=capital", "--new-fields", "-y"])
        #expect(run.status == 0, "\(run)")
        #expect(try Self.fields(store, "note == 'capital'", "name") == ["name", "Bern"])
    }

    /// The value is all that stands behind the first sign.
    @Test func valuesMayHoldTheSign() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder)
        let run = try CommandRun(["update", store, "name == 'Bern'", "--set", "zip=a?b=c==", "--yes"])
        #expect(run.status == 0 && run.errors == "1 record changed\n", "\(run)")
        #expect(try Self.fields(store, "name == 'Bern'", "zip") == ["zip", "a?b=c=="])
    }

    /// A file is none that could be changed.
    @Test func filesAreNoStores() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("cities.ndjson", Self.cities)
        let run = try CommandRun(["delete", file, "TRUEPREDICATE", "-y"])
        #expect(run.status == 2 && run.errors.contains("predicate import"), "\(run)")
    }

    /// A field of texts takes the word null as a text; others lose their value with it.
    @Test func textsMayBeTheWordNull() throws {
        let folder = try TemporaryFolder()
        let store = try Self.store(in: folder)
        let words = ["update", store, "name == 'Bern'", "--set", "zip=null", "--set", "population=null", "--yes"]
        let run = try CommandRun(words)
        #expect(run.status == 0 && run.errors == "1 record changed\n", "\(run)")
        #expect(try Self.fields(store, "zip == 'null'", "name,population") == ["name\tpopulation", "Bern\t"])
    }
}
