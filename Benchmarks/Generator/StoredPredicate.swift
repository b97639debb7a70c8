// Predicates as subscribers store them: eight shapes over places.

import FoundationEssentials
import Geospatial
import PredicateSemantics
import RecordModel
import TextAnalysis

/// A predicate that a subscriber stores, as text with the values of its placeholders.
struct StoredPredicate {
    var text: String
    var arguments: [FieldValue] = []

    /// The predicate, ready for records of a schema.
    func bound(to schema: RecordSchema?) throws -> BoundPredicate {
        try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: arguments))
    }
}

/// Makes stored predicates, the same ones on every machine.
///
/// Of a hundred, thirty ask for a category and a rating, fifteen for a range of population, fifteen for two words, ten
/// for a tag, ten for a circle and a category, ten for an owner, five for the beginning of a name, and five for a date
/// and one of four categories. Categories, words, and tags follow Zipf's law, as those of places do.
struct StoredPredicateGenerator {
    private let vocabulary = PlaceVocabulary()
    private let categoryRanks = ZipfRanks(count: PlaceVocabulary.categories.count)
    private let wordRanks: ZipfRanks
    private let tagRanks: ZipfRanks
    private var random = RandomSequence(.storedPredicates)

    init() {
        wordRanks = ZipfRanks(count: vocabulary.words.count)
        tagRanks = ZipfRanks(count: vocabulary.tags.count)
    }

    mutating func next() -> StoredPredicate {
        switch random.below(100) {
        case ..<30: return StoredPredicate(text: "category == '\(category())' AND rating >= \(rating())")
        case ..<45:
            let low = 100 + random.below(40_000)
            return StoredPredicate(text: "population BETWEEN {\(low), \(low + 50 + random.below(3_000))}")
        case ..<60: return StoredPredicate(text: "allTokens TOKENMATCHES[cd] '\(word()) \(word())'")
        case ..<70:
            let tag = vocabulary.tags[tagRanks.rank(random.unit())]
            return StoredPredicate(text: "ANY tags == '\(tag)' AND active == TRUE")
        case ..<80: return circle()
        case ..<90: return StoredPredicate(text: "owner == \(random.below(50_000))")
        case ..<95:
            let name = vocabulary.nameWords[random.below(vocabulary.nameWords.count)]
            let folded = TextFolding.fold(name, [.caseInsensitive, .diacriticInsensitive])
            return StoredPredicate(text: "name BEGINSWITH[cd] '\(folded.prefix(3 + random.below(2)))'")
        default:
            let created = 1_420_070_400 + Int((315_360_000 * random.unit()).rounded(.toNearestOrEven))
            let categories = (0..<4).map { _ in "'\(category())'" }.joined(separator: ", ")
            return StoredPredicate(text: "created > \(created) AND category IN {\(categories)}")
        }
    }

    private mutating func category() -> String {
        PlaceVocabulary.categories[categoryRanks.rank(random.unit())]
    }

    private mutating func rating() -> Double { Double(random.below(500)) / 100 }

    private mutating func word() -> String {
        while true {
            let word = vocabulary.words[wordRanks.rank(random.unit())]
            if word.utf8.allSatisfy({ $0 < 0x80 }) { return word }
        }
    }

    private mutating func circle() -> StoredPredicate {
        let city = vocabulary.cities[random.below(500)]
        func shifted(_ degrees: Double, _ unit: Double) -> Double {
            ((degrees + (unit - 0.5) * city.spread) * 1e4).rounded(.toNearestOrEven) / 1e4
        }
        let latitude = shifted(city.latitude, random.unit())
        let longitude = shifted(city.longitude, random.unit())
        let radius = [2_000, 10_000, 50_000][random.below(3)]
        return StoredPredicate(
            text: "distanceToLocation:fromLocation:(location, %@) < \(radius) AND category == '\(category())'",
            arguments: [.location(Location(latitude: latitude, longitude: longitude))])
    }
}
