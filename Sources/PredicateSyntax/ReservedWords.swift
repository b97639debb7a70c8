// The words of the language and the tables that describe them.

/// The words and spellings of the language, for the lexer and for tests that hold the grammar's tables against it.
package enum LanguageWords {
    /// Words that are keys only behind `#` (and behind a dot), in upper case.
    package static let reserved: [String] =
        words.filter { !isContextual($0.1) }.map { $0.0 }
        + ComparisonOperator.allCases.map(\.rawValue).filter { $0.contains("-") }

    /// Words with a meaning before `(` or between two values, plain keys elsewhere, in upper case.
    package static let contextual: [String] = words.filter { isContextual($0.1) }.map { $0.0 }

    /// Every spelling of every comparison operator, the canonical one first among its synonyms.
    package static let comparisonSpellings: [(spelling: String, comparisonOperator: ComparisonOperator)] =
        ComparisonOperator.allCases.map { ($0.rawValue, $0) }
        + ComparisonOperator.allCases.flatMap { known in known.syntax.synonyms.map { ($0, known) } }

    /// True if the word, in any case, is a key only behind `#`.
    static func isReserved(_ word: String) -> Bool {
        guard let token = WordTable.shared.token(of: word.utf8) else { return false }
        return !isContextual(token)
    }

    /// True for `self` in any case.
    static func isSelf(_ word: String) -> Bool { WordTable.shared.token(of: word.utf8) == .selfObject }

    /// True if the word, in any case, means something in some place of the grammar.
    static func isSpecial(_ word: String) -> Bool {
        WordTable.shared.token(of: word.utf8) != nil
    }

    fileprivate static let words: [(String, Token)] =
        ComparisonOperator.allCases.filter(\.isWord).map { ($0.rawValue, .comparison($0)) } + otherWords

    private static let otherWords: [(String, Token)] = [
        ("AND", .and), ("OR", .or), ("NOT", .not),
        ("ANY", .any), ("SOME", .some), ("ALL", .all), ("NONE", .none),
        ("NULL", .null), ("NIL", .null), ("SELF", .selfObject),
        ("TRUE", .true), ("YES", .true), ("FALSE", .false), ("NO", .false),
        ("FIRST", .first), ("LAST", .last), ("SIZE", .size),
        ("SUBQUERY", .subquery),
        ("TRUEPREDICATE", .truePredicate), ("FALSEPREDICATE", .falsePredicate),
        ("ANYKEY", .anyKey), ("CASEINSENSITIVE", .caseInsensitive), ("CI", .caseInsensitive),
        ("TERNARY", .ternary), ("CAST", .cast), ("FUNCTION", .function), ("FETCH", .fetch),
        ("UNION", .union), ("INTERSECT", .intersect), ("INTERSECTION", .intersect), ("MINUS", .minusSets),
    ]

    private static func isContextual(_ token: Token) -> Bool {
        switch token {
        case .ternary, .cast, .function, .fetch, .union, .intersect, .minusSets: true
        default: false
        }
    }
}

/// Up to 16 ASCII letters as two words, lower-cased: what an identifier is looked up by.
struct PackedWord: Equatable {
    var high: UInt64 = 0
    var low: UInt64 = 0

    /// Adds one byte of an identifier. Setting bit 5 lower-cases letters and merges no two other identifier bytes.
    @inline(__always)
    mutating func append(_ byte: UInt8) {
        high = high << 8 | low >> 56
        low = low << 8 | UInt64(byte | 0x20)
    }
}

/// A hash table of the words of the language.
struct WordTable: Sendable {
    static let shared = WordTable()
    static let longestWord = 16

    private struct Slot {
        var word = PackedWord()
        var token = Token.identifier
    }

    private var slots = [Slot](repeating: Slot(), count: 128)

    private init() {
        for (word, token) in LanguageWords.words {
            var packed = PackedWord()
            for byte in word.utf8 { packed.append(byte) }
            var index = Self.slot(of: packed)
            while slots[index].word != PackedWord() { index = (index + 1) & 127 }
            slots[index] = Slot(word: packed, token: token)
        }
    }

    @inline(__always)
    private static func slot(of word: PackedWord) -> Int {
        Int(truncatingIfNeeded: ((word.low ^ word.high &* 0x9E37_79B9) &* 0x9E37_79B9_7F4A_7C15) >> 57)
    }

    /// The token of a packed word of at most 16 bytes; `.identifier` for a word without meaning.
    @inline(__always)
    func token(of word: PackedWord) -> Token {
        var index = Self.slot(of: word)
        while true {
            let slot = slots[index]
            if slot.word == word || slot.token == .identifier { return slot.token }
            index = (index + 1) & 127
        }
    }

    /// The token of a word in any case; `nil` for one without meaning.
    func token(of word: some Collection<UInt8>) -> Token? {
        guard word.count <= Self.longestWord else { return nil }
        var packed = PackedWord()
        for byte in word { packed.append(byte) }
        let token = token(of: packed)
        return token == .identifier ? nil : token
    }
}
