// What folding does to one scalar, as far as that can be told without its neighbours.
import CICU

/// An entry of the folding table.
struct FoldingEntry {
    enum Kind: UInt8 {
        /// Text may be cut before the scalar, and its folded form depends on no neighbour.
        case starter
        /// A mark that folding leaves alone, or strips after a low base.
        case strippableMark
        /// A mark that folding leaves alone.
        case keptMark
        /// A scalar that the pipeline must fold together with its neighbours.
        case combining
    }

    private(set) var kind: Kind
    /// Whether non-spacing marks after this starter are stripped.
    private(set) var isLowBase = false
    /// Whether this mark joins some bases under composition.
    private(set) var mayCompose = false
    /// The mark's combining class; for a starter, the highest class that marks after it may change places with.
    private(set) var order: UInt8 = 0
    /// How many bytes of `bytes` the folded form has.
    private(set) var length: UInt8 = 0
    /// The folded form of a starter where it is one scalar that does not decompose, so that marks join it or not by
    /// themselves; else 0.
    private(set) var base: UInt32 = 0
    /// The folded form in UTF-8, the first byte lowest.
    private(set) var bytes: UInt64 = 0

    /// The entry of a scalar; surrogates, which no text contains, combine.
    init(scalar value: UInt32, _ options: TextOptions) {
        kind = .combining
        guard let scalar = Unicode.Scalar(value) else { return }
        if cicu_mark_of(value) != Int32(CICU_MARK_NONE.rawValue) {
            setMark(scalar, options)
        } else if cicu_is_inert(value) {
            isLowBase = value < FoldingPipeline.firstKeptBase
            setFolded(String(scalar), .starter)
        } else if cicu_has_boundary_before(value) {
            setStarter(Array(String(scalar).utf16), options)
        }
    }

    private mutating func setMark(_ scalar: Unicode.Scalar, _ options: TextOptions) {
        guard cicu_is_stable(scalar.value) else { return }
        let isNonspacing = cicu_mark_of(scalar.value) == Int32(CICU_MARK_NONSPACING.rawValue)
        mayCompose = cicu_may_compose(scalar.value)
        setFolded(String(scalar), options.contains(.diacriticInsensitive) && isNonspacing ? .strippableMark : .keptMark)
    }

    private mutating func setStarter(_ units: [UInt16], _ options: TextOptions) {
        let folded = String(decoding: FoldingPipeline.fold(units, options), as: UTF16.self)
        guard let first = folded.unicodeScalars.first, cicu_has_boundary_before(first.value),
            cicu_mark_of(first.value) == Int32(CICU_MARK_NONE.rawValue)
        else { return }
        // A mark that nothing but stripping touches tells whether the last base is a low one.
        let probe: UInt16 = 0x0E31
        isLowBase = FoldingPipeline.fold(units + [probe], options).last != probe
        setFolded(folded, .starter)
    }

    private mutating func setFolded(_ folded: String, _ kind: Kind) {
        let scalars = folded.unicodeScalars
        guard folded.utf8.count <= 8, let last = scalars.last else { return }
        self.kind = kind
        // What folds to several scalars may have taken marks apart that later ones would have gone between.
        order = scalars.count == 1 ? cicu_combining_class(last.value) : .max
        if order == 0, cicu_is_stable(last.value) { base = last.value }
        length = UInt8(folded.utf8.count)
        bytes = folded.utf8.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
}
