// Why, and what, a sync engine fetches and sends, under CloudKit's names.

public import RecordDatabase

extension CKSyncEngine {
    /// Why an engine fetches or sends.
    public typealias SyncReason = SyncEngine.SyncReason

    /// What to fetch.
    public struct FetchChangesOptions: Sendable {
        /// Which zones are meant.
        public enum Scope: Hashable, Sendable {
            /// All zones.
            case all
            /// All zones but these.
            case allExcluding([CKRecordZone.ID])
            /// These zones.
            case zoneIDs([CKRecordZone.ID])

            /// Whether a zone is meant.
            public func contains(_ zoneID: CKRecordZone.ID) -> Bool { scope.contains(zoneID.zone) }

            init(_ scope: SyncEngine.FetchScope) {
                switch scope {
                case .all: self = .all
                case .allExcluding(let zones): self = .allExcluding(zones.map { CKRecordZone.ID($0) })
                case .zones(let zones): self = .zoneIDs(zones.map { CKRecordZone.ID($0) })
                }
            }

            var scope: SyncEngine.FetchScope {
                switch self {
                case .all: .all
                case .allExcluding(let zones): .allExcluding(zones.map(\.zone))
                case .zoneIDs(let zones): .zones(zones.map(\.zone))
                }
            }
        }

        /// The zones.
        public var scope: Scope
        /// The operations that the engine's belong to. Kept, without effect.
        public var operationGroup: CKOperationGroup
        /// Zones that are fetched before the others.
        public var prioritizedZoneIDs: [CKRecordZone.ID] = []

        /// All zones, unless said.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            (self.scope, self.operationGroup) = (scope, operationGroup ?? CKOperationGroup())
        }

        init(_ options: SyncEngine.FetchOptions) {
            self.init(scope: Scope(options.scope))
            prioritizedZoneIDs = options.prioritizedZoneIDs.map { CKRecordZone.ID($0) }
        }

        var options: SyncEngine.FetchOptions {
            var options = SyncEngine.FetchOptions(scope: scope.scope)
            options.prioritizedZoneIDs = prioritizedZoneIDs.map(\.zone)
            return options
        }
    }

    /// What to send.
    public struct SendChangesOptions: Sendable {
        /// Which changes are meant.
        public enum Scope: Hashable, Sendable {
            /// All changes.
            case all
            /// All changes but those in these zones.
            case allExcluding([CKRecordZone.ID])
            /// The changes in these zones.
            case zoneIDs([CKRecordZone.ID])
            /// The changes of these records.
            case recordIDs([CKRecord.ID])

            /// Whether a change of a record is meant.
            public func contains(_ change: PendingRecordZoneChange) -> Bool { scope.contains(change.change) }
            /// Whether a record is meant.
            public func contains(_ recordID: CKRecord.ID) -> Bool { scope.contains(.save(recordID.record)) }
            /// Whether all changes in a zone are meant.
            public func contains(_ zoneID: CKRecordZone.ID) -> Bool { scope.contains(zoneID.zone) }

            init(_ scope: SyncEngine.SendScope) {
                switch scope {
                case .all: self = .all
                case .allExcluding(let zones): self = .allExcluding(zones.map { CKRecordZone.ID($0) })
                case .zones(let zones): self = .zoneIDs(zones.map { CKRecordZone.ID($0) })
                case .records(let records): self = .recordIDs(records.map { CKRecord.ID($0) })
                }
            }

            var scope: SyncEngine.SendScope {
                switch self {
                case .all: .all
                case .allExcluding(let zones): .allExcluding(zones.map(\.zone))
                case .zoneIDs(let zones): .zones(zones.map(\.zone))
                case .recordIDs(let records): .records(records.map(\.record))
                }
            }
        }

        /// The changes.
        public var scope: Scope
        /// The operations that the engine's belong to. Kept, without effect.
        public var operationGroup: CKOperationGroup

        /// All changes, unless said.
        public init(scope: Scope = .all, operationGroup: CKOperationGroup? = nil) {
            (self.scope, self.operationGroup) = (scope, operationGroup ?? CKOperationGroup())
        }

        var options: SyncEngine.SendOptions { SyncEngine.SendOptions(scope: scope.scope) }
    }

    /// Why, and what, an engine fetches.
    public struct FetchChangesContext: Sendable {
        /// Why it does so.
        public let reason: SyncReason
        /// What it fetches.
        public let options: FetchChangesOptions

        init(_ context: SyncEngine.FetchContext) {
            (reason, options) = (context.reason, FetchChangesOptions(context.options))
        }
    }

    /// Why, and what, an engine sends.
    public struct SendChangesContext: Sendable {
        /// Why it does so.
        public let reason: SyncReason
        /// What it sends.
        public let options: SendChangesOptions

        init(_ context: SyncEngine.SendContext) {
            reason = context.reason
            options = SendChangesOptions(scope: .init(context.options.scope))
        }
    }
}
