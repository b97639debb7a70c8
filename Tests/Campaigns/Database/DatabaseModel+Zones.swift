// What must become of calls about zones and subscriptions.

import RecordDatabase
import RecordModel

/// What a call about zones or subscriptions does to a database.
struct CallPrediction {
    var items: [ItemOutcome] = []
    var madeZones: [RecordZone.ID] = []
    var deletedZones: [RecordZone.ID] = []
    var saved: [Subscription] = []
    var deleted: [Subscription.ID] = []

    var outcome: DatabaseOutcome { .items(items) }
    var isEmpty: Bool { madeZones.isEmpty && deletedZones.isEmpty && saved.isEmpty && deleted.isEmpty }
}

extension DatabaseModel {
    /// What a call of a user must do.
    func predict(_ operation: DatabaseOperation, by user: String) -> CallPrediction {
        var prediction = CallPrediction()
        switch operation {
        case .saveZones(let ids):
            for id in ids {
                if id == .default {
                    prediction.items.append(.done)
                } else if key.scope == .public {
                    prediction.items.append(.failure(.badDatabase))
                } else {
                    prediction.items.append(.done)
                    if zones[id] == nil, !prediction.madeZones.contains(id) { prediction.madeZones.append(id) }
                }
            }
        case .deleteZone(let id):
            let failure: DatabaseError.Code? =
                id == .default
                ? .invalidArguments : key.scope == .public ? .badDatabase : zones[id] == nil ? .zoneNotFound : nil
            prediction.items = [failure.map { .failure($0) } ?? .done]
            if failure == nil { prediction.deletedZones = [id] }
        case .saveSubscription(let subscription):
            let failure = failure(of: subscription, user)
            prediction.items = [failure.map { .failure($0) } ?? .done]
            if failure == nil { prediction.saved = [subscription] }
        case .deleteSubscription(let id):
            let isThere = subscriptions.contains { $0.userName == user && $0.subscription.id == id }
            prediction.items = [isThere ? .done : .failure(.unknownItem)]
            if isThere { prediction.deleted = [id] }
        default: break
        }
        return prediction
    }

    private func failure(of subscription: Subscription, _ user: String) -> DatabaseError.Code? {
        switch subscription.subject {
        case .query(_, let predicate, let zoneID, _):
            if let zoneID, zones[zoneID] == nil { return .zoneNotFound }
            if isDenied(predicate) { return .permissionFailure }
            let isThere = subscriptions.contains { other in
                other.userName == user && other.subscription.id != subscription.id
                    && other.subscription.subject == subscription.subject
            }
            return isThere ? .serverRejectedRequest : nil
        case .zone(let zoneID, _):
            if key.scope == .public { return .invalidArguments }
            return zones[zoneID] == nil ? .zoneNotFound : zoneID == .default ? .invalidArguments : nil
        case .database: return key.scope == .public ? .invalidArguments : nil
        }
    }
}
