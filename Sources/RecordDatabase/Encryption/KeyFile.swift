// A key in a file that only its owner can read.

import Glibc
public import RecordModel
import Synchronization

/// A file with the key of one container, readable by its owner alone (mode 600): the default of stored containers, as
/// `NAME.key` beside the folder `NAME`.
///
/// A backup of the folder does not hold it. Keep it elsewhere: without it, encrypted values are lost.
public struct KeyFile: EncryptionKeyProvider {
    /// Where the file is.
    public let path: String
    private static let format = "record-database-key 1 "

    /// The file of a path, which the first encrypted save makes.
    public init(path: String) { self.path = path }

    /// The file that goes with the folder of a store.
    init(besideStore folder: String) { self.init(path: StorePath.beside(folder, ".key")) }

    /// The key in the file; `nil` when there is no file.
    ///
    /// - Throws: `DatabaseError` of code `permissionFailure` for a file that cannot be read or that others may read,
    ///   `internalError` for one that holds no key.
    public func key(ofContainer identifier: String) throws(DatabaseError) -> EncryptionKey? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw failure("cannot be read: \(PrivateFile.reason(errno))") }
        defer { close(file) }
        var state = stat()
        guard unsafe fstat(file, &state) == 0 else { throw failure("cannot be read: \(PrivateFile.reason(errno))") }
        guard state.st_mode & 0o077 == 0 else {
            throw failure("may be read by others", hint: "chmod 600 \(path)")
        }
        var bytes = [UInt8](repeating: 0, count: 256)
        let capacity = bytes.count
        // SAFETY: at most `capacity` bytes are written.
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, capacity) }
        guard count >= 0 else { throw failure("cannot be read: \(PrivateFile.reason(errno))") }
        guard let key = Self.key(bytes.prefix(count)) else {
            throw DatabaseError(.internalError, "the file \(path) holds no key", hint: "restore it from a backup")
        }
        return key
    }

    private static func key(_ bytes: ArraySlice<UInt8>) -> EncryptionKey? {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix(format), text.hasSuffix("\n") else { return nil }
        let written = text.dropFirst(format.count).dropLast()
        let digits = Array(written.utf8)
        // A sign would be part of a number, too.
        guard digits.count == 2 * EncryptionKey.byteCount, written.allSatisfy(\.isHexDigit) else { return nil }
        let key = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        return try? EncryptionKey(bytes: key)
    }

    /// Writes the key; the file is on the disk when the call returns.
    ///
    /// - Throws: `DatabaseError` of code `permissionFailure` when it cannot be written.
    public func setKey(_ key: EncryptionKey, ofContainer identifier: String) throws(DatabaseError) {
        let digits = key.bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
        let text = Array((Self.format + digits + "\n").utf8)
        if let reason = PrivateFile.write(text, to: path) { throw failure("cannot be written: \(reason)") }
    }

    private func failure(_ reason: String, hint: String? = nil) -> DatabaseError {
        DatabaseError(.permissionFailure, "the file of the key \(path) \(reason)", hint: hint)
    }
}

/// Keys that are there as long as the process is: those of containers in memory.
final class MemoryKeys: EncryptionKeyProvider {
    private let keys = Mutex<[String: EncryptionKey]>([:])

    func key(ofContainer identifier: String) -> EncryptionKey? { keys.withLock { $0[identifier] } }

    func setKey(_ key: EncryptionKey, ofContainer identifier: String) { keys.withLock { $0[identifier] = key } }
}

/// No keys: those of containers on servers, which have to be given.
struct NoKeys: EncryptionKeyProvider {
    func key(ofContainer identifier: String) throws(DatabaseError) -> EncryptionKey? {
        throw DatabaseError(
            .invalidArguments, "containers on servers have no key of their own",
            hint: "give an EncryptionKeyProvider with the configuration")
    }

    func setKey(_ key: EncryptionKey, ofContainer identifier: String) throws(DatabaseError) {
        _ = try self.key(ofContainer: identifier)
    }
}
