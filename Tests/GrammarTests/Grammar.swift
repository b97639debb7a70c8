// The grammar file as a value: productions over a small set of expressions, and the reader of its notation.

/// What stands right of the `=` of a production.
indirect enum GrammarExpression {
    /// These characters; without regard to the case of letters if `ignoresCase`.
    case terminal(String, ignoresCase: Bool)
    case range(Unicode.Scalar, Unicode.Scalar)
    /// A set of characters described in words.
    case special(String)
    case reference(String)
    case sequence([GrammarExpression])
    case choice([GrammarExpression])
    case optional(GrammarExpression)
    case repetition(GrammarExpression)
    case exception(GrammarExpression, GrammarExpression)
}

struct Grammar {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var productions: [String: GrammarExpression] = [:]
    /// Names in the order of the file.
    private(set) var names: [String] = []

    /// True for a production whose symbols stand directly one behind the other.
    static func isLexical(_ name: String) -> Bool { name.first?.isUppercase == true }

    init(reading text: String) throws {
        var reader = try NotationReader(text)
        while let (name, expression) = try reader.production() {
            guard productions.updateValue(expression, forKey: name) == nil else {
                throw Failure(description: "\(name) is defined twice")
            }
            names.append(name)
        }
    }

    /// Names used by an expression.
    static func references(of expression: GrammarExpression) -> [String] {
        switch expression {
        case .terminal, .range, .special: []
        case .reference(let name): [name]
        case .sequence(let parts), .choice(let parts): parts.flatMap(references)
        case .optional(let part), .repetition(let part): references(of: part)
        case .exception(let part, let but): references(of: part) + references(of: but)
        }
    }
}

/// Reads the notation explained at the top of the grammar file.
private struct NotationReader {
    private enum Symbol: Equatable {
        case name(String)
        case exact(String)
        case word(String)
        case special(String)
        case sign(Character)
        case dots
    }

    private var symbols: [Symbol] = []
    private var position = 0

    init(_ text: String) throws {
        var rest = text[...]
        func take(upTo end: String) throws -> String {
            guard let range = rest.firstRange(of: end) else {
                throw Grammar.Failure(description: "\(end) missing behind: \(rest.prefix(40))")
            }
            defer { rest = rest[range.upperBound...] }
            return String(rest[..<range.lowerBound])
        }
        while let first = rest.first {
            if first.isWhitespace {
                rest.removeFirst()
            } else if rest.hasPrefix("(*") {
                _ = try take(upTo: "*)")
            } else if rest.hasPrefix("..") {
                rest.removeFirst(2)
                symbols.append(.dots)
            } else if rest.hasPrefix("U+") {
                let digits = rest.dropFirst(2).prefix(4)
                guard let code = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(code) else {
                    throw Grammar.Failure(description: "no code point: U+\(digits)")
                }
                rest.removeFirst(6)
                symbols.append(.exact(String(Character(scalar))))
            } else if first == "\"" || first == "'" || first == "?" {
                rest.removeFirst()
                let inside = try take(upTo: String(first))
                symbols.append(
                    first == "\""
                        ? .exact(inside)
                        : first == "'" ? .word(inside) : .special(inside.split(separator: " ").joined(separator: " ")))
            } else if first.isLetter {
                let name = rest.prefix { $0.isLetter || $0.isNumber }
                rest = rest[name.endIndex...]
                symbols.append(.name(String(name)))
            } else {
                rest.removeFirst()
                symbols.append(.sign(first))
            }
        }
    }

    private var symbol: Symbol? { position < symbols.count ? symbols[position] : nil }

    private mutating func take(_ sign: Character) -> Bool {
        guard symbol == .sign(sign) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ sign: Character, in name: String) throws {
        guard take(sign) else { throw Grammar.Failure(description: "'\(sign)' expected in \(name)") }
    }

    mutating func production() throws -> (String, GrammarExpression)? {
        guard let symbol else { return nil }
        guard case .name(let name) = symbol else { throw Grammar.Failure(description: "name expected: \(symbol)") }
        position += 1
        try expect("=", in: name)
        let expression = try choice(in: name)
        try expect(";", in: name)
        return (name, expression)
    }

    private mutating func choice(in name: String) throws -> GrammarExpression {
        var alternatives = [try sequence(in: name)]
        while take("|") { alternatives.append(try sequence(in: name)) }
        return alternatives.count == 1 ? alternatives[0] : .choice(alternatives)
    }

    private mutating func sequence(in name: String) throws -> GrammarExpression {
        var parts: [GrammarExpression] = []
        while let part = try term(in: name) { parts.append(part) }
        if parts.isEmpty { throw Grammar.Failure(description: "empty alternative in \(name)") }
        return parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func term(in name: String) throws -> GrammarExpression? {
        guard let part = try factor(in: name) else { return nil }
        guard take("-") else { return part }
        guard let but = try factor(in: name) else {
            throw Grammar.Failure(description: "'-' without right side in \(name)")
        }
        return .exception(part, but)
    }

    private mutating func factor(in name: String) throws -> GrammarExpression? {
        guard let symbol else { return nil }
        position += 1
        switch symbol {
        case .name(let reference): return .reference(reference)
        case .word(let text): return .terminal(text, ignoresCase: true)
        case .special(let text): return .special(text)
        case .exact(let text):
            guard self.symbol == .dots else { return .terminal(text, ignoresCase: false) }
            position += 1
            guard case .exact(let upper) = self.symbol, let first = text.unicodeScalars.first,
                let last = upper.unicodeScalars.first
            else { throw Grammar.Failure(description: "range without end in \(name)") }
            position += 1
            return .range(first, last)
        case .sign("("):
            let inside = try choice(in: name)
            try expect(")", in: name)
            return inside
        case .sign("["):
            let inside = try choice(in: name)
            try expect("]", in: name)
            return .optional(inside)
        case .sign("{"):
            let inside = try choice(in: name)
            try expect("}", in: name)
            return .repetition(inside)
        case .sign, .dots:
            position -= 1
            return nil
        }
    }
}
