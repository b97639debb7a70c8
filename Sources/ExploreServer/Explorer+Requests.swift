// Requests by their paths.

import FoundationEssentials
import HTTPServing
import LineEditing
import PredicateEditing
import RecordDatabase

extension Explorer {
    /// Replies to a request that the guard let in.
    func reply(to request: HTTPRequest, _ reply: HTTPReply, verdict: RequestGuard.Verdict) async {
        switch verdict {
        case .rejected(let status, let reason): reply.reject(status, reason)
        case .page: await replyWithFile(request, reply)
        case .api:
            noteCall()
            do throws(RequestError) {
                guard let json = try? JSONReader.tree(request.body), case .object = json else {
                    throw RequestError(message: "a JSON object is expected")
                }
                try await replyToCall(String(request.path.dropFirst("/api/".count)), json, reply)
            } catch {
                reply.reject(400, error.message)
            }
        }
    }

    private func replyToCall(_ call: String, _ json: JSONValue, _ reply: HTTPReply) async throws(RequestError) {
        switch call {
        case "about": reply.send(about())
        case "query": try QueryRun(self, json, reply).run()
        case "rows": try sendRows(json, reply)
        case "record": try sendRecord(json, reply)
        case "complete": reply.send(try completions(json))
        case "edit": reply.send(try edited(json))
        case "values": try sendValues(json, reply)
        case "translate": reply.send(try translated(json))
        case "export": reply.send(try ticket(json))
        case "events": try await listen(json, reply)
        default: reply.reject(404, "there is nothing under this path")
        }
    }

    private func replyWithFile(_ request: HTTPRequest, _ reply: HTTPReply) async {
        if request.path.hasPrefix("/export/") { return await export(request, reply) }
        // Only names of the table lead to files.
        guard var file = PageFile.all[String(request.path)] else {
            return reply.reject(404, "there is nothing under this path")
        }
        if let page {
            let name = request.path == "/" ? "/index.html" : request.path
            let bytes = FileManager.default.contents(atPath: page + name).map { Array($0) }
            file = bytes.map { PageFile(type: file.type, bytes: $0) } ?? file
        }
        let (headers, bytes) = file.reply(accepting: request.values(of: "Accept-Encoding"))
        reply.send(200, headers + RequestGuard.headers, bytes)
    }

    // MARK: What there is

    private func about() -> JSONValue {
        let state = current
        let all = state.records
        let types = all.recordTypes.map { name in
            let records = all.ofType(name)
            return JSONValue.of([
                "name": .string(name), "records": .count(records.count),
                "fields": .array(records.fields.fields.map(Self.json)),
            ])
        }
        return .of([
            "name": .string(source.name), "version": .count(state.version), "records": .count(all.count),
            "types": .array(types), "fields": .array(all.fields.fields.map(Self.json)),
            "hasTypes": .bool(all.hasTypes), "languages": .array(translations.map { .string($0.name) }),
        ])
    }

    private static func json(_ field: FieldDefinition) -> JSONValue {
        .of(["name": .string(field.name), "type": .string(String(describing: field.type))])
    }

    // MARK: Typing

    private func completions(_ json: JSONValue) throws(RequestError) -> JSONValue {
        let query = try PageQuery(json)
        let state = current
        let offsets = TextOffsets(query.text)
        let cursor = offsets.byte(try json.number("cursor", in: 0...Int(Int32.max)) ?? 0)
        let found = assistant(for: query, state).completions(of: query.text, cursor: cursor, by: state.completer)
        return .of([
            "start": .int64(offsets[found.range.lowerBound]), "end": .int64(offsets[found.range.upperBound]),
            "candidates": .array(
                found.candidates.prefix(40).map {
                    .array([.string($0.text), .string($0.detail), .string("\($0.role)"), .bool($0.isWhole)])
                }),
        ])
    }

    private func translated(_ json: JSONValue) throws(RequestError) -> JSONValue {
        let query = try PageQuery(json)
        let language = try json.text("to")
        guard let translation = translations.first(where: { $0.name == language }) else {
            throw RequestError(message: "there is no such language")
        }
        switch translation.text(query.isBlank ? "TRUEPREDICATE" : query.text, query.variables, current.records) {
        case .success(let text): return .of(["text": .string(text)])
        case .failure(let failure): return .of(["message": .string(failure.message)])
        }
    }
}

extension HTTPReply {
    /// Sends JSON.
    func send(_ json: JSONValue) { send(json: json.bytes) }

    /// Sends the bytes of a JSON text.
    func send(json bytes: [UInt8]) {
        send(200, [("Content-Type", "application/json")] + RequestGuard.headers, bytes)
    }

    /// Rejects a request.
    func reject(_ status: Int, _ reason: String) {
        send(
            status, [("Content-Type", "application/json")] + RequestGuard.headers,
            JSONValue.of(["message": .string(reason)]).bytes)
    }
}
