// What others changed, for the delegate of a sync engine.

import RecordModel

extension SyncEngine {
    /// Fetches the zones that changed, then their records; the first error, if any.
    func fetch(_ context: FetchContext) async -> DatabaseError? {
        await checkAccount()
        let options = await telling { await $0.nextFetchOptions(context, of: self) } ?? context.options
        let context = FetchContext(reason: context.reason, options: options)
        await tell(.willFetchChanges(context))
        var failure = await fetchZones()
        if failure == nil {
            let meant = options.listed(for: state.userName)
            let wanted = state.zonesWithUnfetchedChanges.filter(meant.scope.contains)
            // One that is named twice is fetched once.
            var left = Set(wanted)
            for zone in meant.prioritizedZoneIDs + wanted where left.remove(zone) != nil {
                await tell(.willFetchZoneChanges(zone))
                let error = await fetchRecords(of: zone)
                failure = error?.orOneThatPasses(failure) ?? failure
                await tell(.didFetchZoneChanges(zone, error))
            }
        }
        await tell(.didFetchChanges(context))
        return failure
    }

    private func fetchZones() async -> DatabaseError? {
        while true {
            do throws(DatabaseError) {
                let changes = try await usersDatabase.databaseChanges(since: state.beginZones())
                let gone = changes.deletions + state.take(changes).filter { !changes.deletions.contains($0) }
                if !changes.modifications.isEmpty || !gone.isEmpty {
                    let deletions = gone.map {
                        ZoneDeletion(
                            zoneID: $0, isPurged: changes.purges.contains($0),
                            isEncryptedDataReset: changes.encryptedDataResets.contains($0))
                    }
                    await tell(.fetchedDatabaseChanges(modifications: changes.modifications, deletions: deletions))
                }
                await tellState()
                if !changes.moreComing { return nil }
            } catch {
                guard error.code == .changeTokenExpired, state.token != nil else { return error }
                state.forgetToken()
            }
        }
    }

    private func fetchRecords(of zone: RecordZone.ID) async -> DatabaseError? {
        while true {
            do throws(DatabaseError) {
                let changes = try await usersDatabase.recordZoneChanges(
                    inZoneWith: zone, since: state.beginRecords(of: zone))
                var records: [Record] = []
                for (_, result) in changes.modifications { records.append(try result.get()) }
                let deletions = changes.deletions + state.missingRecords(of: zone, beside: changes)
                if !records.isEmpty || !deletions.isEmpty {
                    await tell(.fetchedZoneChanges(zone, modifications: records, deletions: deletions))
                }
                // Not before the delegate has taken it in: what is lost before is fetched once more.
                state.take(changes, of: zone)
                await tellState()
                if !changes.moreComing { return nil }
            } catch {
                switch error.code {
                case .changeTokenExpired where state.token(of: zone) != nil: state.forgetToken(of: zone)
                case .zoneNotFound, .userDeletedZone:
                    // It was deleted meanwhile, which the changes of the database tell.
                    state.forgetToken(of: zone)
                    state.endFetch(of: zone)
                    return error
                default: return error
                }
            }
        }
    }
}

extension SyncEngine.FetchOptions {
    /// The options with zones by the names that they have in lists: there the placeholder owns those of the user.
    fileprivate func listed(for userName: String?) -> Self {
        guard let userName else { return self }
        func normalized(_ zones: [RecordZone.ID]) -> [RecordZone.ID] { zones.map { $0.known(to: userName) } }
        var options = self
        options.prioritizedZoneIDs = normalized(prioritizedZoneIDs)
        switch scope {
        case .all: break
        case .allExcluding(let zones): options.scope = .allExcluding(normalized(zones))
        case .zones(let zones): options.scope = .zones(normalized(zones))
        }
        return options
    }
}
