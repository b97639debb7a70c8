// A private database as those use it with whom something of it is shared, wherever it is.

import FoundationEssentials
import RecordModel
import RecordStore

/// A private database of which others may see something.
protocol SharingStoring: DatabaseStoring {
    /// What a user sees of the database at one moment, as far as it is needed.
    func moment(for userName: String, _ part: SharedPart) throws(DatabaseError) -> SharedMoment
    /// Whether the database still has the records of a moment of all that is shared.
    func isCurrent(_ moment: SharedMoment) throws(DatabaseError) -> Bool
    /// Makes a user a participant who has accepted a share.
    ///
    /// - Returns: The share as it is afterwards.
    func accept(_ acceptance: ShareAcceptance) throws(DatabaseError) -> Record?
}

/// What is needed of what a user sees.
enum SharedPart {
    /// The shares, and what is known of the zones.
    case shares
    /// Records, and what tells whether they are seen.
    case records([Record.ID])
    /// What is seen of a zone.
    case zone(RecordZone.ID)
    /// What is seen of a zone and is new to a reader, or has gone.
    case changes(RecordZone.ID, SharedStretch)
    /// All.
    case all

    /// Whether it matters which records are below others.
    var hasGraph: Bool {
        switch self {
        case .shares, .records: false
        case .zone, .changes, .all: true
        }
    }
}

/// A stretch of the changes that a reader has not seen.
struct SharedStretch {
    let positions: [SharePosition]
    /// Changes that are needed at most.
    let limit: Int
}

extension LocalDatabase: SharingStoring {
    func moment(for userName: String, _ part: SharedPart) throws(DatabaseError) -> SharedMoment {
        store.schema.withCurrent {
            SharedMoment(stored, userName, $0, store.incarnation, hasGraph: part.hasGraph)
        }
    }

    func isCurrent(_ moment: SharedMoment) throws(DatabaseError) -> Bool {
        stored.records.snapshot.version == moment.snapshot.version
    }
}
