// Stored indexes compared with the columns that they are of.

package import RecordColumns

extension SegmentIndexes {
    /// Checks that every index says what one that is rebuilt says.
    /// - Throws: `BlockError` for the first index that does not, or cannot be read.
    /// - Complexity: That of building all of them.
    package func verify() throws(BlockError) {
        let built = built
        if let error = unreadable.first { throw error }
        let rebuilt = SegmentIndexes(segment, catalogue: catalogue)
        for (key, index) in built where !rebuilt.holds(index, key) {
            throw BlockError(
                part: "segment.indexes",
                "the \(index.kind) index of \(field(of: key) ?? "all fields") is not that of its values")
        }
    }

    private func holds<Index: SegmentIndex>(_ index: Index, _ key: IndexKey) -> Bool {
        guard let other = self.index(key, building: true) as? Index else { return false }
        return index.isSame(as: other)
    }
}
