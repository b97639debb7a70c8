// Random numbers by position: splitmix64 streams that give output k of a field without the ones before it.

/// One stream of 64-bit random numbers, a pure function of seed and field.
///
/// Output k is `mix(key + (k + 1) · γ)` (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
struct RandomStream {
    /// The seed of every data set of the benchmarks.
    static let seed: UInt64 = 20_240_601

    private static let golden: UInt64 = 0x9E37_79B9_7F4A_7C15
    private let key: UInt64

    init(_ field: Field) {
        key = Self.mix(Self.seed &* Self.golden &+ field.rawValue)
    }

    /// Output `position` of the stream.
    func bits(_ position: UInt64) -> UInt64 {
        Self.mix(key &+ (position &+ 1) &* Self.golden)
    }

    /// A number in 0 ..< 1 with 53 random bits.
    func unit(_ position: UInt64) -> Double {
        Double(bits(position) >> 11) * 0x1p-53
    }

    /// A whole number in 0 ..< bound.
    func below(_ bound: Int, _ position: UInt64) -> Int {
        Int(unit(position) * Double(bound))
    }

    private static func mix(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

extension RandomStream {
    /// What a stream decides; the number is part of the data's definition.
    enum Field: UInt64 {
        case vocabulary = 1
        case nameWords
        case tagWords
        case cities
        case missing
        case category
        case rating
        case population
        case created
        case active
        case tagCount
        case tag
        case bodyLength
        case bodyWord
        case bodyMark
        case city
        case location
        case owner
        case nameKind
        case name
        case storedPredicates
        case people = 40
        case arguments
    }
}

/// A stream read from its start, for building word lists.
struct RandomSequence {
    private let stream: RandomStream
    private var position: UInt64 = 0

    init(_ field: RandomStream.Field) {
        stream = RandomStream(field)
    }

    mutating func unit() -> Double {
        defer { position += 1 }
        return stream.unit(position)
    }

    mutating func below(_ bound: Int) -> Int {
        Int(unit() * Double(bound))
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}

/// Ranks with probability proportional to 1 / (rank + 1).
struct ZipfRanks {
    private let cumulative: [Double]
    /// Per slice of the unit interval, the first rank it can give: the search that follows is short.
    private let firstRank: [Int32]
    private static let slices = 1 << 15

    init(count: Int) {
        var sum = 0.0
        let cumulative = (0..<count).map { rank in
            sum += 1.0 / Double(rank + 1)
            return sum
        }
        var rank: Int32 = 0
        firstRank = (0...Self.slices).map { slice in
            // A little low, so that rounding cannot put the bound above the rank searched.
            let bound = Double(slice) / Double(Self.slices) * sum * (1 - 0x1p-40)
            while Int(rank) < count - 1, cumulative[Int(rank)] <= bound { rank += 1 }
            return rank
        }
        self.cumulative = cumulative
    }

    /// The rank for a number in 0 ..< 1: how many cumulative weights are at most `unit` of the whole.
    /// Complexity: O(log n), O(1) for all but the frequent slices.
    func rank(_ unit: Double) -> Int {
        guard let total = cumulative.last else { return 0 }
        let target = unit * total
        let slice = Int(unit * Double(Self.slices))
        var low = Int(firstRank[slice])
        var high = slice + 1 < firstRank.count ? Int(firstRank[slice + 1]) + 1 : cumulative.count
        while low < high {
            let middle = (low + high) / 2
            if cumulative[middle] <= target { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
