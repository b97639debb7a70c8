// Who makes a call, and what they may do.

import FoundationEssentials
import RecordModel

/// The client and the user of one call.
struct Caller {
    let client: Int
    let rights: Rights
    let configuration: Configuration
    /// The keys of encrypted values.
    let keys: ContainerKeys

    /// The name of the user's record; `nil` when nobody is signed in.
    var userName: String? { rights.userName }

    /// Whether the caller may do something in the public database.
    func may(
        _ permission: ContainerSchema.Permission, type: ContainerSchema.RecordType?, creator: String? = nil
    ) -> Bool {
        rights.permit(permission, type: type, creator: creator)
    }

    /// The zone with the placeholder as its owner where it is the current user's.
    func normalized(_ id: RecordZone.ID) -> RecordZone.ID {
        userName.map { id.known(to: $0) } ?? id
    }

    /// The record in the zone that its zone's name stands for.
    func normalized(_ id: Record.ID) -> Record.ID {
        id.zoneID.ownerName == userName
            ? Record.ID(id.recordName, zoneID: RecordZone.ID(id.zoneID.zoneName)) : id
    }
}

extension RecordZone.ID {
    /// The zone with the placeholder as its owner where it is the user's.
    func known(to userName: String) -> RecordZone.ID { ownerName == userName ? RecordZone.ID(zoneName) : self }
}
