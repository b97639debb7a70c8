// Values of a record that are encrypted before they are stored, under CloudKit's name.

import RecordDatabase

extension CKRecord {
    /// The fields of the record that are stored encrypted: `record.encryptedValues["diary"] = text`. They are none of
    /// `allKeys()`, of no query and of no sort descriptor; the first save makes them encrypted for good.
    public var encryptedValues: any CKRecordKeyValueSetting { EncryptedFields(self) }

    /// The encrypted fields in the terms of `RecordDatabase`.
    fileprivate var encrypted: EncryptedValues { record.encryptedValues }
}

/// The encrypted fields of a record, read from it and set in it.
private final class EncryptedFields: CKRecordKeyValueSetting {
    private let record: CKRecord
    init(_ record: CKRecord) { self.record = record }

    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)? {
        (record.encrypted[key] as FieldValue).recordValue
    }

    func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey) {
        let value = object?.recordFieldValue ?? .null
        record.change { $0.encryptedValues[key] = value }
    }

    subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    func allKeys() -> [CKRecord.FieldKey] { record.encrypted.allKeys() }
    func changedKeys() -> [CKRecord.FieldKey] { record.encrypted.changedKeys() }
}
