// Which of the databases of a container.

/// Whose a database is; raw values are CloudKit's.
public enum DatabaseScope: Int, Hashable, Sendable, Codable, CaseIterable {
    /// Read by all, written by users who are signed in.
    case `public` = 1
    /// Of one user.
    case `private` = 2
    /// What other users share with one.
    case shared = 3
}

/// Tells the databases of all containers and users apart: what cursors and tokens are tied to.
package struct DatabaseOrigin: Hashable, Sendable, Codable {
    package let container: String
    package let scope: DatabaseScope
    /// The user of a private or shared database.
    package let user: String?

    package init(container: String, scope: DatabaseScope, user: String?) {
        (self.container, self.scope, self.user) = (container, scope, user)
    }
}
