// Schema and roles, which all nodes have alike.

package import RecordDatabase
package import RecordModel

extension NodeContainer {
    package func schema() throws(DatabaseError) -> ContainerSchema { try control.schema() }

    package func encryptionKey(noting name: String?) throws(DatabaseError) -> String? {
        try control.encryptionKey(noting: name)
    }

    package func roles() throws(DatabaseError) -> [String: Set<String>] { try control.roles() }

    package func setRoles(_ roles: Set<String>, of userName: String) throws(DatabaseError) {
        try locked { () throws(DatabaseError) in
            try levelUnderLock()
            for node in nodes.reversed() {
                try node.call { container throws(DatabaseError) in try container.setRoles(roles, of: userName) }
            }
        }
    }

    package func analyze(_ types: [String]) throws(DatabaseError) {
        _ = try onAll { container throws(DatabaseError) in try container.analyze(types) }
    }

    /// Gives all nodes the schema of a commit, unless they have another one by now than that which it was made by.
    func grow(to schema: ContainerSchema, from version: Int64) throws(DatabaseError) {
        try changeUnderLock { known in known.version == version ? schema : nil }
    }

    private func changeUnderLock(
        _ next: (PostgreSQLContainer.KnownSchema) -> ContainerSchema?
    ) throws(DatabaseError) {
        try locked { () throws(DatabaseError) in
            try levelUnderLock()
            guard let schema = next(try control.current()) else { return }
            try checkTexts()
            for node in nodes.reversed() {
                try node.call { container throws(DatabaseError) in
                    try container.changeSchema { schema.change(since: $0) }
                }
            }
        }
    }

    /// Checks that the columns of all nodes are as this process derives them, before any of them is changed.
    func checkTexts() throws(DatabaseError) {
        _ = try onAll { container throws(DatabaseError) in try container.current().checkTexts() }
    }

    // MARK: One schema

    /// Sees to it that all nodes have the same schema and the same roles: whoever changed them may not have come to the
    /// end.
    func level() throws(DatabaseError) {
        try locked { () throws(DatabaseError) in try levelUnderLock() }
    }

    func levelUnderLock() throws(DatabaseError) {
        let known = try onAll { container throws(DatabaseError) in try container.current() }
        if let cut = cutMigration(among: known) { throw cut.error }
        guard let first = known.first, let newest = known.max(by: { $0.version < $1.version }) else { return }
        if newest.version == known.map(\.version).min() { return }
        do throws(DatabaseError) {
            try settle(newest.schema, newest.roles, newest.version)
        } catch {
            // Records that do not satisfy it: it was never accepted.
            guard error.code == .constraintViolation || error.code == .invalidArguments else { throw error }
            try settle(first.schema, first.roles, newest.version + 1)
        }
    }

    func putBack(to schema: ContainerSchema) throws(DatabaseError) {
        let known = try onAll { container throws(DatabaseError) in try container.current() }
        guard let last = known.map(\.version).max(), let roles = known.first?.roles else { return }
        try settle(schema, roles, last + 1)
    }

    /// Gives all nodes the same schema, roles and number of both, the control node last.
    private func settle(
        _ schema: ContainerSchema, _ roles: [String: Set<String>], _ version: Int64
    ) throws(DatabaseError) {
        let known = try onAll { container throws(DatabaseError) in try container.current() }
        var done = Set(zip(nodes, known).filter { $0.1.schema == schema }.map(\.0.number))
        // Those that have another one all have the same, but for what is only larger.
        let works = known.compactMap { schema.change(since: $0.schema).work }
        if let work = works.first, done.count < nodes.count { try make(work, schema, besides: &done) }
        for node in nodes.reversed() {
            try node.call { container throws(DatabaseError) in
                if try container.current().version == version { return }
                try container.changeSchema { $0 == schema ? nil : schema.change(since: $0) }
                try container.settle(roles, version)
            }
        }
    }

    /// Does work while no other process changes schema or roles of the nodes.
    func locked(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        var result: Result<Void, DatabaseError>?
        do throws(DatabaseError) {
            try control.retrying { () throws(CallError) in
                do throws(ServerError) {
                    try lockPool.withConnection { connection throws(ServerError) in
                        let key: [Parameter] = [.int64(lock)]
                        try connection.run([
                            Statement("SELECT set_config('lock_timeout', '10s', false)"),
                            Statement("SELECT pg_advisory_lock($1)", key),
                        ])
                        result = Result { () throws(DatabaseError) in try body() }
                        try connection.run(Statement("SELECT pg_advisory_unlock($1)", key))
                    }
                } catch {
                    lockPool.forgetIdle()
                    // A connection that was lost has no lock any more: the body is run once.
                    if result == nil { throw .server(error) }
                }
            }
        } catch {
            throw error.ofNode(0)
        }
        try result?.get()
    }
}

extension PostgreSQLContainer {
    /// Schema and roles that the server has by now.
    func current() throws(DatabaseError) -> KnownSchema {
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in try readSchema(connection) }
        }
    }

    /// Replaces all roles, and sets the number of schema and roles.
    func settle(_ roles: [String: Set<String>], _ version: Int64) throws(DatabaseError) {
        let users = roles.sorted { $0.key < $1.key }
        try retrying { () throws(CallError) in
            try withConnection { connection throws(CallError) in
                defer { connection.rollBack() }
                try connection.call([
                    Statement("BEGIN"), Statement("DELETE FROM account"),
                    Statement(
                        "INSERT INTO account SELECT * FROM unnest($1::text[], $2::bytea[])",
                        [
                            .texts(users.map(\.key)),
                            .array(.bytesList, users.map { .bytes(BinaryForm.bytes(of: $0.value)) }),
                        ]),
                    Statement("UPDATE container SET schema_version = $1", [.int64(version)]), Statement("COMMIT"),
                ])
                notifier.note()
            }
        }
    }
}
