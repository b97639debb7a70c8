// What a text must hold to meet a condition: for indexes over parts of texts.

/// Texts that appear in the folded form (letter case and marks folded away) of every text that meets a condition.
package indirect enum RequiredText: Hashable, Sendable {
    /// Nothing is known.
    case anything
    /// Folded UTF-8, not empty.
    case text([UInt8])
    case all([RequiredText])
    case any([RequiredText])

    /// The folding of the texts: the coarsest there is, under which whatever finer ones find equal stays equal.
    package static let folding: TextOptions = [.caseInsensitive, .diacriticInsensitive]

    /// The requirement of a literal stretch, folded or not.
    ///
    /// A stretch may begin within a character. Marks at its beginning belong to whatever precedes it and are
    /// folded away with that, or not; so they are left out.
    init(_ literal: String) {
        let scalars = literal.unicodeScalars.drop { !TextFolding.isSeparate($0.value) }
        let bytes = Array(TextFolding.fold(String(String.UnicodeScalarView(scalars)), Self.folding).utf8)
        self = bytes.isEmpty ? .anything : .text(bytes)
    }

    init(folded bytes: [UInt8]) { self.init(String(decoding: bytes, as: UTF8.self)) }

    static func all(of parts: [RequiredText]) -> RequiredText {
        let known = parts.filter { $0 != .anything }
        return known.count > 1 ? .all(known) : known.first ?? .anything
    }

    static func any(of parts: [RequiredText]) -> RequiredText {
        parts.contains(.anything) || parts.isEmpty ? .anything : parts.count == 1 ? parts[0] : .any(parts)
    }
}

extension TextCondition {
    /// What the folded form of every text that meets the condition holds; `.anything` under `n`, which compares code
    /// units.
    package var requirement: RequiredText {
        guard !options.contains(.normalized) else { return .anything }
        switch self {
        case .contains(let needle), .beginsWith(let needle), .endsWith(let needle): return RequiredText(needle.folded)
        case .isAny(let needles): return .any(of: needles.map { RequiredText($0.folded) })
        case .like(let pattern): return .all(of: pattern.texts.map { RequiredText(folded: $0) })
        case .matches(let expression): return expression.requirement
        }
    }
}

extension RegularExpression {
    fileprivate var requirement: RequiredText {
        let ignoresCase = options.folding.contains(.caseInsensitive)
        let folded = TextFolding.fold(pattern, options.subtracting(.caseInsensitive))
        return RegularSyntax.parse(folded, ignoringCase: ignoresCase)?.requirement ?? .anything
    }
}

extension RegularNode {
    fileprivate var requirement: RequiredText {
        switch self {
        case .scalar, .sequence: return Self.requirement(ofSequence: opened)
        case .choice(let nodes): return .any(of: nodes.map(\.requirement))
        case .anything: return .anything
        case .repetition(let node, let least, _): return least > 0 ? node.requirement : .anything
        }
    }

    /// The nodes of a sequence, sequences in it opened.
    private var opened: [RegularNode] {
        if case .sequence(let nodes) = self { nodes.flatMap(\.opened) } else { [self] }
    }

    private static func requirement(ofSequence nodes: [RegularNode]) -> RequiredText {
        var parts: [RequiredText] = []
        var literal = ""
        for node in nodes {
            if case .scalar(let set) = node {
                if let scalar = set.onlyFoldedScalar {
                    literal.unicodeScalars.append(scalar)
                    continue
                }
            } else {
                parts.append(node.requirement)
            }
            parts.append(RequiredText(literal))
            literal = ""
        }
        return .all(of: parts + [RequiredText(literal)])
    }
}

extension ScalarSet {
    /// A scalar that all scalars of the set fold to the same text with; `nil` where they differ.
    fileprivate var onlyFoldedScalar: Unicode.Scalar? {
        guard !isOpenBeyondASCII, ranges.count <= 2, ranges.allSatisfy({ $0.count == 1 }) else { return nil }
        let scalars = ranges.compactMap { Unicode.Scalar($0.lowerBound) }
        let folded = Set(scalars.map { TextFolding.fold(String($0), RequiredText.folding) })
        return folded.count == 1 && scalars.count == ranges.count ? scalars.first : nil
    }
}
