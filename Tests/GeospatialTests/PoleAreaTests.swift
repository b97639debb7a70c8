// Areas that reach a pole at one corner or along one side: it has every longitude.

import Testing

@testable import Geospatial

@Suite struct PoleAreaTests {
    /// Rings in the north, and whether they reach the pole; in the south they are the same upside down.
    static let rings: [(ring: [[Double]], reachesPole: Bool)] = [
        ([[10, 80], [20, 80], [15, 90], [10, 80]], true), ([[10, 80], [20, 80], [15, 89], [10, 80]], false),
        ([[10, 80], [20, 80], [20, 90], [10, 90], [10, 80]], true),
        ([[170, 80], [-170, 80], [180, 90], [170, 80]], true),
    ]

    @Test(arguments: rings.indices, [1.0, -1]) func polesHaveEveryLongitude(_ number: Int, _ side: Double) throws {
        let (ring, reachesPole) = Self.rings[number]
        let area = try GeoArea(polygons: [[ring.map { [$0[0], side * $0[1]] }]], isMultiple: false)
        for longitude in [-180.0, -100, 0, 15, 77, 180] {
            let pole = Location(latitude: side * 90, longitude: longitude)
            #expect(area.contains(pole) == reachesPole, "\(longitude)")
            #expect(!area.contains(Location(latitude: -side * 90, longitude: longitude)), "\(longitude)")
        }
    }
}
