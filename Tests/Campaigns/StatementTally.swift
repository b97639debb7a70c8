// What clients have PostgreSQL servers do, counted from the messages that they send.

import Glibc
import Synchronization

/// What a call costs on servers.
package struct ServerCost: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Times that a server was to respond at once: messages Sync and Query.
    package let rounds: Int
    /// Statements that were run, those that begin and end transactions among them.
    package let statements: Int
    /// Texts that a server parsed: those of statements that it does not keep.
    package let parses: Int

    package init(_ rounds: Int, _ statements: Int, _ parses: Int) {
        (self.rounds, self.statements, self.parses) = (rounds, statements, parses)
    }

    package var description: String { "ServerCost(\(rounds), \(statements), \(parses))" }

    package static func < (a: ServerCost, b: ServerCost) -> Bool {
        (a.rounds, a.statements, a.parses) < (b.rounds, b.statements, b.parses)
    }
}

/// Counts what clients send over the connections of proxies (`CuttingProxy`). May be used from any thread.
///
/// What no call waits for is left out: connections that notify other processes or look whether a server is there, and
/// `DISCARD PLANS`, which each connection sends once a second with whatever comes then.
package final class StatementTally: Sendable {
    /// Why nothing can be counted.
    package struct Unsettled: Error, CustomStringConvertible {
        package let description = "a transaction is open that no call waits for"
    }

    private let connections = Mutex<[ClientMessages]>([])

    package init() {}

    /// Adds a connection.
    /// - Returns: Its number.
    package func open() -> Int {
        connections.withLock { connections in
            connections.append(ClientMessages())
            return connections.count - 1
        }
    }

    /// Notes bytes that a client sent, before the server has them: what a call waited for is counted when it returns.
    package func note(_ bytes: [UInt8], of connection: Int) { connections.withLock { $0[connection].take(bytes) } }

    /// Notes that a connection was closed, with whatever was open.
    package func close(_ connection: Int) { connections.withLock { $0[connection].end() } }

    /// What was counted so far, when all transactions are ended: a call that only reads does not wait for that.
    package func settled() throws(Unsettled) -> Moment {
        for _ in 0..<12_000 {
            let moment = Moment(connections: connections.withLock { $0 })
            if !moment.connections.contains(where: \.isOpen) { return moment }
            usleep(5_000)
        }
        throw Unsettled()
    }

    /// What was counted up to a moment.
    package struct Moment: Sendable {
        fileprivate let connections: [ClientMessages]

        /// What was sent since an earlier moment, and the texts of the statements, connection by connection.
        package func sent(since earlier: Moment) -> (cost: ServerCost, texts: [String]) {
            var (rounds, parses, texts): (Int, Int, [String]) = (0, 0, [])
            for (number, now) in connections.enumerated() where !now.isAside {
                let before = number < earlier.connections.count ? earlier.connections[number] : ClientMessages()
                rounds += now.rounds - before.rounds
                parses += now.parses - before.parses
                texts += now.statements.dropFirst(before.statements.count)
            }
            return (ServerCost(rounds, texts.count, parses), texts)
        }
    }
}

/// The messages of one client, of version 3 of PostgreSQL's protocol: a letter, four bytes of the length that is
/// behind it, themselves included, and the rest.
private struct ClientMessages: Sendable {
    private(set) var rounds = 0
    private(set) var parses = 0
    /// The texts of the statements that were run.
    private(set) var statements: [String] = []
    /// Whether no call waits for what is sent here.
    private(set) var isAside = false
    /// Whether the connection has started: the message that does so has no letter.
    private var hasStarted = false
    /// Bytes of a message that is not complete.
    private var waiting: [UInt8] = []
    /// The texts of statements by their names; the one without a name is sent each time.
    private var prepared: [String: String] = [:]
    /// The text that is run next.
    private var bound = ""
    private var isInTransaction = false
    /// Whether messages were sent that no Sync is behind yet.
    private var isUnsynced = false
    private var hasEnded = false

    /// Whether more is to come of what was begun.
    var isOpen: Bool { !isAside && !hasEnded && (isInTransaction || isUnsynced || !waiting.isEmpty) }

    /// What a connection sends once a second.
    private static let upkeep = "DISCARD PLANS"
    /// What statements have that are sent over connections of their own.
    private static let asides = ["pg_notify(", "pg_stat_activity"]

    mutating func end() { hasEnded = true }

    mutating func take(_ bytes: [UInt8]) {
        waiting += bytes
        var start = 0
        while let length = length(at: hasStarted ? start + 1 : start) {
            let body = start + (hasStarted ? 5 : 4)
            let end = body + length - 4
            if end > waiting.count { break }
            if hasStarted {
                note(waiting[start], waiting[body..<end])
            } else {
                // What is requested before, as encryption, has such a number in place of the version.
                hasStarted = !waiting[body..<end].starts(with: [0x04, 0xD2])
            }
            start = end
        }
        waiting.removeFirst(start)
    }

    /// The length of a message; `nil` where it has not come yet.
    private func length(at place: Int) -> Int? {
        guard place + 4 <= waiting.count else { return nil }
        let length = waiting[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
        return length >= 4 ? length : nil
    }

    private mutating func note(_ kind: UInt8, _ body: ArraySlice<UInt8>) {
        /// The texts that the message begins with.
        func texts() -> (String, String) {
            let parts = body.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
        }
        switch kind {
        case UInt8(ascii: "P"):
            let (name, text) = texts()
            prepared[name] = text
            if text != Self.upkeep { parses += 1 }
            note(text)
            isUnsynced = true
        case UInt8(ascii: "B"):
            bound = prepared[texts().1] ?? ""
            isUnsynced = true
        case UInt8(ascii: "E"):
            run(bound)
            isUnsynced = true
        case UInt8(ascii: "Q"):
            let text = texts().0
            note(text)
            run(text)
            (rounds, isUnsynced) = (rounds + 1, false)
        case UInt8(ascii: "S"): (rounds, isUnsynced) = (rounds + 1, false)
        default: break
        }
    }

    private mutating func note(_ text: String) {
        if Self.asides.contains(where: text.contains) { isAside = true }
    }

    private mutating func run(_ text: String) {
        if text == Self.upkeep { return }
        statements.append(text)
        if text.hasPrefix("BEGIN") { isInTransaction = true }
        if text == "COMMIT" || text == "ROLLBACK" { isInTransaction = false }
    }
}
