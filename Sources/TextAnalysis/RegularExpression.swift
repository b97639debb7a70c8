// MATCHES: ICU's regular expressions, with bounds on what one match may cost.
import CICU
import Deadlines
import Synchronization

/// What one regular expression may cost.
package struct PatternLimits: Hashable, Sendable {
    /// How long one match may take, in ICU's units of ten thousand steps: about a quarter of a millisecond each.
    /// Texts beyond 2,000 UTF-16 units get one more for every 2,000, so that plain patterns get through long texts.
    package var steps: Int32
    /// How much memory one match may use for backtracking, in bytes.
    package var stackBytes: Int32
    /// How long a pattern may be, in UTF-8 bytes.
    package var patternBytes: Int
    /// How many classes of characters a pattern without case may have that ICU computes, as
    /// `RegularExpression.classCount(of:)` counts them, each of which takes up to five milliseconds to compile; where
    /// case counts, `classesWithCase` times as many.
    package var patternClasses: Int

    /// Limits of one's own.
    package init(
        steps: Int32 = 1000, stackBytes: Int32 = 8 << 20, patternBytes: Int = 1 << 16, patternClasses: Int = 128
    ) {
        self.steps = max(steps, 1)
        self.stackBytes = max(stackBytes, 1)
        self.patternBytes = patternBytes
        self.patternClasses = patternClasses
    }

    /// A quarter of a second or so, 8 MiB, and patterns of 64 KiB with 128 classes.
    package static let `default` = PatternLimits()
    /// How many such classes all constant patterns of one predicate may have.
    package static let predicateClasses = 512
    /// So many classes take less time to compile where case counts than one of them without it.
    package static let classesWithCase = 4
}

/// A compiled regular expression in ICU's syntax that is matched against whole texts. May be used by many threads at
/// once.
///
/// Pattern and text are put into composed normal form first, so canonically equivalent texts match alike; with `d` both
/// are stripped of marks; with `n` both are taken as they are. `c` sets ICU's flag for matching without case. `l`
/// changes nothing. The empty pattern, which ICU does not compile, matches the empty text.
package final class RegularExpression: Sendable {
    /// The pattern as it was given.
    package let pattern: String
    /// The options it was compiled with.
    package let options: TextOptions
    /// What one match may cost.
    package let limits: PatternLimits
    private let master: Matcher?
    /// The automaton once it was wanted: making it takes longer than everything else about a pattern.
    private let made = AtomicLazyReference<Made>()
    private let idle = Mutex<[Matcher]>([])
    private static let idleLimit = 64

    /// Compiles a pattern, unless the time of the current query is over: compiling cannot be interrupted.
    /// - Throws: `PatternError` of kind `invalidPattern`, `patternLimit`, `classLimit`, `timeLimit` or `failure`.
    package init(
        _ pattern: String, options: TextOptions, limits: PatternLimits = .default
    ) throws(PatternError) {
        self.pattern = pattern
        self.options = options
        self.limits = limits
        guard pattern.utf8.count <= limits.patternBytes else {
            throw PatternError(kind: .patternLimit, icuName: "", offset: nil)
        }
        if pattern.isEmpty {
            master = nil
            return
        }
        let ignoresCase = options.folding.contains(.caseInsensitive)
        let folded = TextFolding.fold(pattern, options.subtracting(.caseInsensitive))
        // The text as given comes first, so that an error tells an offset in it.
        let asGiven = try RegularExpression.compiled(pattern, ignoresCase, limits)
        let isSame = folded.utf8.elementsEqual(pattern.utf8)
        master = isSame ? asGiven : try RegularExpression.compiled(folded, ignoresCase, limits)
    }

    /// How many classes of characters of a pattern are expensive to compile: `\p{…}`, and sets with escapes of many
    /// characters or scalars from U+0600 on. Complexity: O(n).
    package static func classCount(of pattern: String) -> Int { PatternClasses.count(in: pattern) }

    /// What these classes cost to compile: each 1, without case `PatternLimits.classesWithCase`. Complexity: O(n).
    package static func classCost(of pattern: String, ignoringCase: Bool) -> Int {
        let count = classCount(of: pattern)
        return ignoringCase || PatternClasses.ignoresCase(pattern) ? count * PatternLimits.classesWithCase : count
    }

    /// Folding may make classes of what was none before, so both texts of a pattern come here.
    private static func compiled(
        _ pattern: String, _ ignoresCase: Bool, _ limits: PatternLimits
    ) throws(PatternError) -> Matcher {
        let cost = Self.classCost(of: pattern, ignoringCase: ignoresCase)
        guard cost <= limits.patternClasses * PatternLimits.classesWithCase else {
            throw PatternError(kind: .classLimit, icuName: "", offset: nil)
        }
        guard !Deadline.watch.isOver else { throw PatternError(kind: .timeLimit, icuName: "", offset: nil) }
        return try Matcher(pattern, ignoringCase: ignoresCase)
    }

    private final class Made: Sendable {
        let automaton: TextAutomaton?
        init(_ automaton: TextAutomaton?) { self.automaton = automaton }
    }

    /// The same as an automaton, where the pattern is plain enough; made on first use.
    package var automaton: TextAutomaton? {
        if let made = made.load() { return made.automaton }
        let ignoresCase = options.folding.contains(.caseInsensitive)
        let folded = TextFolding.fold(pattern, options.subtracting(.caseInsensitive))
        let automaton =
            pattern.isEmpty
            ? nil : RegularSyntax.parse(folded, ignoringCase: ignoresCase).flatMap { TextAutomaton($0) }
        return made.storeIfNil(Made(automaton)).automaton
    }

    /// Whether matching never throws.
    package var cannotThrow: Bool { master == nil || automaton?.isPartial == false }

    /// Whether the whole text matches. May give up within a long match.
    /// - Throws: `PatternError` of kind `timeLimit`, `stackLimit` or `failure`.
    package func matchesWhole(_ text: String) throws(PatternError) -> Bool {
        if let result = result(text.utf8.span) { return result }
        return try matchesWholeByICU(text)
    }

    /// Whether the whole UTF-8 text matches.
    /// - Throws: as for texts.
    package func matchesWhole(_ text: Span<UInt8>) throws(PatternError) -> Bool {
        if let result = result(text) { return result }
        return try matchesWholeByICU(String(utf8: text))
    }

    private func result(_ text: Span<UInt8>) -> Bool? {
        guard let automaton else { return nil }
        return TextFolding.withFolded(text, options.subtracting(.caseInsensitive)) { automaton.matches($0) }
    }

    /// What ICU says of a text.
    func matchesWholeByICU(_ text: String) throws(PatternError) -> Bool {
        guard let master else { return text.isEmpty }
        let folded = TextFolding.fold(text, options.subtracting(.caseInsensitive))
        let matcher = try borrowCopy(of: master)
        defer { idle.withLock { if $0.count < RegularExpression.idleLimit { $0.append(matcher) } } }
        return try matcher.matches(folded, limits)
    }

    private func borrowCopy(of master: Matcher) throws(PatternError) -> Matcher {
        if let matcher = idle.withLock({ $0.popLast() }) { return matcher }
        return try Matcher(copyOf: master)
    }
}

/// One of ICU's matchers. It serves one borrower at a time.
@safe private final class Matcher: @unchecked Sendable {
    // SAFETY of @unchecked Sendable: one borrower at a time, under the pool's lock; the master is only copied, and
    // copying reads nothing that matching changes.
    private let pointer: OpaquePointer

    init(_ pattern: String, ignoringCase: Bool) throws(PatternError) {
        let units = Array(pattern.utf16)
        var opened: OpaquePointer?
        var (line, offset): (Int32, Int32) = (0, 0)
        // SAFETY: ICU copies the pattern; lengths are those of the buffers.
        let status = unsafe units.withUnsafeBufferPointer { buffer in
            unsafe cicu_regex_open(
                buffer.baseAddress, Int32(truncatingIfNeeded: buffer.count), ignoringCase, &opened, &line, &offset)
        }
        guard status <= 0, let pointer = unsafe opened else {
            let place = Matcher.scalarOffset(in: pattern, line: Int(line), offset: Int(offset))
            throw PatternError(kind: .invalidPattern, icuName: Matcher.name(of: status), offset: place)
        }
        unsafe self.pointer = pointer
    }

    init(copyOf other: Matcher) throws(PatternError) {
        var opened: OpaquePointer?
        // SAFETY: the seam writes one pointer, or nil where it fails.
        let status = unsafe cicu_regex_clone(other.pointer, &opened)
        guard status <= 0, let pointer = unsafe opened else {
            throw PatternError(kind: .failure, icuName: Matcher.name(of: status), offset: nil)
        }
        unsafe self.pointer = pointer
    }

    deinit { unsafe cicu_regex_close(pointer) }

    func matches(_ text: String, _ limits: PatternLimits) throws(PatternError) -> Bool {
        let units = Array(text.utf16)
        guard let length = Int32(exactly: units.count) else {
            throw PatternError(kind: .stackLimit, icuName: Matcher.name(of: cicu_status_stack_overflow), offset: nil)
        }
        let (steps, isHuge) = limits.steps.addingReportingOverflow(length / 2000)
        _ = unsafe cicu_regex_set_limits(pointer, isHuge ? .max : steps, limits.stackBytes)
        // SAFETY: the function lives for ever, and takes nothing.
        _ = unsafe cicu_regex_set_watch(pointer) { !Deadline.watch.isOver }
        var isMatch = false
        // SAFETY: ICU reads the text during the call, and the next call sets a text of its own.
        let status = unsafe units.withUnsafeBufferPointer {
            unsafe cicu_regex_matches(pointer, $0.baseAddress, length, &isMatch)
        }
        if status <= 0 { return isMatch }
        let kind: PatternError.Kind =
            switch status {
            case cicu_status_time_out: .timeLimit
            case cicu_status_stack_overflow: .stackLimit
            default: .failure
            }
        throw PatternError(kind: kind, icuName: Matcher.name(of: status), offset: nil)
    }

    private static func name(of status: Int32) -> String {
        // SAFETY: the name is a constant of the library.
        unsafe String(cString: cicu_status_name(status))
    }

    /// The offset in scalars of a line and an offset in it, as ICU tells places: it counts scalars, and begins a line
    /// behind each of four signs; a feed behind a return is not counted.
    private static func scalarOffset(in pattern: String, line: Int, offset: Int) -> Int {
        var (read, lines, column) = (0, 1, 0)
        var last: Unicode.Scalar?
        for scalar in pattern.unicodeScalars {
            if (line, offset) <= (lines, column) { break }
            switch scalar {
            case "\n" where last == "\r": break
            case "\n", "\r", "\u{85}", "\u{2028}": (lines, column) = (lines + 1, 0)
            default: column += 1
            }
            last = scalar
            read += 1
        }
        return read
    }
}
