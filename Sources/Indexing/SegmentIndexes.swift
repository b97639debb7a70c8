// The indexes of one segment, each built when it is first wanted.

package import RecordColumns
import RecordModel
import Synchronization
package import TextAnalysis

/// The indexes of a segment by kind, field and folding. Each kind says how they are looked up: `ordered`, `tokens`.
///
/// An index is built on first use, once, and kept: a sealed segment never changes. May be used from any thread. Work
/// under a deadline that is over gets `nil`, as if there were no index; the index is built all the same.
package final class SegmentIndexes: Sendable {
    package let segment: Segment
    let catalogue: [any SegmentIndex.Type]
    let cache = IndexCache<any SegmentIndex>()
    private let damage = Mutex<[BlockError]>([])
    private let foreign = OnceCell<SegmentIndexes>()
    let outdated = Mutex<[IndexKey]>([])

    /// The indexes of a segment, none of them built.
    package convenience init(_ segment: Segment) { self.init(segment, catalogue: IndexKind.catalogue) }

    init(_ segment: Segment, catalogue: [any SegmentIndex.Type]) {
        self.segment = segment
        self.catalogue = catalogue
    }

    /// Those of the same rows as users other than their owner name them, made on first use.
    ///
    /// - Parameter kept: Fields whose references stay as they are.
    package func named(inZonesOf owner: String, keeping kept: Set<String>) -> SegmentIndexes {
        if let known = foreign.load() { return known }
        return foreign.storeIfNil(SegmentIndexes(segment.named(inZonesOf: owner, keeping: kept), catalogue: catalogue))
    }

    /// What was wrong with stored indexes that could not be read: they are rebuilt instead.
    package var unreadable: [BlockError] { damage.withLock { $0 } }

    /// Number of indexes that were built or can be read.
    package var builtCount: Int { cache.count }

    /// The index of a type, which is built where it is missing and `building` says so.
    func index<Index: SegmentIndex>(
        _ type: Index.Type, column: Int?, options: TextOptions = [], analysis: WordAnalysis? = nil, building: Bool
    ) -> Index? {
        index(IndexKey(type.kind, column: column, options: options, analysis: analysis), building: building) as? Index
    }

    func index(_ key: IndexKey, building: Bool) -> (any SegmentIndex)? {
        if let known = cache.known(key) { return known }
        guard let type = indexType(key.kind) else { return nil }
        return cache.value(
            key, building: building, read: { read(type, key, from: $0) }, build: { type.build(key, of: self) })
    }

    /// Takes the indexes of words out that were made by other analyzers than those of the fields now. One that somebody
    /// searches by all the same is built again.
    package func removeAnalyzed(except analyzers: FieldAnalyzers?) {
        func isUnused(_ key: IndexKey) -> Bool {
            key.analysis != nil && field(of: key).flatMap { analyzers?[$0] } != key.analysis
        }
        cache.remove(where: isUnused)
        outdated.withLock { $0.removeAll(where: isUnused) }
    }

    /// The type of a kind.
    func indexType(_ number: UInt8) -> (any SegmentIndex.Type)? { catalogue.first { $0.kind.number == number } }

    /// The indexes with what they are of, in the order in which they are stored. What was not read yet is read.
    var built: [(key: IndexKey, index: any SegmentIndex)] {
        cache.keys.compactMap { key in index(key, building: false).map { (key, $0) } }
    }

    private func read(
        _ type: any SegmentIndex.Type, _ key: IndexKey, from reader: BlockReader
    ) -> (any SegmentIndex)? {
        do throws(BlockError) { return try type.read(key, from: reader, of: self) } catch {
            damage.withLock { $0.append(error) }
            return nil
        }
    }

    /// The column that an index is of; `nil` for what belongs to none.
    func column(of key: IndexKey) -> Column? { key.column.map { segment.columns[$0] } }

    /// The name of the field that an index is of; `nil` for what belongs to no column.
    func field(of key: IndexKey) -> String? { key.column.map { segment.schema.fields[$0].name } }
}
