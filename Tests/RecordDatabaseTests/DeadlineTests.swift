// Questions whose time ends at any look: an error or the right answer, and a set that answers as before.
import Deadlines
import RecordModel
import Testing

@testable import RecordDatabase

/// An interruption as the error that it is.
private func told(_ interruption: Interruption) -> any Error { interruption }

@Suite struct DeadlineTests {
    private static let records: [Record] = (0..<40).map { number in
        let isLarge = number == 20
        let words = String(repeating: "Привет, мир \(number) ", count: isLarge ? 7_000 : 1)
        return Record(
            type: "Note", id: Record.ID("r\(number)"),
            fields: [
                "text": .string(words), "number": .int64(Int64(number)),
                "list": .list((0..<(isLarge ? 300 : 3)).map { .int64(Int64($0 + number)) }),
            ])
    }

    private static let predicates: [RecordPredicate] = [
        "number >= 20", "text CONTAINS[cd] 'МИР 30'", "text LIKE[c] '*м?р 30*'", "text MATCHES '(.*)30.*'",
        "text TOKENMATCHES[cd] 'привет 20'", "SELF CONTAINS 'мир'", "ANY list > 4000", "ALL list IN list",
        "SUBQUERY(list, $x, $x > 30).@count > 100", "number IN {1, 2, 3} OR text ENDSWITH '39 '",
        "NOT (text BEGINSWITH[c] 'привет' AND list.@count > 100)",
    ]

    /// What a prepared question has found out by the time it is interrupted is right, or forgotten.
    @Test(arguments: ["note.text CONTAINS[cd] 'МИР 20'", "ANY note.list > 310", "note.text MATCHES '(.*)20.*'"])
    func preparedIsRightAfterwards(_ format: String) throws {
        let cards = (0..<3).map { number in
            Record(
                type: "Card", id: Record.ID("c\(number)"),
                fields: ["note": .reference(RecordReference("r\(number + 19)", action: .none))])
        }
        let set = try RecordSet(records: Self.records + cards).ofType("Card")
        var looks = 0
        while true {
            let prepared = try set.prepare(RecordPredicate(format: format))
            let first = try? Deadline.run(looks: looks, failure: told) { () throws(any Error) in
                try prepared.ordinals()
            }
            #expect(try prepared.ordinals() == [41], "\(looks) looks")
            if first != nil { break }
            looks += looks < 64 ? 1 : looks / 8
        }
        #expect(looks > 0)
    }

    @Test(arguments: predicates, [true, false]) func endsAtAnyLook(
        _ predicate: RecordPredicate, buildsIndexes: Bool
    ) throws {
        var whole = try RecordSet(records: Self.records)
        whole.buildsIndexes = buildsIndexes
        // Record by record, without a plan.
        let expected = try Self.records.indices.filter { try predicate.evaluate(on: Self.records[$0]) }
        #expect(try whole.ordinals(matching: predicate) == expected)
        var set = try RecordSet(records: Self.records)
        set.buildsIndexes = buildsIndexes
        var looks = 0
        var interrupted = 0
        while true {
            do {
                let found = try Deadline.run(looks: looks, failure: told) { () throws(any Error) in
                    try set.ordinals(matching: predicate)
                }
                #expect(found == expected)
                break
            } catch let error as RecordPredicateError {
                #expect(error.evaluationKind == .timeLimit)
                interrupted += 1
            } catch {
                #expect(error as? Interruption == .timeLimit)
                interrupted += 1
            }
            looks += looks < 6 ? 1 : looks
            try #require(looks < 10_000_000)
        }
        #expect(interrupted > 0)
        #expect(try set.ordinals(matching: predicate) == expected)
    }
}
