// What an index looks up in the value of one field.

import TextAnalysis

/// The spaces of a field that stored predicates use, arranged for a record's way through them.
struct FieldTerms: Sendable {
    /// A space and how often it is mentioned.
    struct Use: Sendable {
        var number: Int
        var space: TermField
        var mentions: Int
    }

    let name: String
    /// Spaces of the value as it is, those of one folding side by side.
    private(set) var values: [Use] = []
    /// Spaces of the elements of a list, those of one folding side by side.
    private(set) var elements: [Use] = []
    /// Spaces of words.
    private(set) var words: [Use] = []
    /// The foldings of the words, by number, as bits.
    private(set) var wordFoldings: UInt8 = 0
    private(set) var cells: [Use] = []
    private(set) var presence: [Use] = []
    private(set) var absence: [Use] = []
    /// Kinds that predicates assume, and how many do.
    private(set) var assumptions: [(kinds: ValueKinds, count: Int)] = []
    /// How many predicates have ranges or distances of the field.
    var valueReaders = 0

    init(name: String) { self.name = name }

    /// Counts mentions of a space; the space leaves with its last one.
    mutating func count(_ change: Int, _ number: Int, _ space: TermField) {
        switch space.kind {
        case .always: break
        case .presence: Self.count(change, number, space, in: &presence)
        case .absence: Self.count(change, number, space, in: &absence)
        case .value, .prefix, .suffix, .gram: Self.count(change, number, space, in: &values)
        case .element, .elementPrefix: Self.count(change, number, space, in: &elements)
        case .cell: Self.count(change, number, space, in: &cells)
        case .word, .wordPrefix:
            Self.count(change, number, space, in: &words)
            wordFoldings = words.reduce(0) { $0 | 1 << UInt8($1.space.options.foldableNumber) }
        }
    }

    private static func count(_ change: Int, _ number: Int, _ space: TermField, in uses: inout [Use]) {
        if let index = uses.firstIndex(where: { $0.number == number }) {
            uses[index].mentions += change
            if uses[index].mentions <= 0 { uses.remove(at: index) }
        } else if change > 0 {
            let place = uses.firstIndex { $0.space.options.rawValue > space.options.rawValue } ?? uses.count
            uses.insert(Use(number: number, space: space, mentions: change), at: place)
        }
    }

    /// Counts predicates that assume kinds.
    mutating func assume(_ kinds: ValueKinds, _ change: Int) {
        if let index = assumptions.firstIndex(where: { $0.kinds == kinds }) {
            assumptions[index].count += change
            if assumptions[index].count <= 0 { assumptions.remove(at: index) }
        } else if change > 0 {
            assumptions.append((kinds, change))
        }
    }

    /// How many times terms of a space are mentioned.
    func mentions(of number: Int, _ kind: TermField.Kind) -> Int {
        let uses =
            switch kind {
            case .always: [Use]()
            case .presence: presence
            case .absence: absence
            case .value, .prefix, .suffix, .gram: values
            case .element, .elementPrefix: elements
            case .cell: cells
            case .word, .wordPrefix: words
            }
        return uses.first { $0.number == number }?.mentions ?? 0
    }
}
