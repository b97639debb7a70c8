// Completion scripts and the manual page: what shells and man make of them.

import Foundation
import Testing
import _TestSupport

struct ManualTests {
    @Test(arguments: ["bash", "zsh", "fish"])
    func scriptsNameCommandsAndFormats(_ shell: String) throws {
        let script = try CommandRun(["completions", shell])
        #expect(script.status == 0)
        for word in ["query", "completions", "geojson", "ndjson"] { #expect(script.output.contains(word), "\(word)") }
    }

    @Test(.requires(program: "bash")) func bashReadsItsScript() throws { try check(by: "bash") }
    @Test(.requires(program: "zsh")) func zshReadsItsScript() throws { try check(by: "zsh") }
    @Test(.requires(program: "fish")) func fishReadsItsScript() throws { try check(by: "fish") }

    /// A shell checks the script made for it.
    private func check(by shell: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("script", try CommandRun(["completions", shell]).output)
        let run = try CommandRun(shell: "\(shell) -n '\(file)'")
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

    @Test func manualPageNamesOptions() throws {
        let page = try CommandRun(["man"]).output
        for name in ["query", "format", "--skip\\-bad\\-lines".replacing("--", with: "\\-\\-"), "NO_COLOR"] {
            #expect(page.contains(name), "\(name)")
        }
    }

    @Test(.requires(program: "man")) func manualPageRenders() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("predicate.1", try CommandRun(["man"]).output)
        let run = try CommandRun(shell: "MANWIDTH=80 man --warnings -l '\(file)'")
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        #expect(run.output.contains("EXIT STATUS") && run.output.contains("predicate query"))
    }
}
