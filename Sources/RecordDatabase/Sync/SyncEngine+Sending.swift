// The application's changes, on their way to the database.

import RecordModel

extension SyncEngine {
    /// Batches of which nothing was stored, one after another, after which the rest stays pending: what a delegate adds
    /// again and again is not sent for ever.
    private static let fruitlessBatches = 4

    /// Sends zones, then batches of records until there are none; the error, if any. Zones that the delegate adds
    /// meanwhile, as it finds them missing, go before the next batch.
    func send(_ context: SendContext) async -> DatabaseError? {
        await checkAccount()
        await tell(.willSendChanges(context))
        var failures: [DatabaseError.Item: DatabaseError] = [:]
        var failure = await sendZones(context, &failures)
        var canGoOn = failure == nil && !failures.values.contains(where: \.passes)
        var (fruitless, stored) = (0, 0)
        while canGoOn, fruitless < Self.fruitlessBatches, !Task.isCancelled {
            // Before the batch is made: what is added meanwhile may be newer than what the delegate has read. Where the
            // delegate adds it itself, and gives it at once, it is sent twice.
            let mark = state.mark.records
            guard let batch = await telling({ await $0.nextRecordChangeBatch(context, of: self) }) ?? nil else { break }
            do throws(DatabaseError) {
                let before = stored
                canGoOn = try await send(batch, before: mark, &failures, &stored)
                fruitless = stored > before ? 0 : fruitless + 1
            } catch {
                (failure, canGoOn) = (error, false)
            }
            if canGoOn {
                var zoneFailures: [DatabaseError.Item: DatabaseError] = [:]
                failure = await sendZones(context, &zoneFailures)
                canGoOn = failure == nil && !zoneFailures.values.contains(where: \.passes)
                failures.merge(zoneFailures) { $1 }
            }
        }
        if Task.isCancelled { failure = failure ?? Self.cancelled }
        await tell(.didSendChanges(context))
        if let failure { return failure }
        return failures.isEmpty ? nil : DatabaseError(partialErrors: failures)
    }

    private func sendZones(
        _ context: SendContext, _ failures: inout [DatabaseError.Item: DatabaseError]
    ) async -> DatabaseError? {
        let mark = state.mark.zones
        let changes = takeOvertaken(state.pendingZoneChanges.filter { context.options.scope.contains($0.zoneID) })
        if changes.isEmpty { return nil }
        var (saves, deletes): ([RecordZone], [RecordZone.ID]) = ([], [])
        for change in changes {
            switch change {
            case .save(let id): saves.append(RecordZone(id: id))
            case .delete(let id): deletes.append(id)
            }
        }
        let result: ModifyZonesResult
        do throws(DatabaseError) {
            result = try await usersDatabase.modifySuspending(saving: saves, deleting: deletes)
        } catch {
            return error
        }
        var sent = SentZones()
        for (id, outcome) in result.saves.map({ ($0.id, $0.result) }) {
            switch outcome {
            case .success(let zone): sent.saved.append(zone)
            case .failure(let error): sent.failedSaves.append((id, error))
            }
            note(outcome.failure, .zone(id), &failures)
            if outcome.failure?.passes != true { state.settle(id, before: mark) }
        }
        for (id, outcome) in result.deletes.map({ ($0.id, $0.result) }) {
            if let error = outcome.failure { sent.failedDeletes[id] = error } else { sent.deleted.append(id) }
            note(outcome.failure, .zone(id), &failures)
            if outcome.failure?.passes != true { state.settle(id, before: mark) }
        }
        state.take(sent)
        await tell(.sentDatabaseChanges(sent))
        await tellState()
        return nil
    }

    /// The changes without those of zones of which later ones follow, by the owner's other name: they are pending no
    /// more.
    private func takeOvertaken(_ changes: [PendingZoneChange]) -> [PendingZoneChange] {
        guard let user = state.userName else { return changes }
        let last = Dictionary(changes.map { ($0.zoneID.known(to: user), $0) }) { $1 }
        let left = changes.filter { last[$0.zoneID.known(to: user)] == $0 }
        if left.count < changes.count { state.remove(changes.filter { !left.contains($0) }) }
        return left
    }

    /// Sends a batch; one that the database finds too large in halves. Whether to go on with the next one.
    ///
    /// - Parameter mark: The changes that were pending before the batch was made have smaller numbers.
    private func send(
        _ batch: RecordChangeBatch, before mark: Int, _ failures: inout [DatabaseError.Item: DatabaseError],
        _ stored: inout Int
    ) async throws(DatabaseError) -> Bool {
        if batch.recordsToSave.isEmpty, batch.recordIDsToDelete.isEmpty { return false }
        let request = ModifyRequest(
            saves: batch.recordsToSave, deletes: batch.recordIDsToDelete, policy: .ifServerRecordUnchanged,
            isAtomic: batch.isAtomic)
        let result: ModifyResult
        do throws(DatabaseError) {
            result = try await usersDatabase.modifySuspending(request)
        } catch {
            guard error.code == .limitExceeded, let (first, second) = batch.halves else { throw error }
            guard try await send(first, before: mark, &failures, &stored) else { return false }
            return try await send(second, before: mark, &failures, &stored)
        }
        var sent = SentRecords()
        var isDelayed = false
        let records = Dictionary(batch.recordsToSave.map { ($0.id, $0) }) { $1 }
        for (id, outcome) in result.saves {
            switch outcome {
            case .success(let record): sent.saved.append(record)
            case .failure(let error): if let record = records[id] { sent.failedSaves.append((record, error)) }
            }
            note(outcome.failure, .record(id), &failures)
            isDelayed = settle(id, outcome.failure, before: mark) || isDelayed
        }
        for (id, outcome) in result.deletes {
            if let error = outcome.failure { sent.failedDeletes[id] = error } else { sent.deleted.append(id) }
            note(outcome.failure, .record(id), &failures)
            isDelayed = settle(id, outcome.failure, before: mark) || isDelayed
        }
        stored += sent.saved.count + sent.deleted.count
        state.take(sent)
        await tell(.sentRecordChanges(sent))
        await tellState()
        // What failed only beside others goes with the next batch, if any of those is settled.
        return !isDelayed
            && !(result.saves.map(\.result.failure) + result.deletes.map(\.result.failure))
                .allSatisfy { $0?.code == .batchRequestFailed }
    }

    /// Takes back what is done with; whether it is sent again when the failure has passed.
    private func settle(_ id: Record.ID, _ error: DatabaseError?, before mark: Int) -> Bool {
        if error?.passes == true { return true }
        if error?.code != .batchRequestFailed { state.settle(id, before: mark) }
        return false
    }

    /// A failure is told by the call, also when the delegate has resolved it meanwhile.
    private func note(
        _ error: DatabaseError?, _ item: DatabaseError.Item, _ failures: inout [DatabaseError.Item: DatabaseError]
    ) {
        if let error { failures[item] = error }
    }
}

extension SyncEngine.RecordChangeBatch {
    /// Two batches in its place; `nil` for a single record.
    fileprivate var halves: (Self, Self)? {
        let count = recordsToSave.count + recordIDsToDelete.count
        if count < 2 { return nil }
        let saves = recordsToSave.count / 2 + recordsToSave.count % 2
        let deletes = recordIDsToDelete.count / 2
        return (
            Self(
                recordsToSave: Array(recordsToSave.prefix(saves)),
                recordIDsToDelete: Array(recordIDsToDelete.prefix(deletes)), isAtomic: isAtomic),
            Self(
                recordsToSave: Array(recordsToSave.dropFirst(saves)),
                recordIDsToDelete: Array(recordIDsToDelete.dropFirst(deletes)), isAtomic: isAtomic)
        )
    }
}

extension Result where Failure == DatabaseError {
    fileprivate var failure: DatabaseError? { if case .failure(let error) = self { error } else { nil } }
}

extension DatabaseError {
    /// Whether the same call may succeed later, without anything done about it.
    var passes: Bool {
        switch code {
        case .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable, .requestRateLimited,
            .notAuthenticated, .operationCancelled, .accountTemporarilyUnavailable, .serverResponseLost:
            true
        default: false
        }
    }

    /// Whether it passes, or the failure of an item does.
    var passesInPart: Bool { passes || partialErrors.values.contains(where: \.passes) }

    /// Of this failure and an earlier one the earlier, but one after which to try again before one after which not to.
    func orOneThatPasses(_ earlier: DatabaseError?) -> DatabaseError {
        guard let earlier else { return self }
        return passesInPart && !earlier.passesInPart ? self : earlier
    }

    /// How long to wait, also for the items that failed.
    var longestRetryAfter: Duration? {
        ([retryAfter] + partialErrors.values.map(\.retryAfter)).compactMap(\.self).max()
    }
}
