// Names that servers cannot have: their texts have no U+0000.

import RecordModel

extension RecordZone.ID {
    /// Checks that a server can have a zone of the name.
    /// - Throws: `DatabaseError` of code `invalidArguments`.
    func checkIsServed() throws(DatabaseError) {
        if zoneName.utf8.contains(0) {
            throw DatabaseError(.invalidArguments, "the name of a zone has U+0000, which servers do not store")
        }
    }
}

extension Record.ID {
    /// Checks that a server can have a record of the name.
    /// - Throws: `DatabaseError` of code `invalidArguments`.
    func checkIsServed() throws(DatabaseError) {
        try zoneID.checkIsServed()
        if recordName.utf8.contains(0) {
            throw DatabaseError(.invalidArguments, "the name of a record has U+0000, which servers do not store")
        }
    }
}

extension BatchPlan {
    /// Fails the records to save that a server cannot have, or that refer to such: one of them would have the server
    /// reject all of the batch.
    mutating func checkServedNames() {
        for index in saves.indices where saves[index].failure == nil {
            let item = saves[index]
            var ids = [item.id]
            if let parent = item.record.parent { ids.append(parent.recordID) }
            for value in item.values.values { value.forEachReference { ids.append($0.recordID) } }
            do throws(DatabaseError) {
                for id in ids { try id.checkIsServed() }
            } catch {
                saves[index].failure = ItemFailure(error, isMalformed: true)
            }
        }
    }
}
