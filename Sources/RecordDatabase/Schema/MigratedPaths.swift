// Fields of other records, which paths of predicates lead to, by the names that a migration gives them.

import PredicateSemantics
import RecordColumns
import RecordModel
import RecordStore

/// The names of fields behind references, before and after a migration.
struct MigratedPaths {
    let steps: [any MigrationStep]
    /// The schema before the steps.
    let earlier: ContainerSchema
    /// The records before the steps, those of each database.
    let snapshots: [Snapshot]

    /// A path that leads to records of several types whose fields get different names.
    struct Ambiguity: Error {
        let path: [String]
        let types: [String]
    }

    /// Whether a field gets another name at all.
    var isNeeded: Bool { steps.contains { $0 is RenamedField } }

    /// A predicate with the new names of fields behind references. The type's own fields keep their names.
    ///
    /// - Parameter type: The type of the records, by the name before the steps.
    func renamed(_ predicate: RecordPredicate, on type: String) throws(Ambiguity) -> RecordPredicate {
        var ambiguity: Ambiguity?
        var isOther = false
        let renamed = predicate.renamingPaths { keys in
            do throws(Ambiguity) {
                let names = try self.names(keys, on: type)
                isOther = isOther || names != keys
                return names
            } catch {
                ambiguity = ambiguity ?? error
                return keys
            }
        }
        if let ambiguity { throw ambiguity }
        return isOther ? renamed : predicate
    }

    /// The keys of a path with new names behind the first.
    ///
    /// References do not say what type they lead to: the records that they lead to do. Where there are none, a name
    /// that one type alone has is that type's.
    private func names(_ path: [String], on type: String) throws(Ambiguity) -> [String] {
        var names = path
        var types: Set<String> = [type]
        for position in path.indices.dropFirst() {
            let (before, key) = (path[position - 1], path[position])
            let leadsOn = types.contains { earlier.recordTypes[$0]?.fields[before]?.type.holdsReferences == true }
            guard leadsOn else { break }
            let targets = self.targets(of: before, in: types)
            let known = targets.isEmpty ? Set(earlier.recordTypes.keys) : targets
            let having = known.filter { earlier.recordTypes[$0]?.fields[key] != nil }
            // Nothing tells whose field of several types it is.
            if having.isEmpty || targets.isEmpty && having.count > 1 { break }
            let new = Set(having.map { newName(of: key, in: $0) })
            guard new.count == 1, let name = new.first else { throw Ambiguity(path: path, types: having.sorted()) }
            names[position] = name
            types = having
        }
        return names
    }

    /// The types of the records that the references in a field of some types lead to.
    /// - Complexity: O(records) of these types.
    private func targets(of field: String, in types: Set<String>) -> Set<String> {
        var found: Set<String> = []
        for snapshot in snapshots {
            var seen: Set<Record.ID> = []
            for stored in snapshot.segments where types.contains(stored.segment.recordType) {
                guard let position = stored.segment.schema.position(of: field) else { continue }
                let column = stored.segment.columns[position]
                for row in 0..<stored.segment.count where stored.isLive(row) {
                    column.value(row).forEachReference { reference in
                        guard seen.insert(reference.recordID).inserted else { return }
                        if let target = snapshot.find(reference.recordID) { found.insert(target.segment.recordType) }
                    }
                }
            }
        }
        return found
    }

    /// The name of a field after the steps.
    private func newName(of field: String, in type: String) -> String {
        var (type, field) = (type, field)
        for step in steps where step.type == type {
            if let step = step as? RenamedField, step.field == field { field = step.name }
            if let step = step as? RenamedType { type = step.name }
        }
        return field
    }
}
