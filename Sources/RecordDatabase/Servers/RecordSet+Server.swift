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
    /// - Throws: `DatabaseError`, of code `badDatabase` for a database in this process.
    package init(
        on database: Database, type: String?, matching predicate: RecordPredicate? = nil,
        variables: [String: FieldValue] = [:], explains: Bool = false
    ) throws(DatabaseError) {
        let (caller, storing) = try database.begin(.query, itemCount: 1)
        guard let remote = storing as? RemoteDatabase else {
            throw DatabaseError(.badDatabase, "the database is not on a server")
        }
        let schema = try remote.read(ServerNeed()).schema
        let all = schema.recordTypes.keys.filter { $0 != ContainerSchema.userRecordType }
        let types = type.map { [$0] } ?? Array(all)
        var need = ServerNeed()
        if let found = Self.selection(types, predicate, variables, schema, caller) {
            need.selection = found.selection
            need.selection?.explains = explains
            try self.init(of: try remote.read(need), found.selection.type, found.type)
            return
        }
        // References lead to records of any type.
        need.wholeTypes = Set(all)
        let moment = try remote.read(need)
        let declared = types.count == 1 ? types.first.flatMap { moment.schema.recordTypes[$0] } : nil
        self.init(
            try moment.snapshot().sealed(withoutType: ContainerSchema.userRecordType),
            recordType: declared == nil ? type : types.first,
            source: Source(schema: moment.schema), declared: declared)
    }

    /// The rows of a selection.
    private init(
        of moment: ServerMoment, _ name: String, _ type: ContainerSchema.RecordType
    ) throws(DatabaseError) {
        var source = Source(schema: moment.schema)
        source.pushed = moment.pushed
        self.init(
            try moment.snapshot().sealed(withoutType: ContainerSchema.userRecordType), recordType: name,
            source: source, declared: type)
    }

    /// What a predicate may find among the records of one type; `nil` where it is about several or does not suit it.
    private static func selection(
        _ types: [String], _ predicate: RecordPredicate?, _ variables: [String: FieldValue],
        _ schema: ContainerSchema, _ caller: Caller
    ) -> (selection: ServerSelection, type: ContainerSchema.RecordType)? {
        guard types.count == 1, let predicate, let name = types.first, let type = schema.recordTypes[name],
            let bound = try? QueryCheck(name, schema, caller).binder.bind(predicate, variables: variables)
        else { return nil }
        let selection = ServerSelection(
            type: name, zoneID: nil, predicate: bound, followsReferences: bound.followsReferences, order: [],
            start: nil, limit: nil)
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
        let (caller, storing) = try database.begin(.query, itemCount: 1)
        guard let remote = storing as? RemoteDatabase else { return nil }
        let schema = try remote.read(ServerNeed()).schema
        let types = schema.recordTypes.keys.filter { type == nil || $0 == type }
            .filter { $0 != ContainerSchema.userRecordType }
        guard let found = selection(Array(types), predicate, variables, schema, caller) else { return nil }
        var need = ServerNeed()
        need.selection = found.selection
        need.selection?.counts = true
        let moment = try remote.read(need)
        let set = try RecordSet(of: moment, found.selection.type, found.type)
        let rest = try? set.count(matching: predicate, variables: variables)
        return rest.map { $0 + moment.countedRows }
    }
}
