// Who makes a call, and what they may do.

import FoundationEssentials
import RecordModel

/// The client and the user of one call.
struct Caller {
    let client: Int
    private(set) var rights: Rights
    let configuration: Configuration
    /// Whose database is called, where it is another user's.
    private(set) var owner: String?
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
        guard let home = owner ?? userName else { return id }
        // In the database of another user the placeholder names none of its zones.
        if owner != nil, id.ownerName == RecordZone.ID.currentUserName {
            return RecordZone.ID(id.zoneName, ownerName: userName ?? id.ownerName)
        }
        return id.known(to: home)
    }

    /// The record in the zone that its zone's name stands for.
    func normalized(_ id: Record.ID) -> Record.ID {
        let zoneID = normalized(id.zoneID)
        return zoneID == id.zoneID ? id : Record.ID(id.recordName, zoneID: zoneID)
    }

    /// Whose zones the placeholder stands for in what is stored.
    var home: String? { owner ?? userName }

    /// The caller with other rights of the same user.
    func with(_ rights: Rights) -> Caller {
        var caller = self
        caller.rights = rights
        return caller
    }

    /// The caller in the database of another user.
    func visiting(_ owner: String) -> Caller {
        var caller = self
        caller.owner = owner
        return caller
    }
}

extension RecordZone.ID {
    /// The zone with the placeholder as its owner where it is the user's.
    func known(to userName: String) -> RecordZone.ID { ownerName == userName ? RecordZone.ID(zoneName) : self }
}
