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
            var items = KnownItems()
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

            /// A zone by the name that it has in lists: its owner is the placeholder where it is the user's.
            func listed(_ zone: RecordZone.ID) -> RecordZone.ID {
                known.userName.map { zone.known(to: $0) } ?? zone
            }

            /// A zone is gone.
            mutating func drop(_ zone: RecordZone.ID) {
                known.items.remove(zone)
                known.zoneTokens[zone] = nil
                known.zonesToFetch.removeAll { $0 == zone }
            }
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
        func forgetToken() { content.withLock { $0.known.token = nil } }
        func forgetToken(of zone: RecordZone.ID) { content.withLock { $0.known.zoneTokens[zone] = nil } }

        /// Where the next stretch of the zones begins. Without a token all are listed, and those that the application
        /// has and the list lacks are gone.
        func beginZones() -> ChangeToken? {
            content.withLock { content in
                if content.known.token == nil { content.known.items.beginZones() }
                return content.known.token
            }
        }

        /// Takes in a stretch of the zones; those that have gone without a word of it.
        func take(_ changes: DatabaseChanges) -> [RecordZone.ID] {
            content.withLock { content in
                for zone in changes.modifications {
                    content.known.items.insert(zone)
                    if !content.known.zonesToFetch.contains(zone) { content.known.zonesToFetch.append(zone) }
                }
                let missing = changes.moreComing ? [] : content.known.items.missingZones
                for zone in changes.deletions + missing { content.drop(zone) }
                content.known.token = changes.changeToken
                return missing
            }
        }

        /// Where the next stretch of a zone begins. Without a token all records are listed, and those that the
        /// application has and the list lacks are gone.
        func beginRecords(of zone: RecordZone.ID) -> ChangeToken? {
            content.withLock { content in
                let token = content.known.zoneTokens[zone]
                if token == nil { content.known.items.beginRecords(of: zone) }
                return token
            }
        }

        /// The records of a zone that have gone without a word of it; none before the last stretch.
        func missingRecords(of zone: RecordZone.ID, beside changes: RecordZoneChanges) -> [RecordDeletion] {
            changes.moreComing ? [] : content.withLock { $0.known.items.missingRecords(of: zone, beside: changes) }
        }

        /// Takes in a stretch of a zone.
        func take(_ changes: RecordZoneChanges, of zone: RecordZone.ID) {
            content.withLock { content in
                content.known.items.take(changes)
                if !changes.moreComing { content.known.items.removeUnlisted(in: zone) }
                content.known.zoneTokens[zone] = changes.changeToken
            }
            if !changes.moreComing { endFetch(of: zone) }
        }

        /// Nothing more of a zone is to be fetched.
        func endFetch(of zone: RecordZone.ID) {
            content.withLock { content in
                content.known.items.endRecords(of: zone)
                content.known.zonesToFetch.removeAll { $0 == zone }
            }
        }

        /// Takes in what was sent, by whatever name of its zone.
        func take(_ sent: SentRecords) {
            content.withLock { content in
                for record in sent.saved { content.known.items.insert(record, in: content.listed(record.id.zoneID)) }
                for id in sent.deleted {
                    content.known.items.remove(Record.ID(id.recordName, zoneID: content.listed(id.zoneID)))
                }
            }
        }

        func take(_ sent: SentZones) {
            content.withLock { content in
                // The default zone is always there, and in no list.
                for zone in sent.saved where !zone.id.isDefault {
                    content.known.items.insert(content.listed(zone.id))
                }
                for zone in sent.deleted { content.drop(content.listed(zone)) }
            }
        }

        /// The user of whom the state tells.
        var userName: String? { content.withLock(\.known.userName) }

        /// Takes in who the current user is; what changed, if that is another one. The state of another user goes; what
        /// was added after nobody was found to be signed in is sent for the first who is.
        func takeUser(_ user: String?) -> AccountChange? {
            content.withLock { content in
                let previous = content.known.userName
                if content.known.hasBegun, previous == user { return nil }
                if previous != nil {
                    content.records.removeAll()
                    content.zones.removeAll()
                }
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
