// A parsed predicate: the value that other modules work on.

/// A predicate as a syntax tree, with the text it came from.
///
/// Two trees are equal when they say the same, at any position in the text. `description` is the canonical
/// text, which parses back to an equal tree; that text is also how a tree is encoded.
public struct SyntaxTree: Sendable {
    /// The tree itself; spans are byte offsets in `text`.
    public let root: PredicateNode
    /// The text that was parsed, or the canonical text of a tree built by code (whose spans are as they were).
    public let text: String
    /// The format arguments the predicate takes, in the order of the text.
    public let placeholders: [Placeholder]

    /// Parses predicate text; placeholders stay unbound.
    /// - Throws: `SyntaxError` at the first token that cannot continue any predicate.
    /// - Complexity: O(n) in the bytes of the text.
    public init(parsing text: String, limits: SyntaxLimits = .default) throws(SyntaxError) {
        var parser = try Parser(text, limits: limits)
        self.root = try parser.parse()
        self.text = text
        self.placeholders = parser.placeholders
    }

    /// A tree built by code; `text` is its canonical text.
    ///
    /// Its placeholders must be numbered from 0 in the order of the canonical text for that text to parse back to an
    /// equal tree.
    public init(_ root: PredicateNode) {
        self.root = root
        var placeholders: [Placeholder] = []
        root.forEachPart { part in
            switch part {
            case .predicate: break
            case .expression(let node):
                if case .placeholder(let placeholder) = node.kind { placeholders.append(placeholder) }
            case .step(let step):
                if case .placeholder(let placeholder) = step.kind { placeholders.append(placeholder) }
            }
        }
        self.placeholders = placeholders
        var printer = Printer()
        printer.print(root)
        self.text = printer.text
    }

    /// Parses the text of a key path as an argument of `%K` gives it: keys between dots, whatever characters they
    /// hold; `@count` and the other collection operators; `self`. A key with a dot in it is written `#'a.b'`.
    /// - Throws: `SyntaxError` for an empty key; its span is in bytes of `text`.
    package static func parseKeyPath(_ text: String) throws(SyntaxError) -> ExpressionNode {
        var reader = KeyPathText(text)
        return try reader.parse()
    }
}

extension SyntaxTree: Hashable {
    /// True for trees that say the same, even from different texts.
    public static func == (lhs: SyntaxTree, rhs: SyntaxTree) -> Bool { lhs.root == rhs.root }
    /// Hashes the tree, not its text.
    public func hash(into hasher: inout Hasher) { hasher.combine(root) }
}

extension SyntaxTree: CustomStringConvertible {
    /// The canonical text, which parses back to an equal tree.
    public var description: String {
        var printer = Printer()
        printer.print(root)
        return printer.text
    }
}

extension SyntaxTree: Codable {
    /// Decodes the text of a predicate and parses it under the default limits.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do {
            try self.init(parsing: text)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath, debugDescription: error.description, underlyingError: error))
        }
    }

    /// Encodes the canonical text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
