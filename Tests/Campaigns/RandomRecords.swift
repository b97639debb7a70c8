// Random records with every kind of field, full of equal values, edges and gaps.

import FoundationEssentials
import Geospatial
import RecordModel

/// Makes records of one type.
struct RandomRecords {
    static let type = "Thing"

    static let words = [
        "", "a", "b", "ab", "abc", "Abc", "ABC", "abd", "ä", "a\u{308}", "é", "É", "e", "straße", "STRASSE", "ß", "ﬁsh",
        "fish", "Tokyo", "tokyo", "東京", "京都", "Kyoto Station", "new york", "New York", "newark", "san josé", "San Jose",
        "x*y", "x?y", "100%", "İstanbul", "istanbul", "Ωmega", "ωmega", "zz", "z", "a b c", "b c",
        "the quick brown fox",
        "quick", "brown-fox", "don't", "3.14", "1,000", "नमस्ते", "สวัสดี", "👩‍👩‍👧", "\u{0}nul", "tab\tbed",
    ]
    /// Words that folding and boundaries of characters make hard to find.
    static let trickyWords = [
        "café", "cafe\u{301}", "CAFÉ", "Cafe", "naïve", "coöperate", "cooperate", "Kelvin \u{212A}", "k", "ſtone",
        "stone",
        "STONE", "ﬁ", "ﬂow", "flow", "weiß", "WEISS", "weisz", "İ", "i\u{307}", "ǆ", "Ǆ", "\u{1F1FA}\u{1F1E6}", "👍🏽",
        "👍",
        "e\u{301}\u{301}", "\u{301}", " \u{301}x", "=\u{338}", "≠", "\u{37E}", ";", "`", "\u{1FEF}", "ไทย", "ภาษาไทย",
        "किताब", "क", "한글", "하", "日本語テキスト", "\u{600}a", "a\u{600}", "a\u{200D}b", "soft\u{AD}hyphen", "ŉ", "Москва",
        "МОСКВА", "й", "и\u{306}", "Ελλάς", "ελλας", "o", "n", "on", "ond", "ONDE", "rond", "\u{0}", "a\u{0}b", "\r\n",
        "line\nline", "x-y", "x y", "x  y", "100", "1,5", "d\u{323}\u{307}", "d\u{307}\u{323}", "ḋ\u{323}",
    ]
    static let wholes: [Int64] = [
        0, 1, -1, 2, 3, 5, 7, 10, 100, 255, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, .max, .min, .max - 1,
    ]
    static let fractions: [Double] = [
        0, -0.0, 0.5, 1, -1, 2.5, 3, 1e-9, 1e300, -1e300, 0x1p53, 0x1p63, -0x1p63, 4.5, 4.49, 4.51, 100,
    ]
    static let places = [
        Location(latitude: 0, longitude: 0), Location(latitude: 0, longitude: 0.01),
        Location(latitude: 50.45, longitude: 30.52), Location(latitude: 50.46, longitude: 30.51),
        Location(latitude: 90, longitude: 12), Location(latitude: -90, longitude: -170),
        Location(latitude: -17.7, longitude: 179.99), Location(latitude: -17.7, longitude: -179.99),
        Location(latitude: 35.68, longitude: 139.77), Location(latitude: 35.7, longitude: 139.8),
    ]

    var generator: SeededGenerator

    /// Whether some references lead to another zone.
    let refersToZones: Bool

    init(seed: UInt64) { self.init(SeededGenerator(seed: seed)) }

    init(_ generator: SeededGenerator) {
        self.generator = generator
        refersToZones = self.generator.oneIn(3)
    }

    mutating func records(_ count: Int) -> [Record] { (0..<count).map { record($0, of: count) } }

    /// The record of a number, one of so many that may refer to each other.
    mutating func record(_ number: Int, of count: Int) -> Record {
        var record = Record(type: Self.type, id: Record.ID("r\(number)"))
        fill(&record, "whole") { .int64($0.oneIn(3) ? $0.pick(Self.wholes) : Int64.random(in: -20...20, using: &$0)) }
        fill(&record, "fraction") {
            .double($0.oneIn(2) ? $0.pick(Self.fractions) : Double.random(in: -5...5, using: &$0))
        }
        fill(&record, "mixed") {
            $0.oneIn(2) ? .int64(Int64.random(in: -9...9, using: &$0)) : .double($0.pick([0.5, 1, 2.5, -3, 7]))
        }
        fill(&record, "small") { .int64(Int64.random(in: -3...12, using: &$0)) }
        fill(&record, "wide") {
            $0.oneIn(2)
                ? .int64($0.pick(Self.wholes))
                : .double($0.pick(Self.fractions + [.nan, .infinity, -.infinity, 1.5]))
        }
        fill(&record, "later") {
            let seconds = Double(Int.random(in: 0...30, using: &$0)) * 86_400
            return .date(
                Date(timeIntervalSinceReferenceDate: $0.oneIn(12) ? $0.pick([.nan, .infinity, -0.0, 0.5]) : seconds))
        }
        fill(&record, "flag") { .bool($0.oneIn(2)) }
        fill(&record, "text") { .string($0.pick(Self.words)) }
        fill(&record, "few") {
            .string($0.pick(["red", "green", "Green", "GRÜN", "grün", "blue", "public.jpeg", "PUBLIC.image"]))
        }
        fill(&record, "body") { generator in
            .string(
                (0..<Int.random(in: 0...6, using: &generator)).map { _ in generator.pick(Self.words) }.joined(
                    separator: " "))
        }
        fill(&record, "prose") { generator in
            .string(
                (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    let text = generator.oneIn(3) ? generator.pick(Self.trickyWords) : generator.pick(Self.words)
                    return text + generator.pick(["", " ", " ", " ", ", ", "-", "\n"])
                }.joined() + "\(number)")
        }
        fill(&record, "ascii") { generator in
            let words = ["on", "ond", "a", "N", "D", " ", "the", "Rond", "-", "x\n", "s", "k", "\u{0}"]
            let text = (0..<Int.random(in: 0...30, using: &generator)).map { _ in generator.pick(words) }.joined()
            let filler = String(repeating: " filler", count: Int.random(in: 0...12, using: &generator))
            return .string("\(text)\(number % 50)\(filler)")
        }
        fill(&record, "unique") { _ in .string("name \(number * 7919 % 1000)-\(number)") }
        fill(&record, "date") {
            .date(Date(timeIntervalSinceReferenceDate: Double(Int.random(in: 0...30, using: &$0)) * 86_400))
        }
        fill(&record, "tags") { generator in
            .list((0..<Int.random(in: 0...4, using: &generator)).map { _ in .string(generator.pick(Self.words)) })
        }
        fill(&record, "numbers") { generator in
            .list(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    .int64(Int64.random(in: -3...3, using: &generator))
                })
        }
        fill(&record, "nested") { generator in
            let word = FieldValue.string(generator.pick(Self.words))
            return generator.pick([.list([word, .null]), .list([.null]), .list([word])])
        }
        fill(&record, "place") { .location($0.pick(Self.places)) }
        let refersToZones = refersToZones
        fill(&record, "owner") { .reference(Self.reference(among: count, refersToZones, using: &$0)) }
        fill(&record, "friends") { generator in
            .list(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    generator.oneIn(12)
                        ? .null : .reference(Self.reference(among: count, refersToZones, using: &generator))
                })
        }
        return record
    }

    /// A reference to one of so many records, or to none.
    private static func reference(
        among count: Int, _ refersToZones: Bool, using generator: inout SeededGenerator
    ) -> RecordReference {
        let number = Int.random(in: 0...count, using: &generator)
        let isElsewhere = refersToZones && (number % 11 == 3 || generator.oneIn(9))
        return RecordReference(
            recordID: Record.ID("r\(number)", zoneID: isElsewhere ? RecordZone.ID("other") : .default))
    }

    private mutating func fill(_ record: inout Record, _ field: String, _ value: (inout SeededGenerator) -> FieldValue)
    {
        if !generator.oneIn(8) { record[field] = value(&generator) }
    }
}
