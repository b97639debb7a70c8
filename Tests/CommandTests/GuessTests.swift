// What people type first who know SQL, jq, MongoDB or Lucene, or no language at all: each gets the call that says it.

import Foundation
import Testing
import _TestSupport

struct GuessTests {
    /// A first guess, and the hint that must come back word for word.
    struct Guess: Codable, Sendable {
        var language: String
        var guess: String
        var hint: String
    }

    private static let path = "Tests/CommandTests/Fixtures/first-guesses.ndjson"
    private static let records = """
        {"id":"a","title":"Star Wars","year":1977,"genre":"space","rating":8.6,"released":"1977-05-25T00:00:00Z"}
        {"id":"b","title":"Alien","year":1979,"genre":"horror","rating":8.5,"released":"1979-05-25T00:00:00Z"}

        """

    static func guesses() throws -> [Guess] {
        try ProjectFiles.text(path).split(separator: "\n").map {
            try JSONDecoder().decode(Guess.self, from: Data($0.utf8))
        }
    }

    @Test func thereAreTwoHundredOfSixKinds() throws {
        let guesses = try Self.guesses()
        #expect(guesses.count >= 200)
        #expect(Set(guesses.map(\.language)) == ["sql", "jq", "mongo", "lucene", "code", "plain"])
        #expect(Set(guesses.map(\.guess)).count == guesses.count)
    }

    /// Every guess is an error with exactly that hint, and the hint is a call that the command takes.
    @Test(arguments: ["sql", "jq", "mongo", "lucene", "code", "plain"]) func hints(_ language: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("movies.ndjson", Self.records)
        for guess in try Self.guesses() where guess.language == language {
            let run = try CommandRun(["query", guess.guess, "movies.ndjson"])
            let hint = run.errors.split(separator: "\n").last { $0.hasPrefix("hint: ") }.map { String($0.dropFirst(6)) }
            #expect(run.status == 2 && hint == guess.hint, "\(guess.guess): \(run.errors)")
        }
        // What is suggested runs: on records without most of the fields it need find nothing.
        let calls = try Self.guesses().filter { $0.language == language && $0.hint.hasPrefix("predicate query") }
        let lines = calls.map { $0.hint.replacing("movies.ndjson", with: "'\(file)'") + " > /dev/null 2>&1; echo $?" }
        let run = try CommandRun(shell: "predicate() { \"$predicate\" \"$@\"; }; " + lines.joined(separator: "\n"))
        for (call, status) in zip(calls, run.lines) {
            // 2 for fields that these records lack: an order by them is an error.
            let isOfOtherFields = call.hint.contains("--") || call.hint.contains("isClassic")
            #expect(status == "0" || status == "1" || isOfOtherFields, "\(call.hint): \(status)")
        }
        #expect(run.lines.count == calls.count)
    }

    /// At the prompt the hint is what to type there.
    @Test func promptHints() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("movies.ndjson", Self.records)
        let run = try CommandRun(
            ["repl", file], input: "SELECT title FROM movies WHERE year > 1970 ORDER BY year DESC LIMIT 1\n")
        #expect(
            run.errors.contains(
                "hint: .fields title  then  .sort year desc  then  .limit 1  then  year > 1970"), "\(run.errors)")
    }

    /// Figures by the values of a field have their form at the prompt, too.
    @Test func promptHintsOfFigures() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("movies.ndjson", Self.records)
        let run = try CommandRun(
            ["repl", file],
            input: "SELECT genre, AVG(rating) FROM movies GROUP BY genre\n.mode csv\n"
                + "TRUEPREDICATE\n.stats rating year by genre\nSHOW TABLES\n")
        #expect(run.errors.contains("hint: TRUEPREDICATE  then  .stats rating by genre"), "\(run.errors)")
        #expect(run.errors.contains("hint: .schema"), "\(run.errors)")
        #expect(
            run.output.contains(
                "genre,count,rating min,rating max,rating sum,rating average,year min,year max,year sum,year average\n"
                    + "horror,1,8.5,8.5,8.5,8.5,1979,1979,1979,1979"), "\(run.output)")
    }

    /// What the records show to be wrong.
    @Test(arguments: [
        ("released > 1978-01-01", "released > '1978-01-01'"),
        ("released >= 1977-01-01 AND released < 1978-01-01", "released >= '1977-01-01' AND released < '1978-01-01'"),
        ("title =~ 'Star.*'", "title MATCHES '.*Star.*.*'"),
    ]) func callsThatRecordsReject(_ text: String, _ meant: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("movies.ndjson", Self.records)
        let run = try CommandRun(["query", text, file, "-o", "ids"])
        let hint = try #require(run.errors.split(separator: "\n").last { $0.hasPrefix("hint: ") })
        #expect(run.status == 2 && hint.hasPrefix("hint: predicate query \"\(meant)\" "), "\(run)")
        let meant = try CommandRun(shell: "predicate() { \"$predicate\" \"$@\"; }; " + hint.dropFirst(6))
        #expect(meant.status == 0 && meant.lines.count == 1, "\(meant)")
    }

    /// What is a predicate, but hardly what was meant.
    @Test(arguments: [
        ("released = 1977", "year(released) == 1977"), ("released > '1977'", "'1977-01-01' is its first day"),
        ("released > today", "a date is now(), now() - 1d or"), ("released > '1977-13'", "a date is written"),
        ("tags IN {'x', 'y'}", "ANY tags IN {\"x\", \"y\"}"), ("tags.length == 2", "tags.@count == 2"),
        ("released = 1977-05-25", "a date is written"),
    ]) func notesSayWhatWasMeant(_ text: String, _ hint: String) throws {
        let records = Self.records.replacing("\"genre\"", with: "\"tags\":[\"x\"],\"genre\"")
        let run = try CommandRun(["query", text], input: records)
        #expect(run.status != 0 && run.output.isEmpty && run.errors.contains(hint), "\(run)")
    }

    /// A slip in a predicate keeps the hint that is about it.
    @Test(arguments: [
        ("name CONTAIN 'x'", "CONTAINS"), ("year => > 3", ""), ("a == 1 AND", ""),
    ]) func slipsKeepTheirHints(_ text: String, _ hint: String) throws {
        let run = try CommandRun(["query", text], input: Self.records)
        #expect(run.status == 2 && !run.errors.contains("predicate query"), "\(run.errors)")
        #expect(hint.isEmpty || run.errors.contains(hint), "\(run.errors)")
    }

    /// The predicate behind the file, as other programs take it, and figures of a whole file.
    @Test func fileFirst() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("movies.ndjson", Self.records)
        let run = try CommandRun([".year > 1977", file])
        #expect(run.status == 2 && run.errors.contains("hint: predicate query 'year > 1977' "), "\(run.errors)")
    }
}
