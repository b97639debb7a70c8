// Files of all that matches: a ticket for one download.

import HTTPServing
import RecordDatabase
import Synchronization

/// Downloads that were requested and not begun; each is good once, for half a minute.
final class ExportTickets: Sendable {
    struct Ticket: Sendable {
        var query: PageQuery
        var format: RecordFormat
        var deadline: ContinuousClock.Instant
    }

    private let tickets = Mutex<[String: Ticket]>([:])

    /// A key for a download.
    func add(_ query: PageQuery, _ format: RecordFormat) -> String {
        let key = RequestGuard.newKey()
        tickets.withLock { tickets in
            let now = ContinuousClock.now
            tickets = tickets.filter { $0.value.deadline > now }
            if tickets.count < 100 {
                tickets[key] = Ticket(query: query, format: format, deadline: now + .seconds(30))
            }
        }
        return key
    }

    /// The download of a key, which is then no longer good.
    func take(_ key: String) -> Ticket? {
        guard let ticket = tickets.withLock({ $0.removeValue(forKey: key) }) else { return nil }
        return ticket.deadline > .now ? ticket : nil
    }
}

extension Explorer {
    /// A path for one download of what a query finds.
    func ticket(_ json: JSONValue) throws(RequestError) -> JSONValue {
        let query = try PageQuery(json)
        let formats: [String: RecordFormat] = ["ndjson": .ndjson, "json": .json, "csv": .csv, "tsv": .tsv]
        guard let name = try json.text("format"), let format = formats[name] else {
            throw RequestError(message: "'format' is one of csv, json, ndjson, tsv")
        }
        return .of(["path": .string("/export/\(tickets.add(query, format))/records.\(name)")])
    }

    /// Sends the download of a ticket, as fast as its reader reads.
    func export(_ request: HTTPRequest, _ reply: HTTPReply) async {
        let parts = request.path.split(separator: "/")
        guard parts.count == 3, let ticket = tickets.take(String(parts[1])) else {
            return reply.reject(404, "the ticket is used or too old")
        }
        let records = current.records(for: ticket.query)
        let export: RecordExport
        do {
            let ordinals = try records.ordinals(
                matching: ticket.query.predicate(), variables: ticket.query.variables, sortedBy: ticket.query.sort)
            export = try RecordExport(records, at: ordinals, as: ticket.format)
        } catch {
            return reply.reject(422, "\(error)")
        }
        let name = parts[2].filter { $0.isASCII && ($0.isLetter || $0 == ".") }
        reply.begin(
            200,
            [
                ("Content-Type", "application/octet-stream"),
                ("Content-Disposition", "attachment; filename=\"\(name)\""),
            ] + RequestGuard.headers)
        // Records are read while a slow reader reads: on a thread of its own, which may wait.
        await WaitingThread.run {
            try? export.write { piece in
                let pending = reply.write(piece)
                piece.removeAll(keepingCapacity: true)
                guard let pending, WaitingThread.wait(for: reply, pending) else { throw CancellationError() }
            }
        }
        reply.end()
    }
}
