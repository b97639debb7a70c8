// The indexes of one segment, each built when it is first wanted.

package import Geospatial
package import RecordColumns
import RecordModel
package import TextAnalysis

/// The indexes of a segment by field and kind.
///
/// An index is built on first use, once, and kept: a sealed segment never changes. May be used from any thread. Work
/// under a deadline that is over gets `nil`, as if there were no index; the index is built all the same.
package final class SegmentIndexes: Sendable {
    package let segment: Segment
    let ordered = IndexCache<OrderedIndex>()
    let tokens = IndexCache<OrderedIndex>()
    let positions = IndexCache<WordPositions>()
    let spatial = IndexCache<SpatialTree>()
    let trigrams = IndexCache<TrigramIndex>()
    let foreign = IndexCache<NonASCIITerms>()
    let damage = IndexDamage()
    let outdated = OutdatedIndexes()

    /// What was wrong with stored indexes that were asked for and could not be read: they are built anew instead.
    package var unreadable: [BlockError] { damage.all }

    package init(_ segment: Segment) { self.segment = segment }

    /// The order of a column's values; `nil` for columns without one.
    ///
    /// - Parameters:
    ///   - column: Position in `segment.columns`.
    ///   - options: How texts are folded; the locale's order is not kept.
    ///   - building: Whether an index that is missing is built; else `nil`.
    /// - Complexity: O(n log n) the first time, then O(1).
    package func ordered(column: Int, options: TextOptions = [], building: Bool = true) -> OrderedIndex? {
        guard !options.contains(.localeSensitive) else { return nil }
        let key = IndexKey(column: column, options: options.isEmpty || segment.columns[column].holdsText ? options : [])
        return ordered.value(key, building: building) { [segment] in
            OrderedIndex.build(over: segment.columns[column], options: options)
        }
    }

    /// The order of the records' names, which stand in no column.
    ///
    /// - Complexity: O(n log n) the first time, then O(1).
    package func orderedNames() -> OrderedIndex? {
        ordered.value(IndexKey(column: -1, options: []), building: true) { [segment] in
            OrderedIndex.build(over: Column(values: .text(segment.names), presence: nil, count: segment.count))
        }
    }

    /// The words of a column of texts or lists of texts; of all such columns for `nil`.
    ///
    /// - Complexity: O(bytes) the first time, then O(1).
    package func tokens(column: Int?, options: TextOptions, building: Bool = true) -> OrderedIndex? {
        tokens.value(IndexKey(column: column ?? -1, options: options), building: building) { [self] in
            OrderedIndex.buildTokens(over: textColumns(column), rowCount: segment.count, options: options)
        }
    }

    /// The places of the words of `tokens(column:options:building:)`.
    ///
    /// - Complexity: O(bytes) the first time, then O(1).
    package func wordPositions(column: Int?, options: TextOptions, building: Bool = true) -> WordPositions? {
        guard let index = tokens(column: column, options: options, building: building) else { return nil }
        return positions.value(IndexKey(column: column ?? -1, options: options), building: building) { [self] in
            WordPositions.build(over: textColumns(column), index: index, options: options)
        }
    }

    func textColumns(_ column: Int?) -> [Column] {
        column.map { [segment.columns[$0]] } ?? segment.columns.filter(\.mayHoldText)
    }

    /// The places of a location column; `nil` for other columns.
    ///
    /// - Complexity: O(n) the first time, then O(1).
    package func spatial(column: Int, building: Bool = true) -> SpatialTree? {
        let values = segment.columns[column]
        guard case .location(let locations) = values.values else { return nil }
        return spatial.value(IndexKey(column: column, options: []), building: building) {
            unsafe locations.latitudes.withElements { latitudes in
                unsafe locations.longitudes.withElements { longitudes in
                    SpatialTree(
                        rows: PresentPositions(values).positions, latitudes: unsafe latitudes.span,
                        longitudes: unsafe longitudes.span)
                }
            }
        }
    }

    /// The three-byte stretches of a column of texts; `nil` for other columns, and those of few distinct texts.
    ///
    /// - Complexity: O(bytes) the first time, then O(1).
    package func trigrams(column: Int, building: Bool = true) -> TrigramIndex? {
        guard case .text(let texts) = segment.columns[column].values else { return nil }
        return trigrams.value(IndexKey(column: column, options: []), building: building) {
            TrigramIndex.build(over: texts)
        }
    }

    /// The words that are not ASCII of a column of texts; `nil` for other columns. Folded scans need them.
    ///
    /// - Complexity: O(bytes) the first time, then O(1).
    package func foreignWords(column: Int) -> NonASCIITerms? {
        guard case .text(let texts) = segment.columns[column].values else { return nil }
        return foreign.value(IndexKey(column: column, options: []), building: true) { NonASCIITerms.build(over: texts) }
    }

    /// Number of indexes that were built or can be read.
    package var builtCount: Int {
        ordered.count + tokens.count + positions.count + spatial.count + trigrams.count + foreign.count
    }

    /// Room taken by the indexes built so far, in bytes.
    package var byteCount: Int {
        ordered.values.reduce(0) { $0 + $1.byteCount } + tokens.values.reduce(0) { $0 + $1.byteCount }
            + positions.values.reduce(0) { $0 + $1.byteCount } + spatial.values.reduce(0) { $0 + $1.byteCount }
            + foreign.values.reduce(0) { $0 + $1.byteCount }
            + trigrams.values.reduce(0) { $0 + $1.byteCount }
    }
}

/// Which index is meant: of which column, with which folding.
struct IndexKey: Hashable, Sendable {
    /// Position in the segment's columns; below 0 for what belongs to none of them: the order of the records' names,
    /// the words of all texts.
    var column: Int
    var options: UInt8

    init(column: Int, options: TextOptions) {
        self.init(column: column, options: UInt8(truncatingIfNeeded: options.rawValue))
    }

    init(column: Int, options: UInt8) {
        self.column = column
        self.options = options
    }

    var textOptions: TextOptions { TextOptions(rawValue: TextOptions.RawValue(options)) }
}

extension IndexKey: Comparable {
    static func < (a: IndexKey, b: IndexKey) -> Bool { (a.column, a.options) < (b.column, b.options) }
}

extension Column {
    /// Whether values, or elements of lists, are texts.
    var holdsText: Bool {
        switch values {
        case .text, .dictionary: true
        case .list(let lists): lists.elements.holdsText
        default: false
        }
    }

    /// Whether a value can be text or a list with texts: what `allTokens` covers.
    package var mayHoldText: Bool {
        switch type {
        case .string, .any, .list(.string), .list(.any): true
        default: false
        }
    }
}
