// Values as encrypted bytes, and back.

import CCrypto
import FoundationEssentials
import RecordModel
import RecordStore
import Synchronization

/// Encrypts and decrypts values with one key.
///
/// The bytes are a number of the form, the name of the key, a random nonce, the encrypted value and its tag. The tag
/// also covers which field of which record the value is of: moved to another place, it is rejected.
struct ValueCipher: Sendable {
    private let key: EncryptionKey
    private let keyName: [UInt8]
    private static let form: UInt8 = 1
    private static let nonceSize = Int(CCRYPTO_NONCE_SIZE)
    private static let tagSize = Int(CCRYPTO_TAG_SIZE)
    private static let headSize = 1 + EncryptionKey.nameLength + nonceSize
    /// Bytes that an encrypted value has in addition to its own.
    static let overhead = headSize + tagSize

    /// - Throws: `DatabaseError` of code `serviceUnavailable` where the library is not installed.
    init(_ key: EncryptionKey) throws(DatabaseError) {
        guard ccrypto_load() != 0 else {
            throw DatabaseError(
                .serviceUnavailable, "values cannot be encrypted: \(unsafe String(cString: ccrypto_load_failure()))",
                hint: "install OpenSSL 3 (Debian: libssl3)")
        }
        (self.key, keyName) = (key, Array(key.name.utf8))
    }

    /// Tells the key from others.
    var name: String { key.name }

    /// What digests of secrets begin with.
    var salt: [UInt8] { key.bytes }

    /// The value of a field as encrypted bytes.
    /// - Throws: `DatabaseError` of code `internalError` when the library fails.
    func seal(_ value: FieldValue, _ field: String, of id: Record.ID) throws(DatabaseError) -> Data {
        var writer = BinaryWriter()
        let context: [UInt8]
        do throws(BinaryError) {
            context = try Self.context(field, id)
            try value.write(to: &writer)
        } catch {
            throw DatabaseError(.invalidArguments, "field \(field): the value cannot be encoded", hint: "\(error)")
        }
        let plain = writer.bytes
        var numbers = SystemRandomNumberGenerator()
        let nonce: [UInt8] = (0..<Self.nonceSize).map { _ in numbers.next() }
        var sealed = [UInt8](repeating: 0, count: plain.count + Self.tagSize)
        // SAFETY: `sealed` has room for the bytes and the tag, the key its 32 bytes, the nonce its 12.
        let isDone = unsafe sealed.withUnsafeMutableBufferPointer { sealed in
            unsafe ccrypto_seal(
                key.bytes, nonce, context, context.count, plain, plain.count, sealed.baseAddress)
        }
        guard isDone != 0 else { throw DatabaseError(.internalError, "field \(field): the value was not encrypted") }
        return Data([Self.form] + keyName + nonce + sealed)
    }

    /// The value of encrypted bytes.
    ///
    /// - Throws: `DatabaseError` of code `permissionFailure` for bytes of another key, `internalError` for bytes that
    ///   were changed or are of another field or record, `incompatibleVersion` for those of a newer version.
    func open(_ sealed: Data, _ field: String, of id: Record.ID) throws(DatabaseError) -> FieldValue {
        let bytes = [UInt8](sealed)
        guard let form = bytes.first, bytes.count >= Self.headSize + Self.tagSize else { throw Self.damaged(field) }
        guard form <= Self.form else {
            throw DatabaseError(.incompatibleVersion, "field \(field) was encrypted by a newer version")
        }
        let nameEnd = 1 + EncryptionKey.nameLength
        guard form == Self.form else { throw Self.damaged(field) }
        guard bytes[1..<nameEnd].elementsEqual(keyName) else {
            throw DatabaseError(
                .permissionFailure, "field \(field) was encrypted with another key",
                hint: "use the key that the container had, or reset its encrypted data")
        }
        let nonce = Array(bytes[nameEnd..<Self.headSize])
        let rest = Array(bytes[Self.headSize...])
        let size = rest.count - Self.tagSize
        var plain = [UInt8](repeating: 0, count: max(1, size))
        do throws(BinaryError) {
            let context = try Self.context(field, id)
            // SAFETY: `plain` has room for `size` bytes, which the tag follows in `rest`.
            let isDone = unsafe plain.withUnsafeMutableBufferPointer { plain in
                unsafe ccrypto_open(key.bytes, nonce, context, context.count, rest, size, plain.baseAddress)
            }
            guard isDone != 0 else { throw BinaryError(.outOfRange, offset: 0) }
            var reader = BinaryReader(Array(plain.prefix(size)))
            let value = try FieldValue(from: &reader)
            try reader.finish()
            return value
        } catch {
            throw Self.damaged(field)
        }
    }

    private static func damaged(_ field: String) -> DatabaseError {
        DatabaseError(.internalError, "the encrypted value of field \(field) was changed", hint: "restore a backup")
    }

    private static func context(_ field: String, _ id: Record.ID) throws(BinaryError) -> [UInt8] {
        var writer = BinaryWriter()
        try id.write(to: &writer)
        writer.write(field)
        return writer.bytes
    }
}

/// The key of a container as its clients get it.
final class ContainerKeys: Sendable {
    private let provider: any EncryptionKeyProvider
    private let store: ContainerStore?
    private let identifier: String

    init(_ provider: (any EncryptionKeyProvider)?, _ store: ContainerStore) {
        (self.provider, self.store, identifier) = (provider ?? store.keys, store, store.identifier)
    }

    private init() { (provider, store, identifier) = (NoKeys(), nil, "") }

    /// No keys, for what has to do with no record.
    static let none = ContainerKeys()

    /// The files of the container's assets, which whoever opens its records needs, too.
    var assets: AssetFolder? { store?.assets }

    /// The cipher of values that were stored.
    /// - Throws: `DatabaseError` of code `permissionFailure` when there is no key, and what the provider throws.
    func cipher() throws(DatabaseError) -> ValueCipher {
        guard let key = try provider.key(ofContainer: identifier) else { throw Self.missing }
        return try ValueCipher(key)
    }

    /// The cipher of values to store: the first ones make the key.
    /// - Throws: `DatabaseError` of code `permissionFailure` when the key is missing that others were stored with.
    func cipherForSaving() throws(DatabaseError) -> ValueCipher {
        guard let store else { throw Self.missing }
        return try store.keyMaking.withLock { _ throws(DatabaseError) in
            var key = try provider.key(ofContainer: identifier)
            if key == nil {
                guard try !store.holdsEncryptedValues() else { throw Self.missing }
                key = try replaceKey()
            }
            guard let key else { throw Self.missing }
            try store.remote?.note(key)
            return try ValueCipher(key)
        }
    }

    /// Makes a new key.
    @discardableResult
    func replaceKey() throws(DatabaseError) -> EncryptionKey {
        let key = EncryptionKey()
        try replaceKey(by: key)
        return key
    }

    /// Keeps a new key, in place of an earlier one.
    func replaceKey(by key: EncryptionKey) throws(DatabaseError) {
        try provider.setKey(key, ofContainer: identifier)
    }

    private static var missing: DatabaseError {
        DatabaseError(
            .permissionFailure, "the key of the container's encrypted values is missing",
            hint: "put it back where it was, or reset the encrypted data")
    }
}

extension ContainerStore {
    /// Whether a record has an encrypted value; on a server, whether one may have.
    ///
    /// - Throws: `DatabaseError` when the server cannot be read.
    /// - Complexity: O(rows of types with encrypted fields).
    func holdsEncryptedValues() throws(DatabaseError) -> Bool {
        if let remote { return try remote.server.encryptionKey(noting: nil) != nil }
        let types = schema.current.recordTypes.filter { !$0.value.encryptedKeys.isEmpty }
        if types.isEmpty { return false }
        return databases.contains { database in
            let snapshot = database.records.snapshot
            return types.contains { name, type in
                type.encryptedKeys.contains { snapshot.hasValue(of: $0, inType: name) }
            }
        }
    }
}

extension DatabaseError {
    /// For values that are to be stored under another key than the one that is noted.
    package static var ofOtherKey: DatabaseError {
        DatabaseError(
            .permissionFailure, "the values of the container are encrypted with another key",
            hint: "use the key that the container has by now; where nobody has it, reset the encrypted data again")
    }
}

extension RemoteStore {
    /// Notes on the server which key values are encrypted with, before the first of them is there.
    ///
    /// - Throws: `DatabaseError` of code `permissionFailure` when another key is noted, and when the server cannot be
    ///   reached.
    fileprivate func note(_ key: EncryptionKey) throws(DatabaseError) {
        if keyName.withLock({ $0 == key.name }) { return }
        let noted = try server.encryptionKey(noting: key.name)
        guard noted == key.name else { throw DatabaseError.ofOtherKey }
        keyName.withLock { $0 = noted }
    }
}
