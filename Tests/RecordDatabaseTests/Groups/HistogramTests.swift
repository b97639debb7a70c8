// Histograms against a loop over records.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite struct HistogramTests {
    /// The numbers of a record, dates as seconds.
    private static func numbers(_ value: FieldValue, dates: Bool) -> [Double] {
        switch value {
        case .int64(let number): dates ? [] : [Double(number)]
        case .double(let number): dates ? [] : [number]
        case .date(let date): dates ? [date.timeIntervalSinceReferenceDate] : []
        case .list(let elements): elements.flatMap { numbers($0, dates: dates) }
        default: []
        }
    }

    private static func hasValue(_ value: FieldValue) -> Bool {
        if case .list(let elements) = value { elements.contains(where: hasValue) } else { !value.isNull }
    }

    /// Bins by comparing with the edges themselves, which are exact for these bounds.
    private func expect(_ histogram: Histogram, of field: String, _ records: [Record], bins: Int) {
        let naive = NaiveGroups(records)
        var (missing, others, outside) = (0, 0, 0)
        var counts = [Int](repeating: 0, count: histogram.counts.count)
        let edges = histogram.edges.flatMap { Self.numbers($0, dates: histogram.isDate) }
        for record in records {
            let numbers = Self.numbers(naive.value(field, of: record), dates: histogram.isDate)
            let within = Set(
                numbers.filter { $0 >= edges[0] && $0 <= edges[edges.count - 1] }.map { number in
                    max(0, min(counts.count - 1, (edges.lastIndex { $0 <= number } ?? 0)))
                })
            if numbers.isEmpty {
                missing += 1
                if Self.hasValue(naive.value(field, of: record)) { others += 1 }
            } else if within.isEmpty {
                outside += 1
            }
            for bin in within { counts[bin] += 1 }
        }
        #expect(histogram.counts == counts, "\(field), \(bins) bins")
        #expect(histogram.missingCount == missing, "\(field)")
        #expect(histogram.otherKindCount == others, "\(field)")
        #expect(histogram.outsideCount == outside, "\(field)")
    }

    private static let fields = ["whole", "fraction", "mixed", "date", "numbers", "nested.a", "owner.whole"]

    @Test(arguments: [["T"], ["T", "U", "V"]], [5, 6] as [UInt64])
    func randomRecords(types: [String], seed: UInt64) throws {
        let records = NaiveGroups.records(200, types: types, seed: seed)
        let set = try RecordSet(records: records)
        for predicate: RecordPredicate? in [nil, "whole > 3", "few == 'b' OR flag == TRUE", "FALSEPREDICATE"] {
            let matching = try predicate.map { predicate in try records.filter { try predicate.evaluate(on: $0) } }
            for field in Self.fields {
                // Powers of two: edges and the scale to them are exact.
                for (bins, range) in [(8, -16.0...16.0), (1, 0...1), (4, 0...4), (64, -32...32), (3, 2...2)] {
                    var range = range
                    if field == "date" { range = range.lowerBound * 3600...range.upperBound * 3600 }
                    let found = try set.histogram(of: field, where: predicate, bins: bins, within: range)
                    #expect(found.range == range)
                    // Paths lead to records that do not match, too.
                    if !field.contains("owner") {
                        expect(found, of: field, matching ?? records, bins: bins)
                    }
                    if predicate == nil { expect(found, of: field, records, bins: bins) }
                }
            }
        }
    }

    /// Lists count by the numbers in them; those with other values alone are of another kind, those of nothing are not.
    @Test func listsWithoutNumbers() throws {
        let lists = ["[1.5]", "['a']", "[null]", "[]", "['a', 1.5]", "[null, 'a']", "[9, 1]", "['b']", "null"]
        let set = try RecordSet.mixed(lists.map { "{'n': \($0)}" })
        let found = try set.histogram(of: "n", bins: 2, within: 0...2)
        #expect(found.counts == [0, 3] && found.missingCount == 6 && found.otherKindCount == 3)
        #expect(found.outsideCount == 0)
    }

    @Test func edgesAreThoseOfTheMatches() throws {
        let set = try RecordSet(
            records: ([1, 5, 9, .infinity, .nan, 4] as [Double]).enumerated().map {
                Record(type: "N", id: Record.ID("n\($0)"), fields: ["n": .double($1)])
            })
        let all = try set.histogram(of: "n", bins: 2)
        #expect(all.range == 1...9 && all.counts == [2, 2] && all.outsideCount == 2 && all.missingCount == 0)
        #expect(all.edges == [.double(1), .double(5), .double(9)])
        let some = try set.histogram(of: "n", where: "n > 4 AND n < 100")
        #expect(some.range == 5...9 && some.counts.count == 20 && some.counts[0] == 1 && some.counts[19] == 1)
        let one = try set.histogram(of: "n", where: "n == 5", bins: 7)
        #expect(one.range == 5...5 && one.counts == [1] && one.edges == [.double(5), .double(5)])
        let none = try set.histogram(of: "n", where: "n == 6")
        #expect(none.range == 0...0 && none.counts == [0])
        // A distance that is no finite number.
        let extremes = try RecordSet(
            records: [-Double.greatestFiniteMagnitude, 0, .greatestFiniteMagnitude].enumerated().map {
                Record(type: "N", id: Record.ID("n\($0)"), fields: ["n": .double($1)])
            })
        #expect(try extremes.histogram(of: "n", bins: 3).counts == [1, 1, 1])
    }

    private static let bins: [HistogramBins] = [
        .equal(5), .round(1), .round(7), .round(1000), .automatic, .hour, .day, .week, .month, .year,
    ]

    @Test(arguments: bins) func roundBinsAndThoseOfTheCalendar(_ bins: HistogramBins) throws {
        let records = NaiveGroups.records(200, types: ["T", "U"], seed: 7)
        let set = try RecordSet(records: records)
        for field in ["whole", "fraction", "mixed", "date", "numbers", "nested.a"] {
            let isCalendar = [.hour, .day, .week, .month, .year].contains(bins)
            if isCalendar, field != "date" {
                let error = #expect(throws: RecordPredicateError.self) { try set.histogram(of: field, bins: bins) }
                #expect(error?.message.contains("parts of the calendar are for dates") == true)
                continue
            }
            let found = try set.histogram(of: field, bins: bins)
            // Edges at equal distances are rounded, so that a number on one may be in the bin below.
            if bins != .equal(5) { expect(found, of: field, records, bins: found.counts.count) }
            let edges = found.edges.flatMap { Self.numbers($0, dates: found.isDate) }
            #expect(zip(edges, edges.dropFirst()).allSatisfy { $0 < $1 }, "\(field)")
            #expect(edges.first == found.range.lowerBound && edges.last == found.range.upperBound)
            let extremes = try set.histogram(of: field, bins: 1).range
            #expect(found.range.lowerBound <= extremes.lowerBound && extremes.upperBound <= found.range.upperBound)
            #expect(edges.count == found.counts.count + 1)
        }
    }

    /// Numbers, bins, and the edges.
    private static let edges: [(numbers: [Double], bins: HistogramBins, edges: [Double])] = [
        ([1, 8], .round(4), [0, 2, 4, 6, 8, 10]), ([0.05, 0.31], .round(3), [0, 0.1, 0.2, 0.3, 0.4]),
        ([7, 7], .round(9), [7, 8]), ([-7, 12], .automatic, [-8, -6, -4, -2, 0, 2, 4, 6, 8, 10, 12, 14]),
        ([1e20, 1e20], .round(3), [1e20, 1e20 + 100_000]),
    ]

    @Test(arguments: edges.indices) func edgesAreRound(_ index: Int) throws {
        let (numbers, bins, edges) = Self.edges[index]
        let set = try RecordSet(
            records: numbers.enumerated().map {
                Record(type: "N", id: Record.ID("n\($0)"), fields: ["n": .double($1)])
            })
        let found = try set.histogram(of: "n", bins: bins)
        #expect(found.edges == edges.map { .double($0) })
        #expect(found.counts.reduce(0, +) == numbers.count && found.range == edges[0]...edges[edges.count - 1])
        // Seconds since 2001: these are dates of the same days.
        let dates = try RecordSet(
            records: numbers.enumerated().map { number, value in
                let date = Date(timeIntervalSinceReferenceDate: value * 86_400)
                return Record(type: "N", id: Record.ID("n\(number)"), fields: ["n": .date(date)])
            })
        if numbers[0] > 1e10 {
            #expect(throws: RecordPredicateError.self) { try dates.histogram(of: "n", bins: .day) }
            #expect(throws: RecordPredicateError.self) { try dates.histogram(of: "n", bins: .month) }
        } else {
            let days = try dates.histogram(of: "n", bins: .day)
            #expect(days.counts.count == Int(numbers[1].rounded(.down) - numbers[0].rounded(.down)) + 1)
            #expect(try dates.histogram(of: "n", bins: .month).counts == (numbers[0] < 0 ? [1, 1] : [2]))
        }
    }

    @Test func rangesThatCannotBeCut() throws {
        let set = try RecordSet(
            records: [-Double.greatestFiniteMagnitude, 0, .greatestFiniteMagnitude].enumerated().map {
                let date = Date(timeIntervalSinceReferenceDate: $1 / 1e290)
                return Record(type: "N", id: Record.ID("n\($0)"), fields: ["n": .double($1), "d": .date(date)])
            })
        for (field, bins, part) in [
            ("n", HistogramBins.round(3), "too far apart"), ("d", .hour, "bins, and a histogram at most 65536"),
            ("d", .year, "outside of the calendar"), ("n", .round(0), "1 to 65536 bins, not 0"),
        ] {
            let error = #expect(throws: RecordPredicateError.self) { try set.histogram(of: field, bins: bins) }
            #expect(error?.description.contains(part) == true, "\(String(describing: error))")
        }
    }

    /// As many bins as a histogram may have, and one more.
    @Test func theMostBins() throws {
        func histogram(hours: Double) throws -> Histogram {
            let records = [0.5, hours - 0.5].enumerated().map { number, hour in
                let date = Date(timeIntervalSinceReferenceDate: hour * 3_600)
                return Record(type: "N", id: Record.ID("n\(number)"), fields: ["d": .date(date)])
            }
            return try RecordSet(records: records).histogram(of: "d", bins: .hour)
        }
        let most = try histogram(hours: 65_536)
        #expect(most.counts.count == 65_536 && most.counts.first == 1 && most.counts.last == 1)
        let error = #expect(throws: RecordPredicateError.self) { try histogram(hours: 65_537) }
        #expect(error?.description.contains("65537 bins") == true, "\(String(describing: error))")
    }

    /// Fields, bins, a range, and what the error says.
    static let errors: [(field: String, bins: Int, range: ClosedRange<Double>?, part: String)] = [
        ("wole", 4, nil, "hint: did you mean 'whole'?"),
        ("few", 4, nil, "a histogram of 'few' needs numbers or dates, not text"),
        ("place", 4, nil, "needs numbers or dates, not a location"),
        ("whole", 0, nil, "1 to 65536 bins, not 0"),
        ("whole", 65537, nil, "1 to 65536 bins, not 65537"),
        ("whole", 4, 0...Double.infinity, "finite"),
    ]

    @Test(arguments: errors)
    func errorsNameTheField(field: String, bins: Int, range: ClosedRange<Double>?, part: String) throws {
        let set = try RecordSet(records: NaiveGroups.records(40, seed: 1))
        let error = #expect(throws: RecordPredicateError.self) {
            try set.histogram(of: field, bins: bins, within: range)
        }
        #expect(error?.text == field)
        #expect(error?.description.contains(part) == true, "\(String(describing: error))")
    }
}
