// What a schema demands of records that a server has already.

package import RecordModel

/// Another schema, and what it demands of stored records that the one before did not.
package struct ServerSchemaChange: Sendable {
    package let schema: ContainerSchema
    package let demands: [ServerDemand]
}

/// Fields of a type that every record must have, or that no two records of a database may have the same values of.
package struct ServerDemand: Hashable, Sendable {
    package let type: String
    /// One field that is `NOT NULL`, or those that are unique together.
    package let keys: [String]
    package let isUnique: Bool
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
    /// - Throws: `DatabaseError` of code `constraintViolation`, naming a record.
    package mutating func add(_ row: ServerRow, of database: Int32) throws(DatabaseError) {
        if database != self.database {
            self.database = database
            known = UniqueValues(of: demand.keys, demand.type)
        }
        let values = demand.keys.map { row.fields[$0] ?? .null }
        if demand.isUnique { return try known.add(values, row.id) }
        for (key, value) in zip(demand.keys, values) where value.isNull {
            throw DatabaseError.missing(key, demand.type, row.id)
        }
    }
}

extension ContainerSchema {
    /// What the schema demands of records of types that an earlier one has, and that one did not.
    func demands(since earlier: ContainerSchema) -> [ServerDemand] {
        var demands: [ServerDemand] = []
        for (name, known) in earlier.recordTypes.sorted(by: { $0.key < $1.key }) {
            guard let new = recordTypes[name]?.demands(since: known) else { continue }
            demands += new.required.map { ServerDemand(type: name, keys: [$0], isUnique: false) }
            demands += new.unique.map { ServerDemand(type: name, keys: $0, isUnique: true) }
        }
        return demands
    }
}
