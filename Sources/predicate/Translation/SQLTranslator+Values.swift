// Operands as expressions of SQL.

import PredicateSyntax
import RecordDatabase

extension SQLTranslator {
    /// An operand in SQL.
    struct Value {
        /// The expression; empty for a constant, which is written where its place is known.
        var text: String
        var type: OperandType
        /// The type of a plain column, where it is known.
        var column: FieldType?
        var constant: FieldValue?
        var span: SourceSpan

        init(_ text: String, _ type: OperandType, _ span: SourceSpan, column: FieldType? = nil) {
            self.text = text
            self.type = type
            self.span = span
            self.column = column
        }

        init(constant: FieldValue, _ span: SourceSpan) {
            self.init("", OperandType(of: constant), span)
            self.constant = constant
        }
    }

    /// The SQL of an operand.
    mutating func value(_ operand: Operand) throws(TranslationRejection) -> Value {
        let span = operand.span
        switch operand.kind {
        case .constant(let value): return Value(constant: value, span)
        case .field(let field): return Value(try column(field, span), operand.type, span, column: field.type)
        case .unary(.minus, let inner): return Value("(-\(try number(inner)))", .number, span)
        case .unary(let operation, _): throw rejection(span, operation.rawValue)
        case .binary(let operation, let lhs, let rhs): return try binary(operation, lhs, rhs, span)
        case .moved(let operation, let base, let length): return try moved(operation, try value(base), length, span)
        case .function(let name, let arguments): return try call(name, arguments, span)
        case .ternary(let condition, let then, let otherwise):
            let test = try self.condition(condition).text
            let (first, second) = (try value(then), try value(otherwise))
            let texts = (try written(first), try written(second))
            return Value("CASE WHEN \(test) THEN \(texts.0) ELSE \(texts.1) END", operand.type, span)
        case .path(let base, let steps):
            guard case .field(let field) = base.kind, steps.count == 1 else { throw path(span) }
            switch steps[0].kind {
            case .collection(.count, let argument) where argument.isEmpty:
                return Value(database.count(of: try column(field, span)), .number, span)
            case .size: return Value(database.count(of: try column(field, span)), .number, span)
            default: throw path(span)
            }
        case .selfObject: throw rejection(span, "SELF")
        case .allTokens:
            throw rejection(span, "words of all fields", hint: "full-text search is a matter of its own there")
        case .variable(let name):
            throw TranslationRejection(
                span, "the variable $\(name) has no value", hint: "give it: --variable \(name)=VALUE")
        case .element: throw rejection(span, "a variable of SUBQUERY")
        case .subquery: throw rejection(span, "SUBQUERY")
        case .list: throw rejection(span, "a list that is not constant")
        case .cast: throw rejection(span, "CAST")
        }
    }

    private func path(_ span: SourceSpan) -> TranslationRejection {
        rejection(span, "a path", hint: "a column is one field; records behind references need a join")
    }

    /// An operand that is written as it is: a column, an expression, a constant.
    mutating func written(_ value: Value) throws(TranslationRejection) -> String {
        guard let constant = value.constant else { return value.text }
        return try self.constant(constant, value.span)
    }

    /// An operand of arithmetic.
    private mutating func number(_ operand: Operand) throws(TranslationRejection) -> String {
        let value = try value(operand)
        guard value.type.fits(.number) else { throw rejection(value.span, "arithmetic on \(value.type.phrase)") }
        if let constant = value.constant {
            switch constant {
            // Fractions are exact decimals in PostgreSQL, and binary ones in predicates.
            case .double(let number) where database == .postgresql && !usesParameters:
                return "CAST(\(number) AS double precision)"
            case .bool(let flag): return flag ? "1" : "0"
            default: return try self.constant(constant, value.span)
            }
        }
        return value.column == .bool && database == .postgresql ? "\(value.text)::int" : value.text
    }

    private mutating func binary(
        _ operation: BinaryOperator, _ lhs: Operand, _ rhs: Operand, _ span: SourceSpan
    ) throws(TranslationRejection) -> Value {
        switch operation {
        case .add, .subtract, .multiply, .divide, .bitAnd, .bitOr:
            let (left, right) = (try number(lhs), try number(rhs))
            // A fraction divided by 0 is infinite, a whole number an error; here it is NULL or an error.
            if operation == .divide, rhs.constant?.number?.asDouble ?? 0 == 0 {
                throw rejection(
                    span, "division by what may be 0", hint: "divide by a constant that is not 0")
            }
            return Value("(\(left) \(operation.rawValue) \(right))", .number, span)
        case .bitXor where database == .postgresql:
            let left = try number(lhs)
            return Value("(\(left) # \(try number(rhs)))", .number, span)
        case .power where database == .postgresql:
            let left = try number(lhs)
            return Value("power(\(left)::float8, \(try number(rhs))::float8)", .number, span)
        default: throw rejection(span, operation.rawValue)
        }
    }

    private mutating func call(
        _ name: FunctionName, _ arguments: [Operand], _ span: SourceSpan
    ) throws(TranslationRejection) -> Value {
        switch (name, arguments.count) {
        case (.abs, 1): return Value("abs(\(try number(arguments[0])))", .number, span)
        case (.now, 0): return Value(database == .sqlite ? "julianday('now')" : "now()", .date, span)
        case (.sqrt, 1) where database == .postgresql:
            return Value("sqrt(\(try number(arguments[0]))::float8)", .number, span)
        case (.floor, 1) where database == .postgresql:
            return Value("floor(\(try number(arguments[0])))", .number, span)
        case (.ceiling, 1) where database == .postgresql:
            return Value("ceil(\(try number(arguments[0])))", .number, span)
        case (.year, 1), (.month, 1), (.day, 1):
            if CivilZone.isElsewhere { throw .partsElsewhere(span) }
            let date = try value(arguments[0])
            return Value(database.part(name, of: try written(date)), .number, span)
        case (.noindex, 1): return try value(arguments[0])
        case (.distanceToLocation, 2) where database == .postgresql:
            let from = try place(arguments[0])
            return Value("ST_Distance(\(from), \(try place(arguments[1])))", .number, span)
        case (.distanceToLocation, _):
            throw rejection(span, "distances", hint: "PostgreSQL has one, with PostGIS: --database postgresql")
        case (.inBox, 5) where database == .postgresql: return try box(arguments, span)
        case (.inBox, _):
            throw rejection(span, "boxes", hint: "PostgreSQL has them, with PostGIS: --database postgresql")
        case (.inPolygon, _):
            throw rejection(
                span, "polygons on the graticule", hint: "inBox has one in PostgreSQL; ST_Covers of PostGIS rounds")
        default: throw rejection(span, "the function \(name.rawValue)")
        }
    }

    /// A date moved by a length of time.
    private mutating func moved(
        _ operation: BinaryOperator, _ base: Value, _ length: TimeSpan, _ span: SourceSpan
    ) throws(TranslationRejection) -> Value {
        guard Int64(exactly: length.seconds) != nil else {
            throw rejection(span, "a length of \(length.secondsText) seconds")
        }
        let seconds = "\(operation == .subtract ? "-" : "+")\(length.secondsText) seconds"
        guard database == .sqlite else {
            return Value("(\(try written(base)) + INTERVAL '\(seconds)')", .date, span)
        }
        let text = try written(base)
        let date = text.hasPrefix("julianday(") ? String(text.dropFirst(10).dropLast()) : text
        return Value("julianday(\(date), '\(seconds)')", .date, span)
    }

    /// Whether a place is between two parallels and two meridians: the degrees of a `geography` are the numbers that it
    /// was made of.
    private mutating func box(_ arguments: [Operand], _ span: SourceSpan) throws(TranslationRejection) -> Value {
        let place = try value(arguments[0])
        let sides = arguments.dropFirst().compactMap { $0.constant?.number?.asDouble }
        guard place.constant == nil, sides.count == 4 else {
            throw rejection(span, "a box that is not of one field and four numbers")
        }
        let (south, west, north, east) = (sides[0], sides[1], sides[2], sides[3])
        func degrees(_ index: Int) throws(TranslationRejection) -> String {
            try constant(.double(sides[index]), arguments[index + 1].span)
        }
        let (latitude, longitude) = ("ST_Y(\(place.text)::geometry)", "ST_X(\(place.text)::geometry)")
        let parallels = "\(latitude) BETWEEN \(try degrees(0)) AND \(try degrees(2))"
        var meridians =
            west <= east
            ? "\(longitude) BETWEEN \(try degrees(1)) AND \(try degrees(3))"
            : "\(longitude) >= \(try degrees(1)) OR \(longitude) <= \(try degrees(3))"
        // 180 degrees east are 180 degrees west, and a pole is on every meridian.
        if west <= east, (west == -180) != (east == 180) { meridians += " OR abs(\(longitude)) = 180" }
        if south == -90 || north == 90 { meridians += " OR abs(\(latitude)) = 90" }
        if meridians.contains(" OR ") { meridians = "(\(meridians))" }
        return Value("(\(parallels) AND \(meridians))", .number, span, column: .bool)
    }

    /// A place of PostGIS: distances between `geography` are along the ellipsoid.
    private mutating func place(_ operand: Operand) throws(TranslationRejection) -> String {
        let value = try value(operand)
        guard let constant = value.constant else { return value.text }
        guard case .location(let place) = constant else { throw rejection(value.span, "this place") }
        var coordinates: [String] = []
        for degrees in [place.longitude, place.latitude] {
            coordinates.append(try self.constant(.double(degrees), value.span))
        }
        return "ST_SetSRID(ST_MakePoint(\(coordinates.joined(separator: ", "))), 4326)::geography"
    }
}
