// The distinct values of a field over all segments, numbered.

import FoundationEssentials
import Geospatial
import RecordModel

/// Numbers the values that are equal as keys of groups; 0 is the absence of a value.
///
/// A whole number is equal to a double of that value, and shown as a whole number where any record has it so. NaN is
/// equal to itself. References are equal by their records, places by their positions, texts as Unicode has it.
struct DistinctValues {
    /// The values by number, as they are shown.
    private(set) var values: [FieldValue] = [.null]
    /// Whole numbers, doubles that are none, and dates, by their bits: no value is made of one that is known.
    private var wholes = WordNumbers()
    private var fractions = WordNumbers()
    private var dates = WordNumbers()
    private var numbers: [FieldValue: UInt32] = [:]
    /// The numbers of values that are not equal to themselves, by kind: places that are none.
    private var irreflexive: [FieldValue.Kind: UInt32] = [:]

    /// The number of a value.
    mutating func number(of value: FieldValue) -> UInt32 {
        switch value {
        case .null: return 0
        case .int64(let number): return self.number(of: number)
        case .double(let number): return self.number(of: number)
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            let code = dates.table.number(of: seconds.equalBits)
            if code == dates.numbers.count { dates.numbers.append(add(value)) }
            return dates.numbers[code]
        default: return numberByHash(of: value.shown)
        }
    }

    /// The number of a whole number, which is shown as one from now on.
    private mutating func number(of value: Int64) -> UInt32 {
        let code = wholes.table.number(of: UInt64(bitPattern: value))
        if code == wholes.numbers.count {
            wholes.numbers.append(add(.int64(value)))
        } else {
            values[Int(wholes.numbers[code])] = .int64(value)
        }
        return wholes.numbers[code]
    }

    /// The number of a double.
    private mutating func number(of value: Double) -> UInt32 {
        if let whole = Int64(exactly: value) {
            let code = wholes.table.number(of: UInt64(bitPattern: whole))
            if code == wholes.numbers.count { wholes.numbers.append(add(.double(value + 0))) }
            return wholes.numbers[code]
        }
        let code = fractions.table.number(of: value.equalBits)
        if code == fractions.numbers.count { fractions.numbers.append(add(.double(value))) }
        return fractions.numbers[code]
    }

    private mutating func numberByHash(of key: FieldValue) -> UInt32 {
        guard key == key else {
            if let known = irreflexive[key.kind] { return known }
            let number = add(key)
            irreflexive[key.kind] = number
            return number
        }
        if let known = numbers[key] { return known }
        let number = add(key)
        numbers[key] = number
        return number
    }

    private mutating func add(_ value: FieldValue) -> UInt32 {
        values.append(value)
        return UInt32(truncatingIfNeeded: values.count - 1)
    }
}

/// The numbers of values that are told apart by 64 bits.
private struct WordNumbers {
    /// Codes of the bits.
    var table = CodeTable()
    /// The number of each code.
    var numbers: [UInt32] = []
}

extension FieldValue {
    /// The value without what does not tell groups apart.
    fileprivate var shown: FieldValue {
        switch self {
        case .reference(let reference): .reference(RecordReference(recordID: reference.recordID))
        case .location(let place): .location(Location(latitude: place.latitude, longitude: place.longitude))
        default: self
        }
    }
}
