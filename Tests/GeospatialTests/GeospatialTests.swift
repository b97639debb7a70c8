// Tests of the geodesic distance against Karney's test set, the integrals it expands, and places with a known answer.

import Foundation
import Testing

@testable import Geospatial

@Suite struct GeodesicTests {
    /// All 10,000 lines of the test set: random, nearly antipodal, short, polar and meridional pairs.
    @Test func testSetWithinAMicrometre() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/geodesic.tsv")
        var lines = 0
        var worst = 0.0
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t").compactMap { Double($0) }
            try #require(fields.count == 4, "four numbers in \(line)")
            let start = Location(latitude: fields[0], longitude: 0)
            let end = Location(latitude: fields[1], longitude: fields[2])
            let error = abs(Geodesic.distance(from: start, to: end) - fields[3])
            #expect(error < 1e-6, "\(line)")
            worst = max(worst, error)
            lines += 1
        }
        #expect(lines == 10_000)
        // What distances are told to be right to.
        #expect(worst < 20e-9)
    }

    private static let known: [(Double, Double, Double, Double, Double)] = [
        (0, 0, 0, 0, 0),
        (90, 10, 90, -120, 0),
        (-90, 180, -90, 0, 0),
        (12.5, 180, 12.5, -180, 0),
        (-0.0, -0.0, 0, 0, 0),
        (90, 0, -90, 77, 20_003_931.458_625_4),
        (0, 0, 90, 0, 10_001_965.729_312_7),
        (0, 179, 90, -13, 10_001_965.729_312_7),
        (0, 0, 0, 180, 20_003_931.458_625_4),
        (0, -90, 0, 90, 20_003_931.458_625_4),
        (45, -60, -45, 120, 20_003_931.458_625_4),
        // One degree along the equator, π a / 180, across the antimeridian.
        (0, 179.5, 0, -179.5, 111_319.490_793_273_6),
        (0, 0, 0, 90, 10_018_754.171_394_6),
    ]

    /// Lengths that follow from the definition of the ellipsoid alone.
    @Test(arguments: known)
    func knownLengths(_ pair: (Double, Double, Double, Double, Double)) {
        let start = Location(latitude: pair.0, longitude: pair.1)
        let end = Location(latitude: pair.2, longitude: pair.3)
        #expect(abs(Geodesic.distance(from: start, to: end) - pair.4) < 1e-6)
        #expect(abs(Geodesic.distance(from: end, to: start) - pair.4) < 1e-6)
    }

    @Test func placesOffTheGlobeHaveNoDistance() {
        let home = Location(latitude: 55, longitude: 37)
        for bad in [90.000001, -91, 1e300, .infinity, -.infinity, .nan, .signalingNaN] as [Double] {
            for place in [Location(latitude: bad, longitude: 0), Location(latitude: 0, longitude: bad * 2)] {
                #expect(Geodesic.distance(from: home, to: place).isNaN)
                #expect(Geodesic.distance(from: place, to: home).isNaN)
            }
        }
    }

    /// Every pair of awkward coordinates: finite, symmetric, within bounds, and no triangle shorter than its side.
    @Test func awkwardPairs() {
        let tiny = [0, .leastNonzeroMagnitude, 1e-300, 1e-160, 1e-20, 1e-12, 1e-6]
        let latitudes = (tiny + [0.5, 30, 45, 89, 90 - 1e-9, (90.0).nextDown, 90]).flatMap { [$0, -$0] }
        let opposite = [179, 179.3964, 179.5, 180 - 1e-9, (180.0).nextDown, 180]
        let longitudes = (tiny + [1, 90] + opposite).flatMap { [$0, -$0] }
        let middle = Location(latitude: 10, longitude: 20)
        for first in latitudes {
            for second in latitudes {
                for longitude in longitudes {
                    let start = Location(latitude: first, longitude: 0.25)
                    let end = Location(latitude: second, longitude: longitude)
                    let distance = Geodesic.distance(from: start, to: end)
                    let back = Geodesic.distance(from: end, to: start)
                    let detour = Geodesic.distance(from: start, to: middle) + Geodesic.distance(from: middle, to: end)
                    #expect(distance >= 0 && distance <= Ellipsoid.greatestDistance, "\(start) \(end)")
                    #expect(abs(distance - back) < 1e-7, "\(start) \(end)")
                    #expect(distance < detour + 1e-7, "\(start) \(end)")
                }
            }
        }
    }

    /// Right angles are exact, and next to them the small one of sine and cosine is as exact as any number.
    @Test func anglesNextToRightOnes() {
        let exact: [(degrees: Double, sine: Double, cosine: Double)] = [(0, 0, 1), (90, 1, 0), (180, 0, -1)]
        for (degrees, sine, cosine) in exact {
            let angle = UnitAngle(degrees: degrees)
            #expect(angle.sine == sine && angle.cosine == cosine, "\(degrees)")
        }
        for exponent in [-45, -30, -20, -10] {
            // The sine of so small an angle by its series; the degrees around 90 and 180 are exact.
            let small = Double(sign: .plus, exponent: exponent, significand: 1)
            let radians = small * .pi / 180
            let sine = radians - radians * radians * radians / 6
            for (degrees, isSine, sign) in [
                (small, true, 1.0), (90 - small, false, 1), (90 + small, false, -1), (180 - small, true, 1),
            ] {
                let angle = UnitAngle(degrees: degrees)
                let found = (isSine ? angle.sine : angle.cosine) * sign
                #expect(abs(found / sine - 1) < 1e-15, "\(degrees)")
            }
        }
    }

    /// The expansions of I₁ and I₃ against Simpson's rule on the integrals they expand.
    @Test func seriesAgainstQuadrature() {
        func integral(to end: Double, _ f: (Double) -> Double) -> Double {
            let steps = 2_000
            let width = end / Double(steps)
            return width / 3
                * (0...steps).reduce(0) { sum, step in
                    let weight: Double = step == 0 || step == steps ? 1 : step % 2 == 1 ? 4 : 2
                    return sum + weight * f(Double(step) * width)
                }
        }
        let f = Ellipsoid.flattening
        for fraction in [0, 0.1, 0.5, 0.9, 1] {
            let k2 = fraction * Ellipsoid.secondEccentricitySquared
            let epsilon = GeodesicSeries.epsilon(k2)
            for arc in [0.1, 1, 2.5, 3.1] {
                let start = UnitAngle(sine: 0, cosine: 1)
                let end = UnitAngle(sine: sin(arc), cosine: cos(arc))
                let root = { (1 + k2 * sin($0) * sin($0)).squareRoot() }
                let length = integral(to: arc, root)
                let longitude = integral(to: arc) { (2 - f) / (1 + (1 - f) * root($0)) }
                let reduced = integral(to: arc) { root($0) - 1 / root($0) }
                #expect(abs(GeodesicSeries.distance(epsilon, from: start, to: end, arc: arc) - length) < 1e-14)
                #expect(abs(GeodesicSeries.longitude(epsilon, from: start, to: end, arc: arc) - longitude) < 1e-13)
                #expect(abs(GeodesicSeries.reducedLength(k2, from: start, to: end, arc: arc) - reduced) < 3e-7)
            }
        }
    }

    /// A place at just the distance of the radius is in the box, whatever rounding does: the degrees of a meridian are
    /// shortest at the equator.
    @Test func boxesReachTheirRim() {
        for number in 1...1_000 {
            // From a tenth of a millimetre, where a distance's own rounding counts, to a hundred kilometres.
            let length = Double(number) * [1e-12, 1e-9, 1e-6, 1e-3][number % 4]
            let center = Location(latitude: 0, longitude: Double(number % 360) - 180)
            for latitude in [length, -length] {
                let place = Location(latitude: latitude, longitude: center.longitude)
                let box = BoundingBox(center: center, radius: Geodesic.distance(from: center, to: place))
                #expect(box.south <= latitude && latitude <= box.north, "\(latitude)")
            }
            let east = Location(latitude: 0, longitude: center.longitude + length)
            let box = BoundingBox(center: center, radius: Geodesic.distance(from: center, to: east))
            #expect(box.longitudeReach >= east.longitude - center.longitude, "\(length)")
        }
    }
}
