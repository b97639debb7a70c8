// The closed table of functions: what each makes of its arguments.

import FoundationEssentials
import Geospatial
import Glibc
import PredicateSyntax
import RecordModel
import TextAnalysis

/// The meaning of the function table. A nil argument makes the result nil, except that aggregates leave nil out.
struct Functions {
    let context: EvaluationContext

    /// The value of a call.
    ///
    /// - Throws: `ValueFault` for arguments that the function does not take; the operand is the argument's position.
    func call(_ name: FunctionName, _ arguments: [FieldValue]) throws(ValueFault) -> FieldValue {
        guard name.argumentCounts.contains(arguments.count) else {
            throw ValueFault(.invalidArgument, "\(name.rawValue) does not take \(arguments.count) arguments")
        }
        if name.isAggregate { return try aggregate(name, arguments) }
        if arguments.contains(where: \.isNull) { return .null }
        switch name {
        case .now: return .date(context.now)
        case .random: return .double(Double(context.nextRandom() >> 11) * 0x1p-53)
        case .randomn: return try random(below: arguments[0])
        case .uppercase, .lowercase, .length: return try textual(name, arguments[0])
        case .tokenize: return try tokens(of: arguments[0], letters: arguments[1])
        case .distanceToLocation: return try distance(arguments[0], arguments[1])
        case .inBox, .inPolygon: return try isInside(arguments[0], Areas.area(name, arguments))
        case .location: return try location(arguments[0], arguments[1])
        case .date: return try date(arguments[0])
        case .year, .month, .day: return try calendar(name, arguments[0])
        case .noindex: return arguments[0]
        case .distinct: return try distinct(arguments[0])
        case .modulusBy: return .int64(try remainder(arguments[0], arguments[1]))
        case .addTo, .fromSubtract, .multiplyBy, .divideBy, .raiseToPower, .bitwiseAnd, .bitwiseOr, .bitwiseXor,
            .leftshift, .rightshift, .onesComplement, .castObject, .objectFrom, .indexedBy, .distance:
            // The binder gives these the form of the operator they stand for.
            throw ValueFault(.invalidArgument, "\(name.rawValue) is bound to another form")
        case .sqrt, .exp, .ln, .log, .floor, .ceiling, .abs, .trunc: return try numeric(name, arguments[0])
        case .sum, .count, .min, .max, .average, .median, .mode, .stddev: return .null
        }
    }

    // MARK: - Aggregates

    private func aggregate(_ name: FunctionName, _ arguments: [FieldValue]) throws(ValueFault) -> FieldValue {
        var elements = arguments
        if arguments.count == 1 {
            if arguments[0].isNull { return .null }
            elements = arguments[0].elements ?? arguments
        }
        if name == .count {
            guard arguments.count != 1 || arguments[0].elements != nil else {
                throw ValueFault(.typeMismatch, "count: needs a list, not \(arguments[0].phrase)", operand: 0)
            }
            return .int64(Int64(elements.count))
        }
        elements = KeyPaths.flattened(elements)
        switch name {
        case .sum: return try Aggregates.sum(elements, name.rawValue)
        case .min: return try Aggregates.extreme(elements, sign: -1, name.rawValue)
        case .max: return try Aggregates.extreme(elements, sign: 1, name.rawValue)
        case .average: return try Aggregates.average(elements, name.rawValue)
        case .median: return try Aggregates.median(elements, name.rawValue)
        case .mode: return Aggregates.mode(elements)
        default: return try Aggregates.standardDeviation(elements, name.rawValue)
        }
    }

    private func distinct(_ value: FieldValue) throws(ValueFault) -> FieldValue {
        guard let elements = value.elements else {
            throw ValueFault(.typeMismatch, "distinct: needs a list, not \(value.phrase)", operand: 0)
        }
        return .list(KeyPaths.distinct(elements))
    }

    // MARK: - Numbers

    private func numeric(_ name: FunctionName, _ value: FieldValue) throws(ValueFault) -> FieldValue {
        guard let number = value.number else {
            throw ValueFault(.typeMismatch, "\(name.rawValue) needs a number, not \(value.phrase)", operand: 0)
        }
        let double = number.asDouble
        switch name {
        case .sqrt: return .double(double.squareRoot())
        case .exp: return .double(Glibc.exp(double))
        case .ln: return .double(Glibc.log(double))
        case .log: return .double(log10(double))
        default: break
        }
        // Rounding leaves integers as they are.
        guard case .double = number else {
            guard name == .abs, case .integer(let integer) = number else { return number.fieldValue }
            return integer == .min ? .double(0x1p63) : .int64(Swift.abs(integer))
        }
        switch name {
        case .floor: return .double(Glibc.floor(double))
        case .ceiling: return .double(ceil(double))
        case .trunc: return .double(Glibc.trunc(double))
        default: return .double(fabs(double))
        }
    }

    /// The remainder of whole-number division, with the sign of the dividend; fractions are cut off first.
    private func remainder(_ dividend: FieldValue, _ divisor: FieldValue) throws(ValueFault) -> Int64 {
        let a = try truncated(dividend, 0)
        let b = try truncated(divisor, 1)
        guard b != 0 else { throw ValueFault(.divisionByZero, "modulus:by: divides by zero", operand: 1) }
        return b == -1 ? 0 : a % b
    }

    private func truncated(_ value: FieldValue, _ operand: Int) throws(ValueFault) -> Int64 {
        guard let number = value.number else {
            throw ValueFault(.typeMismatch, "modulus:by: needs numbers, not \(value.phrase)", operand: operand)
        }
        if case .integer(let integer) = number { return integer }
        guard let integer = NumericOrder.integer(Glibc.trunc(number.asDouble)) else {
            throw ValueFault(.numberOutOfRange, "modulus:by: needs numbers that fit 64 bits", operand: operand)
        }
        return integer
    }

    private func random(below limit: FieldValue) throws(ValueFault) -> FieldValue {
        let limit = try Arithmetic.wholeNumber(limit, "randomn:", 0)
        guard limit > 0 else {
            throw ValueFault(.invalidArgument, "randomn: needs a number above zero", operand: 0)
        }
        // The high half of the product maps 64 random bits onto 0 ..< limit.
        return .int64(Int64(UInt64(limit).multipliedFullWidth(by: context.nextRandom()).high))
    }

    // MARK: - Text and places

    private func textual(_ name: FunctionName, _ value: FieldValue) throws(ValueFault) -> FieldValue {
        guard case .string(let text) = value else {
            throw ValueFault(.typeMismatch, "\(name.rawValue) needs text, not \(value.phrase)", operand: 0)
        }
        switch name {
        case .uppercase: return .string(TextCase.uppercase(text))
        case .lowercase: return .string(TextCase.lowercase(text))
        default: return .int64(Int64(text.utf16.count))
        }
    }

    private func tokens(of value: FieldValue, letters: FieldValue) throws(ValueFault) -> FieldValue {
        let tokenizer = Tokenizer(options: try Self.options(letters))
        switch value {
        case .string(let text): return .list(tokenizer.terms(of: text).map { .string($0) })
        case .list(let elements), .set(let elements):
            return .list(
                elements.flatMap { element -> [FieldValue] in
                    guard case .string(let text) = element else { return [] }
                    return tokenizer.terms(of: text).map { .string($0) }
                })
        default:
            throw ValueFault(.typeMismatch, "tokenize:using: needs text, not \(value.phrase)", operand: 0)
        }
    }

    /// The folding that option letters such as `'Cdl'` select.
    ///
    /// - Throws: `ValueFault` for letters other than c, d, l and n.
    static func options(_ letters: FieldValue) throws(ValueFault) -> TextOptions {
        guard case .string(let letters) = letters else {
            throw ValueFault(
                .typeMismatch, "tokenize:using: needs option letters, not \(letters.phrase)", hint: "write 'cdl'",
                operand: 1)
        }
        guard let options = TextOptions(letters: letters) else {
            throw ValueFault(.invalidArgument, "tokenize:using: knows the option letters c, d, l and n", operand: 1)
        }
        return options.subtracting(.localeSensitive)
    }

    /// Metres between two places; nil when one is no place on the globe.
    private func distance(_ from: FieldValue, _ to: FieldValue) throws(ValueFault) -> FieldValue {
        let name = "distanceToLocation:fromLocation:"
        guard let from = try place(from, name, 0), let to = try place(to, name, 1) else { return .null }
        return .double(Geodesic.distance(from: from, to: to))
    }

    /// The place of two numbers of degrees.
    private func location(_ latitude: FieldValue, _ longitude: FieldValue) throws(ValueFault) -> FieldValue {
        guard let first = latitude.number, let second = longitude.number else {
            let (value, operand) = latitude.number == nil ? (latitude, 0) : (longitude, 1)
            throw ValueFault(.typeMismatch, "location needs numbers, not \(value.phrase)", operand: operand)
        }
        return .location(Location(latitude: first.asDouble, longitude: second.asDouble))
    }

    // MARK: - Dates

    private func date(_ value: FieldValue) throws(ValueFault) -> FieldValue {
        switch value {
        case .date: return value
        case .string: return value.readingDates ?? .null
        default:
            throw ValueFault(
                .typeMismatch, "date: needs text, not \(value.phrase)",
                hint: value.number == nil ? nil : "CAST(seconds since 2001, 'NSDate') makes a date of a number",
                operand: 0)
        }
    }

    private func calendar(_ name: FunctionName, _ value: FieldValue) throws(ValueFault) -> FieldValue {
        guard case .date(let date) = value else {
            var hint: String?
            if case .string = value { hint = "date(text) reads a text as a date" }
            throw ValueFault(
                .typeMismatch, "\(name.rawValue) needs a date, not \(value.phrase)", hint: hint, operand: 0)
        }
        guard let parts = CivilZone.components(of: date) else { return .null }
        let number = name == .year ? parts.year : name == .month ? parts.month : parts.day
        return .int64(Int64(number))
    }

    /// Whether an area contains a place; nil when it is no place on the globe.
    private func isInside(_ value: FieldValue, _ area: GeoArea) throws(ValueFault) -> FieldValue {
        try place(value, "an area", 0).map { .bool(area.contains($0)) } ?? .null
    }

    /// A place on the globe, nil for one off it.
    private func place(_ value: FieldValue, _ name: String, _ operand: Int) throws(ValueFault) -> Location? {
        guard case .location(let location) = value else {
            throw ValueFault(.typeMismatch, "\(name) needs locations, not \(value.phrase)", operand: operand)
        }
        return location.isValid ? location : nil
    }
}

extension FunctionName {
    /// Whether the function takes one collection or any number of values.
    var isAggregate: Bool {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .stddev: true
        default: false
        }
    }

    /// Whether a nil argument makes the result nil.
    var isNilPropagating: Bool { !isAggregate }

    /// Whether equal arguments always give equal results.
    var isPure: Bool { self != .now && self != .random && self != .randomn }
}
