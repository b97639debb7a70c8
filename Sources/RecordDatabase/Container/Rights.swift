// What a user may do with the records of the public database.

import RecordModel

/// A user and the roles that permissions are granted to.
struct Rights {
    /// The name of the user's record; `nil` when nobody is signed in.
    let userName: String?
    /// The roles of the user, the creator's aside.
    let roles: Set<String>

    /// Whether the roles, or having made a record, permit something in the public database.
    func permit(
        _ permission: ContainerSchema.Permission, type: ContainerSchema.RecordType?, creator: String? = nil
    ) -> Bool {
        let grants = type?.grants ?? ContainerSchema.RecordType.defaultGrants
        for role in roles where grants[role]?.contains(permission) == true { return true }
        guard let userName, creator == userName else { return false }
        return grants[ContainerSchema.creatorRole]?.contains(permission) == true
    }
}

extension ContainerStore {
    /// What a user may do; `nil` is someone who is not signed in.
    func rights(of userName: String?) -> Rights {
        var roles: Set<String> = [ContainerSchema.worldRole]
        if let userName {
            roles.insert(ContainerSchema.userRole)
            roles.formUnion(self.roles(of: userName))
        }
        return Rights(userName: userName, roles: roles)
    }

    /// Whether a user may read a record of a database that is theirs or public.
    func mayRead(
        _ userName: String, _ record: Record, of scope: DatabaseScope, _ schema: ContainerSchema
    ) -> Bool {
        scope == .private
            || rights(of: userName).permit(
                .read, type: schema.recordTypes[record.type], creator: record.creatorUserRecordID?.recordName)
    }
}
