// Records that were saved one by one: they are in segments without indexes, whose columns are read.

import Foundation
import RecordDatabase
import Testing

@Suite struct SmallSegmentTests {
    private let texts = ["bar", "Bar", "caf\u{e9}", "cafe\u{301}", "\u{212a}", "K", "k", "", "stra\u{df}e", "strasse"]
    private let moment = Date(timeIntervalSince1970: 1_000_000)

    /// Records with some fields, some of them missing, whose names begin alike and are longer than sixteen bytes.
    private func records() -> [Record] {
        (0..<70).map { number in
            var record = Record(
                type: "Place", id: Record.ID("a-name-that-is-long-\((number * 37) % 100)"),
                fields: ["number": .int64(Int64(number % 7) - 3), "rating": .double(Double(number % 5) / 2)])
            if number % 3 != 0 { record["text"] = .string(texts[number % texts.count]) }
            if number % 4 != 0 { record["made"] = .date(moment + Double(number % 6)) }
            return record
        }
    }

    private func predicates() throws -> [RecordPredicate] {
        var predicates: [RecordPredicate] = texts.flatMap { text -> [RecordPredicate] in
            ["text == \(text)", "text ==[c] \(text)", "text ==[cd] \(text) AND number >= \(0)", "text ==[n] \(text)"]
        }
        for number in -4..<5 {
            let half = Double(number) / 2
            predicates += [
                "number == \(number)", "number < \(half)", "number BETWEEN {\(number), \(2)}", "rating == \(number)",
                "rating > \(half) AND number <= \(number)", "made == \(moment + Double(number))",
                "made > \(moment + half) AND made <= \(moment + Double(number + 2))",
                "absent == \(number) AND number == \(number)",
            ]
        }
        return predicates
    }

    @Test func columnsTellWhatTheEvaluatorDoes() async throws {
        let database = try Container(identifier: "small").privateDatabase
        let all = records()
        _ = try await database.save(Record(type: "Place", id: Record.ID("first"), fields: ["absent": 1, "text": "x"]))
        // Nine segments and more, of which eight become one now and then.
        for record in all { _ = try await database.save(record) }
        _ = try await database.deleteRecord(withID: Record.ID("first"))
        for record in all[..<5] { _ = try await database.deleteRecord(withID: record.id) }
        let left = all[5...].sorted { $0.id.recordName < $1.id.recordName }
        for predicate in try predicates() {
            let expected = try left.filter { try predicate.evaluate(on: $0) }.map(\.id.recordName)
            let page = try await database.recordPage(
                matching: Query("Place", predicate), in: .zone(.default), resultsLimit: 100)
            #expect(page.matchResults.map(\.0.recordName) == expected, "\(predicate.text) \(predicate.arguments)")
            let first = try await database.recordPage(
                matching: Query("Place", predicate, sortedBy: [.descending("recordID")]), in: .zone(.default),
                resultsLimit: 2)
            #expect(first.matchResults.map(\.0.recordName) == Array(expected.reversed().prefix(2)))
        }
    }

    @Test func recordsOfOneNameComeByTheirZones() async throws {
        let database = try Container(identifier: "zones").privateDatabase
        for zone in ["b", "a", "c"] {
            let zoneID = RecordZone.ID(zone)
            _ = try await database.save(RecordZone(id: zoneID))
            for name in ["a-name-that-is-long-2", "a-name-that-is-long-1", "short"] {
                _ = try await database.save(
                    Record(type: "Place", id: Record.ID(name, zoneID: zoneID), fields: ["number": 1]))
            }
        }
        let page = try await database.recordPage(matching: Query("Place", "number == \(1)"), in: .all)
        #expect(
            page.matchResults.map { "\($0.0.recordName.suffix(1)) \($0.0.zoneID.zoneName)" } == [
                "1 a", "1 b", "1 c", "2 a", "2 b", "2 c", "t a", "t b", "t c",
            ])
    }
}
