// The storage of a column under construction, one small builder per kind of value.

import Geospatial
import OrdinalSets
import RecordModel

/// Numbers: whole, fractional, or mixed.
final class NumberBuilder {
    private enum Mix { case int, double, mixed }

    private let payload = ColumnBuffer<UInt64>()
    private var mix: Mix?
    /// Rows whose payload is a double; kept only once both kinds have come.
    private let isDouble = BitBuilder()
    /// Rows of numbers such as `1.234`, in order.
    private var grouped: [Int] = []

    func append(_ value: Int64) {
        if mix != .int { note(.int) }
        if mix == .mixed { isDouble.append(false) }
        payload.append(UInt64(bitPattern: value))
    }

    func append(_ value: Double) {
        if mix != .double { note(.double) }
        if mix == .mixed { isDouble.append(true) }
        payload.append(value.bitPattern)
    }

    /// Adds a number with a point before three digits, which `ungroup` makes a whole one.
    func append(grouped value: Double) {
        // The row is of either kind.
        note(.int)
        grouped.append(payload.count)
        append(value)
    }

    /// Reads points before three digits as those between groups of digits.
    func ungroup(asDoubles: Bool) {
        for row in grouped {
            let whole = (Double(bitPattern: payload[row]) * 1000).rounded()
            payload[row] = asDoubles ? whole.bitPattern : UInt64(bitPattern: Int64(whole))
            if !asDoubles { isDouble.clear(row) }
        }
        grouped = []
    }

    private func note(_ kind: Mix) {
        switch mix {
        case nil: mix = kind
        case .mixed: break
        case .some(let before):
            isDouble.append(repeating: before == .double, count: payload.count)
            mix = .mixed
        }
    }

    func appendPadding(_ rows: Int) {
        payload.append(repeating: 0, count: rows)
        if mix == .mixed { isDouble.append(repeating: false, count: rows) }
    }

    func truncate(to count: Int) {
        payload.truncate(to: count)
        isDouble.truncate(to: count)
        while let last = grouped.last, last >= count { grouped.removeLast() }
    }

    func finish(presence: Bitmap?) -> Column.Values {
        payload.shrink()
        switch mix {
        case .double: return .double(payload.retyped(Double.self))
        case .mixed:
            var doubles = isDouble.bitmap
            // Rows without a value were filled in as whatever came before.
            if let presence { doubles.formIntersection(presence) }
            // Rows that made the mixture may have been taken back.
            let present = presence?.cardinality ?? payload.count
            if doubles.cardinality == present { return .double(payload.retyped(Double.self)) }
            if doubles.cardinality > 0 { return .number(NumberColumn(payload: payload, isDouble: doubles)) }
            return .int64(payload.retyped(Int64.self))
        case .int, nil: return .int64(payload.retyped(Int64.self))
        }
    }
}

/// Truth values.
final class BoolBuilder {
    private let bits = BitBuilder()
    func append(_ value: Bool) { bits.append(value) }
    func appendPadding(_ rows: Int) { bits.append(repeating: false, count: rows) }
    func truncate(to count: Int) { bits.truncate(to: count) }
    func finish() -> Column.Values { .bool(bits.bitmap) }
}

/// Dates, in seconds since 2001.
final class DateBuilder {
    private let seconds = ColumnBuffer<Double>()
    func append(_ value: Double) { seconds.append(value) }
    func appendPadding(_ rows: Int) { seconds.append(repeating: 0, count: rows) }
    func truncate(to count: Int) { seconds.truncate(to: count) }
    func finish() -> Column.Values {
        seconds.shrink()
        return .date(seconds)
    }
}

/// Locations.
final class LocationBuilder {
    private let latitudes = ColumnBuffer<Double>()
    private let longitudes = ColumnBuffer<Double>()
    /// Filled up to the last row that has some.
    private var details: [Location.Details?] = []

    func append(latitude: Double, longitude: Double, details: Location.Details? = nil) {
        if let details {
            self.details += Array(repeating: nil, count: max(0, latitudes.count - self.details.count))
            self.details.append(details)
        }
        latitudes.append(latitude)
        longitudes.append(longitude)
    }

    func appendPadding(_ rows: Int) {
        latitudes.append(repeating: 0, count: rows)
        longitudes.append(repeating: 0, count: rows)
    }

    func truncate(to count: Int) {
        latitudes.truncate(to: count)
        longitudes.truncate(to: count)
        details.removeLast(max(0, details.count - count))
    }

    func finish() -> Column.Values {
        latitudes.shrink()
        longitudes.shrink()
        if !details.isEmpty { details += Array(repeating: nil, count: latitudes.count - details.count) }
        return .location(
            LocationColumn(latitudes: latitudes, longitudes: longitudes, details: details.isEmpty ? nil : details))
    }
}

/// References: names in a dictionary from the start.
final class ReferenceBuilder {
    private let codes = ColumnBuffer<UInt32>()
    private let names = TextBuilder()
    private var zones: [RecordZone.ID] = []
    private var hasOtherZones = false
    private let index = ByteIndex()
    private let deletesSelf = BitBuilder()

    /// Adds a reference; `false` when the names would outgrow 4 GiB.
    func append(name: UnsafeBufferPointer<UInt8>, zone: RecordZone.ID?, action: RecordReference.Action) -> Bool {
        guard let code = unsafe code(ofName: name, zone: zone) else { return false }
        append(code: code, deletesSelf: action == .deleteSelf)
        return true
    }

    /// Adds a reference by the code of its record.
    func append(code: UInt32, deletesSelf isDeleting: Bool) {
        codes.append(code)
        deletesSelf.append(isDeleting)
    }

    /// The code of a record, a new one where it is needed; `nil` when the names would outgrow 4 GiB.
    func code(ofName name: UnsafeBufferPointer<UInt8>, zone: RecordZone.ID?) -> UInt32? {
        let hash = unsafe ByteHash.hash(name)
        let column = names.column
        let isDefault = zone == nil || zone == .default
        let known = index.find(hash) { code in
            guard unsafe column.equals(code, name) else { return false }
            return isDefault ? !hasOtherZones || zones[code] == .default : hasOtherZones && zones[code] == zone
        }
        if let known { return UInt32(truncatingIfNeeded: known) }
        let code = names.count
        guard unsafe names.append(name) else { return nil }
        zones.append(zone ?? .default)
        if !isDefault { hasOtherZones = true }
        index.insert(hash, code)
        return UInt32(truncatingIfNeeded: code)
    }

    func appendPadding(_ rows: Int) {
        codes.append(repeating: 0, count: rows)
        deletesSelf.append(repeating: false, count: rows)
    }

    func truncate(to count: Int) {
        codes.truncate(to: count)
        deletesSelf.truncate(to: count)
    }

    func finish() -> Column.Values {
        codes.shrink()
        return .reference(
            ReferenceColumn(
                codes: codes, names: names.finish(), zones: hasOtherZones ? zones : nil,
                deletesSelf: deletesSelf.bitmap))
    }
}

/// Lists: offsets into a column of elements.
final class ListBuilder {
    let offsets = ColumnBuffer<UInt32>()
    let elements: ColumnBuilder

    init(shape: FieldInference) {
        elements = ColumnBuilder(shape: shape.element)
        offsets.append(0)
    }

    /// Ends the list of the row; `false` when there are too many elements.
    func endList() -> Bool {
        guard elements.count <= Int(UInt32.max) else { return false }
        offsets.append(UInt32(truncatingIfNeeded: elements.count))
        return true
    }

    func appendPadding(_ rows: Int) {
        if let last = offsets.last { offsets.append(repeating: last, count: rows) }
    }

    func truncate(to count: Int) {
        offsets.truncate(to: count + 1)
        elements.truncate(to: Int(offsets.last ?? 0))
    }
}

extension ColumnBuffer {
    /// The last element.
    var last: Element? { count == 0 ? nil : self[count - 1] }
}
