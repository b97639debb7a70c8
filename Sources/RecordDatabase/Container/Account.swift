// Who uses a container.

/// The user of a client, and whether they can be reached.
public struct Account: Hashable, Sendable {
    /// What is known about the user; raw values are CloudKit's.
    public enum Status: Int, Hashable, Sendable, Codable, CaseIterable {
        /// It is not known whether someone is signed in; calls fail with `notAuthenticated`.
        case couldNotDetermine = 0
        /// Someone is signed in.
        case available = 1
        /// Someone is signed in who may not use the container; calls fail with `notAuthenticated`.
        case restricted = 2
        /// Nobody is signed in; calls that need a user fail with `notAuthenticated`.
        case noAccount = 3
        /// Someone is signed in whose account cannot be used at the moment; calls fail with
        /// `accountTemporarilyUnavailable`.
        case temporarilyUnavailable = 4
    }

    /// Whether there is a user, and why not.
    public let status: Status
    /// The name of the user's record: an underscore and hexadecimal digits; `nil` unless someone is signed in.
    public let userName: String?

    private init(status: Status, userName: String?) {
        self.status = status
        self.userName = userName
    }

    /// A user who is signed in.
    public static func user(_ userName: String) -> Account { Account(status: .available, userName: userName) }

    /// The one user of a database that nobody shares.
    public static let localUser = user("_00000000000000000000000000000001")

    /// Nobody is signed in.
    public static let none = Account(status: .noAccount, userName: nil)

    /// An account that cannot be used, for one of the other reasons; `.available` gives the local user.
    public static func unavailable(_ status: Status) -> Account {
        status == .available ? .localUser : Account(status: status, userName: nil)
    }
}
