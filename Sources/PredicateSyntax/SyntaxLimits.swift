// How much predicate text the parser is willing to read.

/// Bounds on predicate text, which is untrusted input.
///
/// Exceeding one is a `SyntaxError` of kind `.limit`. The depth bounds both the nesting of the text (parentheses,
/// braces, prefix operators) and the height of the tree (a chain `1 + 1 + …` grows by one with every operator),
/// so that whatever walks a parsed tree recursively needs a bounded stack.
public struct SyntaxLimits: Hashable, Sendable, Codable {
    /// Longest text in UTF-8 bytes; never more than 2 GiB, as spans hold 32-bit offsets.
    public var maximumLength: Int
    /// Deepest nesting of the text and greatest height of the tree, in levels.
    public var maximumDepth: Int
    /// Most terms of one AND or OR, elements of one list, arguments of one call, steps of one path.
    public var maximumListCount: Int

    /// Limits that suit text typed or generated for one query: 16 MiB, 500 levels, a million elements in one list.
    public static let `default` = SyntaxLimits()

    static let greatestLength = Int(Int32.max) - 1

    /// Limits of the given sizes; negative ones count as 0.
    public init(maximumLength: Int = 1 << 24, maximumDepth: Int = 500, maximumListCount: Int = 1_000_000) {
        self.maximumLength = max(0, maximumLength)
        self.maximumDepth = max(1, maximumDepth)
        self.maximumListCount = max(1, maximumListCount)
    }
}
