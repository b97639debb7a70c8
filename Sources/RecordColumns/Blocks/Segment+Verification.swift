// What is checked of a stored segment when it is verified, beyond what reading it checks.

import OrdinalSets

extension Segment {
    /// Checks what reading leaves out because it takes a look at every value: that texts are UTF-8, that names are
    /// found, and that what is known about columns is true.
    /// - Throws: `BlockError`.
    /// - Complexity: O(bytes).
    package func verify() throws(BlockError) {
        guard names.isUTF8 else { throw BlockError(part: "segment.names", "a name is not UTF-8") }
        for row in 0..<count {
            let found = self.row(named: names.string(row))
            guard let found, found <= row, names.string(found) == names.string(row) else {
                throw BlockError(part: "segment.nameIndex", "the name of row \(row) is not found")
            }
        }
        for (number, column) in columns.enumerated() { try column.verify("segment.columns.\(number)") }
    }
}

extension Column {
    fileprivate func verify(_ part: String) throws(BlockError) {
        switch values {
        case .text(let texts): try Self.verify(texts, part)
        case .dictionary(let dictionary): try Self.verify(dictionary.values, part)
        case .reference(let references): try Self.verify(references.names, part)
        case .list(let lists): try lists.elements.verify(part + ".elements")
        default: break
        }
        let fresh = Column(values: values, presence: presence, count: count)
        // Bounds are those of numbers, NaN left out, so they compare.
        guard fresh.isASCII == isASCII, fresh.holdsNaN == holdsNaN, fresh.zoneMap?.minima == zoneMap?.minima,
            fresh.zoneMap?.maxima == zoneMap?.maxima
        else { throw BlockError(part: part, "what is known about the column is not true of it") }
    }

    private static func verify(_ texts: TextColumn, _ part: String) throws(BlockError) {
        guard texts.isUTF8 else { throw BlockError(part: part, "a text is not UTF-8") }
    }
}

extension TextColumn {
    /// Whether every text is UTF-8. Complexity: O(bytes).
    fileprivate var isUTF8: Bool {
        if bytes.isASCII { return true }
        return (0..<count).allSatisfy { row in
            unsafe withBytes(row) { text in (try? unsafe UTF8Span(validating: text.span)) != nil }
        }
    }
}

extension BlockTree where Block == any BlockMemory {
    /// Whether two structures have the same parts with the same bytes. Complexity: O(bytes).
    package func isSame(as other: WrittenBlocks) -> Bool {
        guard parts.map(\.name) == other.parts.map(\.name) else { return false }
        return zip(parts, other.parts).allSatisfy { mine, theirs in
            switch (mine.part, theirs.part) {
            case (.number(let a), .number(let b)): a == b
            case (.bytes(let a), .bytes(let b)): a == b
            case (.block(let a), .block(let b)):
                unsafe a.withBytes { a in
                    unsafe b.withBytes { b in
                        let (a, b) = unsafe (a.bindMemory(to: UInt8.self), b.bindMemory(to: UInt8.self))
                        return unsafe ByteHash.areEqual(a, b)
                    }
                }
            case (.tree(let a), .tree(let b)): a.isSame(as: b)
            case (.trees(let a), .trees(let b)):
                a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
            default: false
            }
        }
    }
}
