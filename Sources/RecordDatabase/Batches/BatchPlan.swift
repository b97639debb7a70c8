// The way of a batch: checks one after another, each item with its own error, then one commit of what is left.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore

/// A batch while it is checked.
///
/// The order of checks: what is wrong in itself, limits, zones, permissions, conflicts, schema, references. The last
/// two depend on the other items, so they are run again without the items that failed, until no more do.
struct BatchPlan {
    let request: ModifyRequest
    var caller: Caller
    let origin: DatabaseOrigin
    var saves: [SaveItem]
    var deletes: [DeleteItem]
    /// References of saved and deleted records, as far as they matter for deletions.
    var graph = ReferenceGraphDraft()
    /// Records that are deleted, each once, those of a request before those that go with them.
    var deleted: [Record.ID] = []
    /// Records of other nodes, which this commit does not delete.
    var apart: Set<Record.ID> = []
    /// Whether the records go with others that are gone already: no permission is needed, and children stay behind.
    var followsTargets = false
    /// Bytes of the values to save.
    private(set) var byteCount = 0
    /// Files in the asset folder that the batch holds until it is done.
    private(set) var heldAssets: [Asset] = []

    /// The cipher of encrypted values, once one was needed.
    private var cipher: ValueCipher?
    private var opener: RecordOpener

    /// The batch as the database remembers it; `nil` without a token.
    private(set) var sentBatch: SentBatch?

    /// The name of the key that values of the batch are encrypted with; `nil` where none is.
    var keyName: String? { cipher?.name }

    var limits: Limits { caller.configuration.limits }

    /// A batch whose items are checked for what is wrong in themselves.
    ///
    /// - Parameter assets: Where the files of assets are copied to.
    init(_ request: ModifyRequest, _ caller: Caller, origin: DatabaseOrigin, assets: AssetFolder) {
        self.request = request
        self.caller = caller
        self.origin = origin
        opener = RecordOpener(caller.keys)
        saves = request.saves.map { SaveItem($0, id: caller.normalized($0.id), policy: request.policy) }
        deletes = []
        var seen: Set<Record.ID> = []
        for id in request.deletes where seen.insert(id).inserted {
            deletes.append(DeleteItem(requested: id, id: caller.normalized(id)))
        }
        let limits = caller.configuration.limits
        var total = 0
        for index in saves.indices {
            let bytes = saves[index].byteCount
            total += bytes
            if bytes > limits.bytesPerRecord { saves[index].failure = Self.tooLarge(limits) }
            checkName(at: index)
            if saves[index].failure == nil { saves[index].takeAssets(into: assets, holding: &heldAssets) }
        }
        for index in deletes.indices {
            deletes[index].failure = Self.failure(ofName: deletes[index].id, isSystem: true, limits)
        }
        byteCount = total
        if request.clientToken != nil { sentBatch = batch(userName: caller.userName) }
    }

    private mutating func checkName(at index: Int) {
        let isUser = saves[index].record.type == ContainerSchema.userRecordType
        let failure = Self.failure(ofName: saves[index].id, isSystem: isUser, limits)
        if let failure { saves[index].failure = failure }
    }

    private static func failure(ofName id: Record.ID, isSystem: Bool, _ limits: Limits) -> ItemFailure? {
        do throws(DatabaseError) {
            try NameRules.check(id, isSystem: isSystem, maximumLength: limits.nameLength)
            return nil
        } catch {
            return ItemFailure(error, isMalformed: true)
        }
    }

    /// The batch as the database remembers it. A digest of secrets begins with the key, so that nobody can guess them.
    private mutating func batch(userName: String?) -> SentBatch? {
        guard saves.contains(where: { !$0.encryptedValues.isEmpty }) else {
            return SentBatch(request, saves, deletes, userName: userName)
        }
        guard let salt = try? savingCipher().salt else { return nil }
        return SentBatch(request, saves, deletes, userName: userName, salt: salt)
    }

    private mutating func savingCipher() throws(DatabaseError) -> ValueCipher {
        if let cipher { return cipher }
        let made = try caller.keys.cipherForSaving()
        cipher = made
        return made
    }

    static func tooLarge(_ limits: Limits) -> ItemFailure {
        ItemFailure(
            DatabaseError(
                .limitExceeded, "the fields of the record have more than \(limits.bytesPerRecord) bytes",
                hint: "put large values into assets"))
    }

    /// Runs all checks that need the store, and gives the commit of the items that passed.
    mutating func resolve(
        on snapshot: Snapshot, _ state: DatabaseState, _ schema: ContainerSchema, date: Date
    ) -> Commit {
        // The key that gave a digest its salt may have been replaced before the lock was had.
        cipher = nil
        let access = caller.owner == nil ? nil : SharedAccess(of: caller.userName ?? "", in: snapshot)
        let moment = SharingMoment(snapshot, state.graph ?? ReferenceGraph())
        checkZones(state)
        if let access { checkSharedZones(access) }
        locate(snapshot)
        if let access { checkParticipant(access, snapshot) } else { checkPermissions(snapshot, schema) }
        for index in saves.indices where saves[index].failure == nil { checkConflict(index, schema) }
        findMalformed(schema)
        checkShares(snapshot)
        let sent = saves.map(\.values)
        while true {
            var draft = draft(of: schema)
            let failed = failureCount
            let active = saves.indices.filter { saves[$0].failure == nil }
            for index in active {
                saves[index].values = sent[index]
                checkSchema(index, &draft)
            }
            let contradicting = active.filter { saves[$0].failure.map { !$0.isMalformed } ?? false }
            let accepted = failureCount
            checkReferences(snapshot, state.graph ?? ReferenceGraph(), draft.schema)
            if access != nil, failureCount == accepted { checkWithdrawn(moment) }
            if failureCount == accepted, draft.schema.hasShares { checkNesting(moment) }
            if let access, failureCount == accepted { checkInside(access, moment) }
            if failureCount == accepted { checkConstraints(snapshot, draft.schema) }
            if failureCount > accepted, draft.hasGrown {
                // What they contradicted may have been taught by a record that is not saved after all.
                for index in contradicting { saves[index].failure = nil }
            }
            failGroups(state)
            if failureCount == failed { return commit(state, snapshot, draft, date: date) }
        }
    }

    private func draft(of schema: ContainerSchema) -> SchemaDraft {
        SchemaDraft(schema, environment: caller.configuration.environment, maximumNameLength: limits.nameLength)
    }

    /// What is wrong with an item in itself goes before what the store has against it.
    private mutating func findMalformed(_ schema: ContainerSchema) {
        for index in saves.indices {
            guard let failure = saves[index].failure, !failure.isMalformed else { continue }
            var draft = draft(of: schema)
            checkSchema(index, &draft)
            if saves[index].failure?.isMalformed != true { saves[index].failure = failure }
        }
    }

    var failureCount: Int {
        saves.count { $0.failure != nil } + deletes.count { $0.failure != nil }
    }

    // MARK: Stages

    private mutating func checkZones(_ state: DatabaseState) {
        var known: RecordZone.ID?
        func failure(_ id: RecordZone.ID) -> ItemFailure? {
            if id == known { return nil }
            do throws(DatabaseError) {
                known = try state.zone(id).id
                return nil
            } catch {
                return ItemFailure(error)
            }
        }
        for index in saves.indices where saves[index].failure == nil {
            saves[index].failure = failure(saves[index].id.zoneID)
        }
        for index in deletes.indices where deletes[index].failure == nil {
            deletes[index].failure = failure(deletes[index].id.zoneID)
        }
    }

    private mutating func locate(_ snapshot: Snapshot) {
        for (index, address) in snapshot.find(saves.map(\.id)).enumerated() where saves[index].failure == nil {
            guard let address else { continue }
            let stored = saves[index].note(address, in: snapshot)
            let item = saves[index]
            let kept = stored.byteCount(without: Array(item.values.keys) + Array(item.encryptedValues.keys))
            let sent = item.byteCount
            if kept + sent > limits.bytesPerRecord {
                saves[index].failure = Self.tooLarge(limits)
            }
        }
    }

    private mutating func checkPermissions(_ snapshot: Snapshot, _ schema: ContainerSchema) {
        if followsTargets { return }
        for index in saves.indices where saves[index].failure == nil {
            saves[index].failure = permissionFailure(saves[index], schema)
        }
        for index in deletes.indices where deletes[index].failure == nil {
            let id = deletes[index].id
            guard let found = snapshot.find(id) else {
                if caller.configuration.requiresDeletedRecords {
                    deletes[index].failure = ItemFailure(
                        DatabaseError(.unknownItem, "there is no record \(id.recordName)"))
                }
                continue
            }
            let type = found.segment.recordType
            let isUser = type == ContainerSchema.userRecordType
            if isUser || !mayWrite(RowVersion(found.segment, found.row), type, schema) {
                deletes[index].failure = ItemFailure(
                    DatabaseError(
                        .permissionFailure,
                        isUser ? "user records cannot be deleted" : "the user may not delete record \(id.recordName)"))
            }
        }
    }

    private func permissionFailure(_ item: SaveItem, _ schema: ContainerSchema) -> ItemFailure? {
        let type = item.record.type
        guard let stored = item.stored else {
            if type == ContainerSchema.userRecordType {
                return ItemFailure(
                    DatabaseError(.invalidArguments, "user records are made by the database", hint: "fetch it by ID"),
                    isMalformed: true)
            }
            if origin.scope == .private || caller.may(.create, type: schema.recordTypes[type]) { return nil }
            return ItemFailure(DatabaseError(.permissionFailure, "the user may not create records of type \(type)"))
        }
        if mayWrite(stored, stored.segment.recordType, schema) { return nil }
        return ItemFailure(
            DatabaseError(.permissionFailure, "the user may not change record \(item.id.recordName)"))
    }

    private func mayWrite(_ stored: RowVersion, _ type: String, _ schema: ContainerSchema) -> Bool {
        origin.scope == .private
            || caller.may(
                .write, type: schema.recordTypes[type],
                creator: stored.metadata.creatorUserRecordID?.recordName)
    }

    private mutating func checkConflict(_ index: Int, _ schema: ContainerSchema) {
        guard let stored = saves[index].stored else {
            if request.policy == .ifServerRecordUnchanged, saves[index].record.recordChangeTag != nil {
                let name = saves[index].id.recordName
                saves[index].failure = ItemFailure(
                    DatabaseError(.unknownItem, "record \(name) was deleted since it was fetched"))
            }
            return
        }
        let item = saves[index]
        if stored.segment.recordType != item.record.type {
            saves[index].failure = ItemFailure(
                DatabaseError(
                    .invalidArguments,
                    "record \(item.id.recordName) is of type \(stored.segment.recordType), not \(item.record.type)"))
        } else if request.policy == .ifServerRecordUnchanged, item.record.recordChangeTag != stored.recordChangeTag {
            let type = schema.recordTypes[item.record.type]
            let server = Record.withoutFiles(
                opener.shownRecord(item.record.id, stored, type), assetKeys: type?.assetKeys ?? [])
            saves[index].failure = ItemFailure(
                DatabaseError(
                    DatabaseError.Conflict(server: server, client: item.record, ancestor: item.record.ancestor)))
        }
    }

    private mutating func checkSchema(_ index: Int, _ draft: inout SchemaDraft) {
        let (record, check) = (saves[index].record, ValueCheck(zoneID: saves[index].id.zoneID, caller))
        do throws(ItemFailure) {
            let encrypted = try checkedEncrypted(saves[index], &draft, check)
            saves[index].values = try draft.stored(
                saves[index].values, ofType: record.type, declared: record.declaredTypes, check)
            do throws(DatabaseError) {
                saves[index].encryptedKeys = draft.schema.recordTypes[record.type]?.encryptedKeys ?? []
                if !encrypted.isEmpty { try saves[index].takeEncrypted(encrypted, try savingCipher()) }
            } catch {
                throw ItemFailure(error)
            }
        } catch {
            saves[index].failure = error
        }
    }

    private func checkedEncrypted(
        _ item: SaveItem, _ draft: inout SchemaDraft, _ check: ValueCheck
    ) throws(ItemFailure) -> [String: FieldValue] {
        if item.encryptedValues.isEmpty { return [:] }
        if origin.scope == .public {
            throw ItemFailure(
                DatabaseError(
                    .invalidArguments, "the public database does not take encrypted values",
                    hint: "save the record in the private database"), isMalformed: true)
        }
        for key in item.encryptedValues.keys where item.values[key]?.isNull == false {
            throw ItemFailure(
                DatabaseError(.invalidArguments, "field \(key) is set both encrypted and not"), isMalformed: true)
        }
        return try draft.checked(encrypted: item.encryptedValues, ofType: item.record.type, check)
    }

    /// Fails the innocent items of a zone where the batch is all or nothing.
    private mutating func failGroups(_ state: DatabaseState) {
        guard request.isAtomic || request.isWhole, failureCount > 0 else { return }
        var failedZones: Set<RecordZone.ID> = []
        func note(_ failure: ItemFailure?, _ zoneID: RecordZone.ID) {
            guard let failure else { return }
            let isAtomic = state.zones[zoneID.zoneName]?.capabilities.contains(.atomic) == true
            if isAtomic || failure.isMalformed { failedZones.insert(zoneID) }
        }
        for item in saves { note(item.failure, item.id.zoneID) }
        for item in deletes { note(item.failure, item.id.zoneID) }
        if request.isWhole { failedZones = Set(saves.map(\.id.zoneID) + deletes.map(\.id.zoneID)) }
        let innocent = ItemFailure(
            DatabaseError(.batchRequestFailed, "another item of the batch failed, and the zone is saved as a whole"))
        for index in saves.indices where saves[index].failure == nil {
            if failedZones.contains(saves[index].id.zoneID) { saves[index].failure = innocent }
        }
        for index in deletes.indices where deletes[index].failure == nil {
            if failedZones.contains(deletes[index].id.zoneID) { deletes[index].failure = innocent }
        }
    }
}
