// The plane of longitudes and latitudes without rounding: sums, sides of lines, rings whose corners are at a place's
// latitude, and boxes as rings.

import Testing

@testable import Geospatial

@Suite struct PlaneEdgesTests {
    private func sign(_ terms: [(Double, Double)]) -> Int {
        var sum = ExactSum()
        for (a, b) in terms { sum.add(a, b) }
        return sum.sign
    }

    private func place(_ longitude: Double, _ latitude: Double) -> Location {
        Location(latitude: latitude, longitude: longitude)
    }

    // MARK: Sums

    /// (1 − ε/2)² = (1 − ε) · 1 + (ε/2)², wherever in the words of the sum it lies.
    @Test func allBitsOfAProductCount() {
        let (one, half) = (1.0.nextDown, 0x1p-53)
        for exponent in -140...9 {
            let scale = Double(sign: .plus, exponent: exponent, significand: 1)
            let terms = [(one * scale, one), (-(1 - 0x1p-52) * scale, 1)]
            #expect(sign(terms) == 1, "\(exponent)")
            #expect(sign(terms + [(half * scale, -half)]) == 0, "\(exponent)")
            #expect(sign(terms + [(-half * scale, 2 * half)]) == -1, "\(exponent)")
        }
    }

    /// Two products of whole numbers, by arithmetic with whole numbers.
    @Test func sumsOfTwoProducts() {
        let numbers = [-9, -6, -1, 0, 1, 2, 3, 5, 7]
        for a in numbers {
            for b in numbers {
                for c in numbers {
                    for d in [1, 3, -4, 9] {
                        let expected = (a * b - c * d).signum()
                        // Both in units of 2⁻¹⁶⁰, from factors of other sizes.
                        let terms = [
                            (Double(a) * 0x1p-90, Double(b) * 0x1p-70), (-Double(c) * 0x1p-160, Double(d)),
                        ]
                        #expect(sign(terms) == expected, "\(a) \(b) \(c) \(d)")
                    }
                }
            }
        }
    }

    /// The smallest numbers have no leading one, and a term far below the others decides where they cancel.
    @Test func sumsOfTheSmallestNumbers() {
        let least = 0x1p-1074
        let cases: [(terms: [(Double, Double)], sign: Int)] = [
            ([(least, 4), (-0x1p-1022, 0x1p-50)], 0), ([(least, 4), (-0x1p-1022, 0x1p-49)], -1),
            ([(3 * least, 4), (-0x1p-1022, 0x1p-49)], 1), ([(1, 1), (least, -least)], 1),
            ([(-1, 1), (least, least)], -1), ([(1, 1), (-1, 1), (least, -least)], -1), ([(0.1, 1), (0.1, -1)], 0),
            ([(5, 1), (-4, 1)], 1),
            ([(-3, 0), (0, -7)], 0), ([(-3, 0), (least, least)], 1), ([(-0.0, -7)], 0), ([(1, -1), (1, 1)], 0),
        ]
        for (terms, expected) in cases { #expect(sign(terms) == expected, "\(terms)") }
    }

    // MARK: Points

    static let meridians: [(longitude: Double, turns: Double, other: Double, otherTurns: Double, isEast: Int)] = [
        (10, 0, 5, 0, 1), (5, 0, 10, 0, -1), (10.5, 0, 10, 0, 1), (10, 0, 10, 0, 0), (-170, 1, 180, 0, 1),
        (180, 0, -170, 1, -1), (-180, 1, 180, 0, 0), (180, -1, -180, 0, 0), (170, -1, -180, 0, -1),
        (-170, 1, -160, 1, -1), (0.1, 1, 0.1, 1, 0), (0.1.nextUp, 1, 0.1, 1, 1), (0.1, -1, 0.1.nextUp, -1, -1),
        (1e-300, 0, 0, 0, 1), (0, 0, 1e-300, 0, -1), ((-180.0).nextUp, 1, 180, 0, 1), (360, -1, 0, 0, 0),
        (360, -1, 0x1p-1074, 0, -1), (-360, 1, -0x1p-1074, 0, 1), (0, 1, 0, 0, 1), (0, 0, 0, 1, -1),
    ]

    @Test(arguments: meridians)
    func meridiansAreComparedExactly(
        longitude: Double, turns: Double, other: Double, otherTurns: Double, isEast: Int
    ) {
        let one = PlanePoint(longitude: longitude, turns: turns, latitude: 3)
        #expect(one.isEast(of: PlanePoint(longitude: other, turns: otherTurns, latitude: -8)) == isEast)
    }

    /// Left, on and right of lines, in floating point and where only exact sums tell.
    @Test func sidesOfLines() {
        typealias Corner = (longitude: Double, turns: Double, latitude: Double)
        let cases: [(start: Corner, end: Corner, point: Corner, side: Int)] = [
            ((0, 0, 0), (1, 0, 0), (0.5, 0, 0.1), 1), ((0, 0, 0), (1, 0, 0), (0.5, 0, -0.1), -1),
            ((0, 0, 0), (0, 0, 1), (0.1, 0, 0.5), -1), ((3, 0, 7), (5, 0, 12), (9, 0, 22), 0),
            ((3, 0, 7), (5, 0, 12), (9, 0, 22.0.nextUp), 1), ((3, 0, 7), (5, 0, 12), (9, 0, 22.0.nextDown), -1),
            ((3, 0, 7), (5, 0, 12), (9.0.nextUp, 0, 22), -1), ((-357, 1, 7), (5, 0, 12), (9, 0, 22), 0),
            ((-357, 1, 7), (365, -1, 12), (-351, 1, 22), 0), ((3, 0, 7), (-355, 1, 12), (369, -1, 22), 0),
            ((3, 0, 7), (-355, 1, 12), (369, -1, 22.0.nextUp), 1), ((3, 0, -7), (5, 0, -12), (9, 0, -22), 0),
            // The end alone is written with a turn: 180.8° E as 179.2° W.
            ((179.6, 0, 0), (-179.2, 1, -3), (180, 0, -1), 0),
            ((179.6, 0, 0), (-179.2, 1, -3), (180, 0, (-1.0).nextUp), 1),
            ((179.6, 0, 0), (-179.2, 1, -3), (180, 0, (-1.0).nextDown), -1),
        ]
        for (start, end, point, side) in cases {
            func corner(_ it: Corner) -> PlanePoint {
                PlanePoint(longitude: it.longitude, turns: it.turns, latitude: it.latitude)
            }
            let found = corner(point).side(from: corner(start), to: corner(end))
            #expect(found == side, "\(start) \(end) \(point)")
            #expect(corner(point).side(from: corner(end), to: corner(start)) == -side, "\(start) \(end) \(point)")
        }
    }

    // MARK: Rings

    /// Places at the latitude of corners and of level edges: a diamond both ways around, notches from above and from
    /// below, a step, and a square with corners within its sides.
    static let rings: [(ring: [[Double]], inside: [[Double]], outside: [[Double]])] = [
        (
            [[0, -5], [5, 0], [0, 5], [-5, 0], [0, -5]], [[1, 0], [-4.9, 0], [5, 0], [-5, 0], [0, 5], [0, -5]],
            [[6, 0], [-6, 0], [1, 5], [-1, -5], [-1, 5], [1, -5]]
        ),
        (
            [[0, -5], [-5, 0], [0, 5], [5, 0], [0, -5]], [[1, 0], [-4.9, 0], [5, 0], [-5, 0], [0, 5], [0, -5]],
            [[6, 0], [-6, 0], [1, 5], [-1, -5], [-1, 5], [1, -5]]
        ),
        (
            [[0, 0], [10, 0], [10, 10], [5, 5], [0, 10], [0, 0]],
            [[2, 5], [7, 5], [5, 5], [5, 4], [0, 10], [10, 10]],
            [[5, 6], [-1, 5], [11, 5], [5, 10], [-1, 10], [11, 10], [-1, 0], [11, 0]]
        ),
        (
            [[0, 10], [10, 10], [10, 0], [5, 5], [0, 0], [0, 10]],
            [[2, 5], [8, 5], [5, 5], [5, 6], [0, 0], [10, 0]],
            [[5, 4], [-1, 5], [11, 5], [5, 0], [-1, 0], [11, 0], [-1, 10], [11, 10]]
        ),
        (
            [[0, 0], [10, 0], [10, 5], [6, 5], [6, 10], [0, 10], [0, 0]],
            [[3, 5], [8, 5], [6, 5], [10, 5], [0, 5], [3, 10], [9, 0]],
            [[11, 5], [-1, 5], [8, 6], [8, 10], [-1, 0], [11, 0], [-1, 10], [7, 10]]
        ),
        (
            [[0, 0], [5, 0], [10, 0], [10, 5], [10, 10], [5, 10], [0, 10], [0, 5], [0, 0]],
            [[5, 0], [5, 10], [10, 5], [0, 5], [5, 5], [7, 10]], [[11, 10], [-1, 10], [-1, 0], [11, 5], [-1, 5]]
        ),
        // One latitude, of so many corners that they are looked for by latitude.
        (
            (0...20).map { [Double($0), 5] } + [[0, 5]], [[0, 5], [20, 5], [7, 5], [7.5, 5]],
            [[7, 5.0.nextUp], [7, 5.0.nextDown], [-0.1, 5], [20.1, 5], [7, 80], [7, -80]]
        ),
    ]

    @Test(arguments: rings)
    func placesAtTheLatitudeOfCorners(ring: [[Double]], inside: [[Double]], outside: [[Double]]) throws {
        // As it is, and turned to where the antimeridian cuts it.
        for east in [0.0, 175, -185] {
            let moved = ring.map { [$0[0] + east, $0[1]] }
            let area = try GeoArea(polygons: [[moved]], isMultiple: false)
            for (positions, isInside) in [(inside, true), (outside, false)] {
                for position in positions {
                    var longitude = position[0] + east
                    if longitude > 180 { longitude -= 360 }
                    if longitude < -180 { longitude += 360 }
                    #expect(area.contains(place(longitude, position[1])) == isInside, "\(position) \(east)")
                }
            }
        }
    }

    @Test func ringsOfMoreThanAllLongitudesAreRefused() {
        let sides = [(-180.0, 180.5, false), (-180.5, 180, false), (-180, 180, true), (-200, 160, true)]
        for (west, east, isTaken) in sides {
            let longitudes = [west, -90, 0, 90, east]
            let ring = longitudes.map { [$0, 0] } + longitudes.reversed().map { [$0, 1] } + [[west, 0]]
            let area = try? GeoArea(polygons: [[ring]], isMultiple: false)
            #expect((area != nil) == isTaken, "\(west) \(east)")
        }
    }

    /// A ring of many corners that is less than an atom high has places far from it, however much higher they are.
    @Test func ringsOfNoHeightAreLeft() throws {
        let longitudes = (0..<12).map(Double.init)
        let ring = longitudes.map { [$0, 0] } + longitudes.reversed().map { [$0, 1e-20] } + [[0, 0]]
        let area = try GeoArea(polygons: [[ring]], isMultiple: false)
        for latitude in [-90, -50, -1e-3, 1e-3, 50, 90] {
            #expect(!area.contains(place(5.5, latitude)), "\(latitude)")
        }
        #expect(area.contains(place(5.5, 0.5e-20)) && !area.contains(place(12, 0.5e-20)))
    }

    // MARK: Boxes

    /// A ring has a corner at every multiple of 90 degrees that is within its sides, and at no other.
    static let boxes: [(west: Double, east: Double, longitudes: [Double])] = [
        (90.5, 100, [90.5, 100]), (-90.5, -80, [-90.5, -90, -80]), (80, 90.5, [80, 90, 90.5]), (80, 90, [80, 90]),
        (90, 100, [90, 100]), (-180, -90, [-180, -90]), (-0.5, 0.5, [-0.5, 0, 0.5]),
        (10, -0.5, [10, 90, 180, -90, -0.5]), (179.5, -179.5, [179.5, 180, -179.5]), (-1, -1, [-1, -1]),
        (-180, 180, [-180, -90, 0, 90, 180]), (90.5, 90, [90.5, 180, -90, 0, 90]),
    ]

    @Test(arguments: boxes)
    func boxesHaveACornerEveryQuarter(west: Double, east: Double, longitudes: [Double]) throws {
        let box = try GraticuleBox(south: 1, west: west, north: 2, east: east)
        let expected = longitudes.map { [$0, 1] } + longitudes.reversed().map { [$0, 2] } + [[west, 1]]
        #expect(box.ring == expected)
    }

    @Test func sidesBeyondTheGlobeAreNamed() {
        let cases: [(south: Double, west: Double, north: Double, east: Double, place: String)] = [
            (0.0, 0.0, 90.5, 0.0, "north"), (-90.5, 0, 0, 0, "south"), (0, 180.5, 0, 0, "west"),
            (0, 0, 0, -180.5, "east"),
        ]
        for (south, west, north, east, name) in cases {
            let error = #expect(throws: GeoAreaError.self) {
                try GeoArea(south: south, west: west, north: north, east: east)
            }
            #expect(error?.place == name)
        }
    }
}
