// Lines of a session that end it, begin with a field's name like a word, or are saved for another session.

import Foundation
import Testing

struct SessionDetailTests {
    private static let records = "{\"id\":\"a\",\"n\":1,\"by\":2}\n{\"id\":\"b\",\"n\":3,\"by\":2}\n"

    /// A session over the records; `FOLDER` is where files are.
    private func session(_ folder: borrowing TemporaryFolder, _ lines: [String]) throws -> CommandRun {
        let root = folder.url.path
        let file = try folder.file("n.ndjson", Self.records)
        return try CommandRun(
            ["repl", file], input: lines.map { $0.replacing("FOLDER", with: root) + "\n" }.joined())
    }

    /// The end of the session is the end of the file that asks for it.
    @Test func filesThatEndTheSession() throws {
        let folder = try TemporaryFolder()
        for end in [".quit", "exit"] {
            _ = try folder.file("q", "n == 1\n\(end)\nn == 3\n")
            let run = try session(folder, [".mode ids", ".read 'FOLDER/q'", "n == 3"])
            #expect(run.output == "a\n" && run.status == 0, "\(run)")
        }
    }

    /// A field may be called as the word that leads to groups.
    @Test func aFieldThatIsCalledBy() throws {
        let folder = try TemporaryFolder()
        let run = try session(folder, [".mode csv", ".stats by n"])
        #expect(run.lines.first == "field,count,missing,distinct,min,max,sum,average", "\(run)")
        #expect(run.lines.dropFirst().map { $0.prefix { $0 != "," } } == ["by", "n"], "\(run)")
    }

    /// The plan of the last query is shown where no other is named.
    @Test func plansOfTheLastQuery() throws {
        let folder = try TemporaryFolder()
        let run = try session(folder, [".mode ids", "n == 1", ".explain"])
        #expect(run.output.hasPrefix("a\n") && run.output.contains("2, of which 1 match"), "\(run)")
        #expect(!run.errors.contains(".explain"), "\(run)")
        let none = try session(folder, [".explain"])
        #expect(none.output == "" && none.errors.contains(".explain off"), "\(none)")
    }

    /// What follows the last dot of a name tells the form; tables in files are as wide as they need be.
    @Test func exportedFiles() throws {
        let folder = try TemporaryFolder()
        let text = String(repeating: "long ", count: 40) + "end"
        _ = try folder.file("l.ndjson", "{\"id\":\"l\",\"t\":\"\(text)\"}\n")
        let run = try session(
            folder,
            ["n == 1", ".export FOLDER/r.old.csv", ".open FOLDER/l.ndjson", "t != nil", ".export FOLDER/r.txt"])
        #expect(run.status == 0, "\(run)")
        let lines = try String(contentsOfFile: folder.url.path + "/r.old.csv", encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2 && lines.last?.hasPrefix("a,") == true, "\(lines)")
        let table = try String(contentsOfFile: folder.url.path + "/r.txt", encoding: .utf8)
        #expect(table.contains(text), "\(table)")
    }

    /// The type that is asked for is a setting, and saved as others are.
    @Test func savedTypes() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("t.ndjson", "{\"id\":\"c\",\"type\":\"A\"}\n{\"id\":\"d\",\"type\":\"B\"}\n")
        let saved = folder.url.path + "/saved"
        let open = ".open 'FOLDER/t.ndjson'"
        let run = try session(folder, [open, ".type B", ".limit 5", ".save FOLDER/saved"])
        #expect(run.status == 0, "\(run)")
        let lines = try String(contentsOfFile: saved, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.dropFirst() == [".type B", ".limit 5"], "\(lines)")
        let again = try session(folder, [".mode ids", ".read FOLDER/saved", "TRUEPREDICATE"])
        #expect(again.output == "d\n", "\(again)")
        let off = try session(folder, [open, ".type B", ".type off", ".save FOLDER/saved"])
        #expect(off.status == 0, "\(off)")
        #expect(try String(contentsOfFile: saved, encoding: .utf8).split(separator: "\n").count == 1)
    }
}
