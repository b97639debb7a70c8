// The fast way to fold text: one entry per scalar, computed with ICU page by page as texts need them.
import CICU
import Synchronization

/// What folding does to one scalar.
struct FoldingEntry {
    enum Kind: UInt8 {
        /// Text may be cut before the scalar, and its folded form depends on no neighbour.
        case starter
        /// A mark that nothing changes; stripped after a low base where the table strips.
        case strippableMark
        /// A mark that nothing changes and nothing strips.
        case keptMark
        /// A scalar that combines with its neighbours: the pipeline folds it together with them.
        case combining
    }

    var kind: Kind
    /// Whether non-spacing marks after this starter are stripped.
    var isLowBase = false
    /// How many bytes of `bytes` the folded form has.
    var length: UInt8 = 0
    /// The folded form in UTF-8, the first byte lowest.
    var bytes: UInt64 = 0
}

/// Folds UTF-8 with one lookup per scalar, and hands the few stretches that need their context to the pipeline.
@safe final class FoldingTable: @unchecked Sendable {
    // SAFETY of @unchecked Sendable: the array of page pointers never moves; a pointer changes once, from nothing to a
    // finished page, by an atomic exchange; pages are immutable and never freed.
    private let pages: UnsafeMutablePointer<Atomic<UnsafePointer<FoldingEntry>?>>
    private let options: TextOptions

    private static let pageCount = 0x110000 / 256
    /// A stretch handed to the pipeline ends at the next possible place once it has this many bytes.
    private static let longStretch = 4096

    /// The table for the options that folding obeys.
    static func table(for options: TextOptions) -> FoldingTable { tables[options.folding.rawValue] }

    private static let tables = (0..<4).map { FoldingTable(options: TextOptions(rawValue: $0)) }

    private init(options: TextOptions) {
        self.options = options
        // SAFETY: every element is initialised before the pointer is used.
        unsafe pages = .allocate(capacity: FoldingTable.pageCount)
        for index in 0..<FoldingTable.pageCount {
            unsafe (pages + index).initialize(to: Atomic(nil))
        }
    }

    /// Adds the folded form of UTF-8 text to the buffer. Ill-formed bytes count as U+FFFD.
    /// - Complexity: O(n).
    func fold(_ text: Span<UInt8>, into buffer: inout ByteBuffer) {
        var starter = (source: 0, result: buffer.count)
        var isAfterLowBase = false
        var pageIndex = UInt32(0)
        var page = unsafe self.page(0)
        var offset = 0
        while offset < text.count {
            let decoded = text.scalar(at: offset)
            if decoded.value >> 8 != pageIndex {
                pageIndex = decoded.value >> 8
                unsafe page = self.page(pageIndex)
            }
            // SAFETY: a page has 256 entries.
            let entry = unsafe page[Int(decoded.value & 0xFF)]
            switch entry.kind {
            case .starter:
                starter = (offset, buffer.count)
                isAfterLowBase = entry.isLowBase
                buffer.append(entry.bytes, length: Int(entry.length))
            case .strippableMark:
                if !isAfterLowBase { buffer.append(entry.bytes, length: Int(entry.length)) }
            case .keptMark:
                buffer.append(entry.bytes, length: Int(entry.length))
            case .combining:
                let end = endOfStretch(in: text, from: starter.source, combiningAt: offset)
                buffer.truncate(to: starter.result)
                foldThoroughly(text.extracting(starter.source..<end), into: &buffer)
                offset = end
                continue
            }
            offset &+= decoded.length
        }
    }

    /// Where a stretch that combines may end: at a starter whose next scalar is a starter too, or at the end.
    private func endOfStretch(in text: Span<UInt8>, from start: Int, combiningAt combining: Int) -> Int {
        var candidate: Int?
        var offset = combining
        while offset < text.count {
            let decoded = text.scalar(at: offset)
            if entry(of: decoded.value).kind == .starter {
                if let candidate { return candidate }
                if offset - start > FoldingTable.longStretch { return offset }
                candidate = offset
            } else {
                candidate = nil
            }
            offset += decoded.length
        }
        return candidate ?? text.count
    }

    private func foldThoroughly(_ text: Span<UInt8>, into buffer: inout ByteBuffer) {
        let folded = FoldingPipeline.fold(Array(String(utf8: text).utf16), options)
        buffer.append(String(decoding: folded, as: UTF16.self).utf8.span)
    }
}

// MARK: - Pages

extension FoldingTable {
    private func entry(of scalar: UInt32) -> FoldingEntry {
        // SAFETY: a page has 256 entries.
        unsafe page(scalar >> 8)[Int(scalar & 0xFF)]
    }

    @inline(__always)
    private func page(_ index: UInt32) -> UnsafePointer<FoldingEntry> {
        // SAFETY: decoded scalars are below 0x110000, so the index is below the number of pages.
        if let page = unsafe pages[Int(index)].load(ordering: .acquiring) { return unsafe page }
        return unsafe makePage(index)
    }

    /// Computes a page and publishes it. Where two threads do so at once, the first wins and the second frees its own.
    private func makePage(_ index: UInt32) -> UnsafePointer<FoldingEntry> {
        // SAFETY: all 256 entries are initialised before the page is published, and the loser's page has one owner.
        let made = UnsafeMutablePointer<FoldingEntry>.allocate(capacity: 256)
        for low in 0..<256 { unsafe (made + low).initialize(to: makeEntry(index << 8 | UInt32(low))) }
        let (exchanged, winner) = unsafe pages[Int(index)].compareExchange(
            expected: nil, desired: UnsafePointer(made), ordering: .acquiringAndReleasing)
        guard !exchanged, let winner = unsafe winner else { return unsafe UnsafePointer(made) }
        unsafe made.deallocate()
        return unsafe winner
    }

    private func makeEntry(_ value: UInt32) -> FoldingEntry {
        guard let scalar = Unicode.Scalar(value) else { return FoldingEntry(kind: .combining) }
        let mark = cicu_mark_of(value)
        let isInert = cicu_is_inert(value)
        if mark != Int32(CICU_MARK_NONE.rawValue) {
            guard isInert else { return FoldingEntry(kind: .combining) }
            let isStrippable =
                options.contains(.diacriticInsensitive) && mark == Int32(CICU_MARK_NONSPACING.rawValue)
            return packed(Array(String(scalar).utf8), isStrippable ? .strippableMark : .keptMark)
        }
        if isInert {
            let isLowBase = value < FoldingPipeline.firstKeptBase
            return packed(Array(String(scalar).utf8), .starter, isLowBase: isLowBase)
        }
        guard cicu_has_boundary_before(value) else { return FoldingEntry(kind: .combining) }
        let units = Array(String(scalar).utf16)
        let folded = FoldingPipeline.fold(units, options)
        guard let first = String(decoding: folded, as: UTF16.self).unicodeScalars.first,
            cicu_has_boundary_before(first.value), cicu_mark_of(first.value) == Int32(CICU_MARK_NONE.rawValue)
        else { return FoldingEntry(kind: .combining) }
        // A mark that nothing but stripping touches tells whether the last base is a low one.
        let probe: UInt16 = 0x0E31
        let isLowBase = FoldingPipeline.fold(units + [probe], options).last != probe
        return packed(Array(String(decoding: folded, as: UTF16.self).utf8), .starter, isLowBase: isLowBase)
    }

    private func packed(_ bytes: [UInt8], _ kind: FoldingEntry.Kind, isLowBase: Bool = false) -> FoldingEntry {
        guard bytes.count <= 8 else { return FoldingEntry(kind: .combining) }
        let value = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return FoldingEntry(kind: kind, isLowBase: isLowBase, length: UInt8(bytes.count), bytes: value)
    }
}
