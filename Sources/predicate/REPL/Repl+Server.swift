// What the session does where a server has the records: each query looks for its own there.

import RecordDatabase

extension Repl {
    /// Whether a server has the records.
    var isOnServer: Bool { files.isOnServer }

    /// The container or the table on a server, with the type that is queried; `nil` for files and folders.
    var served: InputFiles? { isOnServer ? files.ofType(set.recordType) : nil }

    /// How many records match, counted by their server; `nil` where more is wanted, and where records have to tell.
    func counted(_ query: Query) throws(CommandError) -> Int? {
        guard let served, query.settings.format == .count else { return nil }
        return try attempt { () throws(CommandError) in
            try served.store?.count(ofType: served.type, matching: query)
        }
    }

    /// All records, for what cannot be told from fewer: those of a server are read now, which is said.
    func allRecords() throws(CommandError) -> RecordSet {
        guard let served else { return set }
        tellOfReading()
        return try attempt { () throws(CommandError) in try served.records(for: nil) }
    }

    /// What the fields hold: those of a server are read in portions, which is said.
    func summary(_ part: SchemaSummary.Part) throws(CommandError) -> SchemaSummary {
        let (known, served, store) = (set, served, served?.store)
        if served != nil { tellOfReading() }
        return try attempt { () throws(CommandError) in
            var summary = SchemaSummary(part)
            if let served, let store {
                try store.withPortions(ofType: served.type) { records throws(DatabaseError) in
                    try records.forEach(of: records.types) { summary.take($0) }
                }
            } else if let served {
                summary.take(try served.records(for: nil))
            } else {
                summary.take(known)
            }
            return summary
        }
    }

    private func tellOfReading() {
        session.note(session.messageStyle.dim("Reading all records of \(files.description)."))
    }

    /// Takes over the fields that records of a server tell: others may have defined more.
    func follow(_ records: RecordSet) {
        guard isOnServer, let schema = records.storedSchema, schema != set.storedSchema else { return }
        set = RecordSet(outlining: schema, type: set.recordType)
    }
}

extension InputFiles {
    /// The records, or the fields alone of those that a server has.
    ///
    /// - Parameter isWanted: As of `load(_:for:while:)`.
    /// - Throws: `CommandError` as reading them.
    func records(
        _ session: Session, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(CommandError) -> RecordSet {
        if let outline = try outline() { return outline }
        return try load(session, while: isWanted)
    }

    /// The records of a server that a query may find, with all of their fields; all records without a query.
    /// - Throws: `CommandError`.
    func records(for query: Query?) throws(CommandError) -> RecordSet {
        var query = query
        // The result may be shown again with other fields.
        query?.settings.fields = nil
        var set: RecordSet
        if let table = try table() {
            set = try table.records(for: query, showing: figureFields, onlyPrinted: true)
        } else if let store {
            set = try store.records(ofType: type, matching: query)
        } else {
            throw CommandError(.usage, "\(description) is on no server")
        }
        // It is for one query: an index would cost more than it saves.
        set.buildsIndexes = false
        return set
    }
}
