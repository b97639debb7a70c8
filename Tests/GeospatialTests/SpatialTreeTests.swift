// Tests of the tree of places against looking at every place.

import CKernels
import Testing

@testable import Geospatial

@Suite struct SpatialTreeTests {
    /// Columns of places, some off the globe, and the tree of all but every seventh row.
    private struct Sample {
        let latitudes: [Double]
        let longitudes: [Double]
        let rows: [UInt32]
        let tree: SpatialTree

        init(_ count: Int, clusters: Int, from places: inout PlaceGenerator) {
            var latitudes: [Double] = []
            var longitudes: [Double] = []
            let centers = (0..<clusters).map { _ in places.place() }
            for row in 0..<count {
                let place =
                    row % 20 == 19 || clusters == 0
                    ? places.place() : places.neighbour(of: centers[row % clusters], distance: 20_000)
                latitudes.append(row % 31 == 30 ? .nan : place.latitude)
                longitudes.append(row % 37 == 36 ? 200 : place.longitude)
            }
            let rows = (0..<UInt32(count)).filter { $0 % 7 != 6 }
            (self.latitudes, self.longitudes, self.rows) = (latitudes, longitudes, rows)
            tree = SpatialTree(rows: rows, latitudes: latitudes.span, longitudes: longitudes.span)
        }

        func location(_ row: UInt32) -> Location {
            Location(latitude: latitudes[Int(row)], longitude: longitudes[Int(row)])
        }

        func expected(_ test: DistanceTest) -> [UInt32] { rows.filter { test.contains(location($0)) } }

        func center(_ places: inout PlaceGenerator) -> Location {
            let place = rows.isEmpty ? places.place() : location(rows[rows.count / 2])
            return place.isValid ? places.neighbour(of: place, distance: places.radius() / 10) : places.place()
        }
    }

    @Test(arguments: [0, 1, 63, 64, 65, 150, 1_300, 3_000])
    func rangesOfDistances(count: Int) {
        var places = PlaceGenerator(seed: UInt64(count))
        for clusters in [0, 1, 5] {
            let sample = Sample(count, clusters: clusters, from: &places)
            let tree = sample.tree
            #expect(
                tree.count
                    == sample.expected(DistanceTest(center: Location(latitude: 0, longitude: 0), range: .all)).count)
            for round in 0..<12 {
                let center = sample.center(&places)
                let rim = sample.rows.randomElement(using: &places).map { sample.location($0) } ?? center
                let distance = round < 6 ? places.radius() : Geodesic.distance(from: rim, to: center)
                let test = DistanceTest(center: center, range: places.range(distance))
                let expected = sample.expected(test)
                #expect(tree.count(test, location: sample.location) == expected.count, "\(test)")
                #expect(tree.countBounds(test).contains(expected.count), "\(test)")
                var rows: [UInt32] = [77]
                tree.select(test, location: sample.location, into: &rows)
                #expect(rows.first == 77 && rows.dropFirst().sorted() == expected, "\(test)")
                for wordCount in [(count + 63) / 64, count / 128] {
                    var words = [UInt64](repeating: 0, count: wordCount)
                    tree.mark(test, location: sample.location, in: &words)
                    let marked = (0..<UInt32(wordCount * 64)).filter { words[Int($0) / 64] >> UInt64($0 % 64) & 1 == 1 }
                    #expect(marked == expected.filter { $0 < wordCount * 64 }, "\(test)")
                }
            }
        }
    }

    @Test(arguments: [0, 1, 64, 65, 1_100, 2_500])
    func nearestPlaces(count: Int) {
        var places = PlaceGenerator(seed: UInt64(count) + 100)
        for clusters in [0, 1, 5] {
            let sample = Sample(count, clusters: clusters, from: &places)
            for limit in [-1, 0, 1, 3, 10, 100, 5_000] {
                let center = sample.center(&places)
                for accepts in [{ _ in true }, { $0 % 3 == 0 }, { _ in false }] as [(UInt32) -> Bool] {
                    let expected = sample.rows.filter { sample.location($0).isValid && accepts($0) }
                        .map { row in
                            let distance = Geodesic.distance(from: sample.location(row), to: center)
                            return SpatialTree.Neighbor(row: row, distance: distance)
                        }
                        .sorted().prefix(max(0, limit))
                    let nearest = sample.tree.nearest(
                        limit, to: center, location: sample.location, isIncluded: accepts)
                    #expect(nearest == Array(expected), "\(limit) nearest to \(center)")
                }
                let nowhere = Location(latitude: 91, longitude: 0)
                #expect(sample.tree.nearest(limit, to: nowhere, location: sample.location).isEmpty)
            }
        }
    }

    /// Of places equally far the one of the lesser row comes first, wherever they lie in the tree.
    @Test func equallyFarPlacesComeByRow() {
        let center = Location(latitude: 10, longitude: 20)
        // East and west of it, and the antimeridian by both of its names.
        let pairs = [(center, [15.0, 25]), (Location(latitude: 10, longitude: 179), [180.0, -180])]
        for (center, sides) in pairs {
            for longitudes in [sides, sides.reversed()] {
                let latitudes = [10.0, 10]
                let tree = SpatialTree(rows: 0..<2, latitudes: latitudes.span, longitudes: longitudes.span)
                for limit in [1, 2] {
                    let nearest = tree.nearest(limit, to: center) { row in
                        Location(latitude: latitudes[Int(row)], longitude: longitudes[Int(row)])
                    }
                    #expect(nearest.map(\.row) == Array(0..<UInt32(limit)), "\(longitudes)")
                    #expect(Set(nearest.map(\.distance)).count == 1)
                }
            }
        }
    }

    /// Rows are marked as far as there are words, also where the last row is the first one without a word.
    @Test(arguments: [64, 65, 66, 128, 129]) func marksEndWithTheWords(count: Int) {
        let latitudes = (0..<count).map { Double($0) / 10 }
        let longitudes = latitudes.map { _ in 5.0 }
        let tree = SpatialTree(rows: 0..<UInt32(count), latitudes: latitudes.span, longitudes: longitudes.span)
        let location = { (row: UInt32) in Location(latitude: latitudes[Int(row)], longitude: 5) }
        let center = Location(latitude: 0, longitude: 5)
        // Beyond the farthest place, by so little that the tree looks at the places themselves.
        let radius = Geodesic.distance(from: location(UInt32(count - 1)), to: center) + 0.1
        for (wordCount, range) in (0...3).flatMap({ [($0, DistanceRange.all), ($0, .atMost(radius))] }) {
            var words = [UInt64](repeating: 0, count: wordCount)
            tree.mark(DistanceTest(center: center, range: range), location: location, in: &words)
            let expected = (0..<wordCount).map { word in
                let rows = min(64, max(0, count - 64 * word))
                return rows == 64 ? UInt64.max : 1 << UInt64(rows) - 1
            }
            #expect(words == expected, "\(wordCount) words")
        }
    }

    /// Rows that one of the columns does not have are left out.
    @Test(arguments: [(5, 7), (7, 5), (5, 5)]) func rowsEndWithTheShorterColumn(latitudes: Int, longitudes: Int) {
        let (south, west) = ([Double](repeating: 1, count: latitudes), [Double](repeating: 2, count: longitudes))
        #expect(SpatialTree(rows: 0..<10, latitudes: south.span, longitudes: west.span).count == 5)
    }

    /// Places of half a degree, and areas that hold all of them or none: narrow, wide, over the antimeridian.
    private static let areas: [(south: Double, west: Double, north: Double, east: Double, holdsAll: Bool)] = [
        (0.0, 0.0, 30.0, 40.0, true), (-90, -180, 90, 180, true), (0, -100, 30, 150, true), (0, 170, 30, 160, true),
        (0, 30, 30, 40, false), (20, 0, 30, 40, false), (-10, 0, 5, 40, false), (0, 30, 30, 10, false),
    ]

    private static let distances: [(latitude: Double, range: DistanceRange, holdsAll: Bool)] = [
        (10, .atMost(1e6), true), (10, .all, true), (10, .above(1e6), false), (10, .empty, false),
        (-60, .above(1e6), true), (-60, .atMost(1e6), false), (-60, .between(1e6, 1.9e7), true),
    ]

    /// Estimates are exact where no place is near the rim: without a look at one of them.
    @Test func boundsFarFromTheRimAreExact() throws {
        let count = 3_000
        let latitudes = (0..<count).map { 10 + Double($0 % 50) / 100 }
        let longitudes = (0..<count).map { 20 + Double($0 / 50) / 100 }
        let tree = SpatialTree(rows: 0..<UInt32(count), latitudes: latitudes.span, longitudes: longitudes.span)
        var tests: [(test: PlaceTest, holdsAll: Bool)] = []
        for (south, west, north, east, holdsAll) in Self.areas {
            tests.append((.area(try GeoArea(south: south, west: west, north: north, east: east)), holdsAll))
        }
        for (latitude, range, holdsAll) in Self.distances {
            let center = Location(latitude: latitude, longitude: 20)
            tests.append((.distance(DistanceTest(center: center, range: range)), holdsAll))
        }
        for (number, (test, holdsAll)) in tests.enumerated() {
            var looks = 0
            let found = tree.count(test) { row in
                looks += 1
                return Location(latitude: latitudes[Int(row)], longitude: longitudes[Int(row)])
            }
            let expected = holdsAll ? count : 0
            #expect(found == expected && looks == 0, "\(number)")
            #expect(tree.countBounds(test) == expected...expected, "\(number)")
        }
    }

    /// A tree made of another's parts gives its answers; parts that do not belong together make none.
    @Test(arguments: [0, 1, 64, 65, 1_100]) func treesAreMadeOfTheirParts(count: Int) {
        var places = PlaceGenerator(seed: UInt64(count) + 300)
        let sample = Sample(count, clusters: 1, from: &places)
        let parts = sample.tree.parts
        guard let again = SpatialTree(parts) else {
            Issue.record("no tree of \(count) places")
            return
        }
        let test = DistanceTest(center: sample.center(&places), range: .atMost(1e7))
        #expect(again.count(test, location: sample.location) == sample.expected(test).count)
        let nearest = again.nearest(7, to: test.center, location: sample.location)
        #expect(nearest == sample.tree.nearest(7, to: test.center, location: sample.location))
        #expect(again.count == sample.tree.count && again.byteCount == sample.tree.byteCount)
        var words = [UInt64](repeating: 0, count: (count + 63) / 64)
        again.mark(test, location: sample.location, in: &words)
        #expect(words.reduce(0) { $0 + $1.nonzeroBitCount } == sample.expected(test).count)
        if count == 0 { return }
        var broken = [parts, parts, parts, parts, parts]
        broken[0].x.removeLast()
        broken[1].y.append(0)
        broken[2].z = []
        broken[3].levels.removeLast()
        broken[4].levels[0].append(0)
        for parts in broken { #expect(SpatialTree(parts) == nil) }
    }

    @Test func nearestPlacesAreFoundAmongFew() {
        var places = PlaceGenerator(seed: 7)
        let sample = Sample(20_000, clusters: 0, from: &places)
        var looks = 0
        let nearest = sample.tree.nearest(10, to: sample.center(&places), location: sample.location) { _ in
            looks += 1
            return true
        }
        #expect(nearest.count == 10 && looks < 2_000, "\(looks)")
    }

    /// The kernels for older processors give the answers of those for this one.
    @Test func everyInstructionSet() {
        defer { kernels_limit_level(Int32(KERNELS_AVX512)) }
        for level in [KERNELS_PLAIN, KERNELS_AVX2] {
            kernels_limit_level(Int32(level))
            rangesOfDistances(count: 1_300)
            nearestPlaces(count: 1_100)
        }
    }

    /// Bounds of distances by chords hold for every pair.
    @Test func chordsBoundDistances() {
        var places = PlaceGenerator(seed: 21)
        for _ in 0..<20_000 {
            let center = places.place()
            let place = places.neighbour(of: center, distance: places.radius())
            let distance = Geodesic.distance(from: center, to: place)
            let chord = GeocentricPoint(center).squaredChord(to: GeocentricPoint(place)).squareRoot()
            #expect(ChordBounds.greatestDistance(chord: chord) >= distance - 1e-7, "\(center) \(place)")
            #expect(ChordBounds.within(distance) <= chord + 1e-7, "\(center) \(place)")
            #expect(ChordBounds.beyond(distance) >= chord - 1e-7, "\(center) \(place)")
        }
    }

    /// The curve is one: cells in order along it are next to each other, and every cell of a coarse grid occurs once.
    @Test func cellsKeepNeighboursTogether() {
        var places = PlaceGenerator(seed: 22)
        var near = 0
        for _ in 0..<2_000 {
            let place = places.place()
            let (cell, other) = (CellID(GeocentricPoint(place)), CellID(GeocentricPoint(places.place())))
            #expect(cell == CellID(GeocentricPoint(place)) && cell.rawValue < 6 << 48)
            #expect((cell < other) == (cell.rawValue < other.rawValue))
            // Within 5 m: the same quarter of a quarter … fifteen times, as a rule.
            let neighbour = CellID(GeocentricPoint(places.neighbour(of: place, distance: 5)))
            if cell.rawValue >> 18 == neighbour.rawValue >> 18 { near += 1 }
        }
        #expect(near > 1_500)
        let steps = (0..<16).flatMap { row in (0..<16).map { column in (column, row) } }
            .map { column, row in
                (
                    CellID(GeocentricPoint(x: 1, y: Double(column) / 8 - 0.9375, z: Double(row) / 8 - 0.9375)), column,
                    row
                )
            }
            .sorted { $0.0 < $1.0 }
        #expect(Set(steps.map { $0.0.rawValue >> 40 }) == Set(0..<256))
        for (one, next) in zip(steps, steps.dropFirst()) {
            #expect(abs(one.1 - next.1) + abs(one.2 - next.2) == 1, "\(one) \(next)")
        }
    }
}
