// How folded words behave next to ASCII text: what lets a word be folded and searched apart from its text.
import CICU

extension TextFolding {
    /// Whether folding leaves what precedes the scalar alone if that is ASCII, and no character reaches across.
    package static func isSeparate(_ scalar: UInt32) -> Bool {
        cicu_mark_of(scalar) == Int32(CICU_MARK_NONE.rawValue) && cicu_has_boundary_before(scalar)
            && cicu_cluster_of(scalar) != Int32(CICU_CLUSTER_EXTENDING.rawValue)
    }

    /// Whether what follows the scalar may belong to the same character though it is ASCII.
    package static func mayReachBehind(_ scalar: UInt32) -> Bool {
        cicu_cluster_of(scalar) == Int32(CICU_CLUSTER_SPECIAL.rawValue)
    }

    /// Whether the scalar may belong to the same character as one beside it.
    package static func mayJoin(_ scalar: UInt32) -> Bool {
        // No scalar below U+0300 joins another, the carriage return and the line feed apart, which count as two.
        if scalar < 0x300 { return false }
        let cluster = cicu_cluster_of(scalar)
        return cluster != Int32(CICU_CLUSTER_OTHER.rawValue) && cluster != Int32(CICU_CLUSTER_CONTROL.rawValue)
    }

    /// The first and the last scalar of UTF-8 text that is not empty; U+FFFD for ill-formed bytes.
    package static func ends(of text: Span<UInt8>) -> (first: UInt32, last: UInt32) {
        (text.scalar(at: 0).value, text.scalar(before: text.count).value)
    }
}

extension Span<UInt8> {
    /// Whether the bytes occur, characters aside.
    /// - Complexity: O(n).
    package func holds(_ bytes: Span<UInt8>) -> Bool { firstOffset(of: bytes, from: 0) != nil }
}
