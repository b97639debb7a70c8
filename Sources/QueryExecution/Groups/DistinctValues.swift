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
    private var numbers: [FieldValue: UInt32] = [:]
    /// The numbers of values that are not equal to themselves, by kind: NaN, and dates that are none.
    private var irreflexive: [FieldValue.Kind: UInt32] = [:]

    /// The number of a value.
    mutating func number(of value: FieldValue) -> UInt32 {
        if value.isNull { return 0 }
        let key = value.identity
        guard key == key else {
            if let known = irreflexive[key.kind] { return known }
            irreflexive[key.kind] = add(key)
            return irreflexive[key.kind] ?? 0
        }
        guard let known = numbers[key] else {
            let number = add(value.shown)
            numbers[key] = number
            return number
        }
        if case .int64 = value { values[Int(known)] = value }
        return known
    }

    private mutating func add(_ value: FieldValue) -> UInt32 {
        values.append(value)
        return UInt32(truncatingIfNeeded: values.count - 1)
    }
}

extension FieldValue {
    /// What equal values have in common.
    fileprivate var identity: FieldValue {
        if case .double(let number) = self, let whole = Int64(exactly: number) { return .int64(whole) }
        return shown
    }

    /// The value without what does not tell groups apart.
    fileprivate var shown: FieldValue {
        switch self {
        case .reference(let reference): .reference(RecordReference(recordID: reference.recordID))
        case .location(let place): .location(Location(latitude: place.latitude, longitude: place.longitude))
        case .double(0): .double(0)
        default: self
        }
    }
}
