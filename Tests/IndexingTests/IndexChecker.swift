// The contract of indexes, checked over every kind: lookups are scans, counts are their lengths, estimates have bounds.

import RecordModel
import Testing

@testable import Indexing

/// An index of one kind over some rows, with the plain definition of what it finds.
struct CheckedIndex<Request> {
    let name: String
    /// Questions, those about nothing, about everything, and of other families included.
    let requests: [Request]
    /// The rows that the index finds, in any order, each once.
    let lookup: (Request) -> [Int]
    /// The rows that a look at every value finds.
    let scan: (Request) -> [Int]
    /// The number of rows that the index gives without listing them; at least and at most, where it is not exact.
    let count: (Request) -> ClosedRange<Int>
    /// Whether what is found may hold more rows than are meant: a filter.
    var isFilter = false
}

/// Checks what every index must do.
struct IndexChecker {
    private(set) var found = 0

    mutating func check<Request>(_ index: CheckedIndex<Request>) {
        for request in index.requests {
            let rows = index.lookup(request)
            let expected = index.scan(request)
            found += expected.count
            #expect(Set(rows).count == rows.count, "\(index.name): \(request) gives a row twice")
            if index.isFilter {
                #expect(Set(rows).isSuperset(of: expected), "\(index.name): \(request) misses rows")
            } else {
                #expect(rows.sorted() == expected, "\(index.name): \(request)")
            }
            let bounds = index.count(request)
            #expect(bounds.contains(rows.count), "\(index.name): \(request) counts \(bounds) of \(rows.count)")
        }
    }

    /// The order of an index, its statistics, and that halves of it merge to the whole.
    mutating func check(_ index: OrderedIndex, _ name: String, halves: [OrderedIndex.Source]) {
        var entries = 0
        for distinct in 0..<index.distinctCount {
            let run = index.run(ofDistinct: distinct..<distinct + 1)
            #expect(run.count > 0 && run.isAscending && !run.mayRepeat, "\(name): value \(distinct)")
            entries += run.count
            let key = index.key(ofDistinct: distinct)
            #expect(index.family == .reference(.default) || index.distinct(equalTo: key) == distinct, "\(name): \(key)")
            // A value stands where its order says: nothing from it on is below it.
            if index.family != .reference(.default) {
                let behind = index.distinct(from: KeyBound(key, isInclusive: true), to: nil)
                #expect(behind == distinct..<index.distinctCount, "\(name): \(key)")
            }
        }
        #expect(entries == index.entryCount, "\(name)")
        checkStatistics(of: index, name)
        let merged = OrderedIndex.merging(halves, rowCount: index.rowCount)
        if case .text = index.family { #expect(merged != nil || halves.isEmpty, "\(name): texts are merged") }
        if let merged {
            #expect(merged.distinctCount == index.distinctCount && merged.entryCount == index.entryCount, "\(name)")
            for distinct in 0..<min(merged.distinctCount, index.distinctCount) {
                let rows = [merged, index].map { index in
                    unsafe index.run(ofDistinct: distinct..<distinct + 1).withRows { unsafe Array($0) }
                }
                #expect(rows[0] == rows[1], "\(name): merged value \(distinct)")
            }
        }
    }

    private func checkStatistics(of index: OrderedIndex, _ name: String) {
        let counts = (0..<index.distinctCount).map { index.run(ofDistinct: $0..<$0 + 1).count }.sorted(by: >)
        #expect(index.mostCommon(3).map(\.count) == Array(counts.prefix(3)), "\(name)")
        // Between two quantiles there is a share of the entries, give or take the rows of one value.
        let places = index.quantiles(8).map { value in
            (0..<index.distinctCount).first { "\(index.key(ofDistinct: $0))" == "\(value)" }
        }
        #expect(places.count == (index.entryCount == 0 ? 0 : 9), "\(name)")
        for (number, place) in places.enumerated() {
            let before = index.run(ofDistinct: 0..<(place ?? index.distinctCount)).count
            let expected = number * (index.entryCount - 1) / 8
            #expect(before <= expected && expected <= before + (counts.first ?? 0), "\(name): quantile \(number)")
        }
    }
}
