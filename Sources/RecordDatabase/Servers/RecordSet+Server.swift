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
        if types.count == 1, let predicate, let name = types.first, let type = schema.recordTypes[name],
            let bound = try? QueryCheck(name, schema, caller).binder.bind(predicate, variables: variables)
        {
            var selection = ServerSelection(
                type: name, zoneID: nil, predicate: bound, followsReferences: bound.followsReferences, order: [],
                start: nil, limit: nil)
            selection.explains = explains
            need.selection = selection
            let moment = try remote.read(need)
            var source = Source(schema: moment.schema)
            source.pushed = moment.pushed
            self.init(
                try moment.snapshot().sealed(withoutType: ContainerSchema.userRecordType), recordType: name,
                source: source, declared: type)
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
}
