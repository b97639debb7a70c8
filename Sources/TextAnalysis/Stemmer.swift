// Snowball's stemmers: each has memory of its own, so they are kept and lent out.
import CStemmer
import Synchronization

/// A stemmer of one language. It serves one borrower at a time.
@safe final class Stemmer: @unchecked Sendable {
    // SAFETY of @unchecked Sendable: the pool lends a stemmer to one borrower at a time, under its lock.
    private let pointer: OpaquePointer
    private let language: TextLanguage

    private static let idle = Mutex<[TextLanguage: [Stemmer]]>([:])
    /// More than this many of a language at rest are not worth their memory.
    private static let limit = 16

    private init?(_ language: TextLanguage) {
        guard let pointer = unsafe cstemmer_open(language.rawValue) else { return nil }
        unsafe self.pointer = pointer
        self.language = language
    }

    deinit { unsafe cstemmer_close(pointer) }

    /// A stemmer for the caller alone; nil where the library does not have the language.
    static func borrow(_ language: TextLanguage) -> Stemmer? {
        idle.withLock { $0[language]?.popLast() } ?? Stemmer(language)
    }

    /// Takes a stemmer back.
    static func giveBack(_ stemmer: Stemmer) {
        idle.withLock {
            if $0[stemmer.language, default: []].count < limit { $0[stemmer.language, default: []].append(stemmer) }
        }
    }

    /// Puts its stem in place of a word; a word of more than 1 KiB stays.
    /// - Complexity: O(n).
    func stem(_ word: inout [UInt8]) {
        guard word.count <= 1 << 10 else { return }
        var length: Int32 = 0
        let count = Int32(truncatingIfNeeded: word.count)
        // SAFETY: the word lives during the call; the stem is `length` bytes that are valid until the next call.
        let stem = unsafe word.withUnsafeBufferPointer { unsafe cstemmer_stem(pointer, $0.baseAddress, count, &length) }
        // A word that is all ending keeps it: without a byte it would be none.
        guard length > 0, let stem = unsafe stem else { return }
        word.removeAll(keepingCapacity: true)
        unsafe word.append(contentsOf: UnsafeBufferPointer(start: stem, count: Int(length)))
    }
}
