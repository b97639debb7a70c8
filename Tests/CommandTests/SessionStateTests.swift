// What a session of the REPL keeps from line to line, and what it gives up.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct SessionStateTests {
    /// A session over a file with `n`, by lines from a pipe; other files have the given names.
    private func session(_ lines: [String], _ files: [String: String] = [:]) throws -> CommandRun {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", "{\"id\":\"a\",\"n\":1,\"by\":2}\n{\"id\":\"b\",\"n\":3,\"by\":2}\n")
        let root = folder.url.path
        for (name, text) in files { _ = try folder.file(name, text) }
        let input = lines.map { $0.replacing("FOLDER", with: root) + "\n" }.joined()
        return try CommandRun(["repl", file], input: input)
    }

    /// An order and a choice of columns by fields that other records lack end with the records; others stay.
    @Test func settingsOfOtherRecords() throws {
        let other = ["m.ndjson": "{\"m\":2}\n{\"m\":1}\n", "o.ndjson": "{\"n\":1,\"m\":2}\n{\"n\":2,\"m\":1}\n"]
        let lost = try session([".sort n desc", ".fields n", ".open 'FOLDER/m.ndjson'", "m > 0"], other)
        #expect(lost.output == "{\"m\":2}\n{\"m\":1}\n" && lost.status == 0, "\(lost)")
        for name in [".sort", ".fields"] {
            #expect(lost.errors.contains("\(name) is off: these records have other fields\n"), "\(lost)")
        }
        let kept = try session([".sort n desc", ".fields n", ".open 'FOLDER/o.ndjson'", "m > 0"], other)
        #expect(kept.output == "{\"n\":2}\n{\"n\":1}\n" && !kept.errors.contains("is off"), "\(kept)")
    }

    /// A file of commands is read as often as it is asked for, but not by itself.
    @Test func filesOfCommands() throws {
        let twice = try session([".mode ids", ".read 'FOLDER/q'", ".read 'FOLDER/q'"], ["q": "n == 1\n"])
        #expect(twice.output == "a\na\n" && twice.errors == "" && twice.status == 0, "\(twice)")
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/self"
        _ = try folder.file("self", "n == 3\n.read '\(path)'\n")
        let own = try session([".mode ids", ".read '\(path)'", "n == 1"])
        #expect(own.output == "b\na\n" && own.errors.contains("'\(path)' reads itself"), "\(own)")
    }

    /// Apostrophes hold a text together where there are two of them.
    @Test func apostrophesOfValues() throws {
        for (value, json) in [("'", "\"'\""), ("''", "\"\""), ("'a'", "\"a\""), ("'a", "\"'a\""), ("= 1", "\"= 1\"")] {
            let run = try session([".let v = \(value)", ".let"])
            #expect(run.output == "$v = \(json)\n" && run.status == 0, "\(value): \(run)")
        }
    }

    /// Further files leave the type that is asked for.
    @Test func theTypeStaysWithFurtherFiles() throws {
        let files = [
            "t.ndjson": "{\"id\":\"c\",\"type\":\"A\"}\n{\"id\":\"d\",\"type\":\"B\"}\n",
            "u.ndjson": "{\"id\":\"e\",\"type\":\"A\"}\n{\"id\":\"f\",\"type\":\"B\"}\n",
        ]
        let run = try session(
            [".mode ids", ".open 'FOLDER/t.ndjson'", ".type A", ".import 'FOLDER/u.ndjson'", "TRUEPREDICATE"], files)
        #expect(run.lines == ["c", "e"] && run.status == 0, "\(run)")
        let all = try session(
            [".mode ids", ".open 'FOLDER/t.ndjson'", ".import 'FOLDER/u.ndjson'", "TRUEPREDICATE"], files)
        #expect(Set(all.lines) == ["c", "d", "e", "f"], "\(all)")
    }

    /// A predicate that was typed several times is one query of the session.
    @Test func adviceCountsAQueryOnce() throws {
        let records = (0..<2000).map { "{\"n\":\($0)}\n" }.joined()
        let run = try session(
            [".open 'FOLDER/r.ndjson'", ".mode count", "n > 1990", "n > 1990", "n > 1990", ".advise"],
            ["r.ndjson": records])
        #expect(run.lines.prefix(3) == ["9", "9", "9"], "\(run)")
        let row = run.lines.last.map { $0.split(separator: " ").map(String.init) } ?? []
        #expect(row.first == "n" && row.dropLast().suffix(2) == ["1", "2,000"], "\(run)")
    }

    /// `by` leads to groups between two names, and is a field at either end.
    @Test func fieldsNamedBy() throws {
        let titles = "field,count,missing,distinct,min,max,sum,average"
        let last = try session([".mode csv", ".stats n by"])
        #expect(last.lines.first == titles && last.lines.count == 3, "\(last)")
        #expect(last.lines.last?.hasPrefix("by,2,0,1,2,2,4,") == true, "\(last)")
        let first = try session([".mode csv", ".stats by"])
        #expect(first.lines.first == titles && first.lines.count == 2, "\(first)")
        let groups = try session([".mode csv", ".stats by by n"])
        #expect(groups.lines.first == "n,count,min,max,sum,average", "\(groups)")
        #expect(groups.lines.last?.hasPrefix("3,1,2,2,2,") == true, "\(groups)")
    }

    /// The word behind a comma or a blank is completed, whatever is before it.
    @Test func fieldsBehindOthersAreCompleted() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("c.ndjson", "{\"name\":\"x\",\"population\":1}\n")
        let arguments = try ParsedArguments([file], for: ReplCommand.specification)
        let repl = try Repl(
            InputFiles(arguments, paths: arguments.operands), dialect: nil, session: Session(["--color", "never"]))
        let language = PredicateLanguage(repl)
        for line in [".fields popu", ".fields name,popu", ".fields name popu", ".sort name desc,popu"] {
            let list = "\(language.completions(of: line, cursor: line.utf8.count))"
            #expect(list.contains("text: \"population\""), "\(line): \(list)")
        }
        withExtendedLifetime(repl) {}
    }
}
