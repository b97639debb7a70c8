// The columns of a record type: one for each field, and those that are derived from them.

package import RecordModel
import TextAnalysis

/// The column of a field, with those beside it.
package struct FieldColumn: Hashable, Sendable {
    /// What the values are, or the elements of lists.
    package enum Kind: Hashable, Sendable {
        case int64, double, date, string, location, reference
    }

    package let kind: Kind
    package let isList: Bool
    /// The name of the column: that of the field, a `~`, which no field's name has, and the letter of the kind.
    /// Those derived from it have more behind it.
    package let name: String
    /// Whether texts have a folded form beside them.
    let isFolded: Bool

    /// The column of a field; `nil` for a type that has none.
    package init?(_ field: String, _ type: FieldType) {
        var (type, isList) = (type, false)
        if case .list(let element) = type {
            guard let element, element != .location else { return nil }
            (type, isList) = (element, true)
        }
        switch type {
        case .int64: kind = .int64
        case .double: kind = .double
        case .date: kind = .date
        case .string: kind = .string
        case .location: kind = .location
        case .reference: kind = .reference
        default: return nil
        }
        self.isList = isList
        name = Self.name(of: field, kind, isList: isList)
        isFolded = kind == .string
    }

    /// A column that every row has.
    init(system name: String, _ kind: Kind) {
        (self.name, self.kind, isList, isFolded) = (name, kind, false, false)
    }

    /// The name of a field's column. Names of columns are cut after 63 bytes. The kind is a part of it: where one
    /// process knows a field as a number and another one, whose schema counts, as a text, each has its column.
    private static func name(of field: String, _ kind: Kind, isList: Bool) -> String {
        let hash = field.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        let base = field.utf8.count <= 50 ? field : "~" + String(hash, radix: 16)
        let letter =
            switch kind {
            case .int64: "i"
            case .double: "d"
            case .date: "t"
            case .string: "s"
            case .location: "p"
            case .reference: "r"
            }
        return base + "~" + (isList ? letter.uppercased() : letter)
    }

    /// The column that is NULL where the field has no value.
    package var presence: String { kind == .location ? name + "~lat" : name }

    /// The columns with their types.
    package var columns: [(name: String, type: String)] {
        let suffix = isList ? "[]" : ""
        switch kind {
        case .int64: return [(name, "bigint" + suffix)]
        case .double, .date: return [(name, "float8" + suffix)]
        case .reference: return [(name, "text\(suffix) COLLATE \"C\"")]
        case .string: return [name, name + "~cd"].map { ($0, "text\(suffix) COLLATE \"C\"") }
        case .location: return ["~lat", "~lon", "~x", "~y", "~z"].map { (name + $0, "float8") }
        }
    }

    /// Texts in their folded form.
    private var folded: String { "COALESCE(\(SQLText.quoted(name + "~cd")), \(SQLText.quoted(name)))" }

    /// What an index of trigrams is of, for marks of a schema: it finds parts of folded texts. `nil` for fields whose
    /// texts are not looked into.
    package func looksInto(_ marks: IndexMarks) -> String? {
        kind == .string && !isList && marks.contains(.searchable) ? folded : nil
    }

    /// What indexes are of, for marks of a schema: a name for each, and what follows the name of the table.
    package func indexes(_ marks: IndexMarks) -> [(name: String, definition: String)] {
        let column = SQLText.quoted(name)
        let folded = folded
        var indexes: [(String, String)] = []
        switch (kind, isList) {
        case (.string, false):
            if marks.contains(.queryable) { indexes.append(("q", "(_z, left(\(folded), \(SQLHead.length)))")) }
            if marks.contains(.sortable) {
                indexes.append(("s", "(_z, left(\(column), \(SQLHead.length)) NULLS FIRST, _n)"))
            }
        case (.string, true) where marks.contains(.queryable): indexes.append(("q", " USING gin (heads(\(folded)))"))
        case (.location, _) where !marks.isDisjoint(with: [.queryable, .sortable]):
            let (x, y) = (SQLText.quoted(name + "~x"), SQLText.quoted(name + "~y"))
            indexes.append(("q", " USING gist (point(\(x), \(y))) WHERE \(x) IS NOT NULL"))
        case (.reference, false) where marks.contains(.queryable): indexes.append(("q", "(_z, \(column))"))
        case (_, true) where marks.contains(.queryable): indexes.append(("q", " USING gin (\(column))"))
        case (.int64, false), (.double, false), (.date, false):
            if !marks.isDisjoint(with: [.queryable, .sortable]) {
                indexes.append(("q", "(_z, \(column) NULLS FIRST, _n)"))
            }
        default: break
        }
        return indexes
    }
}

/// The beginnings of texts, by which they are indexed: keys of an index cannot be long.
enum SQLHead {
    /// Scalars of a head.
    static let length = 256

    /// The head of a text.
    static func of(_ text: String) -> String { String(text.unicodeScalars.prefix(length)) }
}

/// The columns of a record type.
package struct ColumnLayout: Sendable {
    /// By field. Fields of other types have no column.
    package let fields: [String: FieldColumn]
    /// The names of all fields.
    let names: Set<String>
    /// The name of the table.
    package let table: String
    /// All columns of a table that others made; `nil` for one of a container.
    let others: [String: TableColumn]?

    init(fields: [String: FieldColumn], names: Set<String>, table: String, others: [String: TableColumn]?) {
        (self.fields, self.names, self.table, self.others) = (fields, names, table, others)
    }

    /// - Parameters:
    ///   - fields: The types of the type's fields.
    ///   - table: The name of the table, without quotes.
    package init(_ fields: [String: FieldType], table: String) {
        var columns: [String: FieldColumn] = [:]
        for (field, type) in fields where !Self.properties.contains(field) { columns[field] = FieldColumn(field, type) }
        self.init(fields: columns, names: Set(fields.keys), table: table, others: nil)
    }

    /// Properties of records that fields may have the names of: where such a field has no value, the property is read.
    private static let properties: Set<String> = ["recordName", "recordType", "id", "type"]

    /// What every record has, as columns that every row has.
    static let system: [String: FieldColumn] = [
        "creationDate": FieldColumn(system: "_t0", .date), "modificationDate": FieldColumn(system: "_t1", .date),
        "creatorUserRecordID": FieldColumn(system: "_u0", .reference),
        "lastModifiedUserRecordID": FieldColumn(system: "_u1", .reference),
        "parent": FieldColumn(system: "_p", .reference),
    ]

    /// What every record has and no column tells.
    static let untold: Set<String> = ["recordID", "recordType", "recordName", "recordChangeTag", "share"]

    /// Columns with their types that every row has besides those of its fields: marks, and the words of its texts.
    package static let derived: [(name: String, type: String)] = [
        ("_x", "smallint NOT NULL DEFAULT 0"), ("_odd", "bool"), ("_w", "tsvector"),
    ]
}
