// Stored indexes held against the columns that they are of.

package import RecordColumns
import RecordModel

extension SegmentIndexes {
    /// Checks that every index says what one that is rebuilt says.
    /// - Throws: `BlockError` for the first index that does not, or cannot be read.
    /// - Complexity: That of building all of them.
    package func verify() throws(BlockError) {
        readAll()
        if let error = unreadable.first { throw error }
        let fresh = SegmentIndexes(segment)
        for (key, index) in ordered.built {
            let other =
                key.column < 0 ? fresh.orderedNames() : fresh.ordered(column: key.column, options: key.textOptions)
            try expect(other.map { index.says(sameAs: $0) } ?? false, "the order", key)
        }
        for (key, index) in tokens.built {
            let column = key.column < 0 ? nil : key.column
            let other = fresh.tokens(column: column, options: key.textOptions)
            try expect(other.map { index.says(sameAs: $0) } ?? false, "the index of words", key)
        }
        for (key, places) in positions.built {
            let column = key.column < 0 ? nil : key.column
            let other = fresh.wordPositions(column: column, options: key.textOptions)
            try expect(other?.blocks.isSame(as: places.blocks) ?? false, "the places of words", key)
        }
        for (key, tree) in spatial.built {
            try expect(fresh.spatial(column: key.column)?.blocks.isSame(as: tree.blocks) ?? false, "the places", key)
        }
        for (key, index) in trigrams.built {
            try expect(
                fresh.trigrams(column: key.column)?.stored.isSame(as: index.stored) ?? false, "the parts of texts", key)
        }
        for (key, words) in foreign.built {
            try expect(
                fresh.foreignWords(column: key.column)?.blocks.isSame(as: words.blocks) ?? false,
                "the words that are not ASCII", key)
        }
    }

    private func expect(_ isSame: Bool, _ what: String, _ key: IndexKey) throws(BlockError) {
        if isSame { return }
        let field = key.column < 0 ? "all fields" : segment.schema.fields[key.column].name
        throw BlockError(part: "segment.indexes", "\(what) of \(field) is not that of its values")
    }
}

extension OrderedIndex {
    /// Whether both have the same values with the same rows, however they hold them. Complexity: O(entries).
    fileprivate func says(sameAs other: OrderedIndex) -> Bool {
        guard family == other.family, isOverLists == other.isOverLists, distinctCount == other.distinctCount,
            entryCount == other.entryCount, rowCount == other.rowCount
        else { return false }
        return findsItsTexts
            && (0..<distinctCount).allSatisfy { distinct in
                let runs = [self, other].map { $0.run(ofDistinct: distinct..<distinct + 1) }
                guard runs[0].range == runs[1].range,
                    Self.areSame(key(ofDistinct: distinct), other.key(ofDistinct: distinct))
                else { return false }
                return unsafe runs[0].withRows { mine in
                    unsafe runs[1].withRows { theirs in unsafe mine.elementsEqual(theirs) }
                }
            }
    }

    /// Whether keys are the same: texts byte by byte, and a number that is none like itself.
    private static func areSame(_ a: FieldValue, _ b: FieldValue) -> Bool {
        if case .string(let a) = a, case .string(let b) = b { return a.utf8.elementsEqual(b.utf8) }
        return a == b || "\(a)" == "\(b)"
    }

    /// Whether every distinct text is found by its bytes, and what is known about the texts is true of them.
    private var findsItsTexts: Bool {
        guard case .text(let texts) = keys else { return true }
        guard TextKeys(texts: texts.texts, positions: texts.positions).mayJoin == texts.mayJoin else { return false }
        return (0..<distinctCount).allSatisfy { distinct in
            texts.find(texts.texts.byteArray(texts.position(distinct, in: self)), in: self, using: textPositions)
                == distinct
        }
    }
}
