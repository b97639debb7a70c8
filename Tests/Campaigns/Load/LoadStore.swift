// What is in the store of a load, and what is true of each of its moments, whoever writes.

import FoundationEssentials
import Glibc
import PredicateSemantics
import RecordDatabase
import RecordModel

/// The ledgers of a load: each has entries with consecutive numbers, of which old ones are deleted, and a head that
/// says which numbers they are. All that an entry holds follows from its number.
enum LoadStore {
    /// The zone of the ledgers; the accounts of `BankCampaign` are beside it.
    static let zone = RecordZone.ID("Ledgers")
    static let ledgers = 8
    /// The most entries that a ledger keeps.
    static let window = 4000
    /// The deletions that the zone remembers: few enough that a load soon has as many as it ever keeps.
    static let deletions = 20_000
    /// The entries that are written by the time that the store has all that it keeps.
    static let entriesWhenFull = ledgers * window + deletions

    private static let words = ["amber", "birch", "cedar", "dune", "ember", "fjord", "grove"]
    private static let places = 11

    /// The numbers of the entries that a ledger has.
    struct Head: Equatable, Sendable {
        var first: Int64 = 1
        var last: Int64 = 0

        var count: Int64 { last - first + 1 }
    }

    static func headID(_ ledger: Int) -> Record.ID { Record.ID("head-\(ledger)", zoneID: zone) }

    static func entryID(_ ledger: Int, _ number: Int64) -> Record.ID {
        Record.ID("entry-\(ledger)-\(number)", zoneID: zone)
    }

    static func entry(_ ledger: Int, _ number: Int64) -> Record {
        let word = words[Int(number) % words.count]
        return Record(
            type: "Entry", id: entryID(ledger, number),
            fields: [
                "ledger": .int64(Int64(ledger)), "number": .int64(number),
                "text": .string("Entry \(number) of \(ledger): \(word) \(String(repeating: "and more ", count: 20))"),
                "place": .location(Location(latitude: Double(number % Int64(places)) * 4, longitude: 10)),
            ])
    }

    static func head(_ ledger: Int, _ head: Head) -> Record {
        Record(
            type: "Head", id: headID(ledger),
            fields: ["ledger": .int64(Int64(ledger)), "first": .int64(head.first), "last": .int64(head.last)])
    }

    /// The heads as a moment has them; a ledger that was never written has an empty one.
    static func heads(_ snapshot: some RecordReading) throws -> [Head] {
        var heads = [Head](repeating: Head(), count: ledgers)
        for record in try snapshot.records(ofType: "Head", in: .zone(zone)).records(matching: "TRUEPREDICATE") {
            guard case .int64(let ledger) = record["ledger"], case .int64(let first) = record["first"],
                case .int64(let last) = record["last"], heads.indices.contains(Int(ledger))
            else { continue }
            heads[Int(ledger)] = Head(first: first, last: last)
        }
        return heads
    }

    /// What is wrong with one moment; `nil` for nothing. Groups, words, ranges and distances are compared with what
    /// follows from the heads by arithmetic.
    static func fault(_ snapshot: DatabaseSnapshot) throws -> String? {
        let heads = try heads(snapshot)
        let entries = try snapshot.records(ofType: "Entry", in: .zone(zone))
        let groups = try entries.group(by: ["ledger"], [.sum("number"), .minimum("number"), .maximum("number")])
        let written = heads.enumerated().filter { $0.element.count > 0 }
        guard groups.count == written.count else { return "\(groups.count) ledgers where \(written.count) have heads" }
        for (group, (ledger, head)) in zip(groups, written) {
            let sum = (head.first + head.last) * head.count / 2
            let expected: [FieldValue] = [.int64(sum), .int64(head.first), .int64(head.last)]
            guard group.keys == [.int64(Int64(ledger))], Int64(group.count) == head.count, group.values == expected
            else { return "ledger \(ledger) has \(group), and its head is \(head)" }
        }
        let all = written.map(\.element)
        return try searchFault(entries, all) ?? BankCampaign.fault(snapshot)
    }

    private static func searchFault(_ entries: RecordSet, _ heads: [Head]) throws -> String? {
        func expected(_ matches: (Int64) -> Bool) -> Int {
            heads.reduce(0) { $0 + ($1.first...$1.last).count(where: matches) }
        }
        let (least, most) = (heads.map(\.first).min() ?? 0, heads.map(\.last).max() ?? 0)
        let remainder = most % Int64(words.count)
        let middle = (least + most) / 2
        let searches: [(RecordPredicate, Int)] = [
            (
                "text TOKENMATCHES[cd] \(words[Int(remainder)])",
                expected { $0 % Int64(words.count) == remainder }
            ),
            ("number BETWEEN {\(least), \(middle)}", expected { $0 <= middle }),
            (
                "distanceToLocation:fromLocation:(place, \(Location(latitude: 8, longitude: 10))) < 1000",
                expected { $0 % Int64(places) == 2 }
            ),
        ]
        for (predicate, count) in searches {
            let found = try entries.count(matching: predicate)
            if found != count { return "\(predicate) finds \(found) of \(entries.count) entries, not \(count)" }
        }
        return nil
    }
}

/// The lines by which the processes of a load tell what they do.
enum LoadReport {
    /// A commit of a ledger that was acknowledged, with its last number.
    static func acknowledged(_ ledger: Int, _ last: Int64) { say("ack \(ledger) \(last)") }
    static func fault(_ text: String) { sayOnOneLine("fault \(text)") }
    /// Why something was refused; a writer tells so once a second.
    static func refused(_ reason: String) { sayOnOneLine("refused \(reason)") }
    /// Work of looking after the store that was refused.
    static func skipped(_ work: String, _ reason: String) { sayOnOneLine("skipped \(work) \(reason)") }

    /// Waits a little for the end of the process's input; true when it is there.
    static func isInputAtEnd(after milliseconds: Int32) -> Bool {
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        // SAFETY: one entry is passed, which lives as long as the call.
        return unsafe poll(&input, 1, milliseconds) != 0
    }

    private static func sayOnOneLine(_ text: String) { say(text.replacing("\n", with: " ")) }

    /// Prints a line at once, and whole.
    static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
