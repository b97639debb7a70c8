// The operators that compute: arithmetic, bits, sets.

import FoundationEssentials
import Glibc
import PredicateSyntax
import RecordModel

/// The meaning of the infix and prefix operators between values. A nil operand makes the result nil.
enum Arithmetic {
    /// The result of an infix operator.
    ///
    /// Integers stay integers, division truncates toward zero, and what overflows 64 bits becomes a floating-point
    /// number; with a floating-point operand everything does. Bit operators take whole numbers. UNION, INTERSECT and
    /// MINUS take lists and sets and give sets.
    ///
    /// - Throws: `ValueFault` for operands of other kinds and for integer division by zero.
    static func apply(
        _ operation: BinaryOperator, _ lhs: FieldValue, _ rhs: FieldValue
    ) throws(ValueFault) -> FieldValue {
        if lhs.isNull || rhs.isNull { return .null }
        switch operation {
        case .union, .intersect, .minus: return try combine(operation, lhs, rhs)
        case .bitAnd: return .int64(try bits(lhs, rhs, operation, &))
        case .bitOr: return .int64(try bits(lhs, rhs, operation, |))
        case .bitXor: return .int64(try bits(lhs, rhs, operation, ^))
        // The smart shifts: a count beyond 63 gives 0 or the sign, a negative count shifts the other way.
        case .shiftLeft: return .int64(try bits(lhs, rhs, operation, <<))
        case .shiftRight: return .int64(try bits(lhs, rhs, operation, >>))
        case .power: return .double(pow(try number(lhs, operation, 0).asDouble, try number(rhs, operation, 1).asDouble))
        case .add, .subtract, .multiply, .divide:
            let left = try number(lhs, operation, 0)
            let right = try number(rhs, operation, 1)
            if case .integer(let a) = left, case .integer(let b) = right { return try int(operation, a, b) }
            return .double(double(operation, left.asDouble, right.asDouble))
        }
    }

    /// The result of a prefix operator.
    ///
    /// - Throws: `ValueFault` for an operand that is no number, for `~` no whole number.
    static func apply(_ operation: UnaryOperator, _ value: FieldValue) throws(ValueFault) -> FieldValue {
        if value.isNull { return .null }
        guard let number = value.number else {
            throw ValueFault(
                .typeMismatch, "\(operation.rawValue) needs a number, not \(value.phrase)", operand: 0)
        }
        switch (operation, number) {
        case (.minus, .integer(.min)): return .double(0x1p63)
        case (.minus, .integer(let value)): return .int64(-value)
        case (.minus, .double(let value)): return .double(-value)
        case (.onesComplement, _): return .int64(~(try wholeNumber(value, operation.rawValue, 0)))
        }
    }

    /// A date moved by a length of time; nil stays nil.
    ///
    /// - Throws: `ValueFault` for a value that is no date.
    static func move(
        _ value: FieldValue, _ operation: BinaryOperator, _ length: TimeSpan
    ) throws(ValueFault) -> FieldValue {
        if value.isNull { return .null }
        guard case .date(let date) = value else {
            throw ValueFault(
                .typeMismatch, "\(length.text) is a length of time: it moves a date, not \(value.phrase)",
                hint: "for a number of seconds write \(length.secondsText)", operand: 0)
        }
        let seconds = operation == .subtract ? -length.seconds : length.seconds
        return .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate + seconds))
    }

    private static func int(_ operation: BinaryOperator, _ a: Int64, _ b: Int64) throws(ValueFault) -> FieldValue {
        let (value, isOverflow): (Int64, Bool)
        switch operation {
        case .add: (value, isOverflow) = a.addingReportingOverflow(b)
        case .subtract: (value, isOverflow) = a.subtractingReportingOverflow(b)
        case .multiply: (value, isOverflow) = a.multipliedReportingOverflow(by: b)
        default:
            guard b != 0 else {
                throw ValueFault(
                    .divisionByZero, "an integer is divided by zero", hint: "x / 0.0 is infinite", operand: 1)
            }
            (value, isOverflow) = a.dividedReportingOverflow(by: b)
        }
        return isOverflow ? .double(double(operation, Double(a), Double(b))) : .int64(value)
    }

    private static func double(_ operation: BinaryOperator, _ a: Double, _ b: Double) -> Double {
        switch operation {
        case .add: a + b
        case .subtract: a - b
        case .multiply: a * b
        default: a / b
        }
    }

    private static func number(
        _ value: FieldValue, _ operation: BinaryOperator, _ operand: Int
    ) throws(ValueFault) -> FieldValue.Number {
        guard let number = value.number else {
            throw ValueFault(
                .typeMismatch, "\(operation.rawValue) needs numbers, not \(value.phrase)", hint: hint(value),
                operand: operand)
        }
        return number
    }

    private static func hint(_ value: FieldValue) -> String? {
        switch value {
        case .date:
            "a date is moved by a length of time, as in now() - 7d (s m h d w); CAST(date, 'NSNumber') is its seconds "
                + "since 2001"
        case .string: "CAST(text, 'NSNumber') makes text a number"
        case .list, .set: "sum: and average: take lists"
        default: nil
        }
    }

    private static func bits(
        _ lhs: FieldValue, _ rhs: FieldValue, _ operation: BinaryOperator, _ body: (Int64, Int64) -> Int64
    ) throws(ValueFault) -> Int64 {
        body(
            try wholeNumber(lhs, operation.rawValue, 0), try wholeNumber(rhs, operation.rawValue, 1))
    }

    /// A whole number that fits 64 bits.
    ///
    /// - Throws: `ValueFault` for everything else.
    static func wholeNumber(_ value: FieldValue, _ name: String, _ operand: Int) throws(ValueFault) -> Int64 {
        guard let number = value.number else {
            throw ValueFault(.typeMismatch, "\(name) needs whole numbers, not \(value.phrase)", operand: operand)
        }
        guard let integer = number.asInteger else {
            throw ValueFault(
                .numberOutOfRange, "\(name) needs whole numbers of 64 bits", hint: "trunc: cuts a fraction off",
                operand: operand)
        }
        return integer
    }

    private static func combine(
        _ operation: BinaryOperator, _ lhs: FieldValue, _ rhs: FieldValue
    ) throws(ValueFault) -> FieldValue {
        guard lhs.isCollection, let left = lhs.elements else {
            throw ValueFault(
                .typeMismatch, "\(operation.rawValue) needs a list or a set, not \(lhs.phrase)", operand: 0)
        }
        guard let right = rhs.elements else {
            throw ValueFault(
                .typeMismatch, "\(operation.rawValue) needs a list or a set, not \(rhs.phrase)", operand: 1)
        }
        let text = TextSettings(options: [])
        switch operation {
        case .union: return .set(MemberSet(left + right, text: text).members)
        case .intersect:
            let other = MemberSet(right, text: text)
            return .set(MemberSet(left.filter(other.contains), text: text).members)
        default:
            let other = MemberSet(right, text: text)
            return .set(MemberSet(left.filter { !other.contains($0) }, text: text).members)
        }
    }
}
