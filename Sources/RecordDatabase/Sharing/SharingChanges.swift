// What a commit changes about sharing besides records, and what a database remembers of it.

import FoundationEssentials
import RecordModel

/// A record that came into a share or left it.
package struct ShareMove: Hashable, Sendable {
    package let id: Record.ID
    package let recordType: String
    /// The names of the shares that the record was part of before, and is after.
    package let from: String?
    package let to: String?
    /// Number of the change. Records that moved with another one have numbers of their own.
    package let change: Int64

    package init(id: Record.ID, recordType: String, from: String?, to: String?, change: Int64) {
        (self.id, self.recordType, self.from, self.to, self.change) = (id, recordType, from, to, change)
    }
}

/// What a commit changes about sharing besides records.
struct SharingChanges: Sendable {
    var moves: [ShareMove] = []
    /// Subscriptions of the database's user to the shared database.
    var savedSubscriptions: [StoredSubscription] = []
    var deletedSubscriptions: [Subscription.ID] = []

    var isEmpty: Bool { moves.isEmpty && savedSubscriptions.isEmpty && deletedSubscriptions.isEmpty }
    var changesSubscriptions: Bool { !savedSubscriptions.isEmpty || !deletedSubscriptions.isEmpty }
}

extension SharingChanges: BinaryCodable {
    func write(to writer: inout BinaryWriter) throws(BinaryError) {
        try writer.write(list: moves)
        try writer.write(list: savedSubscriptions)
        try writer.write(list: deletedSubscriptions)
    }

    init(from reader: inout BinaryReader) throws(BinaryError) {
        moves = try reader.list()
        savedSubscriptions = try reader.list()
        deletedSubscriptions = try reader.list()
    }
}

extension ShareMove: BinaryCodable {
    package func write(to writer: inout BinaryWriter) throws(BinaryError) {
        try id.write(to: &writer)
        writer.write(recordType)
        try writer.write(optional: from)
        try writer.write(optional: to)
        writer.write(signed: change)
    }

    package init(from reader: inout BinaryReader) throws(BinaryError) {
        id = try Record.ID(from: &reader)
        recordType = try reader.text()
        from = try reader.optional()
        to = try reader.optional()
        change = try reader.signed()
    }
}

/// The records of a zone that came into shares or left them, as far as the zone remembers.
struct ShareMoves: Sendable {
    /// In order of their changes.
    private(set) var all: [ShareMove] = []
    /// Moves up to this change are forgotten.
    private(set) var forgottenThrough: Int64 = 0

    init(_ all: [ShareMove] = [], forgottenThrough: Int64 = 0) {
        (self.all, self.forgottenThrough) = (all, forgottenThrough)
    }

    /// Remembers a move, and forgets the oldest beyond a limit. Complexity: amortised O(1).
    mutating func append(_ move: ShareMove, limit: Int) {
        all.append(move)
        let limit = max(0, limit)
        guard all.count - limit > limit / 2 + 1 else { return }
        for old in all.prefix(all.count - limit) { forgottenThrough = max(forgottenThrough, old.change) }
        all.removeFirst(all.count - limit)
    }

    /// Those that concern a share, by record name: the last that brought it in, and the last that took it out.
    func last(of share: String) -> (in: [String: ShareMove], out: [String: ShareMove]) {
        var (came, left): ([String: ShareMove], [String: ShareMove]) = ([:], [:])
        for move in all {
            if move.to == share { came[move.id.recordName] = move }
            if move.from == share { left[move.id.recordName] = move }
        }
        return (came, left)
    }
}

extension DatabaseState {
    /// Takes in what a commit changes.
    mutating func take(_ sharing: SharingChanges, limit: Int) {
        for move in sharing.moves {
            zones[move.id.zoneID.zoneName]?.moves.append(move, limit: limit)
            touch(move.id.zoneID, max(move.change, zones[move.id.zoneID.zoneName]?.lastChange ?? 0), nil)
        }
        for subscription in sharing.savedSubscriptions { sharedSubscriptions.insert(subscription) }
        for id in sharing.deletedSubscriptions { sharedSubscriptions.remove(id) }
    }
}

extension DatabaseState {
    /// Whether there are subscriptions, to this database or to the shared one.
    var hasSubscriptions: Bool { !subscriptions.isEmpty || !sharedSubscriptions.isEmpty }

    /// Binds the predicates of some types to another schema.
    mutating func bindSubscriptions(_ schema: ContainerSchema, typesAmong changed: Set<String>) {
        subscriptions.bind(schema, typesAmong: changed)
        sharedSubscriptions.bind(schema, typesAmong: changed)
    }
}

// MARK: Checkpoints

extension DatabaseState {
    /// What a state remembers about sharing, as bytes; `nil` for nothing.
    func sharingBytes() throws(BinaryError) -> [UInt8]? {
        let zones = zones.values.filter { !$0.moves.all.isEmpty || $0.moves.forgottenThrough > 0 }
        if zones.isEmpty, sharedSubscriptions.isEmpty { return nil }
        var writer = BinaryWriter()
        try writer.write(list: sharedSubscriptions.all)
        writer.write(count: zones.count)
        for zone in zones.sorted(by: { $0.made < $1.made }) {
            writer.write(zone.id.zoneName)
            writer.write(signed: zone.moves.forgottenThrough)
            try writer.write(list: zone.moves.all)
        }
        return writer.bytes
    }

    /// Takes in what `sharingBytes()` gave.
    mutating func restoreSharing(_ bytes: [UInt8], _ schema: ContainerSchema) throws(BinaryError) {
        var reader = BinaryReader(bytes)
        for subscription in try reader.list(of: StoredSubscription.self) {
            sharedSubscriptions.insert(subscription.bound(schema))
        }
        for _ in 0..<(try reader.count(ofBytes: 3)) {
            let name = try reader.text()
            let forgotten = try reader.signed()
            zones[name]?.moves = ShareMoves(try reader.list(), forgottenThrough: forgotten)
        }
        try reader.finish()
    }
}
