// Which zones of a database a query is about.

public import RecordModel

/// The zones of a database whose records a query finds.
///
/// Every query says which it means: a record that is left out because it is in another zone is easily missed.
public enum QueryZones: Hashable, Sendable, Codable {
    /// All zones of the database, those that are made later too.
    case all
    /// One zone; the query fails with `zoneNotFound` where it does not exist.
    case zone(RecordZone.ID)

    /// The default zone, the only one of a public database.
    public static let `default` = QueryZones.zone(.default)

    /// The one zone, with the caller's name for its owner; `nil` for all.
    func zoneID(for caller: Caller) -> RecordZone.ID? {
        switch self {
        case .all: nil
        case .zone(let id): caller.normalized(id)
        }
    }
}
