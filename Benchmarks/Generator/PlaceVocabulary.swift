// The made-up words, names, tags, and cities that generated places are built from.

/// Word lists of the generated places, a pure function of the seed.
struct PlaceVocabulary {
    /// 50,000 words of bodies by rank; one in a hundred is not ASCII.
    let words: [String]
    /// 20,000 words of names.
    let nameWords: [String]
    /// 2,000 tags.
    let tags: [String]
    /// 500 centres that places cluster around.
    let cities: [City]

    /// A centre of a cluster; degrees.
    struct City {
        var latitude, longitude, spread: Double
    }

    init() {
        words = Self.makeWords(count: 50_000)
        nameWords = Self.makeNameWords(count: 20_000)
        tags = Self.makeTags(count: 2_000)
        cities = Self.makeCities(count: 500)
    }

    /// Fifty categories, most frequent first.
    static let categories = split(
        """
        restaurant cafe hotel museum park shop bar school pharmacy bakery bank cinema theatre library hospital clinic \
        gym market station airport harbour beach bridge castle church temple mosque stadium zoo aquarium gallery \
        garden fountain monument tower hostel campsite garage florist butcher bookshop laundry dentist embassy \
        courthouse lighthouse windmill observatory quarry vineyard
        """)
    /// Words put before some names.
    static let kinds = split("Café Hotel Museo Parc Old New Saint El La Bar")

    private static let onsets = split("b c d f g h k l m n p r s t v z br cl dr fl gr kr pl pr st tr sh th")
    private static let vowels = split("a e i o u a e o ai ou")
    private static let codas = ["", "", "", "", "n", "r", "l", "s", "m", "t", "nd", "rk"]
    private static let marked: [Character: [Character]] = [
        "a": Array("áàäâã"), "e": Array("éèëê"), "i": Array("íìîï"), "o": Array("óòöôõ"), "u": Array("úùüûů"),
        "c": ["ç"], "n": ["ñ"], "s": ["š"], "z": ["ž"],
    ]
    private static let cyrillic = (consonants: Array("бвгдзклмнпрстфхчш"), vowels: Array("аеиоуыя"))
    private static let greek = (consonants: Array("βγδζθκλμνπρτφχ"), vowels: Array("αεηιουω"))

    private static func split(_ text: String) -> [String] {
        text.split(separator: " ").map(String.init)
    }

    private static func pronounceable(
        _ random: inout RandomSequence, syllables: Int, vowelFirst: Bool = false
    ) -> String {
        var word = ""
        for syllable in 0..<syllables {
            if syllable > 0 || !vowelFirst { word += random.pick(onsets) }
            word += random.pick(vowels)
            if syllable == syllables - 1 || random.below(4) == 0 { word += random.pick(codas) }
        }
        return word
    }

    private static func marking(_ random: inout RandomSequence, _ word: String) -> String {
        var letters = Array(word)
        let places = letters.indices.filter { marked[letters[$0]] != nil }
        guard !places.isEmpty else { return word }
        let place = random.pick(places)
        if let choices = marked[letters[place]] { letters[place] = random.pick(choices) }
        return String(letters)
    }

    private static func pairs(
        _ random: inout RandomSequence, _ letters: (consonants: [Character], vowels: [Character]), count: Int
    ) -> String {
        var word = ""
        for _ in 0..<count {
            word.append(random.pick(letters.consonants))
            word.append(random.pick(letters.vowels))
        }
        return word
    }

    /// A word that is not ASCII: Latin with a mark, Cyrillic, or Greek; `nil` where no letter could take a mark.
    private static func foreignWord(_ random: inout RandomSequence, syllables: Int) -> String? {
        let count = max(2, syllables)
        let script = random.below(20)
        if script < 12 {
            let word = marking(&random, pronounceable(&random, syllables: count))
            return word.utf8.allSatisfy { $0 < 0x80 } ? nil : word
        }
        if script < 17 { return pairs(&random, cyrillic, count: count) + random.pick(["", "н", "р", "к"]) }
        return pairs(&random, greek, count: count)
    }

    private static func syllables(_ random: inout RandomSequence, rank: Int) -> Int {
        switch rank {
        case ..<60: 1
        case ..<600: 1 + random.below(2)
        case ..<6_000: 2 + random.below(2)
        default: 2 + random.below(3)
        }
    }

    private static func makeWords(count: Int) -> [String] {
        var random = RandomSequence(.vocabulary)
        var seen: Set<String> = []
        var words: [String] = []
        while words.count < count {
            let syllables = syllables(&random, rank: words.count)
            let word: String
            if words.count % 100 == 57 {
                guard let foreign = foreignWord(&random, syllables: syllables) else { continue }
                word = foreign
            } else {
                let vowelFirst = random.below(6) == 0
                word = pronounceable(&random, syllables: syllables, vowelFirst: vowelFirst)
            }
            if word.unicodeScalars.count > 1, seen.insert(word).inserted { words.append(word) }
        }
        return words
    }

    private static func makeNameWords(count: Int) -> [String] {
        var random = RandomSequence(.nameWords)
        var seen: Set<String> = []
        var words: [String] = []
        while words.count < count {
            let syllables = 2 + random.below(3)
            let vowelFirst = random.below(5) == 0
            var word = pronounceable(&random, syllables: syllables, vowelFirst: vowelFirst)
            if random.below(10) == 0 { word = marking(&random, word) }
            if seen.insert(word).inserted { words.append(word) }
        }
        return words
    }

    private static func makeTags(count: Int) -> [String] {
        var random = RandomSequence(.tagWords)
        var seen: Set<String> = []
        var words: [String] = []
        while words.count < count {
            let syllables = 1 + random.below(2) + (words.count > 200 ? 1 : 0)
            let vowelFirst = random.below(6) == 0
            let word = pronounceable(&random, syllables: syllables, vowelFirst: vowelFirst)
            if word.count >= 3, seen.insert(word).inserted { words.append(word) }
        }
        return words
    }

    private static func makeCities(count: Int) -> [City] {
        var random = RandomSequence(.cities)
        return (0..<count).map { _ in
            let latitude = ((-45.0 + 107.0 * random.unit()) * 1e4).rounded(.toNearestOrEven) / 1e4
            let longitude = ((-165.0 + 330.0 * random.unit()) * 1e4).rounded(.toNearestOrEven) / 1e4
            return City(latitude: latitude, longitude: longitude, spread: 0.05 + 0.25 * random.unit())
        }
    }
}
