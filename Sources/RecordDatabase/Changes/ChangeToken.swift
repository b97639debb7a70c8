// Where a reader of changes stands.

import RecordModel

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
    let origin: DatabaseOrigin
    let subject: Subject
    /// Number of the last change that the reader has seen.
    let position: Int64
    /// Deletions up to this change concern records that the reader was never given.
    let deletionsAfter: Int64

    private static let currentFormat = 1

    init(origin: DatabaseOrigin, subject: Subject, position: Int64, deletionsAfter: Int64) {
        format = Self.currentFormat
        self.origin = origin
        self.subject = subject
        self.position = position
        self.deletionsAfter = deletionsAfter
    }

    private enum CodingKeys: String, CodingKey { case format, origin, subject, position, deletionsAfter }

    /// - Throws: `DatabaseError` of code `incompatibleVersion` for the form of a newer version.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        format = try container.decode(Int.self, forKey: .format)
        guard format <= Self.currentFormat else {
            throw DatabaseError(.incompatibleVersion, "the token was encoded by a newer version")
        }
        origin = try container.decode(DatabaseOrigin.self, forKey: .origin)
        subject = try container.decode(Subject.self, forKey: .subject)
        position = try container.decode(Int64.self, forKey: .position)
        deletionsAfter = try container.decode(Int64.self, forKey: .deletionsAfter)
    }
}
