// The order of values: within numbers, within dates, within texts.

import FoundationEssentials
import RecordModel
import TextAnalysis

/// How an operator compares text.
struct TextSettings: Sendable {
    /// What comparisons of one predicate have in common, shared because settings are copied wherever texts meet.
    final class Shared: Sendable {
        /// The locale whose collation `[l]` uses; empty for the root locale.
        let locale: String

        init(locale: String) { self.locale = locale }

        static let standard = Shared(locale: "")
    }

    var options: TextOptions
    /// Whether the words that a text is searched for must appear side by side and in order.
    var isPhrase = false
    /// The analyzers of the fields that a search for words is about: of one, or of the record's. `nil` for none.
    var analyzers: FieldAnalyzers?
    var shared = Shared.standard

    var locale: String { shared.locale }

    /// Whether two texts are equal under the options.
    func areEqual(_ a: String, _ b: String) -> Bool {
        TextComparison.areEqual(a, b, options: options, locale: locale)
    }

    /// −1, 0 or 1 by the order of the options.
    func compare(_ a: String, _ b: String) -> Int {
        TextComparison.compare(a, b, options: options, locale: locale)
    }
}

/// The order that `<` and its kin use.
struct ValueOrder: Sendable {
    let text: TextSettings
    /// The operator, for messages.
    let name: String

    /// −1, 0 or 1 as `a` is below, equal to or above `b`; neither is nil.
    ///
    /// - Throws: `ValueFault` for values of different families and for families without an order.
    func compare(_ a: FieldValue, _ b: FieldValue) throws(ValueFault) -> Int {
        switch (a, b) {
        case (.int64(let a), .int64(let b)): return NumericOrder.compare(a, b)
        case (.double(let a), .double(let b)): return NumericOrder.compare(a, b)
        case (.string(let a), .string(let b)): return text.compare(a, b)
        case (.date(let a), .date(let b)):
            return NumericOrder.compare(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
        default:
            guard let left = a.number, let right = b.number else { throw fault(a, b) }
            return FieldValue.Number.compare(left, right)
        }
    }

    private func fault(_ a: FieldValue, _ b: FieldValue) -> ValueFault {
        let clash = Self.clash(OperandType(of: a), OperandType(of: b), name)
        return ValueFault(
            .typeMismatch, clash?.message ?? "\(name) cannot order \(a.phrase) and \(b.phrase)", hint: clash?.hint,
            operand: clash?.operand)
    }

    /// The operand that makes an ordering impossible.
    static func clash(_ lhs: OperandType, _ rhs: OperandType, _ name: String) -> TypeClash? {
        for (operand, type) in [(0, lhs), (1, rhs)] where !type.isOrderable {
            let isList = operand == 0 && type.element != nil
            return TypeClash(
                operand: operand, message: "\(name) cannot order \(type.phrase)",
                hint: isList ? "write ANY before the list" : nil)
        }
        guard !lhs.fits(rhs) else { return nil }
        let hint: String? =
            switch (lhs, rhs) {
            case (.string, .date): "the left side is text: load it as dates, or give its column the type TIMESTAMP"
            case (.date, .string): DateReading.forms
            case (.date, _), (_, .date):
                "a date is date('2026-01-31'), now() - 7d, an argument, or CAST(seconds since 2001, 'NSDate')"
            case (.number, .string), (.string, .number): "CAST(text, 'NSNumber') makes text a number"
            default: nil
            }
        return TypeClash(operand: 1, message: "\(name) cannot order \(lhs.phrase) and \(rhs.phrase)", hint: hint)
    }
}
