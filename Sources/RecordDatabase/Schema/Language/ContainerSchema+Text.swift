// CloudKit's schema language written.

import RecordModel

extension ContainerSchema {
    /// The fields that the database writes: as the language calls them, as predicates call them, and of what type.
    static let systemFields: [(word: String, key: String, type: FieldType)] = [
        ("___createTime", "creationDate", .date), ("___createdBy", "creatorUserRecordID", .reference),
        ("___etag", "recordChangeTag", .string), ("___modTime", "modificationDate", .date),
        ("___modifiedBy", "lastModifiedUserRecordID", .reference), ("___recordID", "recordID", .reference),
    ]

    /// The schema in CloudKit's schema language, as `cktool export-schema` has it: roles, types and fields in order of
    /// name. Reading it with `init(text:)` gives an equal schema, but for the names of migrations. `OBJECT`, `UNIQUE`,
    /// `UNIQUE (a, b)`, `NOT NULL` and the words of analyzers (`LANGUAGE`, `STOP WORDS`, `SYNONYMS`) are this
    /// database's own.
    public var text: String {
        var lines = ["DEFINE SCHEMA"]
        if !roles.isEmpty { lines.append("") }
        for role in roles.sorted() { lines.append("    CREATE ROLE \(Self.name(role));") }
        for (name, type) in recordTypes.sorted(by: { $0.key < $1.key }) {
            lines += ["", "    RECORD TYPE \(Self.name(name)) ("]
            lines.append(Self.parts(of: type).map { "        \($0)" }.joined(separator: ",\n"))
            lines.append("    );")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func parts(of type: RecordType) -> [String] {
        let system = systemFields.compactMap { field in
            type.metadataIndexes[field.key].map { (name: "\"\(field.word)\"", type: field.type, indexes: $0) }
        }
        let fields = type.fields.sorted { $0.key < $1.key }.map { (name: name($0.key), field: $0.value) }
        let width = (system.map(\.name) + fields.map(\.name)).reduce(0) { max($0, $1.utf8.count) }
        func padded(_ name: String) -> String { name + String(repeating: " ", count: width - name.utf8.count) }
        var parts = system.map { "\(padded($0.name)) \($0.type.schemaName)\(words($0.indexes))" }
        parts += fields.map { name, field in
            "\(padded(name)) \(word(of: field))\(words(field.indexes))\(words(field.traits))\(words(field.analyzer))"
        }
        parts += type.uniqueTogether.map(words(uniqueTogether:))
        for (role, permissions) in type.grants.sorted(by: { $0.key < $1.key }) where !permissions.isEmpty {
            let words = Permission.allCases.filter(permissions.contains).map { $0.rawValue.uppercased() }
            parts.append("GRANT \(words.joined(separator: ", ")) TO \(quoted(role))")
        }
        return parts
    }

    private static func word(of field: Field) -> String {
        func marked(_ type: FieldType) -> String {
            if case .list(let element?) = type { return "LIST<\(marked(element))>" }
            let word = field.traits.contains(.number) ? "NUMBER PREFERRED AS \(type.schemaName)" : type.schemaName
            return field.traits.contains(.encrypted) ? "ENCRYPTED \(word)" : word
        }
        return marked(field.type)
    }

    private static func words(_ indexes: IndexMarks) -> String {
        (indexes.contains(.queryable) ? " QUERYABLE" : "") + (indexes.contains(.searchable) ? " SEARCHABLE" : "")
            + (indexes.contains(.sortable) ? " SORTABLE" : "")
    }

    private static func words(_ traits: Traits) -> String {
        (traits.contains(.unique) ? " UNIQUE" : "") + (traits.contains(.required) ? " NOT NULL" : "")
    }

    /// Fields that are unique together, as the language has them.
    static func words(uniqueTogether keys: [String]) -> String {
        "UNIQUE (\(keys.map(name).joined(separator: ", ")))"
    }

    /// A name, in quotes where it could be taken for something else.
    private static func name(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "_")
        }
        let startsPlain = name.utf8.first.map { (0x61...0x7A).contains($0 | 0x20) } ?? false
        return isPlain && startsPlain && !keywords.contains(name.uppercased()) ? name : quoted(name)
    }

    /// A name in quotes, its own doubled: byte by byte, as a mark behind a quote would make another character of it.
    private static func quoted(_ name: String) -> String {
        let quote = UInt8(ascii: "\"")
        let bytes = name.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return "\"" + String(decoding: bytes, as: UTF8.self) + "\""
    }

    private static let keywords: Set<String> = [
        "DEFINE", "SCHEMA", "CREATE", "ROLE", "RECORD", "TYPE", "GRANT", "READ", "WRITE", "TO", "QUERYABLE", "SORTABLE",
        "SEARCHABLE", "ENCRYPTED", "LIST", "NUMBER", "PREFERRED", "AS", "ASSET", "BYTES", "DOUBLE", "INT64", "LOCATION",
        "OBJECT", "REFERENCE", "STRING", "TIMESTAMP", "UNIQUE", "NOT", "NULL",
    ]
}

extension ContainerSchema: CustomStringConvertible {
    /// As `text`.
    public var description: String { text }
}
