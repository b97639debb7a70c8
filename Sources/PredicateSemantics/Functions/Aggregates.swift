// Functions over a list of values: sums, means, extremes.

import Glibc
import RecordModel
import TextAnalysis

/// The aggregate functions. Nil elements are left out; of no elements the sum is 0 and everything else nil.
enum Aggregates {
    /// The numbers among the elements, nil elements left out.
    ///
    /// - Throws: `ValueFault` for an element that is no number.
    static func numbers(_ elements: [FieldValue], _ name: String) throws(ValueFault) -> [FieldValue.Number] {
        var numbers: [FieldValue.Number] = []
        numbers.reserveCapacity(elements.count)
        for element in elements where !element.isNull {
            guard let number = element.number else {
                throw ValueFault(.typeMismatch, "\(name) needs numbers, not \(element.phrase)", operand: 0)
            }
            numbers.append(number)
        }
        return numbers
    }

    /// The sum as a floating-point number; integers are added exactly first. 0 of no elements.
    static func sum(_ elements: [FieldValue], _ name: String) throws(ValueFault) -> FieldValue {
        .double(total(try numbers(elements, name)))
    }

    /// The mean; nil of no elements.
    static func average(_ elements: [FieldValue], _ name: String) throws(ValueFault) -> FieldValue {
        let numbers = try numbers(elements, name)
        return numbers.isEmpty ? .null : .double(total(numbers) / Double(numbers.count))
    }

    private static func total(_ numbers: [FieldValue.Number]) -> Double {
        // A sum of Int64 cannot leave Int128 within any list that fits in memory.
        var whole: Int128 = 0
        var fraction = 0.0
        for number in numbers {
            switch number {
            case .integer(let value): whole += Int128(value)
            case .double(let value): fraction += value
            }
        }
        return Double(whole) + fraction
    }

    /// The smallest (sign −1) or largest (sign 1) element, of numbers, dates or texts; nil of no elements.
    static func extreme(_ elements: [FieldValue], sign: Int, _ name: String) throws(ValueFault) -> FieldValue {
        let order = ValueOrder(text: TextSettings(options: []), name: name)
        var result = FieldValue.null
        for element in elements where !element.isNull {
            if result.isNull {
                guard OperandType(of: element).isOrderable else {
                    throw ValueFault(.typeMismatch, "\(name) cannot order \(element.phrase)", operand: 0)
                }
                result = element
                continue
            }
            if try order.compare(element, result) == sign { result = element }
        }
        return result
    }

    /// The middle number, or the mean of the two middle ones; nil of no elements.
    static func median(_ elements: [FieldValue], _ name: String) throws(ValueFault) -> FieldValue {
        let numbers = try numbers(elements, name).sorted { FieldValue.Number.compare($0, $1) < 0 }
        guard !numbers.isEmpty else { return .null }
        let middle = numbers.count / 2
        if numbers.count % 2 == 1 { return numbers[middle].fieldValue }
        return .double(numbers[middle - 1].asDouble / 2 + numbers[middle].asDouble / 2)
    }

    /// The list of the most frequent values, in order of first appearance; an empty list of no elements.
    static func mode(_ elements: [FieldValue]) -> FieldValue {
        let values = elements.filter { !$0.isNull }
        let members = MemberSet(values, text: TextSettings(options: []))
        var counts = [Int](repeating: 0, count: members.members.count)
        for value in values {
            if let position = members.position(of: value) { counts[position] += 1 }
        }
        let greatest = counts.max() ?? 0
        return .list(zip(members.members, counts).filter { $0.1 == greatest }.map(\.0))
    }

    /// The population standard deviation, by the two-pass formula; nil of no elements.
    static func standardDeviation(_ elements: [FieldValue], _ name: String) throws(ValueFault) -> FieldValue {
        let values = try numbers(elements, name).map(\.asDouble)
        guard !values.isEmpty else { return .null }
        let mean = values.reduce(0, +) / Double(values.count)
        let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return .double((squares / Double(values.count)).squareRoot())
    }
}
