// The tree of places at the borders of areas, the order and size of what it is made of, and what it looks at.

import Testing

@testable import Geospatial

@Suite struct TreeEdgesTests {
    private func tree(_ places: [Location]) -> SpatialTree {
        let (latitudes, longitudes) = (places.map(\.latitude), places.map(\.longitude))
        return SpatialTree(rows: 0..<UInt32(places.count), latitudes: latitudes.span, longitudes: longitudes.span)
    }

    // MARK: Areas

    /// Boxes of degrees: a narrow one, one of half the globe, one a little wider, almost all longitudes, one over the
    /// antimeridian.
    static let areas: [(west: Double, middle: Double, east: Double)] = [
        (10, 25, 40), (-90, 0, 90), (-90.25, 0, 90.25), (-100, 25, 150), (-179.75, 0, 179.75), (170, 180, -170),
        (100, -85, 90), (160, -105, -10),
    ]

    /// A place twenty metres within a side is in the box and one as far outside is not, without a look; on the side
    /// itself it is.
    @Test(arguments: areas) func sidesOfAreas(west: Double, middle: Double, east: Double) throws {
        let (south, north, step) = (-20.0, 30.0, 0.0002)
        let area = try GeoArea(south: south, west: west, north: north, east: east)
        let sides: [(latitude: Double, longitude: Double, inward: (Double, Double))] = [
            (south, middle, (1, 0)), (north, middle, (-1, 0)), (5, west, (0, 1)), (5, east, (0, -1)),
        ]
        for (latitude, longitude, inward) in sides {
            for (offset, count) in [(step, 1), (0, 1), (-step, 0)] {
                let place = Location(
                    latitude: latitude + offset * inward.0, longitude: longitude + offset * inward.1)
                let (one, test) = (tree([place]), PlaceTest.area(area))
                var looks = 0
                let found = one.count(test) { _ in
                    looks += 1
                    return place
                }
                #expect(found == count && looks == (offset == 0 ? 1 : 0), "\(place)")
                let bounds = one.countBounds(test)
                #expect(bounds == (offset == 0 ? 0...1 : count...count), "\(place)")
                var rows: [UInt32] = []
                one.select(test, location: { _ in place }, into: &rows)
                #expect(rows.count == count, "\(place)")
            }
        }
    }

    /// A box of all longitudes has no sides at the antimeridian, one of a single longitude holds that one alone.
    @Test func areasOfAllLongitudesAndOfOne() throws {
        let globe = try GeoArea(south: -90, west: -180, north: 90, east: 180)
        for longitude in [180.0, -180, 0] {
            let one = tree([Location(latitude: 3, longitude: longitude)])
            #expect(one.countBounds(.area(globe)) == 1...1, "\(longitude)")
        }
        let line = try GeoArea(south: 0, west: 5, north: 10, east: 5)
        for (longitude, count) in [(5.0, 1), (6, 0), (4, 0), (-175, 0), (5.001, 0)] {
            let place = Location(latitude: 3, longitude: longitude)
            #expect(tree([place]).count(.area(line)) { _ in place } == count, "\(longitude)")
        }
    }

    /// Rows without a word are left out of what an area marks.
    @Test(arguments: [64, 65, 128, 129]) func marksOfAreasEndWithTheWords(count: Int) throws {
        let places = (0..<count).map { Location(latitude: Double($0) / 10, longitude: 5) }
        let area = try GeoArea(south: -1, west: 0, north: 50, east: 10)
        for wordCount in 0...3 {
            var words = [UInt64](repeating: 0, count: wordCount)
            tree(places).mark(.area(area), location: { places[Int($0)] }, in: &words)
            let marked = words.reduce(0) { $0 + $1.nonzeroBitCount }
            #expect(marked == min(count, 64 * wordCount), "\(wordCount) words")
        }
    }

    // MARK: Order and size

    /// Rows are in the order of the curve, those of one cell in their own.
    @Test func rowsFollowTheCurve() {
        var random = PlaceGenerator(seed: 31)
        var places: [Location] = []
        for row in 0..<900 {
            // A third is within a few metres, and every ninth place is there twice.
            let near = Location(
                latitude: 47 + 1e-5 * random.unit(), longitude: 8 + 1e-5 * random.unit())
            places.append(row % 9 == 8 ? places[row - 8] : row % 3 == 0 ? near : random.place())
        }
        let keys = tree(places).ordinals.map { (CellID(GeocentricPoint(places[Int($0)])).rawValue, $0) }
        #expect(keys.count == 900)
        for (one, next) in zip(keys, keys.dropFirst()) { #expect(one < next, "\(one) \(next)") }
    }

    /// Four bytes for each row, for three coordinates of whole leaves of 64, and for the six sides of whole groups of
    /// sixteen boxes.
    @Test func bytesOfTrees() {
        let cases: [(count: Int, leaves: Int, groups: Int)] = [
            (0, 0, 0), (1, 1, 1), (64, 1, 1), (65, 2, 1), (1_024, 16, 1), (1_025, 17, 3), (1_100, 18, 3),
        ]
        for (count, leaves, groups) in cases {
            let some = tree((0..<count).map { Location(latitude: Double($0 % 80), longitude: Double($0 / 80)) })
            #expect(some.byteCount == 4 * (count + 3 * 64 * leaves + 6 * 16 * groups), "\(count)")
        }
    }

    /// Each box, of leaves and of boxes, reaches from the least coordinate of the places in it to the greatest.
    @Test func boxesReachAsFarAsTheirPlaces() {
        var random = PlaceGenerator(seed: 33)
        let some = tree((0..<1_100).map { _ in random.place() })
        #expect(some.boxCounts == [18, 2])
        for (level, boxes) in some.levels.enumerated() {
            for box in 0..<some.boxCounts[level] {
                let places = some.positions(level, box)
                for (axis, values) in [some.x, some.y, some.z].enumerated() {
                    let least = box / 16 * 6 * 16 + 2 * axis * 16 + box % 16
                    #expect(boxes[least] == values[places].min(), "\(level) \(box) \(axis)")
                    #expect(boxes[least + 16] == values[places].max(), "\(level) \(box) \(axis)")
                }
            }
        }
    }

    /// Of a line of places the nearest are found with hardly a look at the others, from either end or from between.
    @Test func nearestPlacesAreFoundWithFewLooks() {
        let places = (0..<300).map { Location(latitude: 0, longitude: Double($0) / 100) }
        let line = tree(places)
        for (center, expected) in [(0, Array(0..<10)), (299, Array((290..<300).reversed()))] {
            var looks = 0
            let nearest = line.nearest(10, to: places[center]) { row in
                looks += 1
                return places[Int(row)]
            }
            #expect(nearest.map { Int($0.row) } == expected && looks <= 12, "\(looks)")
        }
        var looks = 0
        let nearest = line.nearest(11, to: places[150]) { row in
            looks += 1
            return places[Int(row)]
        }
        #expect(Set(nearest.map { Int($0.row) }) == Set(145...155) && looks <= 15, "\(looks)")
    }

    @Test func heapsGiveTheLeastFirst() {
        var random = PlaceGenerator(seed: 32)
        for count in 0..<40 {
            let numbers = (0..<count).map { _ in Int.random(in: 0..<25, using: &random) }
            for order in [numbers, numbers.sorted(), numbers.sorted(by: >)] {
                var heap = Heap<Int>()
                for number in order { heap.insert(number) }
                #expect(heap.count == count && heap.least == numbers.min())
                var popped: [Int] = []
                while let least = heap.popLeast() { popped.append(least) }
                #expect(popped == numbers.sorted() && heap.count == 0)
            }
        }
    }

    // MARK: Cells

    /// The six axes are in the middle of six faces, each of which holds the places whose greatest coordinate is its.
    @Test func facesOfCells() {
        func face(_ x: Double, _ y: Double, _ z: Double) -> UInt64 {
            CellID(GeocentricPoint(x: x, y: y, z: z)).rawValue >> 48
        }
        var faces: [UInt64] = []
        for sign in [1.0, -1] {
            let axes = [face(sign, 0, 0), face(0, sign, 0), face(0, 0, sign)]
            faces += axes
            for u in [-0.99, -0.3, 0.2, 0.97] {
                for v in [-0.98, -0.4, 0.1, 0.95] {
                    #expect(face(sign, u, v) == axes[0] && face(v, sign, u) == axes[1] && face(u, v, sign) == axes[2])
                    #expect(face(0.5 * sign, 0.5 * u, 0.5 * v) == axes[0])
                }
            }
        }
        #expect(Set(faces) == Set(0..<6))
    }

    /// The first and the last column of a face are cells of their own, and what is on the edge is in the last one.
    @Test func cellsAtTheEdgeOfAFace() {
        func cell(_ y: Double, _ z: Double) -> CellID { CellID(GeocentricPoint(x: 1, y: y, z: z)) }
        let width = 0x1p-23
        for other in [-0.5, 0.3] {
            let cells = [
                cell(-1, other), cell(-1 + width, other), cell(-1 + 2 * width, other), cell(1 - 2.5 * width, other),
                cell(1 - 1.5 * width, other), cell(1 - width / 2, other),
            ]
            #expect(Set(cells).count == 6)
            #expect(cell(1, other) == cells[5] && cell(-1 + width / 2, other) == cells[0])
            #expect(!(cells[0] < cells[0]))
        }
    }

    // MARK: Bounds

    /// Thresholds of ranges about a metre or less, and of those that no distance reaches.
    @Test func thresholdsOfShortAndOfEndlessRanges() {
        typealias Verdict = ChordThresholds.Verdict
        let cases: [(range: DistanceRange, chord: Double, Verdict)] = [
            (.atMost(0.5), 0.4, .inside), (.atMost(0.5), 0.6, .outside), (.atLeast(0.5), 0.4, .outside),
            (.atLeast(0.5), 0.6, .inside), (.atMost(0.5), 0.5, .undecided), (.atLeast(3e7), 12_700_000, .outside),
            (.atMost(3e7), 12_700_000, .inside), (.between(0.5, 0.7), 0.6, .inside),
        ]
        for (range, chord, verdict) in cases {
            let test = DistanceTest(center: Location(latitude: 1, longitude: 2), range: range)
            for thresholds in [ChordThresholds(range, margin: 1e-5), test.thresholds] {
                #expect(thresholds.verdict(chord * chord) == verdict, "\(range) \(chord)")
            }
        }
        // A test is right to a hundredth of a millimetre before it needs the distance: see ThresholdDetailTests.
        let test = DistanceTest(center: Location(latitude: 1, longitude: 2), range: .atMost(50_000))
        #expect(test.thresholds.verdict(49_999.8701 * 49_999.8701) == .inside)
        #expect(test.thresholds.verdict(49_999.8730 * 49_999.8730) == .outside)
    }

    /// The longest distance over a short chord is hardly longer than the chord.
    @Test func longestDistancesOverChords() {
        for (chord, distance) in [(0.0, 0.0), (-1, 0), (0.25, 0.25), (1, 1), (1_000, 1_000.000_001_04)] {
            #expect(abs(ChordBounds.greatestDistance(chord: chord) - distance) < 1e-7, "\(chord)")
        }
        #expect(ChordBounds.greatestDistance(chord: 12_756_274) == Ellipsoid.greatestDistance)
    }

    /// A box about a place is a millimetre wide; one about a thousand kilometres has just the degrees of its circle.
    @Test func boxesAboutCircles() {
        let point = BoundingBox(center: Location(latitude: 10, longitude: 20), radius: -5)
        #expect(point.south < 10 && point.south > 10 - 1e-7 && point.north > 10 && point.north < 10 + 1e-7)
        #expect(point.longitudeReach > 0 && point.longitudeReach < 1e-7)
        // The smallest radius of curvature, and the polar radius.
        let (smallest, polar) = (6_335_439.327_293, 6_356_752.314_245)
        let circle = BoundingBox(center: Location(latitude: 0, longitude: 0), radius: 1e6)
        #expect(abs(circle.north - 1e6 / smallest * 180 / .pi) < 1e-6 && circle.south == -circle.north)
        #expect(abs(circle.longitudeReach - 1e6 / polar * 180 / .pi) < 1e-6)
    }

    /// Who wants none of the nearest places has none looked at.
    @Test func noneOfTheNearestTakeNoLook() {
        let places = (0..<200).map { Location(latitude: Double($0) / 10, longitude: 5) }
        var looks = 0
        let found = tree(places).nearest(0, to: Location(latitude: 3, longitude: 5)) { row in
            looks += 1
            return places[Int(row)]
        }
        #expect(found.isEmpty && looks == 0)
    }

    @Test func placesOffTheGlobeAreNoPoints() {
        for (latitude, longitude) in [(91.0, 0.0), (0, 181), (.nan, 0), (0, -.infinity)] {
            let point = GeocentricPoint(Location(latitude: latitude, longitude: longitude))
            #expect(point.x.isNaN && point.y.isNaN && point.z.isNaN)
        }
    }

    /// Longitudes are apart the short way: beyond half a turn by what is left of the turn.
    @Test func longitudesAreApartTheShortWay() {
        for (west, east) in [(-90.25, 90.25), (-95, 90), (-170, 175), (-180, 179.5)] {
            let (start, end) = (Location(latitude: 10, longitude: west), Location(latitude: -25, longitude: east))
            let other = Location(latitude: -25, longitude: 360 - (east - west))
            let expected = Geodesic.distance(from: Location(latitude: 10, longitude: 0), to: other)
            #expect(abs(Geodesic.distance(from: start, to: end) - expected) < 1e-7, "\(west) \(east)")
        }
    }
}
