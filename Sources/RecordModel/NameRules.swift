// Which names records, zones, types and fields may have.

/// The rules of names, with what to say when one is broken.
package enum NameRules {
    /// Longest name, in characters, where no configuration says otherwise.
    package static let maximumLength = 255

    /// Names that stand for properties of every record and cannot be fields.
    package static let reservedKeys: Set<String> = [
        "recordID", "recordType", "creationDate", "creatorUserRecordID", "modificationDate",
        "lastModifiedUserRecordID", "recordChangeTag", "parent", "share", "encryptedValues",
    ]

    /// The type of shares: the one type with a dot in its name.
    package static let shareType = "cloudkit.share"
    /// The name of the share of a whole zone.
    package static let zoneShareName = "cloudkit.zoneshare"

    /// The fields that shares have and no other records do.
    package enum ShareKey {
        package static let title = "cloudkit.title"
        package static let thumbnail = "cloudkit.thumbnailImageData"
        package static let type = "cloudkit.type"
        /// The record that is shared with all below it.
        package static let root = "cloudkit.root"
        package static let participants = "cloudkit.participants"
        package static let publicPermission = "cloudkit.publicPermission"
        /// What tells the share's URL from all others.
        package static let token = "cloudkit.token"
        /// Who reads the share, where that is not its owner. Never stored.
        package static let reader = "cloudkit.reader"
        /// Those that are stored.
        package static let all: Set<String> = [
            title, thumbnail, type, root, participants, publicPermission, token,
        ]
        /// Those that the database interprets.
        package static let own: Set<String> = [root, participants, publicPermission, token, reader]
    }

    /// - Throws: `DatabaseError` of code `invalidArguments`.
    package static func check(_ id: RecordZone.ID, maximumLength: Int = maximumLength) throws(DatabaseError) {
        if id.ownerName.isEmpty { throw DatabaseError(.invalidArguments, "the owner of a zone has no name") }
        if id.zoneName == RecordZone.ID.defaultZoneName { return }
        if let fault = fault(inName: id.zoneName, maximumLength) {
            throw DatabaseError(.invalidArguments, "the name of a zone \(fault)")
        }
    }

    /// - Parameter isSystem: Whether the record was made by the database: then its name begins with an underscore.
    /// - Throws: `DatabaseError` of code `invalidArguments`.
    package static func check(
        _ id: Record.ID, isSystem: Bool = false, maximumLength: Int = maximumLength
    ) throws(DatabaseError) {
        try check(id.zoneID, maximumLength: maximumLength)
        if let fault = fault(inName: id.recordName, maximumLength, mayBeginWithUnderscore: isSystem) {
            throw DatabaseError(.invalidArguments, "the name of a record \(fault)")
        }
    }

    /// - Throws: `DatabaseError` of code `invalidArguments`.
    package static func check(type: String, maximumLength: Int = maximumLength) throws(DatabaseError) {
        if type == shareType { return }
        if let fault = fault(inIdentifier: type, maximumLength) {
            throw DatabaseError(.invalidArguments, "a record type \(fault)", hint: "for example City or City_2")
        }
    }

    /// - Parameter type: The type of the record; `nil` where it is not known yet.
    /// - Throws: `DatabaseError` of code `invalidArguments`.
    package static func check(
        key: String, ofType type: String? = nil, maximumLength: Int = maximumLength
    ) throws(DatabaseError) {
        if ShareKey.all.contains(key) {
            if type == nil || type == shareType { return }
            throw DatabaseError(.invalidArguments, "\(key) is a field of shares")
        }
        if reservedKeys.contains(key) {
            throw DatabaseError(.invalidArguments, "\(key) is a property of every record and cannot be a field")
        }
        if let fault = fault(inIdentifier: key, maximumLength) {
            throw DatabaseError(.invalidArguments, "a field name \(fault)", hint: "for example name or name_2")
        }
    }

    /// What is wrong with the name of a record or zone; `nil` for a legal one. Complexity: O(length).
    private static func fault(
        inName name: String, _ maximumLength: Int, mayBeginWithUnderscore: Bool = false
    ) -> String? {
        let bytes = name.utf8
        guard let first = bytes.first else { return "is empty" }
        if first == UInt8(ascii: "_"), !mayBeginWithUnderscore {
            return "begins with an underscore, which only the database's own do"
        }
        if bytes.contains(where: { $0 >= 0x80 }) { return "is not ASCII" }
        return bytes.count > maximumLength ? "is longer than \(maximumLength) characters" : nil
    }

    /// What is wrong with a record type or a field name; `nil` for a legal one. Complexity: O(length).
    private static func fault(inIdentifier name: String, _ maximumLength: Int) -> String? {
        let bytes = name.utf8
        guard let first = bytes.first else { return "is empty" }
        guard isLetter(first) else { return "must begin with a letter" }
        if !bytes.allSatisfy({ isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "_") }) {
            return "may hold only letters, digits and underscores"
        }
        return bytes.count > maximumLength ? "is longer than \(maximumLength) characters" : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
