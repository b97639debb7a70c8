// Calls and outcomes in few words, for reports of differences.

import RecordDatabase
import RecordModel

extension Record.ID {
    /// Zone and name.
    var short: String { zoneID.short + recordName }
}

extension RecordZone.ID {
    /// The beginning of the name; the default zone has none.
    var short: String {
        (isDefault ? "" : zoneName + "/") + (ownerName == Self.currentUserName ? "" : "(\(ownerName))")
    }
}

extension QueryZones {
    /// The zone's name, or "all".
    var short: String {
        switch self {
        case .all: "all"
        case .zone(let id): id.zoneName
        }
    }
}

extension FieldValue {
    fileprivate var short: String {
        switch self {
        case .reference(let reference): (reference.action == .deleteSelf ? "^" : "@") + reference.recordID.short
        case .list(let elements): "[\(elements.map(\.short).joined(separator: " "))]"
        case .location(let place): "\(place.latitude),\(place.longitude)"
        case .string(let text): "'\(text)'"
        case .int64(let value): "\(value)"
        case .double(let value): "\(value)"
        case .null: "none"
        default: "\(self)"
        }
    }
}

private func words(_ fields: [String: FieldValue], parent: Record.ID?) -> String {
    let fields = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.short)" }
    return (fields + (parent.map { ["below \($0.short)"] } ?? [])).joined(separator: ", ")
}

extension SeenRecord: CustomStringConvertible {
    var description: String {
        "\(type) \(id.short) #\(tag ?? "") of \(creator ?? "") {\(words(fields, parent: parent))}"
    }
}

extension DatabaseOperation: CustomStringConvertible {
    var description: String {
        switch self {
        case .transact(let trace):
            return "transaction that read \(trace.reads.map(\.subject)), and then "
                + "\(DatabaseOperation.modify(trace.request))\(trace.isAbandoned ? ", given up" : "")"
        case .modify(let request):
            let saves = request.saves.map { record in
                let sent =
                    request.policy == .allKeys
                    ? (record.version?.fields ?? [:]).merging(record.changes) { $1 } : record.changes
                let parent = record.hasParentChange ? record.parent : nil
                return "\(record.type) \(record.id.short) #\(record.recordChangeTag ?? "") "
                    + "{\(words(sent, parent: parent?.recordID))\(record.hasParentChange ? " sets parent" : "")}"
            }
            return "modify \(request.policy)\(request.isAtomic ? " atomically" : ""), save \(saves), delete "
                + "\(request.deletes.map(\.short))"
        case .saveZones(let ids): return "save zones \(ids.map(\.zoneName))"
        case .deleteZone(let id): return "delete zone \(id.zoneName)"
        case .saveSubscription(let subscription): return "subscribe \(subscription)"
        case .deleteSubscription(let id): return "unsubscribe \(id)"
        case .fetch(let ids, let keys): return "fetch \(ids.map(\.short)) \(keys ?? ["*"])"
        case .query(let query, let zones, let limit, let last):
            return "\(limit) of \(query.recordType) in \(zones.short): \(query.predicate) by \(query.sortKeys) "
                + "after \(last.map { "\($0)" } ?? "none")"
        case .zoneChanges(let zoneID, _, let isFirst, let limit):
            return "\(limit) changes of \(zoneID.zoneName)\(isFirst ? " from the beginning" : "")"
        case .databaseChanges(_, let isFirst, let limit):
            return "\(limit) changes of zones\(isFirst ? " from the beginning" : "")"
        case .zones: return "zones"
        case .subscriptions: return "subscriptions"
        case .watch(let query, let zones, let isFirst):
            return "\(isFirst ? "watch" : "steps of") \(query.recordType) in \(zones.short): \(query.predicate) by "
                + "\(query.sortKeys)"
        }
    }
}

extension ItemOutcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .done: "done"
        case .record(let record): "\(record)"
        case .failure(let code): "\(code)"
        }
    }
}

extension BatchPrediction: CustomStringConvertible {
    var description: String {
        func word(_ code: DatabaseError.Code?) -> String { code.map { "\($0)" } ?? "done" }
        return "\(error.map { "\($0)" } ?? "") saves \(saves.map(word)), deletes \(deletes.map(word)), saved "
            + "\(saved.map { "\($0.id.short) {\(words($0.fields, parent: $0.parent))}" }), "
            + "deleted \(deleted.map(\.short).sorted())"
    }
}

extension SeenDeletion: CustomStringConvertible {
    var description: String { "\(type) \(id.short)" }
}

extension DatabaseStep: CustomStringConvertible {
    var description: String {
        let place = database.scope == .public ? "public" : "private of \(database.owner ?? "nobody")"
        return "\(place): \(operation) gave \(outcome)"
    }
}
