// An owner and participants of shares, who make the calls of a campaign.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// The clients of one store, with the copies that participants keep by change tokens.
final class SharingClients {
    /// What clients do wrong, so that a campaign shows that it finds it.
    enum Flaw: Sendable, CaseIterable {
        /// A participant saves with the rights of the owner.
        case savesAsOwner
        /// A participant who leaves stays.
        case staysInShare
        /// A copy keeps what it had when its token has expired.
        case keepsOldCopy
        /// The owner's records stay below what they were below.
        case movesNothing
    }

    private struct Copy {
        var records: [String: String] = [:]
        var token: ChangeToken?
    }

    private struct CopyKey: Hashable {
        let user: String
        let zone: String
    }

    private let ground: ContainerGround
    private let identifier = "sharing " + UUID().uuidString
    private let flaw: Flaw?
    private var containers: [String: Container] = [:]
    private var copies: [CopyKey: Copy] = [:]

    init(on ground: ContainerGround, flaw: Flaw?) throws(DatabaseError) {
        (self.ground, self.flaw) = (ground, flaw)
        try ground.prepare(identifier)
        try open()
        let type = ContainerSchema.RecordType(fields: ["value": ContainerSchema.Field(.int64)])
        try containers[SharingModel.owner]?.setSchema(ContainerSchema(recordTypes: ["Item": type]))
    }

    private func open() throws(DatabaseError) {
        var configuration = Configuration()
        configuration.limits.deletionsPerZone = 6
        let first = try ground.open(identifier, .user(SharingModel.owner), configuration)
        containers = [SharingModel.owner: first]
        for guest in SharingModel.guests {
            containers[guest] = try Container(sharing: first, account: .user(guest), configuration: configuration)
        }
    }

    func close() { for container in containers.values { container.close() } }

    private func container(_ user: String) throws(DatabaseError) -> Container {
        guard let container = containers[user] else { throw DatabaseError(.internalError, "no client of \(user)") }
        return container
    }

    /// The database in which a user finds the owner's zones.
    private func database(_ user: String) throws(DatabaseError) -> Database {
        let container = try container(user)
        return user == SharingModel.owner ? container.privateDatabase : container.sharedDatabase
    }

    private static func zoneID(_ zone: String, for user: String) -> RecordZone.ID {
        user == SharingModel.owner ? RecordZone.ID(zone) : RecordZone.ID(zone, ownerName: SharingModel.owner)
    }

    // MARK: Steps

    /// Takes a step.
    ///
    /// - Returns: The error that tells why it failed; `nil` where it did not.
    func take(_ step: SharingStep) -> DatabaseError.Code? {
        do throws(DatabaseError) { return try result(of: step) } catch { return error.code }
    }

    private func result(of step: SharingStep) throws(DatabaseError) -> DatabaseError.Code? {
        let owner = SharingModel.owner
        switch step {
        case .makeZone(let zone):
            _ = try database(owner).modifyZones(saving: [RecordZone(id: RecordZone.ID(zone))], deleting: [])
            return nil
        case .deleteZone(let zone): return try deleteZone(zone, owner)
        case .leaveZone(let user, let zone): return flaw == .staysInShare ? nil : try deleteZone(zone, user)
        case .save(let user, let zone, let name, let value, let move):
            let user = flaw == .savesAsOwner ? owner : user
            return try save(user, Self.zoneID(zone, for: user), name, value, move)
        case .delete(let user, let zone, let name):
            return try send(user, deletes: [Record.ID(name, zoneID: Self.zoneID(zone, for: user))])
        case .share(let zone, let root, let prefix, let invited, let isPublic):
            return try share(RecordZone.ID(zone), root, prefix, invited, isPublic)
        case .changeShare(let zone, let name, let user, let permission, let everyone):
            guard var share = try share(zone, name) else { return nil }
            let known = share.participants.first { $0.userRecordID.recordName == user }
            if permission == .none {
                if let known { share.remove(known) }
            } else if let known, known.acceptanceStatus != .removed {
                try share.setPermission(permission, of: known)
            } else {
                try share.add(Share.Participant(userRecordID: Record.ID(user), permission: permission))
            }
            share.publicPermission = everyone
            return try send(owner, saves: [share.record])
        case .endShare(let zone, let name):
            return try send(owner, deletes: [Record.ID(name, zoneID: RecordZone.ID(zone))])
        case .accept(let user, let zone, let name):
            guard let url = try share(zone, name)?.url else { return nil }
            let container = try container(user)
            _ = try container.acceptShare(container.fetchShareMetadata(for: url))
            return nil
        case .leave(let user, let zone, let name):
            if flaw == .staysInShare { return nil }
            return try send(user, deletes: [Record.ID(name, zoneID: Self.zoneID(zone, for: user))])
        case .reopen:
            if !ground.isReopened { return nil }
            close()
            try open()
            return nil
        }
    }

    private func deleteZone(_ zone: String, _ user: String) throws(DatabaseError) -> DatabaseError.Code? {
        let result = try database(user).modifyZones(saving: [], deleting: [Self.zoneID(zone, for: user)])
        if case .failure(let error)? = result.deletes.first?.result { return error.code }
        return nil
    }

    private func save(
        _ user: String, _ zoneID: RecordZone.ID, _ name: String, _ value: Int64, _ move: SharingStep.Move
    ) throws(DatabaseError) -> DatabaseError.Code? {
        let id = Record.ID(name, zoneID: zoneID)
        if user != SharingModel.owner, value % 2 == 1 { return try write(id, value, move, try database(user)) }
        var record = Record(type: "Item", id: id)
        set(value, move, of: &record)
        return try send(user, saves: [record])
    }

    private func set(_ value: Int64, _ move: SharingStep.Move, of record: inout Record) {
        record["value"] = .int64(value)
        switch move {
        case .below(let parent) where flaw != .movesNothing:
            record.setParent(Record.ID(parent, zoneID: record.id.zoneID))
        case .none where flaw != .movesNothing: record.setParent(nil)
        default: break
        }
    }

    /// Saves a record in a transaction, which finds it then.
    private func write(
        _ id: Record.ID, _ value: Int64, _ move: SharingStep.Move, _ database: Database
    ) throws(DatabaseError) -> DatabaseError.Code? {
        do {
            let found = try database.writeNow { transaction in
                var record = (try? transaction.record(for: id)) ?? Record(type: "Item", id: id)
                set(value, move, of: &record)
                try transaction.save(record)
                return try transaction.records(ofType: "Item", in: .zone(id.zoneID))
                    .count(matching: "value == \(value)")
            }
            return found == 1 ? nil : .internalError
        } catch let error as DatabaseError {
            return error.code
        } catch {
            throw DatabaseError(.internalError, "a transaction failed: \(error)")
        }
    }

    /// Sends a batch.
    ///
    /// - Returns: The first error that is of an item itself.
    private func send(
        _ user: String, saves: [Record] = [], deletes: [Record.ID] = []
    ) throws(DatabaseError) -> DatabaseError.Code? {
        let result = try database(user).modify(ModifyRequest(saves: saves, deletes: deletes, policy: .changedKeys))
        var codes: [DatabaseError.Code] = []
        for (_, outcome) in result.saves { if case .failure(let error) = outcome { codes.append(error.code) } }
        for (_, outcome) in result.deletes { if case .failure(let error) = outcome { codes.append(error.code) } }
        return codes.first { $0 != .batchRequestFailed } ?? codes.first
    }

    // MARK: Shares

    /// The stored share of a name; `nil` for none.
    private func share(_ zone: String, _ name: String) throws(DatabaseError) -> Share? {
        let id = Record.ID(name, zoneID: RecordZone.ID(zone))
        guard case .success(let record)? = try database(SharingModel.owner).fetch([id])[id] else { return nil }
        return Share(record)
    }

    private func share(
        _ zoneID: RecordZone.ID, _ root: String?, _ prefix: String, _ invited: [String: Share.Permission],
        _ isPublic: Bool
    ) throws(DatabaseError) -> DatabaseError.Code? {
        let root = root.map { Record(type: "Item", id: Record.ID($0, zoneID: zoneID)) }
        var share =
            root.map { Share(root: $0, id: Record.ID(prefix + $0.id.recordName, zoneID: zoneID)) }
            ?? Share(zoneID: zoneID)
        // Another share of the name would be changed.
        if try self.share(zoneID.zoneName, share.id.recordName) != nil { return .alreadyShared }
        for (user, permission) in invited.sorted(by: { $0.key < $1.key }) {
            try share.add(Share.Participant(userRecordID: Record.ID(user), permission: permission))
        }
        if isPublic { share.publicPermission = .readOnly }
        return try send(SharingModel.owner, saves: [root, share.record].compactMap(\.self))
    }

    // MARK: What is seen

    /// The names of the zones that a user finds, besides a default one.
    func zoneNames(_ user: String) throws(DatabaseError) -> Set<String> {
        Set(try database(user).fetchAllZones().map(\.id.zoneName)).subtracting([RecordZone.ID.defaultZoneName])
    }

    /// What a user sees of a zone, all of it at once; `nil` for a zone that is not there.
    func view(_ user: String, _ zone: String) throws(DatabaseError) -> [String: String]? {
        var copy = Copy()
        return try follow(&copy, user, zone) ? copy.records : nil
    }

    /// The same by a copy that reads on from what it had.
    func copy(_ user: String, _ zone: String) throws(DatabaseError) -> [String: String]? {
        let key = CopyKey(user: user, zone: zone)
        var copy = copies[key] ?? Copy()
        let isThere = try follow(&copy, user, zone)
        copies[key] = isThere ? copy : nil
        return isThere ? copy.records : nil
    }

    /// The names of items that a query finds; `nil` for a zone that is not there.
    func found(_ user: String, _ zone: String) throws(DatabaseError) -> Set<String>? {
        do throws(DatabaseError) {
            let page = try database(user).find(Query("Item"), in: .zone(Self.zoneID(zone, for: user)), limit: 100)
            return Set(page.matches.map(\.0.recordName))
        } catch {
            if error.code == .zoneNotFound { return nil }
            throw error
        }
    }

    /// Reads on in the changes of a zone, to their end.
    ///
    /// - Returns: Whether the zone is there.
    private func follow(_ copy: inout Copy, _ user: String, _ zone: String) throws(DatabaseError) -> Bool {
        let (database, zoneID) = (try database(user), Self.zoneID(zone, for: user))
        while true {
            let changes: RecordZoneChanges
            do throws(DatabaseError) {
                changes = try database.zoneChanges(zoneID, since: copy.token, limit: 3)
            } catch {
                if error.code == .changeTokenExpired, copy.token != nil {
                    copy = flaw == .keepsOldCopy ? Copy(records: copy.records) : Copy()
                    continue
                }
                if error.code == .zoneNotFound || error.code == .userDeletedZone { return false }
                throw error
            }
            for (id, result) in changes.modifications { copy.records[id.recordName] = Self.text(try result.get()) }
            for deletion in changes.deletions { copy.records[deletion.recordID.recordName] = nil }
            copy.token = changes.changeToken
            if !changes.moreComing { return true }
        }
    }

    private static func text(_ record: Record) -> String {
        if record.type != "Item" { return "share" }
        var value: Int64?
        if case .int64(let number) = record["value"] as FieldValue { value = number }
        return SharingModel.Item(value: value, parent: record.parent?.recordID.recordName).text
    }
}
