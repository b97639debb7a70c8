// predicate explore as a program of its own: its address, its page, its end.

import Foundation
import Testing

@testable import Campaigns

@Suite(.timeLimit(.minutes(2))) struct ExploreCommandTests {
    private static let records = #"{"id":"a","n":1}"# + "\n" + #"{"id":"b","n":2}"# + "\n"

    /// A command that serves, and what it printed.
    private struct Serving {
        let process: ChildProcess
        let address: String
        let port: UInt16
        let key: String
        private let output: Int32

        /// - Parameter files: So many files it may have open; `nil` for as many as this process.
        init(_ arguments: [String], environment: [String: String?] = [:], files: Int? = nil) throws {
            let (reading, writing) = try #require(ChildProcess.pipe())
            let shell = files.map { ["/bin/sh", "-c", "ulimit -n \($0); exec \"$0\" \"$@\""] } ?? []
            process = try #require(
                ChildProcess.start(
                    shell + [CommandRun.executable, "explore"] + arguments, environment: environment,
                    descriptors: [1: writing]))
            close(writing)
            output = reading
            var bytes: [UInt8] = []
            while !bytes.contains(0x0A), let piece = ChildProcess.read(reading) { bytes += piece }
            address = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
            let parts = address.components(separatedBy: "/#key=")
            key = parts.count == 2 ? parts[1] : ""
            port = parts[0].split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        }

        /// The reply to a call of the page.
        func call(_ path: String, _ body: String, key: String? = nil) -> String {
            SocketClient.exchange(
                port,
                "POST /api/\(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nContent-Type: application/json\r\n"
                    + "Authorization: Bearer \(key ?? self.key)\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n" + body)
        }

        func page(_ path: String) -> String {
            SocketClient.exchange(
                port, "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n")
        }

        /// Ticks of processor time that it used.
        func processorTicks() throws -> Int {
            let text = try String(contentsOfFile: "/proc/\(process.identifier)/stat", encoding: .utf8)
            let numbers = text.split(separator: ")").last?.split(separator: " ") ?? []
            return try #require(Int(numbers[11])) + #require(Int(numbers[12]))
        }

        /// How many files it has open.
        func openFileCount() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.identifier)/fd").count
        }

        /// How many of them are sockets: one listens, the others are connections.
        func socketCount() throws -> Int {
            let folder = "/proc/\(process.identifier)/fd"
            return try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
                // Files that were closed since are none.
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?
                    .hasPrefix("socket:") == true
            }.count
        }

        /// Interrupts it as Control-C does.
        /// - Returns: Its exit status; `nil` where a signal ended it.
        func interrupted(by signal: Int32 = SIGINT) -> Int32? {
            process.signal(signal)
            let end = process.wait()
            close(output)
            return end & 0x7F == 0 ? end >> 8 & 0xFF : nil
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func addressPageKeyAndEnd(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", Self.records)
        let serving = try Serving([file, "--no-open"])
        #expect(serving.address == "http://127.0.0.1:\(serving.port)/#key=\(serving.key)")
        #expect(serving.port > 0 && serving.key.utf8.count == 43, "\(serving.address)")
        #expect(serving.page("/").contains("<!doctype html>"))
        #expect(serving.call("about", "{}").contains(#""records":2"#))
        #expect(serving.call("query", #"{"text":"n > 1","fields":["n"]}"#).contains(#""matched":1"#))
        for wrong in ["", "x", String(serving.key.dropLast()), serving.key + "x"] {
            let reply = serving.call("about", "{}", key: wrong)
            #expect(reply.hasPrefix("HTTP/1.1 401") && !reply.contains("records"), "\(reply)")
        }
        // A reader who stays is cut off.
        let listener = try listener(serving, "n > 1")
        #expect(serving.interrupted(by: signal) == 0)
        #expect(SocketClient(port: serving.port) == nil)
        listener.hangUp()
    }

    private func listener(_ serving: Serving, _ query: String) throws -> SocketClient {
        let listener = try #require(SocketClient(port: serving.port, seconds: 100))
        let body = #"{"query":{"text":"\#(query)"}}"#
        listener.send(
            "POST /api/events HTTP/1.1\r\nHost: 127.0.0.1:\(serving.port)\r\nContent-Type: application/json\r\n"
                + "Authorization: Bearer \(serving.key)\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body)
        #expect(listener.read(until: #"data: {"version":1"#).contains("event: set"))
        return listener
    }

    /// What another process appends to a file, or saves in a store, is shown and told.
    @Test func whatOthersWrite() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", Self.records)
        let more = try folder.file("more.ndjson", #"{"id":"c","n":3}"# + "\n" + #"{"id":"d","n":0}"# + "\n")
        let store = folder.url.appendingPathComponent("n.store").path
        #expect(try CommandRun(["import", store, file]).status == 0)
        for place in [file, store] {
            let serving = try Serving([place, "--no-open"])
            let listener = try listener(serving, "n > 1")
            let isFile = place == file
            let writing = isFile ? "cat '\(more)' >> '\(file)'" : "$predicate import -q '\(store)' '\(more)'"
            #expect(try CommandRun(shell: writing).status == 0)
            let told = listener.read(until: #""records":4"#)
            #expect(told.contains(#"{"new":1,"changed":0,"gone":0}"#), "\(told)")
            #expect(serving.call("query", #"{"text":"n > 1"}"#).contains(#""matched":2"#))
            #expect(serving.call("query", #"{"text":""}"#).contains(#""matched":4"#))
            #expect(serving.interrupted() == 0)
        }
    }

    /// The file that leads the browser on is private, and is gone as soon as the page has called.
    @Test func theFileOfTheAddress() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", Self.records)
        let place = folder.url.appendingPathComponent("run")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        func pages() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: place.path) }
        let environment: [String: String?] = [
            "XDG_RUNTIME_DIR": place.path, "DISPLAY": nil, "WAYLAND_DISPLAY": nil,
        ]
        let serving = try Serving([file], environment: environment)
        let names = try pages()
        let path = place.appendingPathComponent(try #require(names.first)).path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        _ = serving.page("/")
        #expect(try pages() == names, "who has no key takes nothing away")
        #expect(serving.call("about", "{}", key: "wrong").hasPrefix("HTTP/1.1 401"))
        #expect(try pages() == names)
        #expect(try String(contentsOfFile: path, encoding: .utf8).contains("url=\(serving.address)\""))
        _ = serving.call("about", "{}")
        #expect(try pages().isEmpty)
        #expect(serving.interrupted() == 0)

        // Nobody came: it goes with the server.
        let unseen = try Serving([file], environment: environment)
        #expect(try pages().count == 1)
        #expect(unseen.interrupted() == 0)
        #expect(try pages().isEmpty)
    }

    @Test func whatCannotBeServed() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", Self.records)
        let serving = try Serving([file, "--no-open"])
        let taken = try CommandRun(["explore", file, "--no-open", "--port", String(serving.port)])
        #expect(taken.status == 4 && taken.output.isEmpty, "\(taken.status)")
        #expect(taken.errors.contains("cannot listen on 127.0.0.1") && taken.errors.contains("choose another port"))
        #expect(serving.interrupted() == 0)
        for (arguments, status, words) in [
            ([file, "--port", "99999"], 2, "99999 is no port"), ([file, "--port", "x"], 2, "--port"),
            (["none.ndjson"], 4, "none.ndjson"), ([file, "--time-limit", "-1"], 2, "--time-limit"),
        ] {
            let run = try CommandRun(["explore", "--no-open"] + arguments)
            #expect(run.status == Int32(status) && run.output.isEmpty, "\(arguments): \(run.status)")
            #expect(run.errors.contains(words), "\(run.errors)")
        }
    }

    /// Whatever a page requests, the files of a store stay as they are, and none is added.
    @Test func theStoreIsOnlyRead() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", Self.records)
        let store = folder.url.appendingPathComponent("n.store")
        #expect(try CommandRun(["import", store.path, file]).status == 0)
        func files() throws -> [String: [String]] {
            var files: [String: [String]] = [:]
            // Readers enter themselves in the table of locks, and leave it.
            for name in try FileManager.default.subpathsOfDirectory(atPath: store.path) where name != "lock.mdb" {
                let path = store.appendingPathComponent(name).path
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                let bytes = FileManager.default.contents(atPath: path)?.base64EncodedString() ?? ""
                let keys: [FileAttributeKey] = [.modificationDate, .posixPermissions, .systemFileNumber]
                files[name] = keys.map { "\(attributes[$0] ?? "")" } + [bytes]
            }
            return files
        }
        let before = try files()
        #expect(!before.isEmpty)
        let serving = try Serving([store.path, "--no-open"])
        let listener = try listener(serving, "n > 1")
        for (call, body) in [
            ("about", "{}"), ("query", #"{"text":"n > 0","values":["n"],"spread":"n","plan":true,"sort":["n:desc"]}"#),
            ("rows", #"{"result":"1.1","from":0,"count":2,"fields":["n"]}"#), ("record", #"{"id":"a"}"#),
            ("complete", #"{"text":"n","cursor":1}"#),
            ("edit", #"{"text":"","edits":[{"toggle":{"field":"n","value":"1"}}]}"#),
            ("values", #"{"text":"","field":"n","limit":5}"#), ("translate", #"{"text":"n == 1","to":"SQL"}"#),
        ] {
            #expect(serving.call(call, body).hasPrefix("HTTP/1.1 200"), "\(call)")
        }
        for call in ["save", "delete", "import", "compact", "query/../save"] {
            #expect(serving.call(call, #"{"id":"a","n":3}"#).hasPrefix("HTTP/1.1 404"), "\(call)")
        }
        let ticket = SocketReply(serving.call("export", #"{"text":"","format":"csv"}"#))?.body ?? ""
        let path = try #require(ticket.split(separator: "\"").last { $0.hasPrefix("/export/") })
        #expect(serving.page(String(path)).hasPrefix("HTTP/1.1 200"))
        usleep(500_000)
        #expect(try files() == before)
        listener.hangUp()
        #expect(serving.interrupted() == 0)
        #expect(try files() == before)
    }

    /// Where silent connections use up the files that the process may have, it keeps some for itself, waits without
    /// turning in circles, and serves again when they go.
    @Test func moreConnectionsThanFiles() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", Self.records)
        let serving = try Serving([file, "--no-open"], files: 128)
        // As many as may wait where the process does not take them in yet: more would be connected seconds later.
        let silent = (0..<120).compactMap { _ in SocketClient(port: serving.port) }
        #expect(silent.count == 120)
        // A process among many others that compute takes them in later.
        var (count, still) = (0, 0)
        for _ in 0..<300 where still < 10 {
            let now = try serving.socketCount()
            (count, still) = (now, now == count && now >= 65 ? still + 1 : 0)
            usleep(100_000)
        }
        let before = try serving.processorTicks()
        usleep(1_000_000)
        // Of the hundred ticks of a second.
        #expect(try serving.processorTicks() - before < 20)
        let taken = try serving.socketCount()
        #expect((65...98).contains(taken), "\(taken)")
        // A sweep, once a second, lets no more in. Dispatch ends a process that has no file left.
        usleep(2_000_000)
        #expect(try serving.socketCount() == taken)
        #expect(try serving.openFileCount() < 128)
        for connection in silent { connection.hangUp() }
        #expect(serving.call("about", "{}").contains(#""records":2"#))
        #expect(serving.interrupted() == 0)
    }
}
