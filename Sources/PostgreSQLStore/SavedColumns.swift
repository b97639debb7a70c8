// The columns of records that are saved: marks, words, and a column for each field.

import RecordDatabase
import RecordModel
package import RecordPushdown

/// What a statement that saves records of one type has besides what every record has.
struct SavedColumns {
    /// The names of the columns, in quotes.
    let names: [String]
    /// The types of the parameters, each an array with one element a record.
    let types: [String]
    /// The values as the statement selects them from `v0`, `v1`, …
    let expressions: [String]
    private(set) var parameters: [Parameter]

    /// The columns of the fields of some rows.
    init(_ rows: [ServerRow], _ layout: ColumnLayout) {
        let projections = rows.map { RowProjection($0.fields, layout) }
        let marks = projections.map { Parameter.int16($0.marks.rawValue) }
        let odd = projections.map { $0.marks.isDisjoint(with: .odd) ? Parameter.null(.bool) : .bool(true) }
        let words = projections.map { Parameter.text($0.words) }
        var names = ["_x", "_odd", "_w"]
        var types = ["int2[]", "bool[]", "text[]"]
        var expressions = ["v0", "v1", "v2::tsvector"]
        var parameters: [Parameter] = [.array(.int16s, marks), .array(.bools, odd), .array(.texts, words)]
        for (field, name) in layout.columnNames {
            let (element, isList) = (field.kind.parameter, field.isList)
            // An array of arrays has one length for all: lists travel as texts.
            let kind = isList ? Parameter.Kind.text : element
            names.append(Statement.name(name))
            expressions.append("v\(types.count)" + (isList ? "::\(element.typeName)[]" : ""))
            types.append(kind.typeName + "[]")
            let values = projections.map { $0.values[name]?.parameter(isListText: isList) ?? .null(kind) }
            parameters.append(.array(kind.list, values))
        }
        (self.names, self.types, self.expressions, self.parameters) = (names, types, expressions, parameters)
    }

    /// The statement that writes the columns of rows of one database again.
    static func replacement(
        of rows: [ServerRow], _ layout: ColumnLayout, table: String, in database: Int32
    ) -> Statement {
        let saved = SavedColumns(rows, layout)
        let types = saved.types.enumerated().map { "$\($0.offset + 4)::\($0.element)" }.joined(separator: ", ")
        let aliases = saved.types.indices.map { "v\($0)" }.joined(separator: ", ")
        let values = saved.expressions.enumerated().map { "\($0.element) AS d\($0.offset)" }
        let changes = saved.names.enumerated().map { "\($0.element) = s.d\($0.offset)" }
        return Statement(
            """
            UPDATE \(table) r SET \(changes.joined(separator: ", "))
            FROM (SELECT q.number AS z, w.n AS n, \(values.joined(separator: ", "))
              FROM unnest($2::text[], $3::text[], \(types)) w(o, n, \(aliases))
              JOIN zone q ON q.database = $1 AND q.name = w.o) s
            WHERE r._z = s.z AND r._n = s.n
            """,
            [.int32(database), .texts(rows.map(\.id.zoneID.zoneName)), .texts(rows.map(\.id.recordName))]
                + saved.parameters)
    }
}

extension FieldColumn.Kind {
    /// The type of the server for one value.
    var parameter: Parameter.Kind {
        switch self {
        case .int64: .int64
        case .double, .date, .location: .double
        case .string, .reference: .text
        }
    }
}

extension Parameter.Kind {
    fileprivate var typeName: String {
        switch self {
        case .int64: "int8"
        case .double: "float8"
        default: "text"
        }
    }

    /// The array of the type.
    fileprivate var list: Parameter.Kind {
        switch self {
        case .int64: .int64s
        case .double: .doubles
        default: .texts
        }
    }
}

extension SQLValue {
    /// The value as a parameter.
    package var parameter: Parameter {
        switch self {
        case .int64(let number): .int64(number)
        case .double(let number): .double(number)
        case .text(let text): .text(text)
        case .int64s(let numbers): .int64s(numbers)
        case .doubles(let numbers): .array(.doubles, numbers.map { .double($0) })
        case .texts(let texts): .texts(texts)
        }
    }

    /// The value as a parameter, a list as the text that the server reads arrays from.
    fileprivate func parameter(isListText: Bool) -> Parameter {
        guard isListText else { return parameter }
        switch self {
        case .int64s(let numbers): return .text("{" + numbers.map(String.init).joined(separator: ",") + "}")
        case .doubles(let numbers): return .text("{" + numbers.map { "\($0)" }.joined(separator: ",") + "}")
        case .texts(let texts): return .text("{" + texts.map(Self.element).joined(separator: ",") + "}")
        default: return parameter
        }
    }

    /// A text as an element of an array's text: in quotes, scalar by scalar.
    private static func element(_ text: String) -> String {
        var scalars = String.UnicodeScalarView(["\""])
        for scalar in text.unicodeScalars {
            if scalar == "\\" || scalar == "\"" { scalars.append("\\") }
            scalars.append(scalar)
        }
        scalars.append("\"")
        return String(scalars)
    }
}
