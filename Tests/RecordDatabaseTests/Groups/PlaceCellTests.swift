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
        arguments: [([170, -170], 180), ([178, -176], -179), ([-178, -176], -177), ([160, 170], 165)]
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

    @Test func gridsThatAreNone() {
        #expect(PlaceGrid(south: 0, west: 0, north: 0, east: 1, columns: 1, rows: 1) == nil)
        #expect(PlaceGrid(south: 0, west: 0, north: 1, east: 1, columns: 1 << 10, rows: 1 << 10) == nil)
        #expect(PlaceGrid(south: .nan, west: 0, north: 1, east: 1, columns: 1, rows: 1) == nil)
        #expect(PlaceGrid(south: 0, west: 0, north: 1, east: 181, columns: 1, rows: 1) == nil)
        #expect(PlaceGrid(south: 0, west: 170, north: 1, east: -170, columns: 1, rows: 1) != nil)
    }
}
