// The indexes of a segment as stored blocks: written as they were built, read on first use.
//
// Indexes can be rebuilt from the columns at any time, so one that cannot be read is no reason to reject a segment: it
// counts as not built, and what was wrong with it is kept for reports.

package import RecordColumns
import Synchronization
import TextAnalysis

extension SegmentIndexes {
    /// The indexes built so far, to be stored. Complexity: O(distinct texts) at most.
    package var blocks: WrittenBlocks {
        let built = built.map { (isAnalyzed: $0.key.analysis != nil, entry: Self.entry($0.key, $0.index)) }
        var tree = WrittenBlocks()
        tree.add("list", built.filter { !$0.isAnalyzed }.map(\.entry))
        // A list of their own, which readers that know of no analyzers do not look at.
        let analyzed = built.filter(\.isAnalyzed).map(\.entry)
        if !analyzed.isEmpty { tree.add("analyzed", analyzed) }
        return tree
    }

    private static func entry(_ key: IndexKey, _ index: any SegmentIndex) -> WrittenBlocks {
        var entry = WrittenBlocks()
        entry.add("kind", Int(key.kind))
        entry.add("column", key.column ?? -1)
        entry.add("options", Int(key.options.rawValue))
        entry.add("isOfText", index.isOfText ? 1 : 0)
        if let analysis = key.analysis {
            entry.add("analyzer", Array(analysis.text.utf8))
            entry.add("stems", bits: analysis.stemsVersion)
        }
        entry.add("index", index.blocks)
        return entry
    }

    /// The stored indexes of a segment, each read on first use.
    ///
    /// - Parameter readsText: Whether indexes of text are read: their order is that of the Unicode tables that they
    ///   were made with.
    ///   `outdatedCount` says how many are left out.
    /// - Throws: `BlockError` when the list of indexes is none.
    package static func read(
        _ segment: Segment, from reader: BlockReader, readsText: Bool
    ) throws(BlockError) -> SegmentIndexes {
        let indexes = SegmentIndexes(segment)
        try indexes.read(from: reader, readsText: readsText)
        return indexes
    }

    func read(from reader: BlockReader, readsText: Bool) throws(BlockError) {
        for entry in try reader.structures("list") { try read(entry, readsText: readsText) }
        guard reader.has("analyzed") else { return }
        var known: [[UInt8]: WordAnalysis] = [:]
        for entry in try reader.structures("analyzed") {
            let text: [UInt8] = try entry.array("analyzer")
            guard let analysis = known[text] ?? WordAnalysis(text: text) else {
                throw entry.failure("analyzer", "there are no such analyzers")
            }
            known[text] = analysis
            // Other stems than those of this process are no use, as texts under other tables of Unicode.
            let isCurrent = try entry.bits("stems") == analysis.stemsVersion
            try read(entry, analysis, readsText: readsText && isCurrent)
        }
    }

    private func read(
        _ entry: BlockReader, _ analysis: WordAnalysis? = nil, readsText: Bool
    ) throws(BlockError) {
        let key = try key(from: entry, analysis)
        if try entry.flag("isOfText"), !readsText {
            outdated.withLock { $0.append(key) }
        } else {
            cache.store(key, try entry.structure("index"))
        }
    }

    private func key(from entry: BlockReader, _ analysis: WordAnalysis?) throws(BlockError) -> IndexKey {
        let number = try entry.number("kind")
        let column = try entry.number("column", -1...max(-1, segment.columns.count - 1))
        let options = TextOptions(rawValue: try entry.number("options", 0...Int(UInt8.max)))
        guard let kind = UInt8(exactly: number).flatMap({ indexType($0)?.kind }) else {
            throw entry.failure("kind", "there are no indexes of kind \(number)")
        }
        guard column >= 0 || kind.coversAllFields else {
            throw entry.failure("column", "an index of this kind needs a column")
        }
        return IndexKey(kind, column: column < 0 ? nil : column, options: options, analysis: analysis)
    }

    /// Reads every stored index that was not read yet. Complexity: O(bytes).
    package func readAll() { _ = built }

    /// Number of stored indexes of text that were made with other Unicode tables than those of this process. Each is
    /// rebuilt on demand, or by `buildOutdated`.
    package var outdatedCount: Int { outdated.withLock { $0.count } }

    /// Rebuilds the outdated indexes.
    ///
    /// - Parameter progress: Called after each.
    /// - Complexity: That of building them.
    package func buildOutdated(_ progress: () -> Void = {}) {
        while let key = outdated.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            _ = index(key, building: true)
            progress()
        }
    }
}
