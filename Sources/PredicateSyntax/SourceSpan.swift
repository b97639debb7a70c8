// The place of a node in the predicate text.

/// A half-open range of UTF-8 byte offsets in the predicate text.
///
/// Two spans always compare equal and hash alike: a syntax tree is equal to another when it says the same,
/// at any position of its text. Compare `lowerBound` and `upperBound` to compare places.
public struct SourceSpan: Hashable, Sendable, Codable {
    /// Byte offset of the first byte.
    public var lowerBound: Int32
    /// Byte offset behind the last byte.
    public var upperBound: Int32

    /// A span of the bytes `lowerBound..<upperBound`.
    @inlinable
    public init(_ lowerBound: Int, _ upperBound: Int) {
        self.lowerBound = Int32(truncatingIfNeeded: lowerBound)
        self.upperBound = Int32(truncatingIfNeeded: upperBound)
    }

    /// The bytes as a range of `Int` offsets.
    @inlinable
    public var range: Range<Int> { Int(lowerBound)..<Int(max(lowerBound, upperBound)) }

    /// A node that came from no text.
    public static let none = SourceSpan(0, 0)

    /// Always true: equality of trees does not depend on places.
    public static func == (_: SourceSpan, _: SourceSpan) -> Bool { true }
    /// Adds nothing, as all spans are equal.
    public func hash(into _: inout Hasher) {}
}
