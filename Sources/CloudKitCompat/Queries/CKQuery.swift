// Queries under CloudKit's names.

public import Foundation
import RecordDatabase
import Synchronization

/// A query on the records of one type.
///
/// An illegal type or a predicate that does not suit it fails when the query is executed, with `invalidArguments`.
public final class CKQuery: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The type of the records; others never match.
    public let recordType: CKRecord.RecordType
    private let recordPredicate: RecordPredicate
    /// `nil` for the value where a descriptor is of no field.
    private let order: Mutex<[SortKey?]?>

    /// A query; neither the type nor the predicate is checked before it is executed.
    public convenience init(recordType: CKRecord.RecordType, predicate: NSPredicate) {
        self.init(Coded(recordType: recordType, predicate: predicate.recordPredicate, order: nil))
    }

    private init(_ coded: Coded) {
        (recordType, recordPredicate) = (coded.recordType, coded.predicate)
        order = Mutex(coded.order)
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

    // MARK: Archives

    private struct Coded: Codable {
        let recordType: String
        let predicate: RecordPredicate
        let order: [SortKey?]?
    }
    private static let key = "CKQuery"
    private var coded: Coded {
        Coded(recordType: recordType, predicate: recordPredicate, order: order.withLock { $0 })
    }

    /// True: a query can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) { coder.encode(value: coded, for: Self.key) }

    /// `nil` where no query was archived.
    public convenience init?(coder: NSCoder) {
        guard let coded: Coded = coder.value(for: Self.key) else { return nil }
        self.init(coded)
    }

    /// Another query that says the same.
    public func copy(with zone: NSZone? = nil) -> Any { CKQuery(coded) }

    // MARK: The database's form

    /// The same query under CloudKit's name.
    convenience init(_ query: Query) {
        self.init(Coded(recordType: query.recordType, predicate: query.predicate, order: query.sortKeys))
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
