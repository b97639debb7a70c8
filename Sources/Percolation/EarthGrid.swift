// The Earth in cells of latitude and longitude, of sizes that fit the circles of predicates.

import Geospatial

/// Cells of one level: 2^level rows from pole to pole, twice as many columns around.
enum EarthGrid {
    /// One cell.
    struct Cell: Hashable {
        var row: Int
        var column: Int

        /// The bytes that tell it from other cells of its level.
        func encode(into bytes: inout [UInt8]) {
            bytes.removeAll(keepingCapacity: true)
            for number in [row, column] {
                for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
            }
        }
    }

    private static let finestLevel = 20
    /// Circles that would need more cells are not worth storing by place.
    private static let mostCells = 64

    /// The cell of a valid place.
    static func cell(of location: Location, level: Int) -> Cell {
        Cell(row: row(location.latitude, level), column: column(location.longitude, level) & columnMask(level))
    }

    /// Cells of one level that together cover the range of a test, some nine of them; nil where they would be too many.
    static func cells(covering test: DistanceTest) -> (level: Int, keys: [Cell])? {
        guard test.center.isValid, test.range.upperBound < 5e6 else { return nil }
        let box = BoundingBox(center: test.center, radius: test.range.upperBound)
        // Columns are computed with a rounding error that differs from one turn around the Earth to the next.
        let reach = box.longitudeReach + 1e-9
        let size = max(box.north - box.south, 2 * reach) / 2
        var level = 1
        while level < finestLevel, 180 / Double(1 << (level + 1)) >= size { level += 1 }
        let rows = row(box.south, level)...row(box.north, level)
        let columns = columnMask(level) + 1
        let first = column(test.center.longitude - reach, level)
        let last = min(column(test.center.longitude + reach, level), first + columns - 1)
        guard rows.count * (last - first + 1) <= mostCells else { return nil }
        return (
            level, rows.flatMap { row in (first...last).map { Cell(row: row, column: $0 & (columns - 1)) } }
        )
    }

    private static func columnMask(_ level: Int) -> Int { 2 << level - 1 }

    private static func row(_ latitude: Double, _ level: Int) -> Int {
        min(1 << level - 1, Int((latitude + 90) / 180 * Double(1 << level)))
    }

    /// Not reduced to one turn.
    private static func column(_ longitude: Double, _ level: Int) -> Int {
        Int(((longitude + 180) / 360 * Double(2 << level)).rounded(.down))
    }
}
