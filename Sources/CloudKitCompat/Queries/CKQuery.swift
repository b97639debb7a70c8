// Queries under CloudKit's names.

public import Foundation
import RecordDatabase
import Synchronization

/// A query on the records of one type.
///
/// An illegal type or a predicate that does not suit it fails when the query is executed, with `invalidArguments`.
public final class CKQuery: Sendable {
    /// The type of the records; others never match.
    public let recordType: CKRecord.RecordType
    private let recordPredicate: RecordPredicate
    /// `nil` for the value where a descriptor is of no field.
    private let order = Mutex<[SortKey?]?>(nil)

    /// A query; neither the type nor the predicate is checked before it is executed.
    public init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.recordType = recordType
        recordPredicate = predicate.recordPredicate
    }

    /// What the records have to satisfy.
    public var predicate: NSPredicate { NSPredicate(recordPredicate) }

    /// The order of the result; `nil` leaves it to the database.
    public var sortDescriptors: [NSSortDescriptor]? {
        get { order.withLock { $0 }?.compactMap { $0.flatMap(NSSortDescriptor.make) } }
        set {
            let keys = newValue?.map(\.sortKey)
            order.withLock { $0 = keys }
        }
    }

    /// The query as it is now.
    /// - Throws: `DatabaseError` of code `invalidArguments` for a sort descriptor without the name of a field.
    func query() throws(DatabaseError) -> Query {
        var keys: [SortKey] = []
        for key in order.withLock({ $0 }) ?? [] {
            guard let key else {
                throw DatabaseError(
                    .invalidArguments, "a sort descriptor names no field", hint: "NSSortDescriptor(key:ascending:)")
            }
            keys.append(key)
        }
        return Query(recordType, recordPredicate, sortedBy: keys)
    }
}
