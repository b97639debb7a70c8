// Why one item of a batch failed.

import RecordModel

/// The error of one item, and whether it was clear before the store was read.
struct ItemFailure: Error {
    let error: DatabaseError
    /// Whether the item is wrong in itself: then all items of its zone fail in an atomic batch, in the default zone
    /// too.
    let isMalformed: Bool

    init(_ error: DatabaseError, isMalformed: Bool = false) {
        self.error = error
        self.isMalformed = isMalformed
    }
}
