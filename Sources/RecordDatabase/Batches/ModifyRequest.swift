// A batch as requested, and its outcome.

package import FoundationEssentials
package import RecordModel

/// Records to save and to delete together.
package struct ModifyRequest {
    package var saves: [Record] = []
    package var deletes: [Record.ID] = []
    package var policy = SavePolicy.ifServerRecordUnchanged
    package var isAtomic = true
    /// Whether all items count or none, in all zones: the rule of the database's own calls.
    /// `isAtomic` is CloudKit's.
    package var isWhole = false
    /// The client's own token: a batch that says the same as its last one, under the same token, is taken for a
    /// repetition.
    package var clientToken: Data?
    /// How many parts of the request were about the same node before this one.
    package var part = 0
    /// The node that the request is a part for; `nil` for a whole one.
    package var node: Int32?
    /// Whether the limits on items and bytes of a request hold.
    package var isLimited = true

    package init(
        saves: [Record] = [], deletes: [Record.ID] = [], policy: SavePolicy = .ifServerRecordUnchanged,
        isAtomic: Bool = true, clientToken: Data? = nil
    ) {
        self.saves = saves
        self.deletes = deletes
        self.policy = policy
        self.isAtomic = isAtomic
        self.clientToken = clientToken
    }

    /// Checks that every record is named once.
    ///
    /// - Parameter known: The name that the store knows a record by.
    /// - Throws: `DatabaseError` of code `invalidArguments`.
    func checkNames(_ known: (Record.ID) -> Record.ID = { $0 }) throws(DatabaseError) {
        if saves.count + deletes.count <= 1 { return }
        var saved: Set<Record.ID> = Set(minimumCapacity: saves.count)
        for record in saves where !saved.insert(known(record.id)).inserted {
            throw DatabaseError(.invalidArguments, "the batch saves record \(record.id.recordName) twice")
        }
        for id in deletes where saved.contains(known(id)) {
            throw DatabaseError(.invalidArguments, "the batch both saves and deletes record \(id.recordName)")
        }
    }

    /// Bytes of the values to save.
    var byteCount: Int { saves.reduce(0) { $0 + SaveItem($1, id: $1.id, policy: policy).byteCount } }

    /// Whether a zone is named with that owner.
    func names(owner: String) -> Bool {
        saves.contains { $0.id.zoneID.ownerName == owner } || deletes.contains { $0.zoneID.ownerName == owner }
    }

    /// Checks that the batch is not too large, where there are limits.
    ///
    /// - Parameter bytes: Bytes of the values to save.
    /// - Throws: `DatabaseError` of code `limitExceeded`.
    func checkSize(bytes: Int, _ limits: Limits) throws(DatabaseError) {
        if !isLimited { return }
        let hint = "send the batch in halves"
        guard saves.count + deletes.count <= limits.itemsPerRequest else {
            throw DatabaseError(
                .limitExceeded, "the batch has more than \(limits.itemsPerRequest) items", hint: hint)
        }
        guard bytes <= limits.bytesPerRequest else {
            throw DatabaseError(
                .limitExceeded, "the fields of the batch have more than \(limits.bytesPerRequest) bytes", hint: hint)
        }
    }
}

/// What became of each item of a batch.
package struct ModifyResult {
    /// In the order of the request.
    package var saves: [(id: Record.ID, result: Result<Record, DatabaseError>)] = []
    package var deletes: [(id: Record.ID, result: Result<Void, DatabaseError>)] = []

    /// Of no item.
    package init() {}

    /// The errors of the items that failed; empty when all succeeded.
    package var partialErrors: [DatabaseError.Item: DatabaseError] {
        var errors: [DatabaseError.Item: DatabaseError] = [:]
        for (id, result) in saves { if case .failure(let error) = result { errors[.record(id)] = error } }
        for (id, result) in deletes { if case .failure(let error) = result { errors[.record(id)] = error } }
        return errors
    }

    /// The error of a batch that counts as a whole: that of the item that failed, or `partialFailure` with the error of
    /// each for several, without those that failed only for the sake of others; `nil` when all succeeded.
    ///
    /// - Parameter shown: The error of an item as the caller sees it.
    func wholeError(shown: (DatabaseError) -> DatabaseError = { $0 }) -> DatabaseError? {
        let errors = partialErrors.filter { $0.value.code != .batchRequestFailed }.mapValues(shown)
        guard let error = errors.first?.value else { return nil }
        return errors.count == 1 ? error : DatabaseError(partialErrors: errors)
    }
}
