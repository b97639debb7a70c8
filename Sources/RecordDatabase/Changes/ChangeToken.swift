// A reader's position in the changes.

import RecordModel

/// How far a reader has come in the changes of a database on one node.
struct NodePosition: Hashable, Sendable, Codable {
    let node: Int32
    /// Number of the last change that the reader has seen.
    let position: Int64
    /// Deletions up to this change concern zones that the reader was never given.
    let deletionsAfter: Int64
}

/// A moment in the changes of a zone or a database: what was changed later is what the reader has not seen.
///
/// Tokens are opaque: they can be kept, coded and compared for equality, and say nothing about order.
public struct ChangeToken: Hashable, Sendable, Codable {
    /// What the token is a moment of.
    enum Subject: Hashable, Sendable, Codable {
        case database
        /// A zone, and the number of the change that made it: a zone of the same name made later is another.
        case zone(RecordZone.ID, made: Int64)
    }

    let format: Int
    /// The history of changes that the token is of; `nil` in tokens of older versions.
    let incarnation: String?
    let origin: DatabaseOrigin
    let subject: Subject
    /// Number of the last change that the reader has seen.
    let position: Int64
    /// Deletions up to this change concern records that the reader was never given.
    let deletionsAfter: Int64
    /// How far the reader of a shared database has come in each share; `nil` for other databases.
    let shares: [SharePosition]?
    /// How far the reader has come on each node, whose changes have numbers of their own; `nil` for one server.
    let nodes: [NodePosition]?

    static let currentFormat = 4

    init(
        incarnation: String?, origin: DatabaseOrigin, subject: Subject, position: Int64, deletionsAfter: Int64
    ) {
        // What is neither of shares nor of nodes has the form that older versions read.
        format = 2
        (shares, nodes) = (nil, nil)
        self.incarnation = incarnation
        self.origin = origin
        self.subject = subject
        self.position = position
        self.deletionsAfter = deletionsAfter
    }

    /// A moment of a shared database or one of its zones.
    init(incarnation: String?, origin: DatabaseOrigin, subject: Subject, shares: [SharePosition]) {
        format = 3
        (self.incarnation, self.origin, self.subject, self.shares) = (incarnation, origin, subject, shares)
        position = shares.reduce(0) { max($0, $1.position) }
        deletionsAfter = shares.reduce(0) { max($0, $1.deletionsAfter) }
        nodes = nil
    }

    /// A moment of a database on several nodes, or one for each.
    init(incarnation: String?, origin: DatabaseOrigin, nodes: [NodePosition]) {
        format = Self.currentFormat
        (self.incarnation, self.origin, subject, self.nodes) = (incarnation, origin, .database, nodes)
        position = nodes.reduce(0) { max($0, $1.position) }
        deletionsAfter = nodes.reduce(0) { max($0, $1.deletionsAfter) }
        shares = nil
    }

    private enum CodingKeys: String, CodingKey {
        case format, incarnation, origin, subject, position, deletionsAfter, shares, nodes
    }

    /// - Throws: `DatabaseError` of code `incompatibleVersion` for the form of a newer version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        format = try container.decode(Int.self, forKey: .format)
        guard format <= Self.currentFormat else {
            throw DatabaseError(.incompatibleVersion, "the token was encoded by a newer version")
        }
        incarnation = try container.decodeIfPresent(String.self, forKey: .incarnation)
        origin = try container.decode(DatabaseOrigin.self, forKey: .origin)
        subject = try container.decode(Subject.self, forKey: .subject)
        position = try container.decode(Int64.self, forKey: .position)
        deletionsAfter = try container.decode(Int64.self, forKey: .deletionsAfter)
        shares = try container.decodeIfPresent([SharePosition].self, forKey: .shares)
        nodes = try container.decodeIfPresent([NodePosition].self, forKey: .nodes)
    }
}

extension ChangeToken {
    /// Checks that the token is a moment of a history of changes, and not of one that a restored backup ended, or of
    /// changes that were lost.
    ///
    /// - Parameters:
    ///   - incarnation: That of the store.
    ///   - lastChange: Number of the last change of the database.
    /// - Throws: `DatabaseError` of code `changeTokenExpired`.
    func check(isOf incarnation: String?, upTo lastChange: Int64) throws(DatabaseError) {
        guard self.incarnation == incarnation, position <= lastChange, deletionsAfter <= lastChange else {
            throw Self.ofOtherHistory
        }
    }

    static let ofOtherHistory = DatabaseError(
        .changeTokenExpired, "the token is of changes that the store does not have",
        hint: "drop what is cached and start without a token: a backup was restored, or changes were lost")
}
