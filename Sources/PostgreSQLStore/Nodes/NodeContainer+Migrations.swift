// Changes of stored records with the schema, on all nodes.

package import RecordDatabase
package import RecordModel

extension NodeContainer {
    /// Attempts at a change that a lost connection or others were in the way of.
    private static let attempts = 3

    /// Changes the schema, and what is stored with it.
    ///
    /// The work is done in transactions of all nodes that are open at the same time, and these are committed one after
    /// another, the control node's last: an error in the work changes nothing anywhere. Where a process ends between
    /// two commits, or a node is lost, the schemas of the nodes tell who has a migration; the next call for it does the
    /// others.
    package func changeSchema(
        _ change: (ContainerSchema) throws(DatabaseError) -> ServerSchemaChange?
    ) throws(DatabaseError) {
        try locked { () throws(DatabaseError) in
            var errors: [DatabaseError] = []
            while true {
                do throws(DatabaseError) { return try changeUnderLock(change) } catch {
                    let isOfMoment = [.zoneBusy, .networkFailure, .networkUnavailable].contains(error.code)
                    errors.append(error)
                    // The first one tells what was done before.
                    if errors.count == Self.attempts || !isOfMoment { throw isOfMoment ? errors[0] : error }
                    PostgreSQLContainer.pause(20)
                }
            }
        }
    }

    private func changeUnderLock(
        _ change: (ContainerSchema) throws(DatabaseError) -> ServerSchemaChange?
    ) throws(DatabaseError) {
        let cut = try cutMigration()
        if cut == nil { try levelUnderLock() }
        let earlier = try control.schema()
        let changed = try change(earlier)
        if let cut, changed?.schema.migrations != cut.schema.migrations { throw cut.error }
        guard let changed else { return }
        try checkTexts()
        if let cut, cut.schema != changed.schema { throw cut.errorOfOtherSteps }
        guard let work = changed.work else { return try enlarge(to: changed.schema, from: earlier) }
        var committed = Set(cut?.made ?? [])
        do throws(DatabaseError) {
            try make(work, changed.schema, besides: &committed)
        } catch {
            if committed.isEmpty || changed.schema.migrations == earlier.migrations { throw error }
            let left = CutMigration(changed.schema, made: committed, of: nodes.map(\.number))
            throw DatabaseError(
                error.code, error.reason + ": " + left.words, hint: CutMigration.hint, retryAfter: error.retryAfter)
        }
    }

    /// Gives all nodes a schema that affects nothing that is stored.
    private func enlarge(to schema: ContainerSchema, from earlier: ContainerSchema) throws(DatabaseError) {
        do throws(DatabaseError) {
            for node in nodes.reversed() {
                try node.call { container throws(DatabaseError) in
                    try container.changeSchema { schema.change(since: $0) }
                }
            }
        } catch {
            // What cannot be taken back now is settled by whoever changes the schema next.
            try? putBack(to: earlier)
            throw error
        }
    }

    // MARK: Work on all nodes

    typealias Work = (any MigrationGround) throws(DatabaseError) -> Void

    /// Does work on all nodes but those that have done it.
    ///
    /// - Parameter committed: The nodes that have; gets those that do.
    func make(
        _ work: Work, _ schema: ContainerSchema, besides committed: inout Set<Int32>
    ) throws(DatabaseError) {
        var ground: NodeMigration?
        do throws(DatabaseError) {
            try open(nodes[...], [], schema, &committed) { opened throws(DatabaseError) in
                let made = NodeMigration(self, opened)
                ground = made
                try work(made)
            }
        } catch {
            // Of nodes that were changed, the links stay.
            if committed.isEmpty { for (origin, links) in ground?.noted ?? [] { forget(links, origin) } }
            throw error
        }
        for (origin, links) in ground?.left ?? [] { forget(links, origin) }
    }

    /// Opens transactions on one node after another, and commits them from the last one to the first.
    private func open(
        _ rest: ArraySlice<Node>, _ opened: [NodeMigration.Opened], _ schema: ContainerSchema,
        _ committed: inout Set<Int32>, _ body: ([NodeMigration.Opened]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        guard let node = rest.first else { return try body(opened) }
        let (number, isMade) = (node.number, committed.contains(node.number))
        var inner = committed
        defer { committed = inner }
        try node.call { container throws(DatabaseError) in
            do throws(CallError) {
                try container.migrating(to: schema, isMade: isMade) { migration throws(CallError) in
                    let all = opened + [NodeMigration.Opened(number: number, migration: migration, isMade: isMade)]
                    do throws(DatabaseError) { try open(rest.dropFirst(), all, schema, &inner, body) } catch {
                        throw .database(error)
                    }
                }
            } catch {
                throw error.databaseError
            }
        }
        inner.insert(number)
    }

    // MARK: Migrations that were cut off

    /// A migration that some nodes have and others have not.
    struct CutMigration {
        /// That of the nodes that have it.
        let schema: ContainerSchema
        let made: [Int32]
        let words: String

        static let hint = "migrate with it again: it goes on from there"

        init(_ schema: ContainerSchema, made: Set<Int32>, of numbers: [Int32]) {
            (self.schema, self.made) = (schema, made.sorted())
            let left = numbers.filter { !made.contains($0) }
            words =
                "migration '\(schema.migrations.last ?? "")' was made on \(Self.words(self.made)) and not yet on "
                + Self.words(left)
        }

        private static func words(_ numbers: [Int32]) -> String {
            "node\(numbers.count == 1 ? "" : "s") " + numbers.map(String.init).joined(separator: ", ")
        }

        var error: DatabaseError {
            DatabaseError(.zoneBusy, words, hint: Self.hint, retryAfter: .seconds(1))
        }

        var errorOfOtherSteps: DatabaseError {
            DatabaseError(.invalidArguments, words + ", with other steps", hint: "migrate with those")
        }
    }

    /// The migration that some nodes have and others have not.
    private func cutMigration() throws(DatabaseError) -> CutMigration? {
        cutMigration(among: try onAll { container throws(DatabaseError) in try container.current() })
    }

    /// - Parameter known: What the nodes have, by their numbers.
    func cutMigration(among known: [PostgreSQLContainer.KnownSchema]) -> CutMigration? {
        guard let newest = known.max(by: { $0.schema.migrations.count < $1.schema.migrations.count }) else {
            return nil
        }
        let made = zip(nodes, known).filter { $0.1.schema.migrations == newest.schema.migrations }.map(\.0.number)
        if made.count == nodes.count { return nil }
        return CutMigration(newest.schema, made: Set(made), of: nodes.map(\.number))
    }
}
