// What to fetch of a zone's changes.

public import Foundation
import Synchronization

/// What to fetch from a zone: where to begin, how much, which fields.
public final class CKFetchRecordZoneChangesConfiguration: NSObject, NSCopying, Sendable {
    /// What was said; everything there is, if nothing was.
    struct Settings: Sendable {
        var token: CKServerChangeToken?
        var limit = 0
        var keys: [CKRecord.FieldKey]?
    }

    private let state: Mutex<Settings>

    /// What to fetch: everything there is, if nothing is said; a limit of `nil` leaves it to the database.
    public init(
        previousServerChangeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
        desiredKeys: [CKRecord.FieldKey]? = nil
    ) {
        state = Mutex(Settings(token: previousServerChangeToken, limit: resultsLimit ?? 0, keys: desiredKeys))
        super.init()
    }

    /// Everything there is.
    public convenience override init() { self.init(previousServerChangeToken: nil) }

    /// As `init(previousServerChangeToken:resultsLimit:desiredKeys:)`, from the beginning.
    public convenience init(resultsLimit: Int?, desiredKeys: [CKRecord.FieldKey]? = nil) {
        self.init(previousServerChangeToken: nil, resultsLimit: resultsLimit, desiredKeys: desiredKeys)
    }

    var settings: Settings { state.withLock { $0 } }

    /// Where an earlier fetch ended; `nil` for all records there are.
    public var previousServerChangeToken: CKServerChangeToken? {
        get { settings.token }
        set { state.withLock { $0.token = newValue } }
    }

    /// At most so many changes a stretch; 0 leaves it to the database.
    public var resultsLimit: Int {
        get { settings.limit }
        set { state.withLock { $0.limit = newValue } }
    }

    /// The fields wanted; `nil` for all.
    public var desiredKeys: [CKRecord.FieldKey]? {
        get { settings.keys }
        set { state.withLock { $0.keys = newValue } }
    }

    /// Another configuration that says the same.
    public func copy(with zone: NSZone? = nil) -> Any {
        CKFetchRecordZoneChangesConfiguration(
            previousServerChangeToken: previousServerChangeToken, resultsLimit: resultsLimit, desiredKeys: desiredKeys)
    }
}
