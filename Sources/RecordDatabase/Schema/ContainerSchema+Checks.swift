// Which schemas there may be.

import PredicateSyntax
import RecordModel

extension ContainerSchema {
    /// Checks names and types.
    /// - Throws: `DatabaseError` of code `invalidArguments`.
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
                if field.traits.contains(.encrypted), !field.indexes.isEmpty {
                    throw DatabaseError(
                        .invalidArguments, "field \(key) of \(name) is ENCRYPTED and cannot have an index")
                }
                if let fault = field.analyzerFault {
                    throw DatabaseError(
                        .invalidArguments, "field \(key) of \(name) \(fault.reason)", hint: fault.hint)
                }
                if field.traits.contains(.required), name == Self.userRecordType {
                    throw DatabaseError(
                        .invalidArguments, "field \(key) of \(name) cannot be NOT NULL",
                        hint: "the records of users are made without values")
                }
                if field.traits.contains(.unique), !field.type.canBeUnique || field.traits.contains(.encrypted) {
                    throw DatabaseError(
                        .invalidArguments, "field \(key) of \(name) cannot be UNIQUE",
                        hint: "texts, numbers, dates and references can")
                }
            }
            if let fault = type.uniquenessFault {
                throw DatabaseError(.invalidArguments, "type \(name): \(fault.reason)", hint: fault.hint)
            }
        }
    }
}

extension ContainerSchema.RecordType {
    /// What is wrong with a list of `uniqueTogether`.
    fileprivate var uniquenessFault: (reason: String, hint: String?)? {
        var seen: Set<Set<String>> = []
        for keys in uniqueTogether {
            if let fault = fault(of: keys) { return fault }
            if !seen.insert(Set(keys)).inserted {
                return ("\(ContainerSchema.words(uniqueTogether: keys)) appears twice", nil)
            }
        }
        return nil
    }

    /// What is wrong with fields that are to be unique together.
    func fault(of keys: [String]) -> (reason: String, hint: String?)? {
        let words = ContainerSchema.words(uniqueTogether: keys)
        guard keys.count > 1, Set(keys).count == keys.count else {
            return ("\(words) needs two different fields or more", "for one field give it the trait unique")
        }
        for key in keys {
            guard let field = fields[key] else {
                let closest = EditDistance.closest(to: key, in: fields.keys.sorted())
                return ("there is no field \(key) for \(words)", closest.map { "did you mean \($0)?" })
            }
            if !field.type.canBeUnique || field.traits.contains(.encrypted) {
                return ("field \(key) cannot be in \(words)", "texts, numbers, dates and references can")
            }
        }
        return nil
    }
}

extension ContainerSchema {
    /// Adds the types and fields that records of files have, as far as a database can hold them and names are allowed.
    /// What is known already stays as it is.
    ///
    /// - Parameter names: Names that stand for parts of records and are no fields.
    /// - Returns: Whether something was added.
    package mutating func define(_ schemas: [RecordSchema], except names: Set<String>) -> Bool {
        let before = self
        for schema in schemas where (try? NameRules.check(type: schema.recordType)) != nil {
            var type = recordTypes[schema.recordType] ?? RecordType()
            for field in schema.fields where type.fields[field.name] == nil && !names.contains(field.name) {
                guard let stored = field.type.stored, (try? NameRules.check(key: field.name)) != nil else { continue }
                type.define(field.name, Field(stored))
            }
            recordTypes[schema.recordType] = type
        }
        return self != before
    }
}

extension ContainerSchema {
    /// The types that are others than in an earlier schema, or only in one of both.
    func typesChanged(since earlier: ContainerSchema) -> Set<String> {
        if recordTypes == earlier.recordTypes { return [] }
        let names = Set(recordTypes.keys).union(earlier.recordTypes.keys)
        return names.filter { recordTypes[$0] != earlier.recordTypes[$0] }
    }
}

extension FieldType {
    /// The type as which a database stores values of this one, which files have; `nil` when it cannot.
    var stored: FieldType? {
        switch self {
        case .bool: .int64
        case .number: .double
        case .list(.bool): .list(.int64)
        case .list(.number): .list(.double)
        default: isStorable ? self : nil
        }
    }

    /// Whether a field of a database can be of the type.
    fileprivate var isStorable: Bool {
        switch self {
        case .int64, .double, .string, .date, .data, .location, .reference, .asset, .object: true
        case .list(let element?): if case .list = element { false } else { element.isStorable }
        default: false
        }
    }
}
