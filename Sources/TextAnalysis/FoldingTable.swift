// The fast way to fold text: one entry per scalar, computed with ICU page by page as texts need them.
import CICU
import Deadlines
import Synchronization

/// Folds UTF-8 with one lookup per scalar, and hands the few stretches where scalars join or change places to the
/// pipeline.
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

    /// What the next scalar must know of those before it.
    private struct Context {
        /// Where the last starter is in the source, and its folded form in the result.
        var source = 0
        var result: Int
        /// The last scalar of combining class 0, which a mark could join; 0 where it takes thought.
        var base: UInt32 = 0
        /// No mark of a lower combining class than this keeps its place, class 0 apart.
        var order: UInt8 = 0
        var isAfterLowBase = false
    }

    /// Adds the folded form of UTF-8 text to the buffer. Ill-formed bytes count as U+FFFD. May give up within a long
    /// text.
    /// - Complexity: O(n).
    func fold(_ text: Span<UInt8>, into buffer: inout ByteBuffer) {
        var context = Context(result: buffer.count)
        var offset = 0
        while true {
            fold(text, from: &offset, to: min(text.count, offset + LongText.stretch), &context, into: &buffer)
            if offset >= text.count || Deadline.watch.isOver { return }
        }
    }

    private func fold(
        _ text: Span<UInt8>, from offset: inout Int, to end: Int, _ context: inout Context,
        into buffer: inout ByteBuffer
    ) {
        var pageIndex = UInt32(0)
        var page = unsafe self.page(0)
        while offset < end {
            let decoded = text.scalar(at: offset)
            if decoded.value >> 8 != pageIndex {
                pageIndex = decoded.value >> 8
                unsafe page = self.page(pageIndex)
            }
            // SAFETY: a page has 256 entries.
            let entry = unsafe page[Int(decoded.value & 0xFF)]
            if entry.kind == .starter {
                context = Context(
                    source: offset, result: buffer.count, base: entry.base, order: entry.order,
                    isAfterLowBase: entry.isLowBase)
                buffer.append(entry.bytes, length: Int(entry.length))
            } else if entry.kind == .strippableMark, context.isAfterLowBase {
                // Stripped.
            } else if entry.kind != .combining, keepsItsPlace(decoded.value, entry, after: context) {
                buffer.append(entry.bytes, length: Int(entry.length))
                context.order = entry.order
                if entry.order == 0 { context.base = decoded.value }
            } else {
                let end = endOfStretch(in: text, from: context.source, combiningAt: offset)
                buffer.truncate(to: context.result)
                foldThoroughly(text.extracting(context.source..<end), into: &buffer)
                // What follows is a starter, or nothing.
                offset = end
                continue
            }
            offset &+= decoded.length
        }
    }

    /// Whether a mark neither joins what precedes it nor changes places with it.
    @inline(__always)
    private func keepsItsPlace(_ mark: UInt32, _ entry: FoldingEntry, after context: Context) -> Bool {
        if entry.order != 0, entry.order < context.order { return false }
        guard entry.mayCompose else { return true }
        guard context.base != 0 else { return false }
        // A mark joins the base unless a mark of its own class, or any mark before a class 0, comes between.
        if context.order != 0, entry.order == 0 || entry.order == context.order { return true }
        return cicu_composition(context.base, mark) < 0
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
        for low in 0..<256 {
            unsafe (made + low).initialize(to: FoldingEntry(scalar: index << 8 | UInt32(low), options))
        }
        let (exchanged, winner) = unsafe pages[Int(index)].compareExchange(
            expected: nil, desired: UnsafePointer(made), ordering: .acquiringAndReleasing)
        guard !exchanged, let winner = unsafe winner else { return unsafe UnsafePointer(made) }
        unsafe made.deallocate()
        return unsafe winner
    }
}
