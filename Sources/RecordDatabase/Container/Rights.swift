// What a user may do with the records of the public database.

import RecordModel

/// A user and the roles that permissions are granted to.
struct Rights: Equatable {
    /// The name of the user's record; `nil` when nobody is signed in.
    let userName: String?
    /// The roles of the user, the creator's aside.
    let roles: Set<String>

    fileprivate static let world: Set<String> = [ContainerSchema.worldRole]
    fileprivate static let signedIn: Set<String> = [ContainerSchema.worldRole, ContainerSchema.userRole]

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
        guard let userName else { return Rights(userName: nil, roles: Rights.world) }
        let own = roles(of: userName)
        return Rights(userName: userName, roles: own.isEmpty ? Rights.signedIn : Rights.signedIn.union(own))
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
