// Values for the variables of the workload's queries, new in every run, like the constants of the workload.

import FoundationEssentials
import Geospatial
import Glibc
import RecordModel
import TextAnalysis

/// The values of one run: those of our variables `$a`, `$b` … and those of SQLite's parameters `?1`, `?2` …
struct BoundValues: Sendable {
    var ours: [FieldValue] = []
    var sqlite: [FieldValue] = []

    fileprivate mutating func add(_ values: FieldValue...) {
        ours += values
        sqlite += values
    }
}

extension [FieldValue] {
    /// The values as those of the variables `$a`, `$b`, `$c`.
    var variables: [String: FieldValue] {
        switch count {
        case 0: [:]
        case 1: ["a": self[0]]
        case 2: ["a": self[0], "b": self[1]]
        default: ["a": self[0], "b": self[1], "c": self[2]]
        }
    }
}

/// Draws values, the same ones on every machine.
///
/// A draw is a word and its parameter: `category rare`, `created 0.1` (a range of a tenth of all), `point 5000` (with
/// the box of so many metres for SQLite). Frequent words, categories and tags are about as frequent as those that the
/// workload names, rare ones as rare.
struct BoundValueSource {
    private let generator: PlaceGenerator
    private let vocabulary = PlaceVocabulary()
    /// The populations of some places, ascending.
    private let populations: [Int]
    private var random = RandomSequence(.arguments)

    init(_ generator: PlaceGenerator) {
        self.generator = generator
        let sample = min(generator.count, 10_000)
        populations = (0..<sample).map { generator.brief($0).population }.sorted()
    }

    /// Values of so many runs for the draws of a query.
    mutating func values(_ draws: [String], count: Int) throws(UsageError) -> [BoundValues] {
        random = RandomSequence(.arguments)
        var values: [BoundValues] = []
        for _ in 0..<count {
            var run = BoundValues()
            for draw in draws { try add(draw, to: &run) }
            values.append(run)
        }
        return values
    }

    private mutating func add(_ draw: String, to values: inout BoundValues) throws(UsageError) {
        let words = draw.split(separator: " ").map(String.init)
        let parameter = words.dropFirst().first ?? ""
        switch words.first {
        case "category": values.add(.string(category(isRare: parameter == "rare")))
        case "tag": values.add(.string(vocabulary.tags[parameter == "rare" ? 80 + random.below(80) : random.below(3)]))
        case "name": values.add(.string(place().name))
        case "names": addList(&values) { .string($0.place().name) }
        case "owner": values.add(owner())
        case "owners": addList(&values) { $0.owner() }
        case "rating", "number": values.add(.double((Double(parameter) ?? 0) + Double(random.below(20)) / 200))
        case "created", "population": addRange(of: words[0], Double(parameter) ?? 0.1, to: &values)
        case "point", "nearest": addPoint(Double(parameter), to: &values)
        default: try addText(words.first ?? "", parameter, to: &values)
        }
    }

    private mutating func place() -> BriefPlace { generator.brief(random.below(generator.count)) }

    private mutating func owner() -> FieldValue { .int64(Int64(place().owner)) }

    private mutating func category(isRare: Bool) -> String {
        PlaceVocabulary.categories[isRare ? 40 + random.below(10) : random.below(3)]
    }

    /// Twenty values: a list for ours, parameters for SQLite.
    private mutating func addList(_ values: inout BoundValues, _ draw: (inout Self) -> FieldValue) {
        let list = (0..<20).map { _ in draw(&self) }
        values.ours.append(.list(list))
        values.sqlite += list
    }

    /// The ends of a range that holds a part of all places.
    private mutating func addRange(of field: String, _ part: Double, to values: inout BoundValues) {
        let start = random.unit() * (1 - part)
        if field == "created" {
            let begin = 1_420_070_400 + 315_360_000 * start
            values.add(.double(begin), .double(begin + 315_360_000 * part))
        } else {
            let ends = [start, start + part].map { populations[Int($0 * Double(populations.count - 1))] }
            values.add(.int64(Int64(ends[0])), .int64(Int64(ends[1])))
        }
    }

    /// The middle of one of the cities that most places are near; with a radius in metres, the box around it for
    /// SQLite.
    private mutating func addPoint(_ radius: Double?, to values: inout BoundValues) {
        var city = vocabulary.cities[random.below(20)]
        // A box would reach over the 180th meridian.
        while abs(city.longitude) > 160 { city = vocabulary.cities[random.below(20)] }
        values.ours.append(.location(Location(latitude: city.latitude, longitude: city.longitude)))
        values.sqlite += [.double(city.latitude), .double(city.longitude)]
        guard let radius else { return }
        let box = SphereBox(latitude: city.latitude, longitude: city.longitude, radius: radius)
        values.sqlite += [box.south, box.north, box.west, box.east].map { .double($0) }
    }
}

// MARK: Texts

extension BoundValueSource {
    private mutating func addText(
        _ kind: String, _ parameter: String, to values: inout BoundValues
    ) throws(UsageError) {
        let isFolded = parameter == "folded"
        switch kind {
        case "beginning":
            let beginning = letters(3, isFolded: isFolded)
            values.ours.append(.string(beginning))
            values.sqlite += [.string(beginning), .string(String(beginning.dropLast()) + next(beginning))]
        case "pattern":
            let letters = letters(isFolded ? 3 : 1, isFolded: isFolded)
            values.add(.string(isFolded ? "*\(letters)?n*" : "\(letters.uppercased())*r?n*"))
        case "expression":
            let last = random.pick(["J", "K", "L", "M", "N"])
            let syllables = (0..<2).map { _ in random.pick(["ol", "an", "er", "is", "ut"]) }
            values.add(.string("[A-\(last)].*(\(syllables[0])|\(syllables[1]))[a-z]* [0-9]{2}"))
        case "part":
            let word = parameter == "rare" ? plainWord(2_000..<20_000, least: 5) : plainWord(0..<200, least: 3)
            values.add(.string(parameter == "rare" ? word : String(word.suffix(3))))
        case "words": addWords(parameter.split(separator: ",").map(String.init), to: &values)
        case "stem":
            let stem = stem(least: Int(parameter) ?? 1)
            values.ours.append(.string(stem))
            values.sqlite.append(.string(stem + "*"))
        default: throw UsageError(description: "'\(kind)' draws no values")
        }
    }

    /// The letter after the last one of a text.
    private func next(_ text: String) -> String {
        String(UnicodeScalar((text.utf8.last ?? 0) + 1))
    }

    /// The first letters of a name, all of them ASCII.
    private mutating func letters(_ count: Int, isFolded: Bool) -> String {
        while true {
            let letters = place().name.prefix(count)
            guard letters.allSatisfy({ $0.isASCII && $0.isLetter }) else { continue }
            return isFolded ? letters.lowercased() : String(letters)
        }
    }

    private mutating func plainWord(_ ranks: Range<Int>, least: Int = 1) -> String {
        while true {
            let word = vocabulary.words[ranks.lowerBound + random.below(ranks.count)]
            if word.utf8.count >= least, word.utf8.allSatisfy({ $0 < 0x80 }) { return word }
        }
    }

    /// Words to look for, all of them in one body.
    private mutating func addWords(_ kinds: [String], to values: inout BoundValues) {
        if kinds == ["foreign"] {
            let word = foreignWord()
            values.ours.append(.string(word.uppercased()))
            values.sqlite.append(.string(TextFolding.fold(word, [.caseInsensitive, .diacriticInsensitive])))
            return
        }
        var words: [String] = []
        while words.count < kinds.count {
            let word =
                switch kinds[words.count] {
                case "frequent": plainWord(8..<30)
                case "medium": plainWord(400..<1_000)
                default: plainWord(30_000..<50_000)
                }
            if !words.contains(word) { words.append(word) }
        }
        values.ours.append(.string(words.joined(separator: " ")))
        values.sqlite.append(.string(words.joined(separator: " AND ")))
    }

    /// A Latin word with marks.
    private mutating func foreignWord() -> String {
        while true {
            let word = vocabulary.words[57 + 100 * random.below(20)]
            let folded = TextFolding.fold(word, [.caseInsensitive, .diacriticInsensitive])
            if folded != word, folded.utf8.allSatisfy({ $0 < 0x80 }) { return word }
        }
    }

    /// Three letters that at least so many words begin with, and at most three times as many.
    private mutating func stem(least: Int) -> String {
        while true {
            let stem = plainWord(0..<50_000, least: 3).prefix(3)
            let count = vocabulary.words.count { $0.hasPrefix(stem) }
            if count >= least, count <= 3 * least { return String(stem) }
        }
    }
}

/// The degrees that a circle on a sphere lies within.
struct SphereBox {
    var south, north, west, east: Double

    /// - Parameter radius: In metres; the circle must not reach a pole or the 180th meridian.
    init(latitude: Double, longitude: Double, radius: Double) {
        let angle = radius / 6_371_008.7714150598
        // A trace wider, so that rounding leaves nobody out.
        let height = angle * 180 / .pi * (1 + 1e-9)
        let width = asin(sin(angle) / cos(latitude * .pi / 180)) * 180 / .pi * (1 + 1e-9)
        (south, north, west, east) = (latitude - height, latitude + height, longitude - width, longitude + width)
    }
}
