// The part of ICU's regular expressions that finite automata can match: no look-around, no references, no boundaries.

/// A regular expression as a tree.
indirect enum RegularNode {
    /// One scalar of a set.
    case scalar(ScalarSet)
    case sequence([RegularNode])
    case choice([RegularNode])
    /// Any text whatever.
    case anything
    /// From `least` to `most` times, or any number from `least` on.
    case repetition(RegularNode, least: Int, most: Int?)

    /// Whether the empty text matches.
    var isNullable: Bool {
        switch self {
        case .scalar: false
        case .anything: true
        case .sequence(let nodes): nodes.allSatisfy(\.isNullable)
        case .choice(let nodes): nodes.contains(where: \.isNullable)
        case .repetition(let node, let least, _): least == 0 || node.isNullable
        }
    }
}

/// Reads patterns; whatever it is not sure about is left to ICU.
///
/// A whole text either matches or not, so greedy and reluctant repetition are the same here.
struct RegularSyntax {
    private let scalars: [UInt32]
    private var position = 0
    private let ignoresCase: Bool
    private var depth = 0

    private static let deepest = 50
    private static let largestCount = 1000

    /// The tree of a pattern that ICU has compiled; nil where it holds more than this reads.
    static func parse(_ pattern: String, ignoringCase: Bool) -> RegularNode? {
        var syntax = RegularSyntax(scalars: pattern.unicodeScalars.map(\.value), ignoresCase: ignoringCase)
        guard let node = syntax.choice(), syntax.position == syntax.scalars.count else { return nil }
        return node
    }

    private init(scalars: [UInt32], ignoresCase: Bool) {
        self.scalars = scalars
        self.ignoresCase = ignoresCase
    }

    private var next: Unicode.Scalar? {
        position < scalars.count ? Unicode.Scalar(scalars[position]) : nil
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    // MARK: Structure

    private mutating func choice() -> RegularNode? {
        guard depth < Self.deepest else { return nil }
        depth += 1
        defer { depth -= 1 }
        var branches: [RegularNode] = []
        repeat {
            guard let branch = sequence() else { return nil }
            branches.append(branch)
        } while take("|")
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() -> RegularNode? {
        var nodes: [RegularNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            // The whole text is matched: these say nothing at its ends.
            if scalar == "^", position == 0 {
                position += 1
                continue
            }
            if scalar == "$", position == scalars.count - 1 {
                position += 1
                continue
            }
            guard let atom = atom(), let node = repetition(of: atom) else { return nil }
            nodes.append(node)
        }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    private mutating func atom() -> RegularNode? {
        guard let scalar = next else { return nil }
        position += 1
        switch scalar {
        case "(":
            if take("?"), !take(":") { return nil }
            guard let inner = choice(), take(")") else { return nil }
            return inner
        case "[": return set().map { .scalar($0) }
        case ".": return .scalar(.withoutLineEnds)
        case "\\": return escape().flatMap { closed($0) }.map { .scalar($0) }
        case "*", "+", "?", "{", "}", "]", "^", "$": return nil
        default: return closed(ScalarSet(scalar.value)).map { .scalar($0) }
        }
    }

    private mutating func repetition(of atom: RegularNode) -> RegularNode? {
        let (least, most): (Int, Int?)
        if take("*") {
            (least, most) = (0, nil)
        } else if take("+") {
            (least, most) = (1, nil)
        } else if take("?") {
            (least, most) = (0, 1)
        } else if take("{") {
            guard let counts = counts() else { return nil }
            (least, most) = counts
        } else {
            return atom
        }
        // ICU leaves a loop whose body matched nothing in ways of its own.
        guard !atom.isNullable else { return nil }
        _ = take("?")
        switch next {
        case "*", "+", "?", "{": return nil
        default: return .repetition(atom, least: least, most: most)
        }
    }

    /// What is in braces behind the opening one: `n}`, `n,}` or `n,m}`.
    private mutating func counts() -> (Int, Int?)? {
        guard let least = number() else { return nil }
        if take("}") { return (least, least) }
        guard take(",") else { return nil }
        if take("}") { return (least, nil) }
        guard let most = number(), most >= least, take("}") else { return nil }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value = 0
        let start = position
        while let scalar = next, scalar >= "0", scalar <= "9", value <= Self.largestCount {
            value = value * 10 + Int(scalar.value - 0x30)
            position += 1
        }
        return position > start && value <= Self.largestCount ? value : nil
    }
}

// MARK: - Sets

extension RegularSyntax {
    /// What follows a backslash.
    private mutating func escape() -> ScalarSet? {
        guard let scalar = next, scalar.isASCII else { return nil }
        position += 1
        switch scalar {
        case "d": return .digits
        case "w": return .wordScalars
        case "n": return ScalarSet(0x0A)
        case "r": return ScalarSet(0x0D)
        case "t": return ScalarSet(0x09)
        case "0"..."9", "A"..."Z", "a"..."z": return nil
        default: return ScalarSet(scalar.value)
        }
    }

    /// What is in brackets, behind the opening one. Set operations and sets in sets are not read.
    private mutating func set() -> ScalarSet? {
        let isNegated = take("^")
        if isNegated, ignoresCase { return nil }
        var set = ScalarSet()
        while !take("]") {
            guard let first = member() else { return nil }
            guard next == "-" else {
                set.formUnion(first)
                continue
            }
            position += 1
            guard let low = first.only, let last = member()?.only, low <= last else { return nil }
            set.formUnion(ScalarSet(low...last))
        }
        guard !set.isEmpty else { return nil }
        if isNegated { return set.complement }
        return closed(set)
    }

    private mutating func member() -> ScalarSet? {
        guard let scalar = next else { return nil }
        position += 1
        switch scalar {
        case "\\": return escape()
        case "A"..."Z", "a"..."z", "0"..."9", " ", "_", ".", ",", ":", ";", "/", "'", "\"", "!", "?", "*", "+", "(",
            ")", "@",
            "%", "=", "<", ">":
            return ScalarSet(scalar.value)
        default: return scalar.isASCII ? nil : ScalarSet(scalar.value)
        }
    }

    /// The set with the other case of its letters, where case makes no difference; nothing is known beyond ASCII then.
    private func closed(_ set: ScalarSet) -> ScalarSet? {
        guard ignoresCase else { return set }
        return set.ignoringCaseOfASCII
    }
}
