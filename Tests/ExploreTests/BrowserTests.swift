// The page in real browsers, where they are installed: .ci/setup-browser.

import ExploreServer
import Foundation
import RecordDatabase
import Testing
import _TestSupport

@testable import Campaigns

private let python = "\(ProjectFiles.root)/.build/browser/bin/python"

@Suite(.timeLimit(.minutes(5))) struct BrowserTests {
    private static func has(_ browser: String) -> Bool { MachineTools.has(python) && MachineTools.has(browser) }

    /// Records with markup in their texts, references among them, and places.
    private static func record(_ number: Int) -> Record {
        var record = Record(type: "Note", id: Record.ID("note-\(number)"))
        record["country"] = .string(["CH", "AT", "DE", "FR"][number % 4])
        record["amount"] = .int64(Int64(number % 50))
        record["title"] = .string(number % 5 == 0 ? "<img src=x onerror=alert(1)> \(number)" : "Note \(number)")
        record["place"] = .location(
            Location(latitude: Double(number * 7 % 160) - 80, longitude: Double(number * 13 % 350) - 175))
        if number % 3 == 1 { record["owner"] = .reference(RecordReference("note-\(number - 1)", action: .none)) }
        return record
    }

    @Test(.enabled(if: has("/usr/bin/chromium"), "Chromium with Playwright is missing: .ci/setup-browser"))
    func thePageInChromium() async throws { try await use("page.py", checks: 65) }

    @Test(.enabled(if: has("/usr/bin/firefox-esr"), "Firefox is missing: .ci/setup-browser"))
    func thePageInFirefox() async throws { try await use("firefox.py", checks: 15) }

    /// Records whose texts, names of fields and types would do something if they were taken as markup.
    private static func hostileRecord(_ number: Int) -> Record {
        let markup = [
            "<img src=x onerror=alert(1)>", "<script>alert(2)</script>", "javascript:alert(3)",
            "\"><svg onload=alert(4)>", "</textarea><iframe srcdoc='<script>parent.alert(5)</script>'>",
            "{{7*7}}${7*7}",
        ]
        let text = markup[number % markup.count]
        var record = Record(type: number % 2 == 0 ? "<b onclick=alert(6)>T" : "T", id: Record.ID("\(text)\(number)"))
        record["title"] = .string(text)
        record["<svg onload=alert(7)>"] = .string(text)
        record["amount"] = .int64(Int64(number))
        record["tags"] = .list(markup.map { .string($0) })
        record["place"] = .location(Location(latitude: Double(number), longitude: Double(number)))
        record["owner"] = .reference(RecordReference("\(markup[0])0", action: .none))
        return record
    }

    @Test(.enabled(if: has("/usr/bin/chromium"), "Chromium with Playwright is missing: .ci/setup-browser"))
    func othersGetNothingInChromium() async throws {
        let set = try RecordSet(records: (0..<60).map(Self.hostileRecord))
        let server = try ExploreServer(set, name: "<iframe srcdoc='<script>parent.alert(8)</script>'>.ndjson")
        try await run("security.py", server, checks: 55)
    }

    /// Runs a script over a page of its own, and saves a record when it says so.
    /// - Parameter checks: So many of its checks must pass.
    private func use(_ script: String, checks: Int) async throws {
        let container = try Container(identifier: "explore-tests")
        let database = container.privateDatabase
        _ = try await database.modifyRecords(saving: (0..<300).map(Self.record), deleting: [])
        let server = try ExploreServer(database, name: "notes")
        try await run(script, server, checks: checks) {
            var record = Record(type: "Note", id: Record.ID("new"))
            record["amount"] = 4711
            _ = try await database.save(record)
        }
    }

    private func run(
        _ script: String, _ server: ExploreServer, checks: Int, save: () async throws -> Void = {}
    ) async throws {
        // Where somebody wants to look at the page: the folder that pictures of it are put into.
        let pictures = ProcessInfo.processInfo.environment["EXPLORE_PICTURES"].map { [$0] } ?? []
        let path = "\(ProjectFiles.root)/Tests/ExploreTests/Browser/\(script)"
        let (reading, writing) = try #require(ChildProcess.pipe())
        defer { close(reading) }
        let process = ChildProcess.start(
            [python, "-B", path, server.address] + pictures, descriptors: [1: writing, 2: writing])
        close(writing)
        let child = try #require(process)
        var output = ""
        var isSaved = false
        while let piece = ChildProcess.read(reading) {
            output += String(decoding: piece, as: UTF8.self)
            guard !isSaved, output.contains("\nsave\n") else { continue }
            isSaved = true
            try await save()
        }
        let told = output.split(separator: "\n")
        #expect(child.wait() == 0, "\(told.joined(separator: "\n"))")
        let passed = told.count { $0.hasPrefix("ok ") }
        #expect(passed >= checks, "\(told.joined(separator: "\n"))")
    }
}
