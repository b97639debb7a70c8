// Generates places: every value is a pure function of seed, field, and record number.

/// Generates places, any of them in any order.
///
/// Only + − × ÷ of IEEE doubles are used, so the data are the same on every machine. Of a record only `owner` depends
/// on how many records there are: it is uniform over `count / 20` owners.
struct PlaceGenerator: Sendable {
    /// How many places the set has.
    let count: Int

    private let vocabulary = PlaceVocabulary()
    private let forms: WordForms
    private let categoryRanks = ZipfRanks(count: PlaceVocabulary.categories.count)
    private let wordRanks: ZipfRanks
    private let tagRanks: ZipfRanks
    private let cityRanks: ZipfRanks

    init(count: Int) {
        self.count = count
        forms = WordForms(vocabulary.words)
        wordRanks = ZipfRanks(count: vocabulary.words.count)
        tagRanks = ZipfRanks(count: vocabulary.tags.count)
        cityRanks = ZipfRanks(count: vocabulary.cities.count)
    }

    private let missing = RandomStream(.missing)
    private let category = RandomStream(.category)
    private let rating = RandomStream(.rating)
    private let population = RandomStream(.population)
    private let created = RandomStream(.created)
    private let active = RandomStream(.active)
    private let tagCount = RandomStream(.tagCount)
    private let tag = RandomStream(.tag)
    private let bodyLength = RandomStream(.bodyLength)
    private let bodyWord = RandomStream(.bodyWord)
    private let bodyMark = RandomStream(.bodyMark)
    private let city = RandomStream(.city)
    private let position = RandomStream(.location)
    private let owner = RandomStream(.owner)
    private let nameKind = RandomStream(.nameKind)
    private let nameStream = RandomStream(.name)

    /// The place of a record number.
    subscript(_ index: Int) -> Place {
        let key = UInt64(index)
        return Place(
            id: index, name: name(key),
            category: PlaceVocabulary.categories[categoryRanks.rank(category.unit(key))],
            rating: isMissing(key, 0) ? nil : Double(rating.below(501, key)) / 100,
            population: isMissing(key, 1) ? nil : population(key),
            created: created(key),
            active: isMissing(key, 2) ? nil : active.unit(key) < 0.65,
            tags: tags(key),
            body: isMissing(key, 5) ? nil : body(key),
            location: isMissing(key, 3) ? nil : location(key),
            owner: isMissing(key, 4) ? nil : owner.below(max(1, count / 20), key))
    }

    /// The six fields of a place that lists and searches of an application use; none is missing, and names are unique.
    func brief(_ index: Int) -> BriefPlace {
        let key = UInt64(index)
        return BriefPlace(
            number: index, name: "\(name(key)) \(index)", owner: owner.below(max(1, count / 20), key),
            category: PlaceVocabulary.categories[categoryRanks.rank(category.unit(key))],
            rating: Double(rating.below(501, key)) / 100, created: created(key), population: population(key))
    }

    /// Seconds since 1970, in milliseconds of the years 2015 to 2024.
    private func created(_ key: UInt64) -> Double {
        ((1_420_070_400 + 315_360_000 * created.unit(key)) * 1000).rounded(.down) / 1000
    }

    /// One value in twenty of the optional fields is missing.
    private func isMissing(_ key: UInt64, _ field: UInt64) -> Bool {
        missing.unit(key &* 16 &+ field) < 0.05
    }

    /// Log-normal with a median of about 10,000: 2^(13.29 + 2.2 z), z from twelve uniform numbers.
    private func population(_ key: UInt64) -> Int {
        var z = 0.0
        for k in 0..<12 { z += population.unit(key &* 12 &+ UInt64(k)) }
        let exponent = 13.287712 + 2.2 * (z - 6)
        let whole = exponent.rounded(.down)
        let f = exponent - whole
        // 2^f by its Taylor polynomial: no libm, so the same bits everywhere.
        let cubic = 0.05550410866482158 + f * (0.009618129107628477 + f * 0.0013333558146428443)
        let power = 1.0 + f * (0.6931471805599453 + f * (0.2402265069591007 + f * cubic))
        return Int(Double(sign: .plus, exponent: Int(whole), significand: power))
    }

    /// Clustered around cities; one in twenty anywhere.
    private func location(_ key: UInt64) -> Place.Coordinate {
        func unit(_ k: Int) -> Double { position.unit(key &* 16 &+ UInt64(k)) }
        var latitude: Double
        var longitude: Double
        if unit(8) < 0.05 {
            latitude = -60 + 130 * unit(9)
            longitude = -170 + 340 * unit(10)
        } else {
            var a = 0.0
            var b = 0.0
            for k in 0..<4 {
                a += unit(k)
                b += unit(4 + k)
            }
            let centre = vocabulary.cities[cityRanks.rank(city.unit(key))]
            latitude = centre.latitude + (a - 2) * centre.spread
            longitude = centre.longitude + (b - 2) * centre.spread
        }
        latitude = (latitude * 1e6 + 0.5).rounded(.down) / 1e6
        longitude = (longitude * 1e6 + 0.5).rounded(.down) / 1e6
        return Place.Coordinate(lat: latitude, lon: longitude)
    }

    private func tags(_ key: UInt64) -> [String] {
        var tags: [String] = []
        for k in 0..<tagCount.below(7, key) {
            let word = vocabulary.tags[tagRanks.rank(tag.unit(key &* 8 &+ UInt64(k)))]
            if !tags.contains(word) { tags.append(word) }
        }
        return tags
    }

    /// 20 to 120 words by Zipf's law, with commas and full stops.
    private func body(_ key: UInt64) -> String {
        let length = 20 + bodyLength.below(101, key)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length * 10)
        var startsSentence = true
        for k in 0..<length {
            let word = key &* 128 &+ UInt64(k)
            let mark = bodyMark.unit(word)
            let sign: WordForms.Sign = k == length - 1 || mark < 0.08 ? .stop : mark < 0.16 ? .comma : .none
            if k > 0 { bytes.append(UInt8(ascii: " ")) }
            let rank = wordRanks.rank(bodyWord.unit(word))
            forms.append(rank, capital: startsSentence || mark > 0.98, sign: sign, to: &bytes)
            startsSentence = sign == .stop
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func name(_ key: UInt64) -> String {
        func below(_ bound: Int, _ k: UInt64) -> Int { nameStream.below(bound, key &* 8 &+ k) }
        let style = below(20, 5)
        let isCamel = style == 19
        var parts: [String] = []
        let kind = nameKind.below(33, key)
        if kind < PlaceVocabulary.kinds.count { parts.append(PlaceVocabulary.kinds[kind]) }
        parts.append(vocabulary.nameWords[below(vocabulary.nameWords.count, 0)].capitalizingFirst)
        if nameStream.unit(key &* 8 &+ 2) < 0.6 {
            let second = vocabulary.nameWords[below(vocabulary.nameWords.count, 1)]
            parts.append(style < 8 || isCamel ? second.capitalizingFirst : second)
        }
        var name = parts.joined(separator: isCamel ? "" : " ")
        switch style {
        case 14...16: name = name.lowercased()
        case 17, 18: name = name.uppercased()
        default: break
        }
        if nameStream.unit(key &* 8 &+ 3) < 0.4 { name += " \(10 + below(90, 4))" }
        return name
    }
}

/// The written forms of the words: small or capital first letter, with comma, full stop, or neither, as UTF-8.
private struct WordForms: Sendable {
    enum Sign: Int {
        case none, comma, stop
    }

    private var bytes: [UInt8] = []
    private var starts: [Int32] = [0]

    init(_ words: [String]) {
        for word in words {
            for form in [word, word.capitalizingFirst] {
                for sign in ["", ",", "."] {
                    bytes.append(contentsOf: form.utf8)
                    bytes.append(contentsOf: sign.utf8)
                    starts.append(Int32(bytes.count))
                }
            }
        }
    }

    func append(_ rank: Int, capital: Bool, sign: Sign, to output: inout [UInt8]) {
        let form = rank * 6 + (capital ? 3 : 0) + sign.rawValue
        output.append(contentsOf: bytes[Int(starts[form])..<Int(starts[form + 1])])
    }
}

extension String {
    /// The string with its first letter in upper case.
    fileprivate var capitalizingFirst: String {
        prefix(1).uppercased() + dropFirst()
    }
}
