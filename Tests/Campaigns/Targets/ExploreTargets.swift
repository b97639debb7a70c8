// What pages may send to the server that shows records: JSON for each of its calls, and bytes to its port.

import ExploreServer
import RecordDatabase
import RecordFiles
import RecordModel

/// A server over a few records, and what it has to reply.
private struct ExploredSample: Sendable {
    static let shared = try? ExploredSample()
    static let calls = [
        "about", "query", "rows", "record", "complete", "edit", "values", "translate", "export", "events",
    ]

    let server: ExploreServer
    let client: PageCalls
    private let set: RecordSet

    private init() throws {
        var source = RandomRecords(SeededGenerator(seed: 17))
        set = try RecordSet(records: source.records(60))
        server = try ExploreServer(set, name: "sample")
        guard let client = PageCalls(address: server.address) else {
            throw DatabaseError(.internalError, server.address)
        }
        self.client = client
    }

    /// The bytes with `PORT` and `KEY` replaced: both are new in each process.
    func filled(_ bytes: [UInt8]) -> [UInt8] {
        bytes.replacing(Array("PORT".utf8), with: Array(String(server.port).utf8))
            .replacing(Array("KEY".utf8), with: Array(client.key.utf8))
    }

    /// The reply to a call; asked for once more where none came in time, as on a machine whose processors are taken.
    func reply(to call: String, _ body: [UInt8]) -> SocketReply? {
        client.reply(to: call, body) ?? client.reply(to: call, body)
    }

    /// Whether the next reader gets the page, if not at once.
    var isServing: Bool { (0..<2).contains { _ in client.file("/")?.status == 200 } }

    /// Whether a reply is what the call may reply with; `nil` where what it leads to did not come in time.
    func outcome(of call: String, _ json: JSONValue, _ reply: SocketReply) -> FuzzOutcome? {
        guard [200, 400, 404, 410, 422].contains(reply.status) else { return .finding("status \(reply.status)") }
        if call == "events" { return reply.status == 200 ? .accepted : .rejected }
        let lines = reply.body.utf8.split(separator: 0x0A).map { try? JSONReader.tree(Array($0)) }
        guard !lines.isEmpty, !lines.contains(nil) else { return .finding("\(call): the reply is no JSON") }
        // What earlier calls left decides whether there is a result under a name.
        if reply.status != 200 || call == "rows" { return .rejected }
        switch call {
        case "query": return outcome(ofQuery: json, lines.compactMap { $0 })
        case "export":
            guard case .string(let path)? = lines[0]?["path"] else { return .finding("an export without a path") }
            // A file is given once, so that one that did not come in time cannot be asked for again.
            guard let file = client.file(path) else { return nil }
            guard file.status <= 422 else { return .finding("an export of status \(file.status)") }
            return client.file(path)?.status == 404 ? .accepted : .finding("an export can be taken twice")
        default: return .accepted
        }
    }

    /// The parts of a query: the last one says so, and the count is that of the set.
    private func outcome(ofQuery json: JSONValue, _ parts: [JSONValue]) -> FuzzOutcome {
        guard parts.first?["part"] == .string("check"), parts.last?["part"] == .string("done") else {
            return .finding("a query without its first or last part")
        }
        guard case .int64(let matched)? = parts.first(where: { $0["part"] == .string("count") })?["matched"] else {
            return .accepted
        }
        guard case .string(let text)? = json["text"], json["variables"] == nil, json["type"] == nil,
            let predicate = try? RecordPredicate(text, [], dialect: .full)
        else { return .accepted }
        var records = set
        records.allowsUnknownFields = true
        guard let count = try? records.count(matching: predicate) else { return .accepted }
        return count == Int(matched) ? .accepted : .finding("\(matched) match '\(text)', and the set has \(count)")
    }
}

extension FuzzTarget {
    private static let pageWords = JSONMutator(words: [
        "call", "body", "text", "variables", "type", "sort", "fields", "rows", "cursor", "map", "values", "spread",
        "plan", "result", "from", "count", "ordinal", "version", "id", "edits", "field", "limit", "format", "to", "box",
        "columns", "toggle", "value", "isNot", "range", "isDate", "circle", "latitude", "longitude", "radius", "remove",
        "join", "query", "relevance", "distance(place,1,2)", "whole:desc", "ndjson", "csv", "tags", "place", "date",
    ])

    private static let pageCalls: [String] = [
        #"{"call":"about","body":{}}"#,
        #"{"call":"query","body":{"text":"whole > 3","fields":["whole","text"],"sort":["whole:desc"],"rows":10}}"#,
        #"{"call":"query","body":{"text":"text CONTAINS 'a'","values":["text","tags"],"spread":"whole","plan":true}}"#,
        ##"{"call":"query","body":{"text":"","cursor":0,"map":{"field":"place","box":[-90,-180,90,180],"columns":9}}}"##,
        #"{"call":"query","body":{"text":"SELECT * FROM t WHERE a = 1","cursor":3}}"#,
        #"{"call":"query","body":{"text":"whole > $x","variables":{"x":3},"sort":["distance(place,1,2)"]}}"#,
        #"{"call":"rows","body":{"result":"1.1","from":3,"count":5,"fields":["whole"]}}"#,
        #"{"call":"record","body":{"version":1,"ordinal":7}}"#, #"{"call":"record","body":{"id":"r3"}}"#,
        #"{"call":"complete","body":{"text":"te AND 1 == 1","cursor":2}}"#,
        #"{"call":"edit","body":{"text":"a == 1 OR b == 2","edits":[{"toggle":{"field":"text","value":"'x'"}}]}}"#,
        #"{"call":"edit","body":{"text":"","edits":[{"range":{"field":"date","from":0,"to":86400,"isDate":true}}]}}"#,
        #"{"call":"edit","body":{"text":"a == 1 AND b == 2","edits":[{"remove":0},{"join":"c == 3 OR d == 4"}]}}"#,
        #"{"call":"edit","body":{"edits":[{"circle":{"field":"place","latitude":1,"longitude":2,"radius":3000}}]}}"#,
        #"{"call":"values","body":{"text":"whole > 1","field":"tags","limit":20}}"#,
        #"{"call":"translate","body":{"text":"a == 1","to":"SQL"}}"#,
        #"{"call":"export","body":{"text":"whole > 1","sort":["whole"],"format":"csv"}}"#,
        #"{"call":"events","body":{"query":{"text":"whole > 1"}}}"#,
    ]

    static let explore = FuzzTarget(
        name: "explore", summary: "JSON of a page's calls: each has its reply, and queries count what the set counts",
        run: { bytes in
            guard let sample = ExploredSample.shared else { return .finding("the server does not start") }
            guard let json = try? JSONReader.tree(bytes), case .string(let call)? = json["call"],
                ExploredSample.calls.contains(call), let body = json["body"]
            else {
                guard let reply = sample.reply(to: "query", bytes) else { return .finding("no reply") }
                return [200, 400].contains(reply.status) ? .rejected : .finding("status \(reply.status)")
            }
            var writer = JSONWriter()
            writer.write(body)
            for _ in 0..<2 {
                guard let reply = sample.reply(to: call, writer.bytes) else { return .finding("no reply to \(call)") }
                if let outcome = sample.outcome(of: call, body, reply) { return outcome }
            }
            return .finding("an export without a file, twice")
        },
        seeds: { pageCalls.map { Array($0.utf8) } },
        mutated: { pageWords.mutated($0, predicates: "text", using: &$1) })

    private static let requestTexts = [
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
        "GET /explore.js HTTP/1.1\r\nHost: localhost:PORT\r\nConnection: keep-alive\r\n\r\n"
            + "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
        "POST /api/about HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer KEY\r\n"
            + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
        "POST /api/query HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nAuthorization: Bearer KEY\r\n"
            + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "POST /api/query HTTP/1.0\r\nHost: 127.0.0.1:PORT\r\n"
            + "Sec-Fetch-Site: same-origin\r\nAuthorization: Bearer KEY\r\n"
            + "Content-Type: application/json\r\nContent-Length: 13\r\n\r\n{\"text\":\"a\"}\n",
        "OPTIONS /api/about HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n\r\n",
        "GET /export/x/records.csv HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nExpect: 100-continue\r\n\r\n",
    ]

    static let requests = FuzzTarget(
        name: "requests", summary: "bytes to the port of the page's server: the next reader is served",
        run: { bytes in
            guard let sample = ExploredSample.shared, let client = SocketClient(port: sample.server.port) else {
                return .finding("the server does not start")
            }
            client.send(sample.filled(bytes))
            client.finishSending()
            let reply = client.read()
            guard sample.isServing else { return .finding("the next reader gets no page") }
            return reply.contains("HTTP/1.1 200") || reply.contains("HTTP/1.0 200") ? .accepted : .rejected
        },
        seeds: { requestTexts.map { Array($0.utf8) } })
}
