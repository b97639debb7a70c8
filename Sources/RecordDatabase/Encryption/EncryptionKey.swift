// Keys of containers, and where they come from.

public import RecordModel

/// The key that encrypts values of a container: 256 bits, for AES-GCM.
public struct EncryptionKey: Hashable, Sendable {
    /// Bytes of a key.
    public static let byteCount = 32
    /// The bytes of the key. Whoever has them reads all encrypted values.
    public let bytes: [UInt8]

    /// A new key, from the random numbers of the system.
    public init() {
        var numbers = SystemRandomNumberGenerator()
        bytes = (0..<Self.byteCount).map { _ in numbers.next() }
    }

    /// A key that is kept elsewhere.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for any number of bytes but 32.
    public init(bytes: [UInt8]) throws(DatabaseError) {
        guard bytes.count == Self.byteCount else {
            throw DatabaseError(
                .invalidArguments, "a key has \(Self.byteCount) bytes, not \(bytes.count)",
                hint: "derive one from a passphrase with a function made for it")
        }
        self.bytes = bytes
    }

    /// Tells the key from others, and nothing else about it: the beginning of a digest, in hexadecimal digits.
    var name: String {
        var hash = SHA256()
        hash.update(Array("key of encrypted values".utf8)[...])
        hash.update(bytes[...])
        return String(hash.hexDigest().prefix(Self.nameLength))
    }

    static let nameLength = 16
}

extension EncryptionKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name of the key, never its bytes.
    public var description: String { "EncryptionKey \(name)" }
    /// As `description`.
    public var debugDescription: String { description }
    /// Without the bytes, which `dump` would show.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}

/// Where the keys of containers are kept: a file, a keyring, a server of secrets.
///
/// Calls may come from any thread, and may wait.
public protocol EncryptionKeyProvider: Sendable {
    /// The key of a container; `nil` when there is none yet.
    ///
    /// - Throws: `DatabaseError` when the key cannot be read.
    func key(ofContainer identifier: String) throws(DatabaseError) -> EncryptionKey?
    /// Keeps a key, in place of an earlier one.
    ///
    /// - Throws: `DatabaseError` when it cannot be kept.
    func setKey(_ key: EncryptionKey, ofContainer identifier: String) throws(DatabaseError)
}
