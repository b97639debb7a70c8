// Subscriptions on their way through changes of a schema.

import PredicateSemantics
import RecordModel

extension Subscription {
    /// The type whose records the subscription queries; `nil` for zones and databases.
    var queriedType: String? { if case .query(let type, _, _, _) = subject { type } else { nil } }

    /// Has the subscription watch a type by its new name.
    mutating func renameType(_ type: String, to name: String) {
        switch subject {
        case .query(type, let predicate, let zoneID, let options):
            subject = .query(recordType: name, predicate: predicate, zoneID: zoneID, options: options)
        case .zone(let zoneID, recordType: type): subject = .zone(zoneID, recordType: name)
        case .database(recordType: type): subject = .database(recordType: name)
        default: break
        }
    }

    /// Has a query subscription use fields behind references by their new names.
    mutating func renamePaths(_ paths: MigratedPaths) throws(MigratedPaths.Ambiguity) {
        guard paths.isNeeded, case .query(let type, let predicate, let zoneID, let options) = subject else { return }
        subject = .query(
            recordType: type, predicate: try paths.renamed(predicate, on: type), zoneID: zoneID, options: options)
    }

    /// Has a query subscription use a field of its type by its new name.
    mutating func renameField(_ field: String, to name: String) {
        guard case .query(let type, let predicate, let zoneID, let options) = subject else { return }
        subject = .query(
            recordType: type, predicate: predicate.renamingField(field, to: name), zoneID: zoneID, options: options)
        func rename(_ keys: inout [String]) { keys = keys.map { $0 == field ? name : $0 } }
        guard var info = notificationInfo else { return }
        rename(&info.desiredKeys)
        rename(&info.titleLocalizationArguments)
        rename(&info.subtitleLocalizationArguments)
        rename(&info.alertLocalizationArguments)
        notificationInfo = info
    }
}

extension StoredSubscription {
    /// The subscription after the steps of a migration; `nil` when it stays as it is.
    ///
    /// - Parameters:
    ///   - paths: The steps, with the schema and the records before them.
    ///   - schema: The schema after them.
    /// - Throws: `DatabaseError` of code `invalidArguments`, naming the subscription, when it suited its type before
    ///   and does not any more: it would never tell anything again; and when a path of it would have several names.
    func carried(through paths: MigratedPaths, to schema: ContainerSchema) throws(DatabaseError) -> StoredSubscription?
    {
        let earlier = paths.earlier
        var carried = subscription
        do throws(MigratedPaths.Ambiguity) {
            try carried.renamePaths(paths)
        } catch {
            throw DatabaseError(
                .invalidArguments,
                "subscription \(subscription.id) of \(userName): \(error.path.joined(separator: ".")) leads to "
                    + "records of \(error.types.joined(separator: " and ")), whose fields get different names",
                hint: "delete the subscription before, and save one for each type")
        }
        for step in paths.steps { step.apply(to: &carried) }
        let next = StoredSubscription(userName: userName, subscription: carried, predicate: nil)
        let isSame = carried == subscription
        if isSame, queriedType(isSameIn: earlier, and: schema) { return nil }
        if (try? check(with: earlier)) != nil {
            do throws(DatabaseError) {
                try next.check(with: schema)
            } catch {
                throw DatabaseError(
                    .invalidArguments, "subscription \(subscription.id) of \(userName): \(error.reason)",
                    hint: "delete the subscription before, or save it again without what goes")
            }
        }
        return isSame ? nil : next.bound(schema)
    }

    private func queriedType(isSameIn earlier: ContainerSchema, and schema: ContainerSchema) -> Bool {
        guard let type = subscription.queriedType else { return true }
        return earlier.recordTypes[type] == schema.recordTypes[type]
    }

    /// Checks that the subscription suits the fields that its type has.
    private func check(with schema: ContainerSchema) throws(DatabaseError) {
        guard case .query(let type, let predicate, _, _) = subscription.subject else { return }
        let check = try QueryCheck(type, schema, caller, in: .private)
        _ = try check.bind(predicate)
        try SubscriptionCheck.checkKeys(subscription.notificationInfo?.desiredKeys ?? [], of: check)
    }
}
