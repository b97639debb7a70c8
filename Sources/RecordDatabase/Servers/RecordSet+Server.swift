// The records of a database on a server as a set.

package import PredicateSemantics
package import RecordModel
import RecordStore

extension RecordSet {
    /// The records of a database on a server as they are now, those of users left out.
    ///
    /// What the database wrote about a record (dates, users, change tag) are fields like others.
    ///
    /// - Parameters:
    ///   - type: Only records of this type are queried; `nil` for all.
    ///   - predicate: What will be requested of the set: records that cannot satisfy it may be missing from it.
    ///   - variables: The values of the predicate's variables.
    ///   - explains: Whether explanations of queries on the set tell what the server did.
    ///   - first: The first so many in an order that will be requested of the set: records behind them may be missing,
    ///     but for those that are level with the last. `nil` for all.
    /// - Throws: `DatabaseError`, of code `badDatabase` for a database in this process.
    package init(
        on database: Database, type: String?, matching predicate: RecordPredicate? = nil,
        variables: [String: FieldValue] = [:], explains: Bool = false, first: (order: [SortKey], count: Int)? = nil
    ) throws(DatabaseError) {
        let (caller, storing) = try database.begin(.query, itemCount: 1)
        guard let remote = storing as? RemoteDatabase else {
            throw DatabaseError(.badDatabase, "the database is not on a server")
        }
        let schema = try remote.read(ServerNeed()).schema
        let all = schema.recordTypes.keys.filter { $0 != ContainerSchema.userRecordType }
        let types = type.map { [$0] } ?? Array(all)
        var need = ServerNeed()
        if let found = Self.selection(types, predicate, variables, schema, caller, first) {
            need.selection = found.selection
            need.selection?.explains = explains
            try self.init(of: try remote.read(need), found.selection.type, found.type)
            return
        }
        // References lead to records of any type.
        need.wholeTypes = Set(all)
        let moment = try remote.read(need)
        let declared = types.count == 1 ? types.first.flatMap { moment.schema.recordTypes[$0] } : nil
        var source = Source(schema: moment.schema)
        source.serverIndexes = ServerIndexes(types.compactMap { moment.schema.recordTypes[$0] })
        self.init(
            try moment.snapshot().sealed(withoutTypes: [ContainerSchema.userRecordType]),
            recordType: declared == nil ? type : types.first, source: source, declared: declared)
    }

    /// The rows of a selection.
    private init(
        of moment: ServerMoment, _ name: String, _ type: ContainerSchema.RecordType
    ) throws(DatabaseError) {
        var source = Source(schema: moment.schema)
        source.pushed = moment.pushed
        source.serverIndexes = ServerIndexes([type])
        self.init(
            try moment.snapshot().sealed(withoutTypes: [ContainerSchema.userRecordType]), recordType: name,
            source: source, declared: type)
    }

    /// What a predicate may find among the records of one type; `nil` where it is about several or does not suit it.
    private static func selection(
        _ types: [String], _ predicate: RecordPredicate?, _ variables: [String: FieldValue],
        _ schema: ContainerSchema, _ caller: Caller, _ first: (order: [SortKey], count: Int)? = nil
    ) -> (selection: ServerSelection, type: ContainerSchema.RecordType)? {
        guard types.count == 1, let predicate, let name = types.first, let type = schema.recordTypes[name],
            let bound = try? QueryCheck(name, schema, caller, in: .private).binder.bind(predicate, variables: variables)
        else { return nil }
        // The names of records tell any two apart.
        let order = first.map { $0.order + [SortKey(.recordName)] } ?? []
        var selection = ServerSelection(
            type: name, zoneID: nil, predicate: bound, followsReferences: bound.followsReferences, order: order,
            start: nil, limit: first?.count)
        selection.tiedKeys = first?.order.count
        return (selection, type)
    }

    /// How many records of a database on a server match; they are counted there, but for those on which the server
    /// cannot decide.
    ///
    /// - Parameters: As of `init(on:type:matching:variables:explains:)`.
    /// - Returns: `nil` for a predicate that is about several types, or does not suit its type or some record.
    /// - Throws: `DatabaseError`.
    package static func count(
        on database: Database, type: String?, matching predicate: RecordPredicate, variables: [String: FieldValue]
    ) throws(DatabaseError) -> Int? {
        let found = try moment(of: database, type, predicate, variables) { $0.counts = true }
        guard let found else { return nil }
        let set = try RecordSet(of: found.moment, found.name, found.type)
        let rest = try? set.count(matching: predicate, variables: variables)
        return rest.map { $0 + found.moment.countedRows }
    }

    /// The records of a database on a server that match, counted there by the values of a field.
    ///
    /// - Parameters: As of `init(on:type:matching:variables:explains:)`.
    /// - Returns: The groups in the order of the values; `nil` where the records have to tell: where the server cannot
    ///   decide on each of them, for fields of lists, places and references, and where no record matches.
    /// - Throws: `DatabaseError`.
    package static func groups(
        on database: Database, type: String?, matching predicate: RecordPredicate, variables: [String: FieldValue],
        by field: String
    ) throws(DatabaseError) -> [RecordGroup]? {
        let found = try moment(of: database, type, predicate, variables) { $0.groupField = field }
        guard let groups = found?.moment.groups, !groups.isEmpty else { return nil }
        return RecordGroup.groups(of: groups)
    }

    /// What a server gives for a predicate about the records of one type; `nil` where it is about several.
    private static func moment(
        of database: Database, _ type: String?, _ predicate: RecordPredicate, _ variables: [String: FieldValue],
        _ change: (inout ServerSelection) -> Void
    ) throws(DatabaseError) -> (moment: ServerMoment, name: String, type: ContainerSchema.RecordType)? {
        let (caller, storing) = try database.begin(.query, itemCount: 1)
        guard let remote = storing as? RemoteDatabase else { return nil }
        let schema = try remote.read(ServerNeed()).schema
        let types = schema.recordTypes.keys.filter { type == nil || $0 == type }
            .filter { $0 != ContainerSchema.userRecordType }
        guard var found = selection(Array(types), predicate, variables, schema, caller) else { return nil }
        change(&found.selection)
        var need = ServerNeed()
        need.selection = found.selection
        return (try remote.read(need), found.selection.type, found.type)
    }
}
