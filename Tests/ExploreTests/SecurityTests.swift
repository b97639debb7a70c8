// Who gets nothing from the server, and who does not stop it: over real connections, with the right key.

import Campaigns
import Foundation
import RecordDatabase
import Testing
import _TestSupport

@testable import ExploreServer

@Suite(.waits, .timeLimit(.minutes(2))) struct SecurityTests {
    private static let secret = "the text that nobody else may read"

    private static func server(records: Int = 3, text: String = secret) throws -> ExploreServer {
        let records = (0..<records).map { number in
            var record = Record(type: "T", id: Record.ID("r\(number)"))
            record["text"] = .string(text)
            return record
        }
        return try ExploreServer(try RecordSet(records: records), name: "secrets")
    }

    /// A request with the key, with some headers in the place of the page's own; `nil` takes one away.
    private static func request(
        _ client: PageClient, _ changes: [String: String?], method: String = "POST", path: String = "/api/query",
        body: String = #"{"text":"","fields":["text"]}"#
    ) -> String {
        var headers: [String: String?] = [
            "Host": "127.0.0.1:\(client.port)", "Content-Type": "application/json",
            "Authorization": "Bearer \(client.key)", "Content-Length": "\(body.utf8.count)", "Connection": "close",
        ]
        headers.merge(changes) { $1 }
        let lines = headers.sorted { $0.key < $1.key }.compactMap { name, value in
            value.map { "\(name): \($0.replacing("PORT", with: "\(client.port)"))\r\n" }
        }
        return SocketClient.exchange(client.port, "\(method) \(path) HTTP/1.1\r\n\(lines.joined())\r\n\(body)")
    }

    @Test func itListensOnThisMachineAlone() throws {
        let server = try Self.server()
        let port = String(server.port, radix: 16, uppercase: true)
        let hex = String(repeating: "0", count: 4 - port.count) + port
        var listening: [String] = []
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let text = try? String(contentsOfFile: table, encoding: .utf8) else { continue }
            for line in text.split(separator: "\n").dropFirst() {
                let columns = line.split(separator: " ")
                // 0A is LISTEN.
                if columns[3] == "0A", columns[1].hasSuffix(":\(hex)") { listening.append(String(columns[1])) }
            }
        }
        #expect(listening == ["0100007F:\(hex)"])
        #expect(SocketClient(port: server.port) != nil)
        #expect(SocketClient(port: server.port, host: 0x7F00_0002) == nil)
    }

    /// What is changed of a request that would be replied to, and the status it gets.
    private static let requests: [(changes: [String: String?], status: Int)] = [
        ([:], 200), (["Host": "localhost:PORT"], 200), (["Origin": "http://127.0.0.1:PORT"], 200),
        (["Sec-Fetch-Site": "same-origin"], 200),
        (["Host": "evil.example:PORT"], 421), (["Host": "evil.example"], 421), (["Host": nil], 421),
        (["Host": "127.0.0.1:1"], 421), (["Host": "127.0.0.1.evil.example:PORT"], 421),
        (["Host": "evil.example:PORT", "Origin": "http://evil.example:PORT"], 421),
        (["Origin": "http://evil.example"], 403), (["Origin": "null"], 403), (["Origin": "http://127.0.0.1:1"], 403),
        (["Origin": "https://127.0.0.1:PORT"], 403), (["Origin": "http://localhost:PORT"], 403),
        (["Sec-Fetch-Site": "cross-site"], 403), (["Sec-Fetch-Site": "same-site"], 403),
        (["Authorization": nil], 401), (["Authorization": "Bearer "], 401), (["Authorization": "Bearer x"], 401),
        (["Authorization": nil, "Cookie": "key=PORT"], 401),
        (["Content-Type": nil], 415), (["Content-Type": "text/plain"], 415),
        (["Content-Type": "application/x-www-form-urlencoded"], 415),
    ]

    @Test func onlyThePageGetsReplies() throws {
        let server = try Self.server()
        let client = try PageClient(server)
        for (changes, status) in Self.requests {
            let reply = Self.request(client, changes)
            #expect(SocketReply(reply)?.status == status, "\(changes): \(reply.prefix(60))")
            #expect(reply.contains(Self.secret) == (status == 200), "\(changes)")
            #expect(!reply.lowercased().contains("access-control-"), "\(changes)")
        }
        for method in ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "CONNECT", "BREW"] {
            let reply = Self.request(client, [:], method: method)
            #expect(reply.isEmpty || reply.contains(" 405 ") || reply.contains(" 501 "), "\(method): \(reply)")
            #expect(!reply.contains(Self.secret) && !reply.lowercased().contains("access-control-"), "\(method)")
        }
        #expect(try !Self.server().address.contains(client.key), "each server has a key of its own")
    }

    /// The page's own rules go with everything that is sent.
    @Test func everyReplyHasTheHeaders() throws {
        let server = try Self.server()
        let client = try PageClient(server)
        let path = try #require(try client.call("export", ["text": "", "format": "csv"])["path"] as? String)
        let files = PageFile.all.keys.sorted() + ["/none", path]
        var replies = files.map { ($0, Self.request(client, [:], method: "GET", path: $0, body: "")) }
        for call in ["about", "query", "complete", "none"] {
            replies.append((call, Self.request(client, [:], path: "/api/\(call)")))
        }
        replies.append(("no key", Self.request(client, ["Authorization": nil])))
        replies.append(("no JSON", Self.request(client, [:], body: "[")))
        for (name, reply) in replies {
            let head = reply.prefix(upTo: reply.firstRange(of: "\r\n\r\n")?.lowerBound ?? reply.startIndex)
            for line in [
                "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; ",
                "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n",
                "Cross-Origin-Opener-Policy: same-origin\r\n", "Cross-Origin-Resource-Policy: same-origin\r\n",
                "X-Content-Type-Options: nosniff\r\n", "X-Frame-Options: DENY\r\n", "Referrer-Policy: no-referrer\r\n",
                "Cache-Control: no-store",
            ] {
                #expect((head + "\r\n").contains(line), "\(name): \(line)")
            }
            #expect(!head.contains("Set-Cookie"), "\(name)")
        }
    }

    /// No path leads to a file of the machine, whether the page is in the program or in a folder.
    @Test(arguments: [false, true])
    func pathsLeadNowhere(hasFolder: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID().uuidString)")
        let inner = folder.appending(path: "page")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for place in [folder, inner] {
            try Data(Self.secret.utf8).write(to: place.appending(path: "secret.txt"))
        }
        let source = ExploredRecords(name: "t", version: { nil }, load: { nil })
        let options = ExploreServer.Options(page: hasFolder ? inner.path : nil)
        let records = try RecordSet(records: [Record(type: "T", id: Record.ID("a"))])
        let server = try ExploreServer(source, records, options: options)
        let client = try PageClient(server)
        for path in [
            "/secret.txt", "/../secret.txt", "/./../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt",
            "/..\\secret.txt", "//secret.txt", "/explore.js/../secret.txt", "/explore.js%00/../secret.txt",
            "/explore.js/../../secret.txt", "/....//secret.txt", "/.", "/..", "/etc/passwd", "//etc/passwd",
            "/../../../../../../../../etc/passwd", "file:///etc/passwd", "/export/../secret.txt",
            "/export/x/secret.txt",
            "/export/../../etc/passwd",
            "http://127.0.0.1/secret.txt", "*", "/explore%2ejs", "/EXPLORE.JS",
        ] {
            let reply = SocketClient.exchange(
                client.port,
                "GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nConnection: close\r\n\r\n")
            #expect(!reply.contains(" 200 ") && !reply.contains(Self.secret) && !reply.contains("root:"), "\(path)")
        }
        #expect(try client.get("/explore.js").status == 200)
    }

    /// At the limits of heads and bodies all is well; beyond them a request is refused, and the next one is served.
    @Test func requestsThatAreTooLarge() throws {
        let server = try Self.server()
        let client = try PageClient(server)
        func body(_ count: Int) -> String {
            let start = #"{"text":""#
            return start + String(repeating: " ", count: count - start.utf8.count - 2) + #""}"#
        }
        let limit = 1 << 20
        for (headers, bytes, isServed) in [
            (0, limit, true), (0, limit + 1, false), (0, 4 * limit, false), (15_000, 100, true), (17_000, 100, false),
            (1_000_000, 100, false),
        ] {
            let padding = headers == 0 ? [:] : ["X-Padding": String(repeating: "a", count: headers)]
            let reply = Self.request(client, padding, body: body(bytes))
            // A text of so many blanks is a predicate of none.
            #expect(reply.contains("HTTP/1.1 200 ") == isServed, "\(headers), \(bytes): \(reply.prefix(80))")
            #expect(try client.call("about", [:])["records"] as? Int == 3)
        }
        let many = (0..<2000).map { "X-\($0): a\r\n" }.joined()
        let head = "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nConnection: close\r\n\(many)\r\n"
        #expect(!SocketClient.exchange(client.port, head).contains(" 200 "))
        // A length that is only claimed makes it wait, and keep nothing ready.
        let claiming = try #require(SocketClient(port: client.port))
        claiming.send("POST /api/query HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nContent-Length: 999999999\r\n\r\n")
        #expect(try client.call("about", [:])["records"] as? Int == 3)
    }

    @Test func silentConnectionsDoNotStopIt() throws {
        let server = try Self.server()
        let client = try PageClient(server)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if limit.rlim_cur < 4096 {
            limit.rlim_cur = min(limit.rlim_max, 4096)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        let silent = (0..<1500).compactMap { number in
            let connection = SocketClient(port: client.port)
            // Some of them begin to speak.
            if number % 3 == 0 { connection?.send("POST /api/query HTTP/1.1\r\nHost: ") }
            return connection
        }
        #expect(silent.count == 1500)
        let began = ContinuousClock.now
        for _ in 0..<20 {
            #expect(try client.query(["text": ""])["count"]?.first?["matched"] as? Int == 3)
        }
        #expect(ContinuousClock.now - began < .seconds(10))
        for connection in silent { connection.hangUp() }
        #expect(try client.get("/").status == 200)
    }

    /// More slow readers than there are processors, each of a file of many megabytes.
    @Test func slowReadersDoNotHoldUpOthers() throws {
        let text = String(repeating: "0123456789", count: 1000)
        let server = try Self.server(records: 2000, text: text)
        let client = try PageClient(server)
        let readers = try (0..<12).map { _ in
            let path = try #require(try client.call("export", ["text": "", "format": "ndjson"])["path"] as? String)
            let reader = try #require(SocketClient(port: client.port, seconds: 60))
            reader.send("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(client.port)\r\nConnection: close\r\n\r\n")
            #expect(reader.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 200"))
            return reader
        }
        let began = ContinuousClock.now
        for _ in 0..<20 {
            let parts = try client.query(["text": "text BEGINSWITH '01'", "values": ["text"]])
            #expect(parts["count"]?.first?["matched"] as? Int == 2000)
        }
        #expect(ContinuousClock.now - began < .seconds(20))
        // The first of them begins to read, and gets the rest.
        let rest = try #require(readers.first).read()
        #expect(rest.utf8.count > 19_000_000 && rest.hasSuffix("0\r\n\r\n"))
        for reader in readers { reader.hangUp() }
        #expect(try client.call("about", [:])["records"] as? Int == 2000)
    }
}
