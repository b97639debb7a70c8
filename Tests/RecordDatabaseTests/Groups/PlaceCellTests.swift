// Cells of a map against a loop over records.

import Geospatial
import QueryExecution
import RecordDatabase
import Testing
import _TestSupport

@Suite struct PlaceCellTests {
    private static func records(seed: UInt64) -> [Record] {
        var random = SplitMix64(seed: seed)
        func place() -> FieldValue {
            .location(
                Location(
                    latitude: .random(in: -90...90, using: &random), longitude: .random(in: -180...180, using: &random)
                ))
        }
        return (0..<300).map { number in
            var record = Record(type: ["T", "U"][number % 2], id: Record.ID("r\(number)"))
            if number % 7 > 0 { record["place"] = number % 2 == 0 ? place() : .list([place(), place()]) }
            return record
        }
    }

    private static func places(_ record: Record) -> [Location] {
        switch record["place"] {
        case .location(let place): [place]
        case .list(let list): list.compactMap { if case .location(let place) = $0 { place } else { nil } }
        default: []
        }
    }

    /// The cell of a place in a grid of 6 columns and 4 rows.
    private static func cell(_ place: Location, _ box: (Double, Double, Double, Double)) -> Int? {
        let (south, west, north, east) = box
        let isWithin =
            west < east
            ? place.longitude >= west && place.longitude <= east : place.longitude >= west || place.longitude <= east
        guard isWithin, place.latitude >= south, place.latitude <= north else { return nil }
        let width = west < east ? east - west : east - west + 360
        let x = place.longitude >= west ? place.longitude - west : place.longitude - west + 360
        return min(3, Int((place.latitude - south) / (north - south) * 4)) * 6 + min(5, Int(x / width * 6))
    }

    private static let boxes: [(Double, Double, Double, Double)] = [
        (-90, -180, 90, 180), (10, 20, 40, 80), (-30, 150, 60, -140),
    ]

    @Test(arguments: [11, 12, 13] as [UInt64])
    func cells(seed: UInt64) throws {
        let records = Self.records(seed: seed)
        let set = try RecordSet(records: records)
        for box in Self.boxes {
            let grid = try #require(
                PlaceGrid(south: box.0, west: box.1, north: box.2, east: box.3, columns: 6, rows: 4))
            let found = try set.cells(of: "place", at: set.matchingRows(of: "TRUEPREDICATE"), in: grid)
            var naive: [Int: [Location]] = [:]
            for place in records.flatMap(Self.places) {
                if let cell = Self.cell(place, box) { naive[cell, default: []].append(place) }
            }
            #expect(found.map(\.count) == naive.sorted { $0.key < $1.key }.map(\.value.count))
            for (cell, places) in zip(found, naive.sorted { $0.key < $1.key }) {
                let latitude = places.value.map(\.latitude).reduce(0, +) / Double(places.value.count)
                #expect(abs(cell.middle.latitude - latitude) < 1e-9)
                #expect(grid.cell(cell.middle.latitude, cell.middle.longitude) == places.key)
                #expect(Self.places(records[cell.number]).contains { Self.cell($0, box) == places.key })
            }
        }
        let some = try set.matchingRows(of: "recordName == 'r1'")
        #expect(set.ordinals(at: some) == [1] && some.count == 1)
    }

    /// The middle of places on both sides of the antimeridian lies between them.
    @Test(
        arguments: [
            ([170, -170], 180), ([178, -176], -179), ([-178, -176], -177), ([160, 170], 165), ([150, 152], 151),
        ]
            as [([Double], Double)])
    func middlesBesideTheAntimeridian(_ longitudes: [Double], _ middle: Double) throws {
        let set = try RecordSet(
            records: longitudes.enumerated().map { number, longitude in
                let place = Location(latitude: 10, longitude: longitude)
                return Record(type: "T", id: Record.ID("r\(number)"), fields: ["place": .location(place)])
            })
        let grid = try #require(PlaceGrid(south: -30, west: 150, north: 60, east: -140, columns: 1, rows: 1))
        let cells = try set.cells(of: "place", at: set.matchingRows(of: "TRUEPREDICATE"), in: grid)
        #expect(cells.map(\.count) == [longitudes.count])
        #expect(cells.map(\.middle.longitude) == [middle] && cells.map(\.middle.latitude) == [10])
    }

    /// A cell has its southern and western edges, the last ones all; over the antimeridian too.
    @Test func edgesOfCells() throws {
        let grid = try #require(PlaceGrid(south: 0, west: 0, north: 10, east: 10, columns: 5, rows: 2))
        for (latitude, longitude, cell) in [
            (0, 0, 0), (10, 10, 9), (10, 0, 5), (5, 0, 5), (4.99, 1.99, 0), (0, 10, 4), (0, 2, 1), (5, 9.5, 9),
            (-0.01, 0, nil), (10.01, 0, nil), (0, 10.01, nil), (0, -0.01, nil), (.nan, 1, nil),
            // Records may hold places that are off the Earth.
            (5, -1_000, nil), (5, 1_000, nil), (5, .nan, nil), (5, .infinity, nil), (5, -.infinity, nil),
            (1e300, 5, nil), (-.infinity, 5, nil),
        ] as [(Double, Double, Int?)] {
            #expect(grid.cell(latitude, longitude) == cell, "\(latitude) \(longitude)")
        }
        let wide = try #require(PlaceGrid(south: -90, west: 170, north: 90, east: -170, columns: 4, rows: 1))
        for (longitude, cell) in [
            (170, 0), (174.9, 0), (175, 1), (180, 2), (-180, 2), (-175, 3), (-170, 3), (-169.9, nil), (169.9, nil),
            (0, nil),
        ] as [(Double, Int?)] {
            #expect(wide.cell(90, longitude) == cell && wide.cell(-90, longitude) == cell, "\(longitude)")
        }
        // Sides between which there is nothing are none of a box.
        for (west, east) in [(180, -180), (180, (-180).nextUp), (7, 7)] as [(Double, Double)] {
            let grid = PlaceGrid(south: 0, west: west, north: 1, east: east, columns: 1, rows: 1)
            #expect(grid == nil, "\(west) \(east)")
        }
    }

    /// A cell names the first record with a place in it.
    @Test func cellsNameTheirFirstRecord() throws {
        let places = [(50, 5), (1, 1), (2, 2), (8, 8), (1, 2), (9, 9)]
        let set = try RecordSet(
            records: places.enumerated().map { number, place in
                let place = Location(latitude: Double(place.0), longitude: Double(place.1))
                return Record(type: "T", id: Record.ID("r\(number)"), fields: ["place": .location(place)])
            })
        let grid = try #require(PlaceGrid(south: 0, west: 0, north: 10, east: 10, columns: 2, rows: 2))
        let cells = try set.cells(of: "place", at: set.matchingRows(of: "TRUEPREDICATE"), in: grid)
        #expect(cells.map(\.number) == [1, 3] && cells.map(\.count) == [3, 2])
        let some = try set.cells(of: "place", at: set.matchingRows(of: "recordName != 'r1'"), in: grid)
        #expect(some.map(\.number) == [2, 3] && some.map(\.count) == [2, 2])
    }

    /// The sides of a box, the numbers of columns and rows, and whether they are a grid.
    @Test func sidesAndNumbersOfCells() {
        for (sides, columns, rows, isGrid) in [
            ([-90, -180, 90, 180], 1, 1, true), ([-90.1, 0, 0, 1], 1, 1, false), ([0, 0, 90.1, 1], 1, 1, false),
            ([0, -180.1, 1, 1], 1, 1, false), ([0, 0, 1, 180.1], 1, 1, false), ([1, 0, 0, 1], 1, 1, false),
            ([0, 1, 1, 1], 1, 1, false), ([0, 2, 1, 1], 1, 1, true), ([0, 0, 1, 1], 0, 1, false),
            ([0, 0, 1, 1], 1, 0, false), ([0, 0, 1, 1], -1, -1, false), ([0, 0, 1, 1], 1 << 16, 1, true),
            ([0, 0, 1, 1], 1, 1 << 16, true), ([0, 0, 1, 1], 1 << 8, 1 << 8, true), ([0, 0, 1, 1], 257, 256, false),
            ([0, 0, 1, 1], 65_537, 1, false), ([0, .nan, 1, 1], 1, 1, false),
        ] as [([Double], Int, Int, Bool)] {
            let grid = PlaceGrid(
                south: sides[0], west: sides[1], north: sides[2], east: sides[3], columns: columns, rows: rows)
            #expect((grid != nil) == isGrid, "\(sides) \(columns) \(rows)")
        }
    }

    @Test func gridsThatAreNone() {
        #expect(PlaceGrid(south: 0, west: 0, north: 0, east: 1, columns: 1, rows: 1) == nil)
        #expect(PlaceGrid(south: 0, west: 0, north: 1, east: 1, columns: 1 << 10, rows: 1 << 10) == nil)
        #expect(PlaceGrid(south: .nan, west: 0, north: 1, east: 1, columns: 1, rows: 1) == nil)
        #expect(PlaceGrid(south: 0, west: 0, north: 1, east: 181, columns: 1, rows: 1) == nil)
        #expect(PlaceGrid(south: 0, west: 170, north: 1, east: -170, columns: 1, rows: 1) != nil)
    }
}
