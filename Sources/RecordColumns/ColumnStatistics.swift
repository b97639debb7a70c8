// What is worth knowing about a column, found out on first use.

import OrdinalSets
import Synchronization

/// Facts about a column that are computed once, on first use.
struct ColumnStatistics: ~Copyable, Sendable {
    // Not private: the compiler (6.3.1) cannot lay out the column's class then.
    struct Known {
        var isASCII: Bool?
        var zones: ZoneMap??
        var holdsNaN: Bool?
    }

    let known: Mutex<Known>

    init() { known = Mutex(Known()) }

    /// Facts that were found out before.
    init(isASCII: Bool, holdsNaN: Bool, zones: ZoneMap?) {
        known = Mutex(Known(isASCII: isASCII, zones: .some(zones), holdsNaN: holdsNaN))
    }

    fileprivate func isASCII(_ compute: () -> Bool) -> Bool {
        known.withLock { known in
            if let result = known.isASCII { return result }
            let result = compute()
            known.isASCII = result
            return result
        }
    }

    fileprivate func holdsNaN(_ compute: () -> Bool) -> Bool {
        known.withLock { known in
            if let result = known.holdsNaN { return result }
            let result = compute()
            known.holdsNaN = result
            return result
        }
    }

    fileprivate func zones(_ compute: () -> ZoneMap?) -> ZoneMap? {
        known.withLock { known in
            if let result = known.zones { return result }
            let result = compute()
            known.zones = .some(result)
            return result
        }
    }
}

/// The least and greatest number of each block of rows.
///
/// Bounds of whole numbers beyond 2⁵³ are rounded outwards, so that a block is never ruled out wrongly.
package struct ZoneMap: Sendable {
    /// Rows per block.
    package static let blockSize = 4096

    /// The least value of each block; above `maxima` when no row of the block has a value or all are NaN.
    package var minima: [Double] = []
    /// The greatest value of each block.
    package var maxima: [Double] = []
}

extension Column {
    /// Whether all texts of the column are ASCII; true for columns that are not text.
    /// - Complexity: O(bytes) the first time, then O(1).
    package var isASCII: Bool {
        facts.isASCII {
            switch values {
            case .text(let texts): texts.bytes.isASCII
            case .dictionary(let dictionary): dictionary.values.bytes.isASCII
            case .list(let lists): lists.elements.isASCII
            default: true
            }
        }
    }

    /// Whether a number or date of the column is NaN, which files cannot hold but records can.
    /// - Complexity: O(count) the first time, then O(1).
    package var holdsNaN: Bool {
        facts.holdsNaN {
            switch values {
            case .double(let numbers), .date(let numbers):
                unsafe numbers.withElements { unsafe $0.contains { $0.isNaN } }
            case .number(let numbers): (0..<count).contains { numbers.double($0).isNaN }
            default: false
            }
        }
    }

    /// The bounds of every block of rows of a column of numbers or dates; `nil` for other columns.
    /// - Complexity: O(count) the first time, then O(1).
    package var zoneMap: ZoneMap? {
        facts.zones {
            switch values {
            case .int64(let numbers): bounds { row in Self.outwards(numbers[row]) }
            case .double(let numbers), .date(let numbers): bounds { row in (numbers[row], numbers[row]) }
            case .number(let numbers):
                bounds { row in
                    if numbers.isDouble[row] {
                        (numbers.double(row), numbers.double(row))
                    } else {
                        Self.outwards(Int64(bitPattern: numbers.payload[row]))
                    }
                }
            default: nil
            }
        }
    }

    private func bounds(_ value: (Int) -> (low: Double, high: Double)) -> ZoneMap {
        var map = ZoneMap()
        for start in stride(from: 0, to: count, by: ZoneMap.blockSize) {
            var least = Double.infinity
            var greatest = -Double.infinity
            for row in start..<min(count, start + ZoneMap.blockSize) where isPresent(row) {
                let (low, high) = value(row)
                if low < least { least = low }
                if high > greatest { greatest = high }
            }
            map.minima.append(least)
            map.maxima.append(greatest)
        }
        return map
    }

    private static func outwards(_ number: Int64) -> (low: Double, high: Double) {
        let nearest = Double(number)
        return number.magnitude <= 1 << 53 ? (nearest, nearest) : (nearest.nextDown, nearest.nextUp)
    }
}

extension ColumnBuffer where Element == UInt8 {
    /// Whether no byte has its high bit set. Complexity: O(count).
    package var isASCII: Bool {
        unsafe withElements { bytes in
            let raw = UnsafeRawBufferPointer(bytes)
            let count = raw.count
            var offset = 0
            var seen: UInt64 = 0
            // SAFETY: every load ends at or before `count`.
            while offset &+ 8 <= count {
                seen |= unsafe raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                offset &+= 8
            }
            while offset < count {
                seen |= UInt64(unsafe raw[offset])
                offset &+= 1
            }
            return seen & 0x8080_8080_8080_8080 == 0
        }
    }
}
