// The names of a table's records: which record has a name, and whether a name is new.

import Glibc
import Synchronization

/// Finds records by name. Names are entered when one is first looked up, all that came since at once.
final class NameIndex: Sendable {
    private struct Entered {
        var index = ByteIndex()
        var count = 0
    }

    private let entered = Mutex(Entered())

    /// The position below `count` whose name has a hash and `matches`.
    ///
    /// - Parameter hash: The hash of the name of a position.
    /// - Complexity: O(1) expected, after O(names not entered yet).
    func position(
        _ wanted: UInt32, among count: Int, hash: (Int) -> UInt32, where matches: (Int) -> Bool
    ) -> Int? {
        let index = entered.withLock { entered in
            if entered.count == 0 { entered.index = ByteIndex(capacity: count) }
            while entered.count < count {
                entered.index.insert(hash(entered.count), entered.count)
                entered.count += 1
            }
            return entered.index
        }
        return index.find(wanted, where: matches)
    }

    /// Room taken, in bytes.
    var byteCount: Int { entered.withLock { $0.index.byteCount } }
}

/// The greatest name so far, a longer one being greater than a shorter one.
///
/// Files mostly list records in the order of their identifiers: a name above all before it is new without a look-up.
final class GreatestName {
    private let bytes = ColumnBuffer<UInt8>()
    private var isEmpty = true

    /// Whether a name is above all before it, which makes it the greatest.
    func rises(to name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard isEmpty || (unsafe isBelow(name)) else { return false }
        isEmpty = false
        bytes.truncate(to: 0)
        unsafe bytes.append(contentsOf: name)
        return true
    }

    private func isBelow(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        if bytes.count != name.count { return bytes.count < name.count }
        guard let other = name.baseAddress else { return false }
        // SAFETY: both have `name.count` bytes.
        return unsafe memcmp(bytes.start, other, name.count) < 0
    }
}
