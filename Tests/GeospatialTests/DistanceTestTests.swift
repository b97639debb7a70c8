// Tests of the distance test: it must always give the answer of the exact distance, in rows as well as one by one.

import CKernels
import Foundation
import Testing
import _TestSupport

@testable import Geospatial

/// Places and distances that try the corners of the globe, from one seed.
struct PlaceGenerator: RandomNumberGenerator {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func next() -> UInt64 { random.next() }

    mutating func unit() -> Double { Double.random(in: 0..<1, using: &random) }

    /// Anywhere; one in four at a pole, on the equator, or at the antimeridian.
    mutating func place() -> Location {
        var place = Location(latitude: 180 * unit() - 90, longitude: 360 * unit() - 180)
        switch Int.random(in: 0..<16, using: &random) {
        case 0: place.latitude = 90
        case 1: place.latitude = -90 + 1e-6 * unit()
        case 2: place.latitude = 0
        case 3: place.longitude = Bool.random(using: &random) ? 180 : -180
        default: break
        }
        return place
    }

    /// Within about `distance` metres of `place`, or of the place opposite.
    mutating func neighbour(of place: Location, distance: Double) -> Location {
        let reach = distance / 111_000
        var latitude = place.latitude + reach * (2 * unit() - 1)
        var longitude = place.longitude
        if Int.random(in: 0..<8, using: &random) == 0 { (latitude, longitude) = (-latitude, longitude + 180) }
        if latitude > 90 { (latitude, longitude) = (180 - latitude, longitude + 180) }
        if latitude < -90 { (latitude, longitude) = (-180 - latitude, longitude + 180) }
        longitude += reach * (2 * unit() - 1) / max(0.01, cos(latitude * .pi / 180))
        longitude -= 360 * (longitude / 360).rounded()
        return Location(latitude: max(-90, min(90, latitude)), longitude: longitude)
    }

    /// From millimetres to beyond the longest distance, evenly by order of magnitude.
    mutating func radius() -> Double { 1e-3 * pow(10, 10.4 * unit()) }

    /// Ranges of every kind at `radius`.
    mutating func range(_ radius: Double) -> DistanceRange {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: .below(radius)
        case 1: .atMost(radius)
        case 2: .above(radius)
        case 3: .atLeast(radius)
        case 4: .between(radius, radius * (1 + unit()))
        default: .between(radius, radius)
        }
    }
}

@Suite struct DistanceTestTests {
    @Test func rangesHoldWhatTheirNamesSay() {
        let values: [Double] = [
            -.infinity, -5, -0.0, 0, .leastNonzeroMagnitude, 1, 5, 2e7, .greatestFiniteMagnitude, .infinity, .nan,
        ]
        let distances: [Double] = [0, .leastNonzeroMagnitude, 1, 5, (5.0).nextUp, 2e7]
        for radius in values {
            for distance in distances {
                #expect(DistanceRange.below(radius).contains(distance) == (distance < radius))
                #expect(DistanceRange.atMost(radius).contains(distance) == (distance <= radius))
                #expect(DistanceRange.above(radius).contains(distance) == (distance > radius))
                #expect(DistanceRange.atLeast(radius).contains(distance) == (distance >= radius))
                for other in values {
                    let between = DistanceRange.between(radius, other)
                    #expect(between.contains(distance) == (radius <= distance && distance <= other))
                    #expect(between == DistanceRange.atLeast(radius).intersection(.atMost(other)))
                    #expect(between.isEmpty == !(radius <= other && other >= 0 && radius < .infinity))
                }
            }
            #expect(!DistanceRange.below(radius).contains(.nan))
        }
    }

    @Test func alwaysTheExactResult() {
        var places = PlaceGenerator(seed: 7)
        for _ in 0..<4_000 {
            let center = places.place()
            let radius = places.radius()
            for _ in 0..<10 {
                let place = places.neighbour(of: center, distance: radius)
                let distance = Geodesic.distance(from: place, to: center)
                for range in [places.range(radius), places.range(distance), places.range(distance + 1e-7)] {
                    let test = DistanceTest(center: center, range: range)
                    #expect(test.contains(place) == range.contains(distance), "\(center) \(place) \(range)")
                }
            }
        }
    }

    @Test func rowsGiveTheResultsOfSinglePlaces() {
        var places = PlaceGenerator(seed: 8)
        for round in 0..<120 {
            let center = places.place()
            let radius = places.radius()
            let rows = [0, 1, 7, 63, 64, 65, 200][round % 7]
            var near = (0..<rows).map { _ in places.neighbour(of: center, distance: radius) }
            let bad = [Location(latitude: .nan, longitude: 0), Location(latitude: 0, longitude: 181)]
            if rows > 60 { near.replaceSubrange(3..<7, with: bad + [Location(latitude: -91, longitude: 1), center]) }
            let rim = near.last.map { Geodesic.distance(from: $0, to: center) } ?? 0
            for range in [places.range(radius), places.range(rim), .all, .empty, .atLeast(0), .atMost(3e7)] {
                let test = DistanceTest(center: center, range: range)
                let latitudes = near.map(\.latitude)
                let longitudes = near.map(\.longitude)
                var words = [UInt64](repeating: ~0, count: (rows + 63) / 64)
                var span = words.mutableSpan
                test.select(latitudes: latitudes.span, longitudes: longitudes.span, into: &span)
                for row in 0..<words.count * 64 {
                    let member = words[row / 64] >> UInt64(row % 64) & 1 == 1
                    let expected = row < rows && test.containsExactly(near[row])
                    #expect(member == expected, "\(center) \(near[row]) \(range)")
                }
            }
        }
    }

    /// Rows beyond the shorter column, and those that the words have no bit for, are left out; other words stay.
    @Test func rowsEndWithTheShorterColumn() throws {
        let center = Location(latitude: 1, longitude: 2)
        let tests: [PlaceTest] = [
            .distance(DistanceTest(center: center, range: .all)),
            .distance(DistanceTest(center: center, range: .atMost(10))),
            .area(try GeoArea(south: 0, west: 0, north: 5, east: 5)),
        ]
        let cases: [(latitudes: Int, longitudes: Int, words: [UInt64])] = [
            (70, 66, [~0, 3]), (66, 70, [~0, 3]), (70, 70, [~0]), (130, 130, [~0, ~0]), (70, 70, [~0, 0x3F, 7]),
            (64, 64, [~0, 7]), (128, 128, [~0, ~0]),
        ]
        for (latitudeCount, longitudeCount, expected) in cases {
            let latitudes = [Double](repeating: 1, count: latitudeCount)
            let longitudes = [Double](repeating: 2, count: longitudeCount)
            func selected(_ test: PlaceTest) -> [UInt64] {
                var words = [UInt64](repeating: 7, count: expected.count)
                var span = words.mutableSpan
                test.select(latitudes: latitudes.span, longitudes: longitudes.span, into: &span)
                return words
            }
            for test in tests { #expect(selected(test) == expected, "\(latitudeCount) \(longitudeCount)") }
            let nothing = selected(.distance(DistanceTest(center: center, range: .empty)))
            #expect(nothing == expected.map { $0 == 7 ? 7 : 0 }, "\(latitudeCount) \(longitudeCount)")
        }
    }

    /// The kernels for older processors give the answers of those for this one.
    @Test func everyInstructionSet() {
        defer { kernels_limit_level(Int32(KERNELS_AVX512)) }
        for level in [KERNELS_PLAIN, KERNELS_AVX2] {
            kernels_limit_level(Int32(level))
            rowsGiveTheResultsOfSinglePlaces()
        }
    }

    @Test func noRangeContainsPlacesOffTheGlobe() {
        let home = Location(latitude: 1, longitude: 2)
        let nowhere = Location(latitude: 95, longitude: 0)
        for range in [DistanceRange.all, .atLeast(0), .below(1e9)] {
            #expect(!DistanceTest(center: home, range: range).contains(nowhere))
            #expect(!DistanceTest(center: nowhere, range: range).contains(home))
            #expect(DistanceTest(center: home, range: range).contains(home))
        }
    }

    @Test func boxesContainTheirCircles() {
        var places = PlaceGenerator(seed: 9)
        for _ in 0..<20_000 {
            let center = places.place()
            let place = places.neighbour(of: center, distance: places.radius())
            let box = BoundingBox(center: center, radius: Geodesic.distance(from: place, to: center))
            let apart = abs(place.longitude - center.longitude)
            #expect(place.latitude >= box.south && place.latitude <= box.north, "\(center) \(place)")
            let reached = min(apart, 360 - apart) <= box.longitudeReach
            #expect(reached, "\(center) \(place)")
        }
    }
}
