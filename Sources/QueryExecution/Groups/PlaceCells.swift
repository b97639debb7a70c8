// Places of rows by the cells of a grid, for maps: however many places there are, few cells are drawn.

import Deadlines
package import Geospatial
package import PredicateSemantics
import RecordColumns
import RecordModel
package import RecordStore

/// A box on the Earth, cut into cells of equal degrees.
package struct PlaceGrid: Sendable {
    /// Degrees; the box reaches from west to east, over the antimeridian where west is the larger.
    package var south, west, north, east: Double
    /// Numbers of cells.
    package var columns, rows: Int

    package init?(south: Double, west: Double, north: Double, east: Double, columns: Int, rows: Int) {
        let isBox =
            south < north && [south, north].allSatisfy { abs($0) <= 90 }
            && [west, east].allSatisfy { abs($0) <= 180 } && west != east
        guard isBox, (1...Self.mostCells).contains(columns), (1...Self.mostCells).contains(rows),
            columns * rows <= Self.mostCells
        else { return nil }
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
        (self.columns, self.rows) = (columns, rows)
        // From 180 to −180 is no way at all, and of sides almost so far apart the rest is rounded away.
        guard width > 0 else { return nil }
    }

    /// More cells than these nobody can tell apart.
    package static let mostCells = 1 << 16

    /// Degrees from west to east.
    private var width: Double { east > west ? east - west : east - west + 360 }

    /// The cell of a place, row after row from the south; `nil` outside the box.
    @inline(__always)
    package func cell(_ latitude: Double, _ longitude: Double) -> Int? {
        var x = longitude - west
        if x < 0 { x += 360 }
        guard latitude >= south, latitude <= north, x >= 0, x <= width else { return nil }
        let row = min(rows - 1, Int((latitude - south) / (north - south) * Double(rows)))
        return row * columns + min(columns - 1, Int(x / width * Double(columns)))
    }

    /// How far east of the box's west a longitude is.
    @inline(__always)
    fileprivate func offset(_ longitude: Double) -> Double {
        longitude < west ? longitude - west + 360 : longitude - west
    }

    fileprivate func longitude(_ offset: Double) -> Double {
        let longitude = west + offset
        return longitude > 180 ? longitude - 360 : longitude
    }
}

/// A cell of a grid with the places in it.
package struct PlaceCell: Sendable {
    /// The middle of the places.
    package var middle: Location
    /// Number of places.
    package var count: Int
    /// The number of the first record with one of them.
    package var number: Int
}

extension Snapshot {
    /// The places of rows in a box, by the cells of its grid; cells without a place are left out.
    ///
    /// - Parameter field: A name as in sort keys. Of a list field every place counts.
    /// - Throws: `EvaluationError` of kind `timeLimit` or `cancelled`.
    /// - Complexity: O(rows + cells).
    package func cells(
        of field: String, at matches: MatchingRows, in grid: PlaceGrid
    ) throws(EvaluationError) -> [PlaceCell] {
        var sums = CellSums(grid)
        let watch = QueryDeadline.watch
        for part in matches.parts {
            try watch.check()
            let source = FieldSource(field, of: segments[part.segment], in: self)
            if case .column(let column, _) = source, case .location(let places) = column.values {
                try part.forEach(of: column, watch) { row in
                    guard let row else { return }
                    sums.add(places.latitudes[row], places.longitudes[row], part.segment, row)
                }
                continue
            }
            for (index, row) in part.rows.enumerated() {
                if index & 0xFFF == 0xFFF { try watch.check() }
                sums.add(source.value(Int(row)), part.segment, Int(row))
            }
        }
        return sums.cells { segment, row in
            isOneWholeSegment ? row : recordNumbers.number(segment: segment, row: row)
        }
    }
}

/// What is added up for each cell.
private struct CellSums {
    let grid: PlaceGrid
    var counts: [Int]
    var latitudes: [Double]
    var offsets: [Double]
    var first: [(segment: Int32, row: Int32)]

    init(_ grid: PlaceGrid) {
        self.grid = grid
        let count = grid.columns * grid.rows
        counts = [Int](repeating: 0, count: count)
        latitudes = [Double](repeating: 0, count: count)
        offsets = latitudes
        first = [(Int32, Int32)](repeating: (0, 0), count: count)
    }

    @inline(__always)
    mutating func add(_ latitude: Double, _ longitude: Double, _ segment: Int, _ row: Int) {
        guard let cell = grid.cell(latitude, longitude) else { return }
        if counts[cell] == 0 { first[cell] = (Int32(truncatingIfNeeded: segment), Int32(truncatingIfNeeded: row)) }
        counts[cell] &+= 1
        latitudes[cell] += latitude
        offsets[cell] += grid.offset(longitude)
    }

    mutating func add(_ value: FieldValue, _ segment: Int, _ row: Int) {
        switch value {
        case .location(let place): add(place.latitude, place.longitude, segment, row)
        case .list(let elements), .set(let elements): for element in elements { add(element, segment, row) }
        default: break
        }
    }

    func cells(_ number: (_ segment: Int, _ row: Int) -> Int) -> [PlaceCell] {
        counts.indices.filter { counts[$0] > 0 }.map { cell in
            let count = Double(counts[cell])
            return PlaceCell(
                middle: Location(
                    latitude: latitudes[cell] / count, longitude: grid.longitude(offsets[cell] / count)),
                count: counts[cell], number: number(Int(first[cell].segment), Int(first[cell].row)))
        }
    }
}
