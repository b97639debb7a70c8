// The page in a real browser, where one is installed: .ci/setup-browser.

import ExploreServer
import Foundation
import RecordDatabase
import Testing
import _TestSupport

private let python = "\(ProjectFiles.root)/.build/browser/bin/python"

@Suite(.timeLimit(.minutes(5))) struct BrowserTests {
    private static let hasBrowser = MachineTools.has(python) && MachineTools.has("/usr/bin/chromium")

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

    @Test(.enabled(if: hasBrowser, "a browser with Playwright is missing: .ci/setup-browser"))
    func thePageInChromium() async throws {
        let container = try Container(identifier: "explore-tests")
        let database = container.privateDatabase
        _ = try await database.modifyRecords(saving: (0..<300).map(Self.record), deleting: [])
        let server = try ExploreServer(database, name: "notes")
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = ["\(ProjectFiles.root)/Tests/ExploreTests/Browser/page.py", server.address]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        var output = ""
        var isSaved = false
        while case let piece = pipe.fileHandleForReading.availableData, !piece.isEmpty {
            output += String(decoding: piece, as: UTF8.self)
            guard !isSaved, output.contains("\nsave\n") else { continue }
            isSaved = true
            var record = Record(type: "Note", id: Record.ID("new"))
            record["amount"] = 4711
            _ = try await database.save(record)
        }
        let told = output.split(separator: "\n")
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(told.joined(separator: "\n"))")
        #expect(told.count { $0.hasPrefix("ok ") } > 40, "\(told.joined(separator: "\n"))")
    }
}
