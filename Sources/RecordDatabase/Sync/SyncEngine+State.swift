// What a sync engine knows: where it is in the changes, and what is to be sent.

public import RecordModel
import Synchronization

extension SyncEngine {
    /// A change of a record that is to be sent.
    public enum PendingRecordChange: Hashable, Sendable, Codable {
        /// The record is to be saved.
        case save(Record.ID)
        /// The record is to be deleted.
        case delete(Record.ID)

        /// Which record it is.
        public var recordID: Record.ID {
            switch self {
            case .save(let id), .delete(let id): id
            }
        }
    }

    /// A change of a zone that is to be sent.
    public enum PendingZoneChange: Hashable, Sendable, Codable {
        /// The zone is to be made.
        case save(RecordZone.ID)
        /// The zone is to be deleted.
        case delete(RecordZone.ID)

        /// Which zone it is.
        public var zoneID: RecordZone.ID {
            switch self {
            case .save(let id), .delete(let id): id
            }
        }
    }

    /// Where an engine is in the changes, and what it is to send. Of several changes of one record or zone the last one
    /// counts.
    public final class State: Sendable {
        /// The state in a form that is stored: what `stateUpdate` hands over.
        public struct Serialization: Hashable, Sendable, Codable {
            var hasBegun = false
            var userName: String?
            var token: ChangeToken?
            var zoneTokens: [RecordZone.ID: ChangeToken] = [:]
            var zonesToFetch: [RecordZone.ID] = []
            var recordChanges: [PendingRecordChange] = []
            var zoneChanges: [PendingZoneChange] = []

            /// The beginning.
            public init() {}
        }

        /// Changes by what they are of, each with a number that grows.
        private struct Pending<ID: Hashable & Sendable, Change: Sendable>: Sendable {
            private var changes: [ID: (number: Int, change: Change)] = [:]
            private(set) var next = 0

            var all: [Change] { changes.values.sorted { $0.number < $1.number }.map(\.change) }

            mutating func add(_ id: ID, _ change: Change) {
                changes[id] = (next, change)
                next += 1
            }

            mutating func remove(_ id: ID, where isMeant: (Int, Change) -> Bool) {
                if let (number, change) = changes[id], isMeant(number, change) { changes[id] = nil }
            }

            mutating func removeAll() { changes.removeAll() }
        }

        private struct Content {
            /// Without pending changes.
            var known: Serialization
            var records = Pending<Record.ID, PendingRecordChange>()
            var zones = Pending<RecordZone.ID, PendingZoneChange>()
            var hasUntracked = false
            var whenAdded: (@Sendable () -> Void)?
        }

        private let content: Mutex<Content>

        package init(_ serialization: Serialization) {
            var content = Content(known: serialization)
            for change in serialization.recordChanges { content.records.add(change.recordID, change) }
            for change in serialization.zoneChanges { content.zones.add(change.zoneID, change) }
            self.content = Mutex(content)
        }

        /// The state as it is now; `stateUpdate` hands it over after each step of the engine.
        public var serialization: Serialization {
            content.withLock { content in
                var known = content.known
                (known.recordChanges, known.zoneChanges) = (content.records.all, content.zones.all)
                return known
            }
        }

        /// The records to send, in the order in which they were added.
        public var pendingRecordChanges: [PendingRecordChange] { content.withLock { $0.records.all } }
        /// The zones to send, in the order in which they were added.
        public var pendingZoneChanges: [PendingZoneChange] { content.withLock { $0.zones.all } }
        /// Zones that changed and were not fetched yet.
        public var zonesWithUnfetchedChanges: [RecordZone.ID] { content.withLock { $0.known.zonesToFetch } }

        /// Whether there are changes that the application keeps itself: the engine requests batches then, too.
        public var hasPendingUntrackedChanges: Bool {
            get { content.withLock { $0.hasUntracked } }
            set { change { $0.hasUntracked = newValue } }
        }

        /// Adds records to send.
        public func add(_ changes: [PendingRecordChange]) {
            change { for change in changes { $0.records.add(change.recordID, change) } }
        }

        /// Adds zones to send.
        public func add(_ changes: [PendingZoneChange]) {
            change { for change in changes { $0.zones.add(change.zoneID, change) } }
        }

        /// Takes back records to send.
        public func remove(_ changes: [PendingRecordChange]) {
            content.withLock { for change in changes { $0.records.remove(change.recordID) { $1 == change } } }
        }

        /// Takes back zones to send.
        public func remove(_ changes: [PendingZoneChange]) {
            content.withLock { for change in changes { $0.zones.remove(change.zoneID) { $1 == change } } }
        }

        private func change(_ body: (inout Content) -> Void) {
            let told = content.withLock { content in
                body(&content)
                return content.whenAdded
            }
            told?()
        }

        // MARK: The engine's part

        func whenAdded(_ body: @escaping @Sendable () -> Void) { content.withLock { $0.whenAdded = body } }

        /// Changes that are added from now on have this number, or a larger one.
        var mark: (records: Int, zones: Int) { content.withLock { ($0.records.next, $0.zones.next) } }

        /// Takes back what was sent, unless it was added again meanwhile.
        func settle(_ id: Record.ID, before mark: Int) {
            content.withLock { $0.records.remove(id) { number, _ in number < mark } }
        }

        func settle(_ id: RecordZone.ID, before mark: Int) {
            content.withLock { $0.zones.remove(id) { number, _ in number < mark } }
        }

        var token: ChangeToken? { content.withLock { $0.known.token } }
        func token(of zone: RecordZone.ID) -> ChangeToken? { content.withLock { $0.known.zoneTokens[zone] } }

        func take(_ changes: DatabaseChanges) {
            content.withLock { content in
                for zone in changes.modifications where !content.known.zonesToFetch.contains(zone) {
                    content.known.zonesToFetch.append(zone)
                }
                content.known.zonesToFetch.removeAll { changes.deletions.contains($0) }
                for zone in changes.deletions { content.known.zoneTokens[zone] = nil }
                content.known.token = changes.changeToken
            }
        }

        func forgetToken() { content.withLock { $0.known.token = nil } }

        func take(_ token: ChangeToken?, of zone: RecordZone.ID, isLast: Bool) {
            content.withLock { content in
                content.known.zoneTokens[zone] = token
                if isLast { content.known.zonesToFetch.removeAll { $0 == zone } }
            }
        }

        /// Takes in who the current user is; what changed, if that is another one. The state of another user goes.
        func takeUser(_ user: String?) -> AccountChange? {
            content.withLock { content in
                let previous = content.known.userName
                if content.known.hasBegun, previous == user { return nil }
                let isFirst = !content.known.hasBegun
                if !isFirst { content.records.removeAll() }
                if !isFirst { content.zones.removeAll() }
                content.known = Serialization()
                (content.known.hasBegun, content.known.userName) = (true, user)
                switch (previous.map { Record.ID($0) }, user.map { Record.ID($0) }) {
                case (nil, let user?): return .signIn(user)
                case (let previous?, nil): return .signOut(previous)
                case (let previous?, let user?): return .switchAccounts(from: previous, to: user)
                case (nil, nil): return nil
                }
            }
        }
    }
}
