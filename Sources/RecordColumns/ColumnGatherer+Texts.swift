// Texts of several columns put together: those of few distinct values by their codes.

import OrdinalSets

extension ColumnGatherer {
    /// Texts; `nil` when a column has other values.
    func texts(presence: Bitmap?) throws(ColumnError) -> Column.Values? {
        if let dictionary = try dictionary(presence: presence) { return .dictionary(dictionary) }
        return try strings().map { TextReading.textColumn($0, presence: presence).values }
    }

    /// The bytes of texts or byte strings, rows without one empty; `nil` when a column has other values.
    func strings() throws(ColumnError) -> TextBuilder? {
        let builder = TextBuilder()
        let isWhole = try forEachStretch(ByteStrings.init) { stretch, strings throws(ColumnError) in
            guard let strings else { return builder.appendEmpty(stretch.rows.count) }
            let presence = columns[stretch.source]?.presence
            for row in stretch.rows {
                // A row without a text may have the code of another row's.
                guard presence?[row] ?? true else {
                    builder.appendEmpty(1)
                    continue
                }
                let fits = unsafe strings.texts.withBytes(strings.codes.map { Int($0[row]) } ?? row) {
                    unsafe builder.append($0)
                }
                guard fits else { throw ColumnError(.tooLarge) }
            }
        }
        return isWhole ? builder : nil
    }

    /// Codes over the distinct texts of all columns; `nil` when a column has none or too many texts differ.
    private func dictionary(presence: Bitmap?) throws(ColumnError) -> DictionaryColumn? {
        let codes = ColumnBuffer<UInt32>(capacity: rows.count)
        let distinct = TextBuilder()
        let index = ByteIndex()
        var maps = CodeMaps(sources: columns.count, rowCount: rows.count)
        let isWhole = try forEachStretch(\.dictionary) {
            stretch, dictionary throws(ColumnError) in
            guard let dictionary else { return codes.append(repeating: 0, count: stretch.rows.count) }
            let presence = columns[stretch.source]?.presence
            for row in stretch.rows {
                guard presence?[row] ?? true else {
                    codes.append(0)
                    continue
                }
                let old = Int(dictionary.codes[row])
                let code = maps.code(stretch.source, old, of: dictionary.values.count) {
                    unsafe dictionary.values.withBytes(old) { unsafe Self.code(of: $0, in: distinct, index) }
                }
                guard let code else { throw ColumnError(.tooLarge) }
                codes.append(code)
            }
        }
        let limit = TextReading.distinctLimit(presence?.cardinality ?? rows.count)
        guard isWhole, distinct.count <= limit else { return nil }
        return DictionaryColumn(codes: codes, values: distinct.finish())
    }

    private static func code(
        of text: UnsafeBufferPointer<UInt8>, in distinct: TextBuilder, _ index: ByteIndex
    ) -> UInt32? {
        let hash = unsafe ByteHash.hash(text)
        let column = distinct.column
        if let known = index.find(hash, where: { unsafe column.equals($0, text) }) {
            return UInt32(truncatingIfNeeded: known)
        }
        guard unsafe distinct.append(text) else { return nil }
        index.insert(hash, distinct.count - 1)
        return UInt32(truncatingIfNeeded: distinct.count - 1)
    }
}

/// The byte strings of a column by row, directly or by code.
private struct ByteStrings {
    let texts: TextColumn
    let codes: ColumnBuffer<UInt32>?

    init?(_ values: Column.Values) {
        switch values {
        case .text(let texts), .data(let texts): (self.texts, codes) = (texts, nil)
        case .dictionary(let dictionary): (texts, codes) = (dictionary.values, dictionary.codes)
        default: return nil
        }
    }
}

/// The new codes of the codes of several sources, found out one by one.
struct CodeMaps {
    private static let unknown = UInt32.max
    private var maps: [[UInt32]]
    private let rowCount: Int

    /// - Parameter rowCount: About how many codes will be looked up: for a few, a map is not worth its room.
    init(sources: Int, rowCount: Int) {
        maps = Array(repeating: [], count: sources)
        self.rowCount = rowCount
    }

    /// The new code of a source's code below `count`; `find` runs once for each, or more often where they are few.
    mutating func code(_ source: Int, _ old: Int, of count: Int, _ find: () -> UInt32?) -> UInt32? {
        if rowCount < count / 8 { return find() }
        if maps[source].isEmpty { maps[source] = Array(repeating: Self.unknown, count: count) }
        if maps[source][old] != Self.unknown { return maps[source][old] }
        guard let code = find() else { return nil }
        maps[source][old] = code
        return code
    }
}
