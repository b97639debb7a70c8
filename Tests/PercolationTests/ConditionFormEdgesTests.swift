// Conditions put together, postings and lists of ranges: their forms, one by one.

import PredicateSemantics
import RecordModel
import Testing

@testable import Percolation

@Suite struct ConditionFormEdgesTests {
    /// A condition in short: numbers are terms, `[0…5]` ranges, `?` what may fail, `=` what cannot.
    private static func text(_ condition: Condition) -> String {
        switch condition {
        case .constant(let value): value ? "T" : "F"
        case .term(let term): "\(term)"
        case .oneOf(let terms): "one(\(terms.map(String.init).joined(separator: " ")))"
        case .range(let range, let presence):
            "\(range.isDate ? "d" : "n")\(range.field)[\(Int(range.low))…\(Int(range.high))]/\(presence)"
        case .distance(let field, _): "place\(field)"
        case .all(let conditions): "(" + conditions.map(text).joined(separator: " & ") + ")"
        case .any(let conditions): "(" + conditions.map(text).joined(separator: " | ") + ")"
        case .not(let condition): "!" + text(condition)
        case .evaluated(_, let cannotThrow): cannotThrow ? "=" : "?"
        }
    }

    private static func range(
        _ low: Double, _ high: Double, field: Int = 1, isDate: Bool = false, presence: UInt32 = 9
    ) -> Condition {
        .range(NumberRange(field: field, isDate: isDate, low: low, high: high), presence: presence)
    }

    private static let (yes, no) = (Condition.constant(true), Condition.constant(false))
    private static let (one, two) = (Condition.term(1), Condition.term(2))
    private static let fallible = Condition.evaluated(.constant(true), cannotThrow: false)
    private static let total = Condition.evaluated(.constant(true), cannotThrow: true)

    /// Nested ones are opened, constants dropped, ranges of a field joined; what may fail keeps its place.
    @Test func conjunctionsAreFlat() {
        let cases: [(conditions: [Condition], text: String)] = [
            ([], "T"), ([Self.yes], "T"), ([Self.one], "1"), ([Self.yes, Self.one, Self.yes], "1"),
            ([.all([Self.one, Self.two]), .term(3)], "(1 & 2 & 3)"), ([Self.one, Self.no], "F"),
            ([Self.total, Self.no, Self.one], "F"), ([Self.fallible, Self.no, Self.one], "(? & F)"),
            ([Self.one, Self.fallible, Self.two, Self.no, .term(3)], "(1 & ? & 2 & F)"),
            ([Self.no, Self.fallible], "F"),
            ([.any([Self.one, Self.fallible]), Self.no], "((1 | ?) & F)"), ([.any([Self.one, Self.two])], "(1 | 2)"),
            ([Self.range(0, 5), Self.range(3, 9)], "n1[3…5]/9"), ([Self.range(0, 1), Self.range(2, 3)], "F"),
            ([Self.range(0, 2), Self.range(2, 3, presence: 8)], "n1[2…2]/8"),
            ([Self.range(3, 9), Self.one, Self.range(0, 5)], "(n1[3…5]/9 & 1)"),
            ([Self.one, Self.range(1, 9), Self.range(0, 5), Self.range(4, 7)], "(1 & n1[4…5]/9)"),
            ([Self.range(0, 5), Self.range(3, 9, field: 2)], "(n1[0…5]/9 & n2[3…9]/9)"),
            ([Self.range(0, 5), Self.range(3, 9, isDate: true)], "(n1[0…5]/9 & d1[3…9]/9)"),
            ([Self.range(0, 5), Self.fallible, Self.range(3, 9)], "(n1[0…5]/9 & ? & n1[3…9]/9)"),
            ([Self.range(0, 1), Self.fallible, Self.range(2, 3)], "(n1[0…1]/9 & ? & n1[2…3]/9)"),
        ]
        for (conditions, text) in cases { #expect(Self.text(.conjunction(conditions)) == text) }
    }

    @Test func disjunctionsAreFlat() {
        let cases: [(conditions: [Condition], text: String)] = [
            ([], "F"), ([Self.no], "F"), ([Self.one], "1"), ([Self.no, Self.one, Self.no], "1"),
            ([.any([Self.one, Self.two]), .term(3)], "(1 | 2 | 3)"), ([Self.one, Self.yes], "T"),
            ([Self.total, Self.yes, Self.one], "T"), ([Self.fallible, Self.yes, Self.one], "(? | T)"),
            ([.all([Self.one, Self.fallible]), Self.yes], "((1 & ?) | T)"), ([.all([Self.one, Self.two])], "(1 & 2)"),
            ([Self.range(0, 5), Self.range(3, 9)], "(n1[0…5]/9 | n1[3…9]/9)"),
            ([Self.one, Self.fallible, Self.two, Self.yes, .term(3)], "(1 | ? | 2 | T)"),
        ]
        for (conditions, text) in cases { #expect(Self.text(.disjunction(conditions)) == text) }
    }

    @Test func oppositesKeepTheirOrder() {
        let cases: [(condition: Condition, opposite: String, cannotThrow: Bool, conjuncts: Int)] = [
            (Self.yes, "F", true, 0), (Self.no, "T", true, 1), (Self.one, "!1", true, 1),
            (.not(Self.one), "1", true, 1),
            (.oneOf([1, 2]), "!one(1 2)", true, 1), (Self.fallible, "!?", false, 1), (Self.total, "!=", true, 1),
            (.not(Self.fallible), "?", false, 1), (.all([Self.one, .not(Self.two)]), "(!1 | 2)", true, 2),
            (.any([Self.one, Self.fallible]), "(!1 & !?)", false, 1), (Self.range(0, 1), "!n1[0…1]/9", true, 1),
            (.all([Self.fallible, Self.no]), "(!? | T)", false, 2),
        ]
        for (condition, opposite, cannotThrow, conjuncts) in cases {
            #expect(Self.text(condition.negated) == opposite)
            #expect(condition.cannotThrow == cannotThrow && condition.conjuncts.count == conjuncts, "\(opposite)")
        }
    }

    // MARK: Lists

    /// What an entry says of its predicate, up to the last slot that there can be.
    @Test func entriesKeepSlotAndMarks() {
        for slot in [0, 1, 63, 1 << 20, 1 << 30 - 1] {
            for (hasResidual, mayRepeat) in [(false, false), (true, false), (false, true), (true, true)] {
                let entry = PostingEntry(slot: slot, hasResidual: hasResidual, mayRepeat: mayRepeat)
                #expect(entry.slot == slot && entry.hasResidual == hasResidual && entry.mayRepeat == mayRepeat)
                #expect(entry.isPlain == !(hasResidual || mayRepeat))
                // Marks say nothing about the order.
                let other = PostingEntry(slot: slot + 1, hasResidual: false, mayRepeat: false)
                #expect(slot + 1 == PostingEntry.slotLimit || entry < other && !(other < entry) && !(entry < entry))
            }
        }
        #expect(PostingEntry.slotLimit == 1 << 30)
    }

    /// Entries come and go in any order; each kind has a list of its own, and an empty posting has none.
    @Test func postingsHoldEntriesBySlot() {
        func entry(_ slot: Int) -> PostingEntry {
            PostingEntry(slot: slot, hasResidual: slot % 2 == 0, mayRepeat: false)
        }
        let numbers = NumberRange(field: 1, isDate: false, low: 0, high: 1)
        let dates = NumberRange(field: 1, isDate: true, low: 0, high: 1)
        let others = NumberRange(field: 2, isDate: false, low: 0, high: 1)
        var posting = Posting()
        #expect(posting.isEmpty && posting.byteCount == 0)
        for slot in [5, 3, 9, 4] { posting.insert(entry(slot), .none) }
        #expect(!posting.isEmpty && posting.plain.map(\.slot) == [3, 4, 5, 9])
        for slot in [8, 2, 6] { posting.insert(entry(slot), .term(UInt32(slot))) }
        #expect(posting.paired.map(\.entry.slot) == [2, 6, 8] && posting.paired.map(\.term) == [2, 6, 8])
        for (slot, range) in [(1, numbers), (7, dates), (0, numbers), (10, others)] {
            posting.insert(entry(slot), .range(range))
        }
        #expect(posting.ranged.map { $0.isFor(numbers) } == [true, false, false])
        #expect(posting.ranged.map { $0.isFor(dates) } == [false, true, false])
        #expect(posting.ranged.map { $0.isFor(others) } == [false, false, true])
        #expect(posting.ranged[0].lists.map { $0.entries.map(\.slot) } == [[0, 1]])
        #expect(posting.byteCount >= 4 * 4 + 3 * 8 + posting.ranged.reduce(0) { $0 + $1.byteCount })
        let bytes = posting.ranged[0].byteCount
        #expect(bytes >= MemoryLayout<IntervalIndex>.stride + MemoryLayout<RangeList>.stride + 2 * (8 + 8 + 4))
        for slot in [3, 9] { posting.remove(entry(slot), .none) }
        posting.remove(entry(6), .term(6))
        posting.remove(entry(1), .range(numbers))
        #expect(posting.plain.map(\.slot) == [4, 5] && posting.paired.map(\.term) == [2, 8])
        #expect(posting.ranged.count == 3 && posting.ranged[0].lists.map { $0.entries.map(\.slot) } == [[0]])
        for slot in [5, 4] { posting.remove(entry(slot), .none) }
        for slot in [2, 8] { posting.remove(entry(slot), .term(UInt32(slot))) }
        #expect(!posting.isEmpty && posting.plain.isEmpty && posting.paired.isEmpty)
        for (slot, range) in [(0, numbers), (7, dates), (10, others)] { posting.remove(entry(slot), .range(range)) }
        #expect(posting.isEmpty && posting.ranged.isEmpty)
    }

    /// Ranges of about one width share a list, those open at one end are of a list of their own.
    @Test func rangesOfOneWidthShareAList() {
        let infinity = Double.infinity
        func lists(_ ranges: [(Double, Double)]) -> Int {
            var index = IntervalIndex(field: 1, isDate: false)
            for (slot, (low, high)) in ranges.enumerated() {
                index.insert(
                    PostingEntry(slot: slot, hasResidual: false, mayRepeat: false),
                    NumberRange(field: 1, isDate: false, low: low, high: high))
            }
            return index.lists.count
        }
        #expect(lists([(0, 4), (10, 17.5), (-3, 2)]) == 1)
        #expect(lists([(0, 4), (0, 8)]) == 2 && lists([(0, 4), (0, 3.9)]) == 2)
        #expect(lists([(1, 1), (5, 5)]) == 1 && lists([(1, 1), (1, 1.5)]) == 2)
        #expect(lists([(1, infinity), (5, infinity)]) == 1 && lists([(-infinity, 1), (-infinity, 7)]) == 1)
        #expect(lists([(1, infinity), (-infinity, 1)]) == 2 && lists([(-infinity, infinity), (1, infinity)]) == 1)
        #expect(lists([(-1e308, 1e308), (1, infinity)]) == 2 && lists([(-1e308, 1e308), (-1.5e308, 1e308)]) == 1)
    }

    /// Memory that terms take: their bytes, a bucket for each at least twice over, and what is kept with each.
    @Test func memoryIsAtLeastThatOfItsParts() throws {
        for length in [1, 200] {
            var dictionary = TermDictionary()
            for number in 0..<200 {
                let key = [UInt8(number)] + [UInt8](repeating: 7, count: length - 1)
                _ = dictionary.intern(key.span, in: 0)
            }
            #expect(dictionary.count == 200 && dictionary.liveCount == 200)
            #expect(dictionary.byteCount >= 200 * (length + 2 * 8 + 28))
        }
        var index = PredicateIndex()
        #expect(index.byteCount == 0)
        for id in 0..<200 {
            let text = "name == 'the name of number \(id)' AND whole > \(id) AND tags CONTAINS 'x'"
            index.insert(try Binder(schema: Fixtures.schema).bind(RecordPredicate(format: text)), id: id, type: "Thing")
        }
        let type = index.types[0]
        #expect(index.count == 200 && index.byteCount >= type.byteCount + 200 * 16)
        let stored = type.stored.reduce(0) { $0 + ($1?.byteCount ?? 0) }
        for case let predicate? in type.stored {
            // The object, its members, the heads of its arrays, and what is in them.
            let arrays =
                predicate.extraction.terms.count * MemoryLayout<TermExtraction.Term>.stride
                + predicate.mentions.count * 4 + predicate.valueFields.count * 8
                + predicate.assumptions.count * MemoryLayout<KindAssumption>.stride
            #expect(predicate.byteCount >= 16 + 6 * 8 + 4 * 32 + arrays)
        }
        #expect(type.byteCount >= type.dictionary.byteCount + stored + 200 * 16)
        #expect(type.byteCount - stored - type.dictionary.byteCount >= type.postings.reduce(0) { $0 + $1.byteCount })
    }

    /// Bytes of terms that are gone are given back, however many come and go.
    @Test func memoryOfTermsIsUsedAgain() {
        var dictionary = TermDictionary()
        let keys = (0..<100).map { [UInt8($0)] + [UInt8](repeating: 5, count: 199) }
        for _ in 0..<100 {
            for term in keys.map({ dictionary.intern($0.span, in: 1) }) { _ = dictionary.release(term) }
        }
        #expect(dictionary.liveCount == 0 && dictionary.count == 100)
        // All that ever came are two million bytes.
        #expect(dictionary.byteCount < 200_000)
    }
}
