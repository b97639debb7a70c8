// ICU's collators, opened once per locale and strength.
import CICU
import Synchronization

/// The order of one locale at one strength.
@safe final class Collator: @unchecked Sendable {
    // SAFETY of @unchecked Sendable: ICU's comparison and key functions do not change a collator.
    private let pointer: OpaquePointer

    private struct Key: Hashable {
        var locale: String
        var options: TextOptions
    }

    private static let opened = Mutex<[Key: Collator]>([:])
    /// More collators than this in use at once are opened each time.
    private static let limit = 256

    /// The collator for a locale and the options `c` and `d`; nil only where ICU lacks memory or its tables.
    static func collator(locale: String, options: TextOptions) -> Collator? {
        let key = Key(locale: locale, options: options.folding)
        if let known = opened.withLock({ $0[key] }) { return known }
        guard let collator = Collator(key) else { return nil }
        return opened.withLock { known in
            if let other = known[key] { return other }
            if known.count < limit { known[key] = collator }
            return collator
        }
    }

    private init?(_ key: Key) {
        let strength =
            switch (key.options.contains(.caseInsensitive), key.options.contains(.diacriticInsensitive)) {
            case (false, false): CICU_STRENGTH_TERTIARY
            case (true, false): CICU_STRENGTH_SECONDARY
            case (false, true): CICU_STRENGTH_PRIMARY_AND_CASE
            case (true, true): CICU_STRENGTH_PRIMARY
            }
        var opened: OpaquePointer?
        // SAFETY: the seam reads a closed C string and writes one pointer, or nil where it fails.
        let status = unsafe cicu_collator_open(key.locale, Int32(strength.rawValue), &opened)
        guard status <= 0, let pointer = unsafe opened else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe cicu_collator_close(pointer) }

    /// -1, 0 or 1.
    func compare(_ left: String, _ right: String) -> Int {
        let (first, second) = (left.utf8.span, right.utf8.span)
        guard let firstLength = Int32(exactly: first.count), let secondLength = Int32(exactly: second.count) else {
            return first.order(against: second)
        }
        // SAFETY: both texts outlive the call, which reads within the given lengths only.
        return unsafe first.withUnsafeBufferPointer { first in
            unsafe second.withUnsafeBufferPointer { second in
                Int(
                    unsafe cicu_collator_compare_utf8(
                        pointer, first.baseAddress, firstLength, second.baseAddress, secondLength))
            }
        }
    }

    /// Bytes in the order of the texts.
    func sortKey(of text: String) -> [UInt8] {
        let units = Array(text.utf16)
        guard let length = Int32(exactly: units.count) else { return Array(text.utf8) }
        var capacity = units.count + 32
        while true {
            guard let room = Int32(exactly: capacity) else { return Array(text.utf8) }
            var needed: Int32 = 0
            // SAFETY: both buffers live during the call, which writes at most `room` bytes.
            let key = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
                needed = unsafe units.withUnsafeBufferPointer {
                    unsafe cicu_collator_sort_key(pointer, $0.baseAddress, length, buffer.baseAddress, room)
                }
                count = Int(min(needed, room))
            }
            if needed <= room { return key }
            capacity = Int(needed)
        }
    }
}
