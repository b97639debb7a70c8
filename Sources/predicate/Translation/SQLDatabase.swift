// How the databases write things: names, constants, equality.

import FoundationEssentials
import PredicateEditing
import PredicateSyntax
import RecordDatabase

/// A database whose SQL is written.
enum SQLDatabase: String, CaseIterable {
    case sqlite, postgresql

    /// Its name in messages.
    var name: String { self == .sqlite ? "SQLite" : "PostgreSQL" }

    /// The name of a column or a table; `invalidity(ofName:)` tells which names there are none of.
    func quoted(name: String) -> String { "\"" + name.escaping { $0 == "\"" ? "\"\"" : nil } + "\"" }

    /// A text constant, of a text without NUL.
    func quoted(text: String) -> String { "'" + text.escaping { $0 == "'" ? "''" : nil } + "'" }

    /// What keeps a text from being the name of a column or a table; `nil` for a name.
    func invalidity(ofName name: String) -> String? {
        if name.contains(scalar: "\0") { return "a name with a NUL" }
        guard self == .postgresql else { return nil }
        if name.isEmpty { return "an empty name" }
        // It would be cut, and may then be the name of another column.
        return name.utf8.count > 63 ? "a name of more than 63 bytes" : nil
    }

    /// Equality that knows nil: nil equals nil and nothing else.
    func equal(_ lhs: String, _ rhs: String) -> String {
        self == .sqlite ? "\(lhs) IS \(rhs)" : "\(lhs) IS NOT DISTINCT FROM \(rhs)"
    }

    /// Its opposite.
    func different(_ lhs: String, _ rhs: String) -> String {
        self == .sqlite ? "\(lhs) IS NOT \(rhs)" : "\(lhs) IS DISTINCT FROM \(rhs)"
    }

    /// A text as an operand of `<`: ordered by code points.
    func ordered(text: String) -> String { self == .sqlite ? text : "\(text) COLLATE \"C\"" }

    /// The elements of a list column as rows of one column `value` named `e`.
    func elements(of list: String) -> String {
        self == .sqlite ? "json_each(\(list)) AS e" : "unnest(\(list)) AS e(value)"
    }

    /// How many elements a list column has.
    func count(of list: String) -> String {
        self == .sqlite ? "json_array_length(\(list))" : "cardinality(\(list))"
    }

    /// The year, month or day of a date, in UTC.
    func part(_ part: FunctionName, of date: String) -> String {
        let name = part == .year ? "year" : part == .month ? "month" : "day"
        if self == .postgresql { return "EXTRACT(\(name.uppercased()) FROM \(date) AT TIME ZONE 'UTC')" }
        let text = date.hasPrefix("julianday(") ? String(date.dropFirst(10).dropLast()) : date
        return "CAST(strftime('%\(part == .year ? "Y" : part == .month ? "m" : "d")', \(text)) AS INTEGER)"
    }

    /// Whether a text contains another.
    func contains(_ text: String, _ part: String) -> String {
        self == .sqlite ? "instr(\(text), \(part)) > 0" : "strpos(\(text), \(part)) > 0"
    }

    /// Whether a text begins with another of so many code points.
    func begins(_ text: String, _ prefix: String, _ count: Int) -> String {
        self == .sqlite ? "substr(\(text), 1, \(count)) = \(prefix)" : "starts_with(\(text), \(prefix))"
    }

    /// Whether a text ends with another of so many code points.
    func ends(_ text: String, _ suffix: String, _ count: Int) -> String {
        self == .sqlite ? "substr(\(text), -\(count)) = \(suffix)" : "right(\(text), \(count)) = \(suffix)"
    }

    /// The pattern of LIKE in the language of predicates as a pattern of the database; a backslash makes the next
    /// character ordinary, one at the end stands for itself.
    func pattern(_ pattern: String) -> String {
        var result = ""
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped || !"\\*?".unicodeScalars.contains(scalar) {
                result += literal(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if self == .sqlite {
                result.unicodeScalars.append(scalar)
            } else {
                result += scalar == "*" ? "%" : "_"
            }
        }
        return isEscaped ? result + literal("\\") : result
    }

    /// A character of a pattern that stands for itself.
    private func literal(_ scalar: Unicode.Scalar) -> String {
        switch self {
        case .sqlite: "*?[".unicodeScalars.contains(scalar) ? "[\(scalar)]" : String(scalar)
        case .postgresql: "%_\\".unicodeScalars.contains(scalar) ? "\\\(scalar)" : String(scalar)
        }
    }

    /// Whether a text matches a pattern made by `pattern(_:)`.
    func matches(_ text: String, _ pattern: String) -> String {
        self == .sqlite ? "\(text) GLOB \(pattern)" : "\(text) LIKE \(pattern)"
    }

    /// A column of dates, or a constant of that kind: SQLite keeps them as text in RFC 3339.
    func date(_ text: String) -> String { self == .sqlite ? "julianday(\(text))" : text }
}
