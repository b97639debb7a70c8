// The order of sorted results, kind by kind.

import Foundation
import Geospatial
import PredicateSemantics
import RecordModel
import Testing

@Suite struct SortOrderTests {
    private static func day(_ seconds: Double) -> FieldValue {
        .date(Date(timeIntervalSinceReferenceDate: seconds))
    }

    private static func place(_ latitude: Double, _ longitude: Double) -> FieldValue {
        .location(Location(latitude: latitude, longitude: longitude))
    }

    /// Values that are level, in ascending order.
    static let levels: [[FieldValue]] = [
        [.null], [.double(-.infinity)], [.int64(.min), .double(-0x1p63)], [-1], [.bool(false), 0, 0.0, .double(-0.0)],
        [0.5], [.bool(true), 1, 1.0], [.double(9_007_199_254_740_992)], [.int64(9_007_199_254_740_993)],
        [.int64(.max)], [.double(0x1p63)], [.double(.infinity)], [.double(.nan)],
        [day(-1)], [day(0), day(-0.0)], [day(0.5)], [day(2)],
        [""], ["A"], ["Z"], ["a"], ["a\0"], ["aa"], ["ab"], ["b"], ["é", "e\u{301}"], ["é1"], ["\u{FFFF}"], ["😀"],
        [place(-1, 5)], [place(1, -2)], [place(1, 0), place(1, -0.0)], [place(1, 3)], [place(2, -9)],
        [.reference(.init("a")), .reference(.init("a", action: .deleteSelf))], [.reference(.init("ab"))],
        [.reference(.init("b"))],
        [.asset(.init(path: "a"))], [.asset(.init(path: "a/b"))], [.asset(.init(path: "b"))],
        [.data(Data())], [.data(Data([1]))], [.data(Data([1, 0]))], [.data(Data([1, 2]))], [.data(Data([2]))],
        [.data(Data([255]))],
        [[], .set([])], [[nil]], [[1], .set([1.0])], [[1, nil]], [[1, 1]], [[1, 2]], [[2]], [["a"]],
        [["é"], ["e\u{301}"]], [[[1]]], [[[1, 0]]], [[[2]]],
        [.object([:]), .object(["a": 1]), .object(["b": 2])],
    ]

    @Test func everyPair() {
        for (i, some) in Self.levels.enumerated() {
            for (j, others) in Self.levels.enumerated() {
                let expected = i < j ? -1 : i > j ? 1 : 0
                for a in some {
                    for b in others where SortOrder.compare(a, b) != expected { Issue.record("\(a) and \(b)") }
                }
            }
        }
    }

    @Test func keys() {
        func order(_ key: SortKey, _ a: FieldValue, _ b: FieldValue) -> Int {
            key.compare(prepared: key.prepared(a), key.prepared(b))
        }
        #expect(order(.ascending("a"), 1, 2) == -1 && order(.descending("a"), 1, 2) == 1)
        #expect(order(.ascending("a"), .null, 2) == -1 && order(.descending("a"), .null, 2) == 1)
        #expect(order(.ascending("a"), "é", "e\u{301}") == 0)
        // What is nowhere is the farthest, from either end.
        let near = SortKey.distance("p", Location(latitude: 0, longitude: 0))
        #expect(near.isAscending && order(near, .null, 5e6) == 1 && order(near, 5e6, .null) == -1)
        let far = SortKey(near.criterion, isAscending: false)
        #expect(order(far, 5e6, .null) == -1 && order(far, 5e6, 4e6) == -1)
        #expect(SortKey.relevance.isAscending == false && SortKey(.recordName).isAscending)
        // A further key decides where those before it are level.
        let keys = [SortKey.ascending("a"), .descending("b")]
        #expect(keys.compare(prepared: [1, 2], [1.0, 3]) == 1 && keys.compare(prepared: [1, 3], [1, 2]) == -1)
        #expect(keys.compare(prepared: [0, 2], [1, 3]) == -1 && keys.compare(prepared: [1, 2], [1, 2.0]) == 0)
    }
}
