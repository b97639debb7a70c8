// Who makes a call, and what they may do.

import FoundationEssentials
import RecordModel

/// The client and the user of one call.
struct Caller {
    let client: Int
    /// The name of the user's record; `nil` when nobody is signed in.
    let userName: String?
    /// The roles of the user, the creator's aside.
    let roles: Set<String>
    let configuration: Configuration

    /// Whether the roles, or having made a record, permit something in the public database.
    func may(_ permission: ContainerSchema.Permission, type: ContainerSchema.RecordType?, creator: String? = nil)
        -> Bool
    {
        let grants = type?.grants ?? ContainerSchema.RecordType.defaultGrants
        for role in roles where grants[role]?.contains(permission) == true { return true }
        guard let userName, creator == userName else { return false }
        return grants[ContainerSchema.creatorRole]?.contains(permission) == true
    }

    /// The zone with the placeholder as its owner where it is the current user's.
    func normalized(_ id: RecordZone.ID) -> RecordZone.ID {
        id.ownerName == userName ? RecordZone.ID(id.zoneName) : id
    }

    /// The record in the zone that its zone's name stands for.
    func normalized(_ id: Record.ID) -> Record.ID {
        id.zoneID.ownerName == userName
            ? Record.ID(id.recordName, zoneID: RecordZone.ID(id.zoneID.zoneName)) : id
    }
}
