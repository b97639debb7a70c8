// Stored records as callers get them: encrypted values are decrypted, nobody sees the bytes that are stored, and files
// of assets are there.

import FoundationEssentials
import RecordColumns
import RecordModel

/// Decrypts values for one call: the key is got once, with the first value that needs it, until it is forgotten.
struct RecordOpener {
    private let keys: ContainerKeys
    private var cipher: Result<ValueCipher, DatabaseError>?

    init(_ keys: ContainerKeys) { self.keys = keys }

    /// Has the key got again: it may be another one by now.
    mutating func forgetKey() { cipher = nil }

    /// The files of the container's assets.
    var assets: AssetFolder? { keys.assets }

    /// Decrypts the values of a stored record.
    ///
    /// - Parameter id: The identifier that it was stored by.
    /// - Throws: `DatabaseError` of code `permissionFailure` for a key that is missing or another one, `internalError`
    ///   for values that were changed.
    mutating func open(
        _ keys: [String], of record: inout Record, _ version: RecordVersion, sealedAs id: Record.ID
    ) throws(DatabaseError) {
        record.encryptedValues.stored = try values(keys, of: id) { version.value(of: $0) }
    }

    /// A stored record without the values that cannot be decrypted: for records beside the point of a call, such as the
    /// stored one of a conflict.
    mutating func shownRecord(
        _ id: Record.ID, _ version: RowVersion, _ type: ContainerSchema.RecordType?
    ) -> Record { shownRecord(id, version, type?.encryptedKeys ?? []) }

    /// As above, for the encrypted fields of a type.
    mutating func shownRecord(_ id: Record.ID, _ version: RowVersion, _ keys: [String]) -> Record {
        var record = version.record(id)
        let stored = version.segment.storedID(version.row)
        record.encryptedValues.stored = shownValues(keys, of: stored) { version.value(of: $0) }
        return record
    }

    /// The values of fields; `.null` for those that cannot be decrypted.
    ///
    /// - Parameter value: What is stored in a field.
    mutating func shownValues(
        _ keys: [String], of id: Record.ID, _ value: (String) -> FieldValue
    ) -> [String: FieldValue] {
        var shown: [String: FieldValue] = [:]
        for key in keys where !value(key).isNull { shown[key] = (try? values([key], of: id, value)[key]) ?? .null }
        return shown
    }

    private mutating func values(
        _ keys: [String], of id: Record.ID, _ value: (String) -> FieldValue
    ) throws(DatabaseError) -> [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        for key in keys {
            switch value(key) {
            case .null: continue
            case .data(let sealed): values[key] = try openCipher().open(sealed, key, of: id)
            default: throw DatabaseError(.internalError, "the value of field \(key) is not encrypted")
            }
        }
        return values
    }

    private mutating func openCipher() throws(DatabaseError) -> ValueCipher {
        if let cipher { return try cipher.get() }
        let made: Result<ValueCipher, DatabaseError>
        do throws(DatabaseError) { made = .success(try keys.cipher()) } catch { made = .failure(error) }
        cipher = made
        return try made.get()
    }
}

extension SaveItem {
    /// Bytes of what is written.
    var byteCount: Int { values.values.reduce(encryptedByteCount) { $0 + ValueCheck.byteCount($1) } }

    /// Bytes that the encrypted values will have, without a cipher at hand.
    private var encryptedByteCount: Int {
        encryptedValues.values.reduce(0) { $0 + ($1.isNull ? 0 : ValueCheck.byteCount($1) + ValueCipher.overhead) }
    }

    /// Puts the encrypted values beside the others, as bytes.
    /// - Throws: `DatabaseError` when they cannot be encrypted.
    mutating func takeEncrypted(
        _ checked: [String: FieldValue], _ cipher: ValueCipher
    ) throws(DatabaseError) {
        for (key, value) in checked {
            values[key] = value.isNull ? .null : .data(try cipher.seal(value, key, of: id))
        }
    }
}
