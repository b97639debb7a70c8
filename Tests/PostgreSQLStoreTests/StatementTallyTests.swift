// Whether messages of clients are counted as they are, however the bytes come.

import Campaigns
import Testing

@Suite struct StatementTallyTests {
    /// A message of a letter, if it has one, and what it holds.
    private static func message(_ letter: Character?, _ texts: String..., rest: [UInt8] = []) -> [UInt8] {
        let body = texts.flatMap { Array($0.utf8) + [0] } + rest
        let length = body.count + 4
        let head = (letter.map { Array(String($0).utf8) } ?? []) + [0, 0, UInt8(length >> 8), UInt8(length & 0xFF)]
        return head + body
    }

    /// A connection begins: without encryption, which it requests first.
    private static let start =
        message(nil, rest: [0x04, 0xD2, 0x16, 0x2F])
        + message(nil, rest: [0, 3, 0, 0] + Array("user\0postgres\0\0".utf8))
    private static let sync = message("S")

    private static func run(_ name: String) -> [UInt8] {
        message("B", "", name, rest: [0, 0, 0, 0, 0, 1, 0, 1]) + message("D", "P")
            + message("E", "", rest: [0, 0, 0, 0])
    }

    private static func parse(_ text: String, as name: String = "") -> [UInt8] {
        message("P", name, text, rest: [0, 0])
    }

    /// A transaction with a statement that is kept, run twice, and one that is long; then a query.
    private static let transaction =
        parse("BEGIN") + run("") + parse("SELECT 1", as: "one") + run("one") + sync
        + parse("DISCARD PLANS") + run("") + run("one")
        + parse("SELECT '\(String(repeating: "SESE", count: 500))'") + run("") + sync
        + parse("COMMIT") + run("") + sync + message("Q", "SELECT 2") + message("X")

    @Test(arguments: [1, 2, 3, 7, 1_000, 100_000])
    func messagesMayComeInPieces(_ size: Int) throws {
        let tally = StatementTally()
        let before = try tally.settled()
        let number = tally.open()
        let bytes = Self.start + Self.transaction
        for start in stride(from: 0, to: bytes.count, by: size) {
            tally.note(Array(bytes[start..<min(start + size, bytes.count)]), of: number)
        }
        let sent = try tally.settled().sent(since: before)
        #expect(sent.cost == ServerCost(4, 6, 4))
        #expect(sent.texts.map { $0.prefix(8) } == ["BEGIN", "SELECT 1", "SELECT 1", "SELECT '", "COMMIT", "SELECT 2"])
    }

    @Test func whatNoCallWaitsForIsLeftOut() throws {
        let tally = StatementTally()
        let (own, other) = (tally.open(), tally.open())
        tally.note(Self.start + Self.parse("SELECT 1") + Self.run("") + Self.sync, of: own)
        tally.note(Self.start + Self.parse("SELECT 1") + Self.run("") + Self.sync, of: other)
        let before = try tally.settled()
        tally.note(Self.parse("SELECT pg_notify($1, '')") + Self.run("") + Self.sync, of: other)
        #expect(try tally.settled().sent(since: before).cost == ServerCost(0, 0, 0))
        tally.note(Self.parse("SELECT 3") + Self.run("") + Self.sync, of: own)
        #expect(try tally.settled().sent(since: before).cost == ServerCost(1, 1, 1))
        // What a connection left open has ended with it.
        tally.note(Self.parse("BEGIN") + Self.run("") + Self.sync, of: own)
        tally.close(own)
        #expect(try tally.settled().sent(since: before).cost == ServerCost(2, 2, 2))
    }
}
