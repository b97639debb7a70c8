// Distances where a closed form, a symmetry or a triangle tells them: short ones, at the poles, almost opposite ones.

import Foundation
import Testing

@testable import Geospatial

@Suite struct GeodesicEdgesTests {
    private let radius = 6_378_137.0
    private let flattening = 1 / 298.257223563
    private let halfMeridian = 20_003_931.458_625_4
    private let degree = Double.pi / 180

    private func distance(_ latitude: Double, _ other: Double, _ longitude: Double) -> Double {
        Geodesic.distance(
            from: Location(latitude: latitude, longitude: 0), to: Location(latitude: other, longitude: longitude))
    }

    /// Up to a few hundred metres the Earth is a plane, measured by its radii of curvature along the meridian and
    /// along the parallel: right to a hundred-millionth.
    @Test(arguments: [0.0, 1, -30, 45, 60, -75, 89]) func shortDistances(latitude: Double) {
        let e2 = flattening * (2 - flattening)
        for (north, east) in [(1.0, 0.0), (0, 1), (1, 1), (-1, 2), (3, -1), (0.5, 7)] {
            for scale in [1e-9, 1e-7, 1e-6, 1e-5, 1e-4] {
                let start = Location(latitude: latitude, longitude: 10)
                let end = Location(latitude: latitude + north * scale, longitude: 10 + east * scale)
                let middle = (start.latitude + end.latitude) / 2 * degree
                let w = 1 - e2 * sin(middle) * sin(middle)
                let northward = radius * (1 - e2) / (w * w.squareRoot()) * (end.latitude - start.latitude) * degree
                let eastward = radius / w.squareRoot() * cos(middle) * (end.longitude - start.longitude) * degree
                let expected = (northward * northward + eastward * eastward).squareRoot()
                let found = Geodesic.distance(from: start, to: end)
                #expect(abs(found - expected) < 1e-8 * expected + 2e-8, "\(north) \(east) \(scale)")
            }
        }
    }

    /// About a pole the Earth is a plane with the pole as its centre, and the largest radius of curvature.
    @Test func shortDistancesAboutThePoles() {
        let curvature = radius / (1 - flattening)
        let degrees: [(Double, Double)] = [
            (1e-9, 1e-9), (1e-9, 4e-9), (2e-6, 1e-9), (1e-5, 3e-5), (1e-4, 1e-4), (1e-9, 1e-14), (2e-5, 0),
        ]
        for (near, far) in degrees {
            for longitude in [0.0, 0.25, 30, 60, 89.75, 90, 90.25, 120, 179, 179.75, 180] {
                for sign in [1.0, -1] {
                    let (latitude, other) = (sign * (90 - near), sign * (90 - far))
                    let one = curvature * (90 - abs(latitude)) * degree
                    let two = curvature * (90 - abs(other)) * degree
                    let half = sin(longitude / 2 * degree)
                    let expected = ((one - two) * (one - two) + 4 * one * two * half * half).squareRoot()
                    let found = distance(latitude, other, longitude)
                    #expect(abs(found - expected) <= 1e-7 * expected + 1e-15, "\(latitude) \(other) \(longitude)")
                }
            }
        }
    }

    /// A tenth of a millimetre off one pole to as much off the other one: half a meridian, whatever the longitudes.
    @Test func placesNextToOppositePoles() {
        for (near, far) in [(1e-9, 1e-9), (0, 1e-9), (1e-9, 5e-10)] {
            for longitude in [0, 0.25, 60, 90, 120, 179.75, 180] {
                #expect(abs(distance(-90 + near, 90 - far, longitude) - halfMeridian) < 1e-3, "\(longitude)")
                #expect(abs(distance(90 - near, -90 + far, longitude) - halfMeridian) < 1e-3, "\(longitude)")
            }
        }
    }

    /// No place is farther than the one just opposite, and by the triangle none near that one is much nearer.
    @Test func placesNearTheOppositeOne() {
        var pairs: [(Double, Double, Double)] = [(-76.72630548477173, 76.73869194570727, 178.67440408897696)]
        for latitude in [0, 0.3, -12, 33, -47.5, 61, 76.7, -85, 89.5] {
            for (north, west) in [(0, 0.001), (0, 0.5), (0.004, 0.7), (0.012, 1.3), (-0.3, 0.01), (0.4, 1.4)] {
                pairs.append((latitude, -latitude + north, 180 - west))
            }
        }
        for (latitude, other, longitude) in pairs {
            let opposite = Location(latitude: -latitude, longitude: 180)
            let aside = Geodesic.distance(from: opposite, to: Location(latitude: other, longitude: longitude))
            let found = distance(latitude, other, longitude)
            let isBetween = found <= halfMeridian + 1e-6 && found >= halfMeridian - aside - 1e-6
            #expect(isBetween, "\(latitude) \(other) \(longitude)")
        }
    }

    /// Between two places of one latitude the way crosses the meridian in the middle where that makes it shortest.
    @Test func waysBetweenPlacesOfOneLatitude() {
        let pairs: [(latitude: Double, longitude: Double)] = [
            (0.0, 179.5), (0, 179.9), (0, 179.98652505874634), (0, 179.41), (30, 90), (30, 179), (-45, 179.5),
            (60, 120), (-5, 100), (0.001, 179.6), (80, 170),
        ]
        let share = (5.0.squareRoot() - 1) / 2
        for (latitude, longitude) in pairs {
            func over(_ middle: Double) -> Double { 2 * distance(latitude, middle, longitude / 2) }
            var (low, high) = latitude < 0 ? (-90, latitude) : (latitude, 90)
            // The golden section: 45 steps leave a ten-millionth of a degree.
            for _ in 0..<45 {
                let (left, right) = (high - share * (high - low), low + share * (high - low))
                if over(left) < over(right) { high = right } else { low = left }
            }
            let found = distance(latitude, latitude, longitude)
            #expect(abs(found - over((low + high) / 2)) < 1e-6, "\(latitude) \(longitude)")
        }
    }

    /// A way is longer than the arc over its chord of the largest radius of curvature, shorter than that of the
    /// smallest one. Right angles are among the longitudes.
    @Test func distancesAreBetweenTwoArcs() {
        let (large, small) = (radius / (1 - flattening), radius * (1 - flattening) * (1 - flattening))
        func point(_ latitude: Double, _ longitude: Double) -> SIMD3<Double> {
            let (phi, lambda) = (latitude * degree, longitude * degree)
            let e2 = flattening * (2 - flattening)
            let normal = radius / (1 - e2 * sin(phi) * sin(phi)).squareRoot()
            let onAxis = normal * cos(phi)
            return [onAxis * cos(lambda), onAxis * sin(lambda), normal * (1 - e2) * sin(phi)]
        }
        for latitude in [-90.0, -60, -30, 0, 15, 45, 90] {
            for other in [-75.0, -45, 0, 30, 60, 90] {
                for longitude in [0.0, 30, 60, 90, 120, 135, 150] {
                    let step = point(latitude, 0) - point(other, longitude)
                    let chord = (step * step).sum().squareRoot()
                    let found = distance(latitude, other, longitude)
                    let least = 2 * large * asin(min(1, chord / 2 / large))
                    #expect(found >= least - 1e-6, "\(latitude) \(other) \(longitude)")
                    if chord > 2 * small * sin(19e6 / 2 / small) { continue }
                    #expect(found <= 2 * small * asin(chord / 2 / small) + 1e-6, "\(latitude) \(other) \(longitude)")
                }
            }
        }
    }

    /// A degree off a pole, half a turn apart but for a trace: over the pole, twice the integral of the meridian's
    /// radius of curvature over that degree.
    @Test func waysOverAPoleOfAlmostHalfATurn() {
        for latitude in [89.0, -89] {
            for short in [1e-9, 1e-11, 1e-13, 0] {
                let found = distance(latitude, latitude, 180 - short)
                #expect(abs(found - 223_387.729_828_4) < 1e-7, "\(latitude) \(short)")
            }
        }
    }

    /// Places that are off the equator by less than an atom are as far apart as those on it.
    @Test(arguments: [0, 1e-17, 1e-14]) func waysAlongTheEquator(latitude: Double) {
        for (one, other) in [(latitude, -latitude), (-latitude, latitude), (latitude, latitude), (0, latitude)] {
            for longitude in [1.0, 45, 135, 179] {
                let found = distance(one, other, longitude)
                #expect(abs(found - radius * longitude * degree) < 1e-7, "\(one) \(other) \(longitude)")
            }
        }
    }
}
