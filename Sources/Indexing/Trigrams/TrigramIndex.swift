// The rows of every three bytes of folded text: a filter for parts of texts.
//
// Rows are worked on in blocks of 65,536, so that a row takes two bytes in a list; a list of many rows of a block is a
// bitmap of it. A block is built on its own, with little memory beside it. Rejected: one list of row numbers for each
// three bytes (twice the memory), and a signature of bits for each row (a third of the memory, but needles of four or
// five letters leave a row in ten to be looked at).

import OrdinalSets
package import RecordColumns
package import TextAnalysis

/// An index over the three-byte stretches of a column's folded texts.
///
/// Immutable; may be read from any thread. What it finds holds the parts that are sought, but perhaps apart from each
/// other: the texts of the rows are still to be looked at.
package final class TrigramIndex: Sendable {
    /// Number of rows of the segment, with or without a text.
    package let rowCount: Int
    /// Blocks of rows, in order.
    let rowBlocks: [TrigramBlock]

    init(rowCount: Int, rowBlocks: [TrigramBlock]) {
        self.rowCount = rowCount
        self.rowBlocks = rowBlocks
    }

    /// Room taken, in bytes.
    package var byteCount: Int { rowBlocks.reduce(0) { $0 + $1.byteCount } }

    /// The index of a column of texts. Complexity: O(bytes).
    package static func build(over texts: TextColumn) -> TrigramIndex {
        var builder = TrigramBlockBuilder()
        var blocks: [TrigramBlock] = []
        for start in stride(from: 0, to: texts.count, by: TrigramBlock.rowCount) {
            blocks.append(builder.block(of: texts, rows: start..<min(texts.count, start + TrigramBlock.rowCount)))
        }
        return TrigramIndex(rowCount: texts.count, rowBlocks: blocks)
    }

    /// Whether the index can serve the requirement: it has a text of three bytes, in every branch.
    package static func canServe(_ requirement: RequiredText) -> Bool { TrigramQuery(requirement) != nil }

    /// The rows whose texts may meet the requirement, ascending; `nil` when the index cannot serve it, or more rows
    /// than `limit` are left.
    /// - Complexity: O(rows that hold the rarest stretch).
    package func candidates(_ requirement: RequiredText, limit: Int = .max) -> [UInt32]? {
        guard let query = TrigramQuery(requirement) else { return nil }
        var rows: [UInt32] = []
        for (number, block) in rowBlocks.enumerated() {
            let start = UInt32(truncatingIfNeeded: number * TrigramBlock.rowCount)
            for row in block.rows(query) { rows.append(start + UInt32(row)) }
            if rows.count > limit { return nil }
        }
        return rows
    }
}

/// Three bytes in classes: letters and digits each for themselves, other bytes several to a class.
package enum Trigram {
    /// Number of codes: three classes of 64.
    package static let codeCount = 1 << 18

    /// The class of each byte of folded text.
    static let classes: [UInt8] = (0..<256).map { (byte: Int) -> UInt8 in
        switch UInt8(byte) {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt8(byte - 0x61)
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt8(26 + byte - 0x30)
        case UInt8(ascii: " "): 36
        case 0..<0x80: UInt8(37 + byte % 11)
        default: UInt8(48 + byte % 16)
        }
    }

    /// The codes of a text's stretches, each once.
    static func codes(of text: [UInt8]) -> Set<UInt32> {
        guard text.count >= 3 else { return [] }
        return Set((0..<text.count - 2).map { code(text[$0], text[$0 + 1], text[$0 + 2]) })
    }

    private static func code(_ a: UInt8, _ b: UInt8, _ c: UInt8) -> UInt32 {
        UInt32(classes[Int(a)]) << 12 | UInt32(classes[Int(b)]) << 6 | UInt32(classes[Int(c)])
    }
}

/// Which stretches a text must hold.
indirect enum TrigramQuery {
    /// All of some, of which there is one at least.
    case codes([UInt32])
    case all([TrigramQuery])
    case any([TrigramQuery])

    /// - Returns: `nil` where there is nothing to look up.
    init?(_ requirement: RequiredText) {
        switch requirement {
        case .anything: return nil
        case .text(let text):
            let codes = Trigram.codes(of: text)
            if codes.isEmpty { return nil }
            self = .codes(Array(codes))
        case .all(let parts):
            let known = parts.compactMap { TrigramQuery($0) }
            if known.isEmpty { return nil }
            self = .all(known)
        case .any(let parts):
            let known = parts.compactMap { TrigramQuery($0) }
            if known.count < parts.count { return nil }
            self = .any(known)
        }
    }
}
