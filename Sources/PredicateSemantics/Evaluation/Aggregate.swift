// What is computed of the records of a group.

/// A figure of a group of records. Records without a value of the field are left out.
public enum Aggregate: Hashable, Sendable, Codable {
    /// Number of records: a whole number.
    case count
    /// The sum of a field's numbers; truth values are 1 and 0.
    ///
    /// A whole number, and exact, where all of them are whole: one that does not fit 64 bits is an error. Else a
    /// double: the whole numbers are added exactly first, then the fractional ones. NaN if any number is. 0 of no
    /// numbers.
    case sum(String)
    /// The mean of a field's numbers, a double; NaN if any number is. `.null` of no numbers.
    case average(String)
    /// The smallest number, date, or text of a field, in the order of sort keys: NaN is the largest number.
    case minimum(String)
    /// The largest number, date, or text of a field, in the order of sort keys: NaN is the largest number.
    case maximum(String)
    /// Number of distinct values of a field, exact; of a list field, of distinct elements.
    ///
    /// Values are distinct as keys of groups are: 1 and 1.0 are one value, and so are all NaN.
    case distinct(String)

    /// The field's name; `nil` for the count.
    public var field: String? {
        switch self {
        case .count: nil
        case .sum(let field), .average(let field), .minimum(let field), .maximum(let field), .distinct(let field): field
        }
    }

    private var word: String {
        switch self {
        case .count: "count"
        case .sum: "sum"
        case .average: "average"
        case .minimum: "minimum"
        case .maximum: "maximum"
        case .distinct: "distinct"
        }
    }
}

extension Aggregate: CustomStringConvertible {
    /// The aggregate in words: `sum(population)`.
    public var description: String { field.map { "\(word)(\($0))" } ?? word }
}

// MARK: Values that do not suit

/// The values of a field do not suit an aggregate.
package struct AggregateFault: Error {
    package var field: String
    package var kind: EvaluationError.Kind
    package var message: String
    package var hint: String?
}

extension Aggregate {
    /// Why values of a kind do not suit the aggregate; `nil` when they may.
    package func fault(of type: OperandType) -> AggregateFault? {
        let needed: String
        switch self {
        case .count, .distinct: return nil
        case .sum, .average:
            if type.fits(.number) { return nil }
            needed = "numbers"
        case .minimum, .maximum:
            if type.isOrderable { return nil }
            needed = "numbers, dates or texts"
        }
        return AggregateFault(
            field: field ?? "", kind: .typeMismatch, message: "\(self) needs \(needed), not \(type.phrase)",
            hint: "count and distinct take values of any kind")
    }

    /// A sum of whole numbers that does not fit.
    package var overflow: AggregateFault {
        AggregateFault(
            field: field ?? "", kind: .numberOutOfRange, message: "\(self) does not fit a whole number of 64 bits",
            hint: "the average is a double, which has no such bound")
    }
}
