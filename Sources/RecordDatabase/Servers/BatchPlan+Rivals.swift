// Which stored records have values that those of a batch are to have alone.

import PredicateSemantics
import RecordModel
import RecordStore

extension BatchPlan {
    /// The rows of a server, beside those of a moment, with the values that records of the batch have of fields that
    /// are `UNIQUE`, alone or together; more rows may be among them.
    ///
    /// - Throws: `DatabaseError`.
    func rivals(on moment: ServerMoment, _ reading: any ServerReading) throws(DatabaseError) -> [ServerRow] {
        let known = Dictionary(moment.rows.map { ($0.id, $0) }) { $1 }
        var found: [Record.ID: ServerRow] = [:]
        let types = Dictionary(grouping: saves, by: \.record.type).sorted { $0.key < $1.key }
        for (name, items) in types {
            guard let type = moment.schema.recordTypes[name] else { continue }
            for keys in type.uniqueKeys {
                guard let need = Self.need(items, known, keys, name, type) else { continue }
                for row in try reading.read(need).rows where known[row.id] == nil { found[row.id] = row }
            }
        }
        return found.values.sorted {
            ($0.id.recordName, $0.id.zoneID.zoneName) < ($1.id.recordName, $1.id.zoneID.zoneName)
        }
    }

    /// What finds the records with values of some fields that items have; `nil` where these have none.
    private static func need(
        _ items: [SaveItem], _ known: [Record.ID: ServerRow], _ keys: [String], _ name: String,
        _ type: ContainerSchema.RecordType
    ) -> ServerNeed? {
        var arguments: [FieldValue] = []
        for key in keys {
            // A value that is missing is like no other.
            let values = items.compactMap { $0.values[key] ?? known[$0.id]?.fields[key] }.filter { !$0.isNull }
            if values.isEmpty { return nil }
            arguments += [.string(key), .list(values)]
        }
        var need = ServerNeed()
        (need.isOfRivals, need.zoneStates) = (true, .named([]))
        let format = keys.map { _ in "%K IN %@" }.joined(separator: " AND ")
        let fields = type.fields.sorted { $0.key < $1.key }.map { FieldDefinition(name: $0.key, type: $0.value.type) }
        let binder = Binder(schema: RecordSchema(recordType: name, fields: fields))
        guard let predicate = try? RecordPredicate(format: format, arguments: arguments),
            let bound = try? binder.bind(predicate)
        else {
            // Values of the wrong type, which the batch fails for.
            need.wholeTypes = [name]
            return need
        }
        need.selection = ServerSelection(
            type: name, zoneID: nil, predicate: bound, followsReferences: false, order: [], start: nil, limit: nil)
        return need
    }
}
