// Which schemas there may be.

import RecordModel

extension ContainerSchema {
    /// Checks names and types.
    /// Throws: `DatabaseError` of code `invalidArguments`.
    func check() throws(DatabaseError) {
        for (name, type) in recordTypes {
            try NameRules.check(type: name)
            for (key, field) in type.fields {
                try NameRules.check(key: key)
                guard field.type.isStorable else {
                    throw DatabaseError(
                        .invalidArguments, "field \(key) of \(name) cannot be \(field.type.schemaName)")
                }
                if !field.indexes.isSubset(of: .all(for: field.type)) {
                    throw DatabaseError(
                        .invalidArguments, "field \(key) of \(name) has an index that does not suit its type")
                }
            }
        }
    }

    /// Checks that all fields of an earlier schema are there and of their types.
    /// Throws: `DatabaseError` of code `invalidArguments`.
    func checkKeeps(_ earlier: ContainerSchema) throws(DatabaseError) {
        for (name, type) in earlier.recordTypes {
            for (key, field) in type.fields where recordTypes[name]?.fields[key]?.type != field.type {
                throw DatabaseError(
                    .invalidArguments, "field \(key) of \(name) must stay \(field.type.schemaName)")
            }
        }
    }
}

extension FieldType {
    /// Whether a field of a database can be of the type.
    fileprivate var isStorable: Bool {
        switch self {
        case .int64, .double, .string, .date, .data, .location, .reference, .asset: true
        case .list(let element?): if case .list = element { false } else { element.isStorable }
        default: false
        }
    }
}
