// Predicates as conditions of SQL.

import FoundationEssentials
import PredicateEditing
import RecordDatabase
import TextAnalysis

/// Writes the condition of a WHERE clause.
///
/// A condition is true in SQL exactly where the predicate holds; where it does not hold it is false or NULL, so that
/// AND and OR need no care, and NOT becomes `IS NOT TRUE`. Each field is a column of its name: numbers, truth values
/// and texts as such, dates as `timestamptz` or in SQLite as text in RFC 3339 with capital T and Z, compared by whole
/// milliseconds, lists as arrays or in SQLite as JSON, places as `geography` of PostGIS. Texts are compared code point
/// by code point, which is what predicates do where texts are in Unicode's normal form C, as constants are here, and
/// constants do not cut characters. PostgreSQL compares whole numbers with fractional columns as fractions, so that
/// whole numbers beyond 2^53 are rounded there. `ST_Distance` of PostGIS differs from the distance of predicates by up
/// to 19 nm.
struct SQLTranslator {
    let database: SQLDatabase
    /// Whether constants become parameters, and not literals.
    let usesParameters: Bool
    /// The values of the parameters, in order.
    private(set) var parameters: [FieldValue] = []
    /// Whether the comparison that is written looks at code points: its texts are in no normal form.
    var comparesCodePoints = false

    init(_ database: SQLDatabase, usesParameters: Bool = false) {
        self.database = database
        self.usesParameters = usesParameters
    }

    /// How tightly a text holds together.
    enum Level: Int, Comparable {
        case or, and, comparison, atom
        static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }
    }

    /// A condition.
    struct Condition {
        var text: String
        var level: Level

        init(_ text: String, _ level: Level = .comparison) {
            self.text = text
            self.level = level
        }

        init(_ truth: Bool) { self.init(truth ? "TRUE" : "FALSE", .atom) }

        /// As a term of something that holds more tightly.
        func within(_ outer: Level) -> String { level < outer ? "(\(text))" : text }

        /// The opposite: NULL counts as false.
        var negated: Condition { Condition("(\(text)) IS NOT TRUE") }
    }

    /// The condition of a node.
    /// - Throws: `TranslationRejection` at the first part that SQL has no counterpart for.
    mutating func condition(_ node: BoundNode) throws(TranslationRejection) -> Condition {
        switch node {
        case .constant(let truth): return Condition(truth)
        case .not(let term): return try condition(term).negated
        case .and(let terms): return try group(terms, " AND ", .and)
        case .or(let terms): return try group(terms, " OR ", .or)
        case .comparison(let comparison): return try condition(comparison)
        }
    }

    private mutating func group(
        _ terms: [BoundNode], _ connective: String, _ level: Level
    ) throws(TranslationRejection) -> Condition {
        var texts: [String] = []
        for term in terms { texts.append(try condition(term).within(level == .or ? .or : .comparison)) }
        return Condition(texts.joined(separator: connective), level)
    }

    // MARK: Constants

    /// A constant as a literal or a parameter.
    /// - Throws: `TranslationRejection` for a value that the database cannot hold.
    mutating func constant(_ value: FieldValue, _ span: SourceSpan) throws(TranslationRejection) -> String {
        var value = value
        if case .string(let text) = value { value = .string(composed(text)) }
        let literal = try literal(value, span)
        guard usesParameters, !value.isNull else { return literal }
        parameters.append(value)
        let place = (database == .sqlite ? "?" : "$") + String(parameters.count)
        guard case .date = value else { return place }
        return database == .sqlite ? "julianday(\(place))" : "\(place)::timestamptz"
    }

    /// A text of a comparison as columns have it: in normal form C, except where code points are compared.
    func composed(_ text: String) -> String { comparesCodePoints ? text : TextFolding.fold(text, []) }

    private func literal(_ value: FieldValue, _ span: SourceSpan) throws(TranslationRejection) -> String {
        switch value {
        case .null: return "NULL"
        case .bool(let flag): return flag ? "TRUE" : "FALSE"
        case .int64(let number): return number < 0 ? "(\(number))" : String(number)
        case .double(let number):
            guard number.isFinite else { throw rejection(span, "a number that is not finite") }
            return number < 0 ? "(\(number))" : "\(number)"
        case .string(let text):
            // No literal holds it, and what takes texts as parameters ends them there.
            if text.contains(scalar: "\0") { throw rejection(span, "a text with a NUL") }
            return database.quoted(text: text)
        case .date(let date):
            guard let text = RFC3339.format(date.timeIntervalSinceReferenceDate) else {
                throw rejection(span, "this date")
            }
            // Three digits behind the seconds are what `julianday` reads.
            if database == .sqlite, text.utf8.count > 24 { throw rejection(span, "fractions of a millisecond") }
            return database == .sqlite ? "julianday('\(text)')" : "TIMESTAMPTZ '\(text)'"
        case .data: throw rejection(span, "binary data")
        case .location: throw rejection(span, "a place as a value")
        case .reference: throw rejection(span, "a reference as a value")
        case .asset: throw rejection(span, "an asset as a value")
        case .list, .set: throw rejection(span, "a list as a value")
        case .object: throw rejection(span, "an object as a value")
        }
    }

    /// The column of a field.
    /// - Throws: `TranslationRejection` for a name that the database cannot have.
    func column(_ field: FieldReference, _ span: SourceSpan) throws(TranslationRejection) -> String {
        if let what = database.invalidity(ofName: field.name) { throw rejection(span, what) }
        return database.quoted(name: field.name)
    }

    /// The rejection of a part.
    func rejection(_ span: SourceSpan, _ what: String, hint: String? = nil) -> TranslationRejection {
        TranslationRejection(span, "\(database.name) has no counterpart for \(what)", hint: hint)
    }
}
