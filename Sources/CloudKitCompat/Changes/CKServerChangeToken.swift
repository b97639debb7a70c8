// A reader's position in the changes, under CloudKit's name.

public import Foundation
public import RecordDatabase

/// A moment in the changes of a zone or a database. Opaque: it can be kept, coded and compared for equality.
// Unchecked, as Foundation's class has subclasses that can change: nothing changes here.
public final class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    let token: ChangeToken

    /// The same moment under CloudKit's name.
    public init(_ token: ChangeToken) { self.token = token }

    private static let key = "CKServerChangeToken"
    /// True: a token can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) {
        guard let data = try? JSONEncoder().encode(token) else { return }
        coder.encode(data, for: Self.key)
    }

    /// `nil` where no token was coded, or one in the form of a newer version.
    public init?(coder: NSCoder) {
        guard let data = coder.data(for: Self.key),
            let token = try? JSONDecoder().decode(ChangeToken.self, from: data)
        else { return nil }
        self.token = token
    }

    /// The token itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKServerChangeToken)?.token == token }
    public override var hash: Int { token.hashValue }
    public override var description: String { "<CKServerChangeToken>" }
}
