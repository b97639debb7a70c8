// Columns that are derived from texts: by which tables of Unicode, and how they are derived again.

import RecordDatabase
import RecordModel

extension PostgreSQLContainer.KnownSchema {
    /// Whether the columns are as this process derives them: only then they tell about texts.
    var knowsTexts: Bool { textVersion == Layout.textVersion }

    /// What to say of columns that others derived.
    var otherTexts: String { "texts were folded by \(textVersion), and this process has \(Layout.textVersion)" }

    /// Checks that the columns are as this process derives them. Whoever writes records, or changes the schema, calls
    /// this: columns of both kinds in one table would be trusted by those who know one of them.
    ///
    /// - Throws: `DatabaseError` of code `incompatibleVersion`.
    func checkTexts() throws(DatabaseError) {
        if knowsTexts { return }
        throw DatabaseError(
            .incompatibleVersion, "the container's \(otherTexts)",
            hint: "write with the version that folded them, or run predicate nodes ADDRESS rebuild with this one")
    }
}

extension PostgreSQLContainer {
    /// Writes all columns of records again, as this process derives them, unless they are its own.
    ///
    /// It is one transaction, in portions: until it ends everybody reads the columns that were there before, and knows
    /// them for what they are; nobody commits meanwhile, and where it does not come to its end nothing is changed.
    ///
    /// - Returns: How many records were written; `nil` where the columns are this process's own.
    func deriveTexts() throws(DatabaseError) -> Int? {
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                defer { connection.rollBack() }
                let known = try readSchema(connection)
                if known.knowsTexts { return nil }
                let ground = OpenMigration(self, connection, from: known, to: known.schema)
                try ground.begin()
                // From here on nobody stores a record, or changes what the columns of records are.
                try connection.call([
                    Statement(
                        "SELECT 1 / count(*) FROM container WHERE schema_version = $1 AND text_version = $2",
                        [.int64(known.version), .text(known.textVersion)])
                ])
                var count = 0
                try ground.perform { _ throws(DatabaseError) in count = try ground.deriveAgain() }
                try connection.call([
                    Statement("UPDATE container SET text_version = $1", [.text(Layout.textVersion)]),
                    Statement("COMMIT"),
                ])
                try readSchema(connection)
                notifier.note()
                return count
            }
        }
    }
}
