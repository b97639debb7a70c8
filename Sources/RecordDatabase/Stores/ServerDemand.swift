// What a schema demands of records that a server has already.

package import RecordModel

/// Another schema, and what is to be done to what is stored for it.
package struct ServerSchemaChange: Sendable {
    package let schema: ContainerSchema
    /// Checks and changes what is stored, once the tables of the schema are there; `nil` where nothing is affected. It
    /// may be called again; what it did counts with the schema, or not at all.
    package let work: (@Sendable (any MigrationGround) throws(DatabaseError) -> Void)?
}

/// All databases of a server, which nobody else writes meanwhile, on their way to another schema.
package protocol MigrationGround {
    /// The databases, in a fixed order.
    var origins: [DatabaseOrigin] { get }

    /// Reads a database as it is by now. Types have all of their fields, those before and those after.
    /// - Throws: `DatabaseError`.
    func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment
    /// Calls a body with all records of some types, in portions, as they were when this was called: type by type, each
    /// in order of insertion.
    ///
    /// - Throws: `DatabaseError`, also what the body throws.
    func forEachPortion(
        of types: [String], _ origin: DatabaseOrigin, _ body: ([ServerRow]) throws(DatabaseError) -> Void
    ) throws(DatabaseError)
    /// Stores a commit that rests on the database as it is by now.
    ///
    /// - Parameter rows: The saved records as they were; one whose type is another one leaves its table.
    /// - Throws: `DatabaseError`.
    func store(
        _ commit: ServerCommit, on rows: [ServerRow], _ origin: DatabaseOrigin
    ) throws(DatabaseError)
    /// Reads more of a database as it is by now, from any thread, until the work ends.
    /// - Throws: `DatabaseError`.
    func reading(_ origin: DatabaseOrigin) throws(DatabaseError) -> any ServerReading
    /// Notes which key values are encrypted with from now on, in place of another one.
    /// - Throws: `DatabaseError`.
    func noteEncryptionKey(_ name: String) throws(DatabaseError)
    /// Checks what is stored by now.
    /// - Throws: `DatabaseError` that names a record which does not satisfy a demand.
    func check(_ demands: [ServerDemand]) throws(DatabaseError)

    /// What commits are made on, one by one: nodes, each with its own part of the databases and its own order of
    /// changes. What a part reads is its own, but for records that are named: these may be anywhere.
    var parts: [any MigrationGround] { get }
    /// The subscriptions of a database as another part has them that came to the end before, where that was cut off;
    /// `nil` where none did.
    /// - Throws: `DatabaseError`.
    func carried(in origin: DatabaseOrigin) throws(DatabaseError) -> [StoredSubscription]?
}

extension MigrationGround {
    package var parts: [any MigrationGround] { [self] }
    package func carried(in _: DatabaseOrigin) throws(DatabaseError) -> [StoredSubscription]? { nil }
}

/// What must hold of all records of a type.
package struct ServerDemand: Hashable, Sendable {
    /// What is demanded of the fields.
    package enum Kind: Hashable, Sendable {
        /// Every record has values of them.
        case present
        /// No two records of a database have the same values of all of them.
        case unique
        /// No record has a value of them: they go, or get another type. The words are what they are by now.
        case absent(String)
        /// There are no records.
        case noRecords
    }

    package let type: String
    package let keys: [String]
    package let kind: Kind
}

/// Checks a demand, record by record. Those that surely satisfy it need not come.
package struct DemandCheck {
    private let demand: ServerDemand
    private var known: UniqueValues
    private var database: Int32?

    package init(_ demand: ServerDemand) {
        self.demand = demand
        known = UniqueValues(of: demand.keys, demand.type)
    }

    /// Checks a record; those of a database come one after another, in order of insertion.
    ///
    /// - Parameter database: Tells the record's database from others.
    /// - Throws: `DatabaseError` of code `constraintViolation`, naming a record; of code `invalidArguments` for what
    ///   must not be there.
    package mutating func add(_ row: ServerRow, of database: Int32) throws(DatabaseError) {
        if database != self.database {
            self.database = database
            known = UniqueValues(of: demand.keys, demand.type)
        }
        let values = demand.keys.map { row.fields[$0] ?? .null }
        switch demand.kind {
        case .unique: try known.add(values, row.id)
        case .present:
            for (key, value) in zip(demand.keys, values) where value.isNull {
                throw DatabaseError.missing(key, demand.type, row.id)
            }
        case .absent(let words):
            for (key, value) in zip(demand.keys, values) where !value.isNull {
                throw DatabaseError.held(key, demand.type, words)
            }
        case .noRecords:
            throw DatabaseError(
                .invalidArguments, "record \(row.id.recordName): there are records of type \(demand.type)")
        }
    }
}

extension DatabaseError {
    /// Records have values of a field that is to go, or to be of another type.
    ///
    /// - Parameter words: What the field is by now.
    static func held(_ key: String, _ type: String, _ words: String) -> DatabaseError {
        DatabaseError(
            .invalidArguments, "field \(key) of \(type) must stay \(words)",
            hint: "records have values of it: a SchemaMigration changes them")
    }
}

extension ContainerSchema {
    /// What the schema demands of records of types that an earlier one has, and that one did not.
    func demands(since earlier: ContainerSchema) -> [ServerDemand] {
        var (demands, gone): ([ServerDemand], [ServerDemand]) = ([], [])
        for (name, known) in earlier.recordTypes.sorted(by: { $0.key < $1.key }) {
            for (key, field) in fieldsGone(ofType: name, since: known) {
                gone.append(ServerDemand(type: name, keys: [key], kind: .absent(field.schemaName)))
            }
        }
        for (name, known) in earlier.recordTypes.sorted(by: { $0.key < $1.key }) {
            guard let new = recordTypes[name]?.demands(since: known) else {
                gone.append(ServerDemand(type: name, keys: [], kind: .noRecords))
                continue
            }
            demands += new.required.map { ServerDemand(type: name, keys: [$0], kind: .present) }
            demands += new.unique.map { ServerDemand(type: name, keys: $0, kind: .unique) }
        }
        return gone + demands
    }

    /// Whether an earlier schema has no type that is another one in this.
    func isOnlyLarger(than earlier: ContainerSchema) -> Bool {
        earlier.recordTypes.allSatisfy { recordTypes[$0.key] == $0.value }
    }

    /// The fields of a type that the schema does not have, or stores as something else, in the order of their names.
    ///
    /// - Parameter earlier: The type before.
    func fieldsGone(ofType name: String, since earlier: RecordType) -> [(key: String, value: Field)] {
        let known = recordTypes[name]?.fields ?? [:]
        return earlier.fields.sorted { $0.key < $1.key }.filter { known[$0.key]?.isStored(as: $0.value) != true }
    }
}
