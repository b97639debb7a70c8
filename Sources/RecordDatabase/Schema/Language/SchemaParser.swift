// CloudKit's schema language read: roles, record types, fields, grants.

public import PredicateSyntax
import RecordModel

extension ContainerSchema {
    /// Reads a schema in CloudKit's schema language, as `cktool export-schema` writes it (`.ckdb` files).
    ///
    /// Fields that the database writes (`"___createTime"`, `"___recordID"` and so on) say what the metadata is indexed
    /// for; those that are not named have no index. Comments are not kept.
    ///
    /// - Throws: `SyntaxError` with its place and what was expected there: for a text of another form, for types and
    ///   words that are unknown, for an index that does not suit a type, and for names that no field can have.
    /// - Complexity: O(length).
    public init(text: String) throws(SyntaxError) {
        var parser = SchemaParser(try SchemaLexer.tokens(of: text))
        self = try parser.schema()
    }
}

/// Reads the tokens of a schema text.
struct SchemaParser {
    private let tokens: [SchemaToken]
    var position = 0

    /// - Parameter tokens: The last is the end of the text.
    init(_ tokens: [SchemaToken]) { self.tokens = tokens }

    var token: SchemaToken { token(after: 0) }

    /// The token that follows after a number of others.
    private func token(after count: Int) -> SchemaToken { tokens[min(position + count, tokens.count - 1)] }

    /// Reads all of the text.
    /// - Throws: `SyntaxError`.
    mutating func schema() throws(SyntaxError) -> ContainerSchema {
        try take(keywords: ["DEFINE", "SCHEMA"])
        var schema = ContainerSchema(recordTypes: [:], roles: [])
        schema.recordTypes = [:]
        while token.kind != .end {
            if token.isPlain("CREATE") {
                try take(keywords: ["CREATE", "ROLE"])
                let role = try name("the name of a role")
                guard schema.roles.insert(role.text).inserted else {
                    throw SyntaxError(.semantic, span: role.span, message: "the role was created before")
                }
            } else if token.isPlain("RECORD") {
                try take(keywords: ["RECORD", "TYPE"])
                let name = try name("the name of a record type")
                try check(name) { () throws(DatabaseError) in try NameRules.check(type: name.text) }
                guard schema.recordTypes[name.text] == nil else {
                    throw SyntaxError(.semantic, span: name.span, message: "the record type was defined before")
                }
                schema.recordTypes[name.text] = try recordType()
            } else {
                throw unexpected(["CREATE ROLE", "RECORD TYPE"], keywords: ["CREATE", "RECORD"])
            }
            try take(sign: ";")
        }
        for type in schema.recordTypes.values { schema.roles.formUnion(type.grants.keys.filter { !$0.hasPrefix("_") }) }
        return ContainerSchema(recordTypes: schema.recordTypes, roles: schema.roles)
    }

    // MARK: Record types

    private mutating func recordType() throws(SyntaxError) -> ContainerSchema.RecordType {
        var type = ContainerSchema.RecordType(metadataIndexes: [:], grants: [:])
        try take(sign: "(")
        if take(ifSign: ")") { return type }
        var lists: [(keys: [String], span: SourceSpan)] = []
        while true {
            if token.isPlain("GRANT") {
                try grant(to: &type)
            } else if token.isPlain("UNIQUE"), token(after: 1).isPlain("(") {
                lists.append(try uniqueTogether())
            } else {
                try field(of: &type)
            }
            if take(ifSign: ",") {
                if token.isPlain(")") {
                    throw SyntaxError(
                        .syntax, span: token.span, message: "expected a field, UNIQUE or GRANT",
                        expected: ["UNIQUE", "GRANT"],
                        hint: "the last part of a record type has no comma behind it")
                }
                continue
            }
            if take(ifSign: ")") { return try Self.adding(lists, to: type) }
            let words =
                Self.options.map(\.word) + Self.constraints.map { $0.words.joined(separator: " ") } + Self.analyzerWords
            throw unexpected([",", ")"] + words, keywords: words)
        }
    }

    private mutating func field(of type: inout ContainerSchema.RecordType) throws(SyntaxError) {
        let name = try name("a field or GRANT")
        let start = token.span
        var (fieldType, traits) = try dataType()
        let typeSpan = SourceSpan(start.range.lowerBound, tokens[position - 1].span.range.upperBound)
        let system = ContainerSchema.systemFields.first { $0.word == name.text }
        let indexes = try self.indexes(of: fieldType, traits, isSystem: system != nil)
        traits.formUnion(try constraints(on: fieldType, traits))
        let analyzer = try analyzer(of: fieldType, isPlain: traits.isDisjoint(with: .encrypted) && system == nil)
        if name.kind == .quoted || name.text.hasPrefix("_"), name.text.hasPrefix("_") {
            guard let system else {
                throw SyntaxError(
                    .semantic, span: name.span, message: "the database has no field of this name",
                    expected: ContainerSchema.systemFields.map { "\"\($0.word)\"" },
                    hint: EditDistance.closest(to: name.text, in: ContainerSchema.systemFields.map(\.word)).map {
                        "did you mean \"\($0)\"?"
                    } ?? "names that begin with an underscore are the database's own")
            }
            guard fieldType == system.type, traits.isEmpty else {
                throw SyntaxError(
                    .semantic, span: typeSpan, message: "the field is \(system.type.schemaName)",
                    expected: [system.type.schemaName])
            }
            guard type.metadataIndexes.updateValue(indexes, forKey: system.key) == nil else {
                throw SyntaxError(.semantic, span: name.span, message: "the field was defined before")
            }
            return
        }
        try check(name) { () throws(DatabaseError) in try NameRules.check(key: name.text) }
        guard type.fields[name.text] == nil else {
            throw SyntaxError(.semantic, span: name.span, message: "the field was defined before")
        }
        type.define(
            name.text, ContainerSchema.Field(fieldType, indexes: indexes, traits: traits, analyzer: analyzer))
    }

    /// The words behind a type that say what is indexed.
    private mutating func indexes(
        of type: FieldType, _ traits: ContainerSchema.Traits, isSystem: Bool
    ) throws(SyntaxError) -> IndexMarks {
        let suitable = traits.contains(.encrypted) ? [] : IndexMarks.all(for: type)
        var indexes: IndexMarks = []
        while let option = Self.options.first(where: { token.isPlain($0.word) }) {
            if !isSystem, !suitable.contains(option.index) {
                throw unsuitable(
                    option.word, type, traits, Self.options.filter { suitable.contains($0.index) }.map(\.word))
            }
            guard !indexes.contains(option.index) else { throw twice(option.word) }
            indexes.insert(option.index)
            position += 1
        }
        return indexes
    }

    /// The words behind those that say what is demanded of values.
    private mutating func constraints(
        on type: FieldType, _ traits: ContainerSchema.Traits
    ) throws(SyntaxError) -> ContainerSchema.Traits {
        var constraints: ContainerSchema.Traits = []
        while let word = Self.constraints.first(where: { token.isPlain($0.words[0]) }) {
            if word.trait == .unique, !type.canBeUnique || traits.contains(.encrypted) {
                throw unsuitable("UNIQUE", type, traits, ["NOT NULL"])
            }
            let name = word.words.joined(separator: " ")
            guard !constraints.contains(word.trait) else { throw twice(name) }
            try take(keywords: word.words)
            constraints.insert(word.trait)
        }
        return constraints
    }

    private func unsuitable(
        _ word: String, _ type: FieldType, _ traits: ContainerSchema.Traits, _ expected: [String]
    ) -> SyntaxError {
        let prefix = traits.contains(.encrypted) ? "ENCRYPTED " : ""
        return SyntaxError(
            .semantic, span: token.span, message: "\(prefix)\(type.schemaName) cannot be \(word)", expected: expected)
    }

    func twice(_ word: String) -> SyntaxError {
        SyntaxError(.semantic, span: token.span, message: "\(word) appears twice")
    }

    private mutating func grant(to type: inout ContainerSchema.RecordType) throws(SyntaxError) {
        try take(keywords: ["GRANT"])
        let known = ContainerSchema.Permission.allCases
        var permissions: Set<ContainerSchema.Permission> = []
        repeat {
            let words = known.map { $0.rawValue.uppercased() }
            guard token.kind == .word, let place = words.firstIndex(of: token.text) else {
                throw unexpected(words, keywords: words)
            }
            permissions.insert(known[place])
            position += 1
        } while take(ifSign: ",")
        try take(keywords: ["TO"])
        let role = try name("the name of a role")
        type.grants[role.text, default: []].formUnion(permissions)
    }

    // MARK: Types

    private static let options: [(word: String, index: IndexMarks)] = [
        ("QUERYABLE", .queryable), ("SEARCHABLE", .searchable), ("SORTABLE", .sortable),
    ]
    private static let constraints: [(words: [String], trait: ContainerSchema.Traits)] = [
        (["UNIQUE"], .unique), (["NOT", "NULL"], .required),
    ]
    private static let primitives: [FieldType] = [
        .asset, .data, .double, .int64, .location, .object, .reference, .string, .date,
    ]
    private static let encryptable: Set<FieldType> = [.data, .string, .double, .int64, .location, .date]

    private mutating func dataType() throws(SyntaxError) -> (FieldType, ContainerSchema.Traits) {
        if token.isPlain("ENCRYPTED") {
            position += 1
            return token.isPlain("LIST") ? try list(isEncrypted: true) : try encrypted()
        }
        if token.isPlain("LIST") { return try list() }
        return try primitive(and: ["ENCRYPTED", "LIST"])
    }

    /// - Parameter isEncrypted: Whether ENCRYPTED precedes the list, which says the same of its elements.
    private mutating func list(
        isEncrypted: Bool = false
    ) throws(SyntaxError) -> (FieldType, ContainerSchema.Traits) {
        try take(keywords: ["LIST"])
        try take(sign: "<")
        let element: (type: FieldType, traits: ContainerSchema.Traits)
        if token.isPlain("ENCRYPTED") {
            position += 1
            element = try encrypted()
        } else {
            element = isEncrypted ? try encrypted() : try primitive(and: ["ENCRYPTED"])
        }
        try take(sign: ">")
        return (.list(element.type), element.traits)
    }

    private mutating func encrypted() throws(SyntaxError) -> (FieldType, ContainerSchema.Traits) {
        let span = token.span
        let (type, traits) = try primitive(and: [])
        guard Self.encryptable.contains(type), traits.isEmpty else {
            throw SyntaxError(
                .semantic, span: span, message: "values of this type cannot be ENCRYPTED",
                expected: Self.primitives.filter(Self.encryptable.contains).map(\.schemaName))
        }
        return (type, .encrypted)
    }

    private mutating func primitive(and others: [String]) throws(SyntaxError) -> (FieldType, ContainerSchema.Traits) {
        if token.isPlain("NUMBER") {
            let span = token.span
            position += 1
            guard token.isPlain("PREFERRED") else {
                throw SyntaxError(
                    .semantic, span: span, message: "a NUMBER without a preferred type cannot be stored",
                    expected: ["INT64", "DOUBLE"], hint: "NUMBER PREFERRED AS INT64, or NUMBER PREFERRED AS DOUBLE")
            }
            try take(keywords: ["PREFERRED", "AS"])
            guard let type = [FieldType.int64, .double].first(where: { token.isPlain($0.schemaName) }) else {
                throw unexpected(["INT64", "DOUBLE"], keywords: ["INT64", "DOUBLE"])
            }
            position += 1
            return (type, .number)
        }
        guard let type = Self.primitives.first(where: { token.isPlain($0.schemaName) }) else {
            let words = Self.primitives.map(\.schemaName) + ["NUMBER"] + others
            throw unexpected(words.sorted(), keywords: words, Self.otherWords[token.text.uppercased()])
        }
        position += 1
        return (type, [])
    }

    /// What other languages call types.
    private static let otherWords = [
        "BOOL": "truth values are INT64", "BOOLEAN": "truth values are INT64", "INT": "whole numbers are INT64",
        "INTEGER": "whole numbers are INT64", "FLOAT": "fractional numbers are DOUBLE", "TEXT": "texts are STRING",
        "DATE": "dates are TIMESTAMP", "DATETIME": "dates are TIMESTAMP", "DATA": "bytes are BYTES",
        "BLOB": "bytes are BYTES",
    ]

    // MARK: Tokens

    mutating func take(keywords: [String]) throws(SyntaxError) {
        for keyword in keywords {
            guard token.isPlain(keyword) else {
                throw unexpected([keywords.joined(separator: " ")], keywords: [keyword])
            }
            position += 1
        }
    }

    mutating func take(sign: String) throws(SyntaxError) {
        if !take(ifSign: sign) { throw unexpected([sign], keywords: []) }
    }

    mutating func take(ifSign sign: String) -> Bool {
        guard token.kind == .sign, token.text == sign else { return false }
        position += 1
        return true
    }

    mutating func name(_ what: String) throws(SyntaxError) -> SchemaToken {
        let name = token
        guard name.kind == .word || name.kind == .quoted else {
            throw SyntaxError(.syntax, span: name.span, message: "expected \(what)")
        }
        if name.kind == .word, let first = name.text.utf8.first, (0x30...0x39).contains(first) {
            throw SyntaxError(.syntax, span: name.span, message: "a name begins with a letter")
        }
        position += 1
        return name
    }

    private func check(_ name: SchemaToken, _ rule: () throws(DatabaseError) -> Void) throws(SyntaxError) {
        do throws(DatabaseError) { try rule() } catch {
            throw SyntaxError(.semantic, span: name.span, message: error.reason, hint: error.hint)
        }
    }

    /// The error of a token that cannot appear at its place.
    func unexpected(_ expected: [String], keywords: [String], _ known: String? = nil) -> SyntaxError {
        var hint = known
        if hint == nil, token.kind == .word, let meant = EditDistance.closest(to: token.text, in: keywords) {
            hint =
                meant == token.text.uppercased() && meant != token.text
                ? "keywords are in upper case: \(meant)" : "did you mean \(meant)?"
        }
        let list = expected.count > 1 ? expected.dropLast().joined(separator: ", ") + " or " : ""
        return SyntaxError(
            .syntax, span: token.span, message: "expected \(list)\(expected.last ?? "")", expected: expected, hint: hint
        )
    }
}
