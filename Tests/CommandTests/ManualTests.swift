// Completion scripts and the manual page: what shells and man make of them.

import Foundation
import Testing

struct ManualTests {
    /// Shells that are here check the script made for them.
    @Test(arguments: ["bash", "zsh", "fish"])
    func scriptsAreWellFormed(_ shell: String) throws {
        let folder = try TemporaryFolder()
        let script = try CommandRun(["completions", shell])
        #expect(script.status == 0)
        for word in ["query", "completions", "geojson", "ndjson"] { #expect(script.output.contains(word), "\(word)") }
        let file = try folder.file("script", script.output)
        let run = try CommandRun(shell: "command -v \(shell) > /dev/null || exit 0; \(shell) -n '\(file)'")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors == "")
    }

    /// Words typed so far, and what bash offers.
    static let completions: [(words: String, offered: String)] = [
        ("que", "query"), ("query --lim", "--limit"), ("query --format geo", "geojson"), ("query -o c", "csv count"),
        ("query --format = geo", "geojson"), ("completions ''", "bash zsh fish"), ("help dist", "distance"),
        ("query x rec", "records.ndjson"), ("query --limit 1", ""), ("format -p rec", "records.ndjson"),
    ]

    @Test(arguments: completions)
    func bashCompletes(_ words: String, _ offered: String) throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("records.ndjson", "")
        let line = """
            cd '\(folder.url.path)' && $predicate completions bash > script && bash -c '. ./script
            COMP_WORDS=(predicate '"\(words)"'); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _predicate
            echo "${COMPREPLY[*]}"'
            """
        #expect(try CommandRun(shell: line).output == offered + "\n")
    }

    @Test func manualPageRenders() throws {
        let page = try CommandRun(["man"]).output
        let folder = try TemporaryFolder()
        let file = try folder.file("predicate.1", page)
        for name in ["query", "format", "--skip\\-bad\\-lines".replacing("--", with: "\\-\\-"), "NO_COLOR"] {
            #expect(page.contains(name), "\(name)")
        }
        let run = try CommandRun(
            shell: "command -v man > /dev/null || exit 0; MANWIDTH=80 man --warnings -l '\(file)' > '\(file).txt'")
        #expect(run.status == 0)
        #expect(run.errors == "")
        guard let text = try? String(contentsOfFile: file + ".txt", encoding: .utf8), !text.isEmpty else { return }
        #expect(text.contains("EXIT STATUS") && text.contains("predicate query"))
    }
}
