// Which indexes are built for the fields of a schema.

import QueryPlanning
import RecordModel

extension ContainerSchema {
    /// Which indexes queries on records of the fields of some types may use and build: those that the schema names.
    static func indexDeclaration(of types: some Collection<[String: Field]>) -> IndexDeclaration {
        guard types.contains(where: { $0.values.contains { $0.marks != .automatic } }) else { return .automatic }
        var marks: [String: IndexMarks] = [:]
        for fields in types {
            for (name, field) in fields { marks[name, default: []].formUnion(field.marks) }
        }
        return IndexDeclaration(marks, others: .automatic)
    }
}

extension ContainerSchema.Field {
    /// What the engine may build: with every index that suits its type, whatever it can. Ranges are found in order, so
    /// that SORTABLE fields have what comparisons need.
    fileprivate var marks: IndexMarks {
        if indexes.isSuperset(of: .all(for: type)) { return indexes.union(.automatic) }
        return indexes.contains(.sortable) ? indexes.union(.queryable) : indexes
    }
}
