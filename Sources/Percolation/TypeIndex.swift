// The stored predicates for one record type, and the terms that they are stored under.

import PredicateSemantics
import RecordModel
import TextAnalysis

/// Stored predicates over records of one type.
///
/// A predicate is listed under terms of which a record must have one to match. A record's terms are looked up once;
/// what is stored under them are the candidates, and most of these need no further look.
struct TypeIndex: Sendable {
    /// The term that every record has: what has no other is tried on each record.
    static let always: UInt32 = 0

    private(set) var dictionary = TermDictionary()
    /// By term.
    private(set) var postings = PagedArray<Posting>()
    /// By slot; nil where no predicate is.
    private(set) var stored = PagedArray<StoredPredicate?>()
    /// The identifiers by slot.
    private(set) var ids = PagedArray<PredicateIndex.ID>()
    private var freeSlots: [UInt32] = []

    /// By number; that of `TermField.recordField` stands for the record as a whole.
    private(set) var fields = [FieldTerms(name: "")]
    private(set) var fieldNumbers: [String: Int] = [:]
    /// Numbers of the fields that every record has without storing them.
    private(set) var identityFields: [Int] = []
    private var spaces: [TermField] = []
    private var spaceNumbers: [TermField: Int] = [:]

    /// How many predicates read the clock, chance, or late variables.
    private(set) var contextReaders = 0
    /// How many predicates a record may come upon in several lists.
    private(set) var repeaters = 0

    init() {
        let space = number(of: TermField(field: TermField.recordField, kind: .always))
        let term = dictionary.intern([UInt8]().span, in: space)
        postings.append(Posting())
        assert(term == Self.always)
    }

    /// Number of predicates.
    var count: Int { stored.count - freeSlots.count }

    /// The number of predicates that are tried on each record.
    var alwaysTried: Int { postings[Int(Self.always)].plain.count }

    // MARK: - Predicates

    /// Files a predicate; returns its slot, or nil where there is no room for more.
    mutating func insert(_ predicate: BoundPredicate, id: PredicateIndex.ID) -> Int? {
        guard count < PostingEntry.slotLimit else { return nil }
        var lowering = Lowering()
        let condition = lower(predicate.root, isNegated: false, &lowering)
        let extraction = TermExtraction(of: condition, in: self)
        let slot: Int
        if let free = freeSlots.popLast() {
            slot = Int(free)
        } else {
            slot = stored.count
            stored.append(nil)
            ids.append(id)
        }
        let predicate = StoredPredicate(
            predicate, extraction, mentions: lowering.mentions, assumptions: lowering.assumptions,
            valueFields: lowering.valueFields)
        ids[slot] = id
        stored[slot] = predicate
        for term in extraction.terms {
            postings[Int(term.number)].insert(extraction.entry(slot: slot), term.secondary)
        }
        count(predicate, 1)
        return slot
    }

    /// Takes the predicate of a slot out.
    mutating func remove(slot: Int) {
        guard stored.indices.contains(slot), let predicate = stored[slot] else { return }
        for term in predicate.extraction.terms {
            postings[Int(term.number)].remove(predicate.extraction.entry(slot: slot), term.secondary)
        }
        count(predicate, -1)
        for term in predicate.mentions {
            let number = dictionary.space(of: term)
            fields[spaces[number].field].count(-1, number, spaces[number])
            if dictionary.release(term) { postings[Int(term)] = Posting() }
        }
        stored[slot] = nil
        freeSlots.append(UInt32(truncatingIfNeeded: slot))
    }

    private mutating func count(_ predicate: StoredPredicate, _ change: Int) {
        for assumption in predicate.assumptions { fields[assumption.field].assume(assumption.kinds, change) }
        for field in predicate.valueFields { fields[field].valueReaders += change }
        if predicate.predicate.usesContext { contextReaders += change }
        if predicate.extraction.mayRepeat { repeaters += change }
    }

    // MARK: - Terms

    /// The number of a field, from its first use on.
    mutating func field(_ name: String) -> Int {
        if let number = fieldNumbers[name] { return number }
        let number = fields.count
        fields.append(FieldTerms(name: name))
        fieldNumbers[name] = number
        if Binder.Settings.recordFields[name] != nil { identityFields.append(number) }
        return number
    }

    private mutating func number(of space: TermField) -> Int {
        if let number = spaceNumbers[space] { return number }
        spaces.append(space)
        spaceNumbers[space] = spaces.count - 1
        return spaces.count - 1
    }

    /// Mentions a term.
    mutating func mention(_ key: Span<UInt8>, _ space: TermField, _ lowering: inout Lowering) -> UInt32 {
        let number = number(of: space)
        let term = dictionary.intern(key, in: number)
        if Int(term) == postings.count { postings.append(Posting()) }
        fields[space.field].count(1, number, space)
        lowering.mentions.append(term)
        return term
    }

    /// The number of times a term is mentioned, without mentioning it.
    func mentions(of key: Span<UInt8>, _ space: TermField) -> Int {
        guard let number = spaceNumbers[space], let term = dictionary.find(key, in: number) else { return 0 }
        return dictionary.mentions(of: term)
    }

    /// The space of a term.
    func space(of term: UInt32) -> TermField { spaces[dictionary.space(of: term)] }

    /// About how likely a record is to have a term, by what predicates mention: what many require many records have.
    func likelihood(of term: UInt32) -> Double {
        let number = dictionary.space(of: term)
        let space = spaces[number]
        let mentions = Double(dictionary.mentions(of: term))
        let share = { (unseen: Double) in
            mentions / (Double(fields[space.field].mentions(of: number, space.kind)) + unseen)
        }
        return switch space.kind {
        case .always: 1
        case .presence: 0.9
        case .absence: 0.1
        case .value, .cell: share(8)
        case .prefix, .suffix: share(100)
        // A record has several elements, and many words.
        case .element, .elementPrefix: min(1, 4 * share(30))
        case .word, .wordPrefix, .gram: min(1, 40 * share(1000))
        }
    }

    /// About the bytes of memory of terms and their postings, and of what is kept with each predicate besides itself.
    var byteCount: Int {
        dictionary.byteCount + postings.count * MemoryLayout<Posting>.stride
            + postings.reduce(0) { $0 + $1.byteCount } + stored.count * 16
            + stored.reduce(0) { $0 + ($1?.byteCount ?? 0) }
    }
}

/// A predicate with its extraction.
final class StoredPredicate: Sendable {
    let predicate: BoundPredicate
    let extraction: TermExtraction
    /// Terms, once for every time that the predicate mentions them.
    let mentions: [UInt32]
    /// What its terms take for granted: for other records the evaluator runs.
    let assumptions: [KindAssumption]
    /// Fields whose numbers or places it reads.
    let valueFields: [Int]

    init(
        _ predicate: BoundPredicate, _ extraction: TermExtraction, mentions: [UInt32], assumptions: [KindAssumption],
        valueFields: [Int]
    ) {
        self.predicate = predicate
        self.extraction = extraction
        self.mentions = mentions
        self.assumptions = assumptions
        self.valueFields = valueFields
    }

    /// Bytes of memory without the predicate, about.
    var byteCount: Int {
        let arrays =
            extraction.terms.capacity * MemoryLayout<TermExtraction.Term>.stride + mentions.capacity * 4
            + assumptions.capacity * MemoryLayout<KindAssumption>.stride + valueFields.capacity * 8
        return 16 + 6 * 8 + 4 * 32 + arrays
    }
}
