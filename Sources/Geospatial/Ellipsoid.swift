// The WGS 84 ellipsoid: its constants and the reduced latitude on it.

import Glibc

/// Constants of the WGS 84 ellipsoid of revolution, lengths in metres.
///
/// Computed properties, not stored ones: the optimiser folds them to literals where they are used.
package enum Ellipsoid {
    /// Equatorial radius a.
    @inlinable
    package static var equatorialRadius: Double { 6_378_137 }

    /// Flattening f = (a − b)/a.
    @inlinable
    package static var flattening: Double { 1 / 298.257223563 }

    /// Polar radius b = a(1 − f).
    @inlinable
    package static var polarRadius: Double { equatorialRadius * (1 - flattening) }

    /// Smallest radius of curvature, b²/a: of the meridian where it crosses the equator.
    @inlinable
    package static var smallestCurvatureRadius: Double { polarRadius * (1 - flattening) }

    /// Largest radius of curvature, a²/b: in every direction at the poles.
    @inlinable
    package static var largestCurvatureRadius: Double { equatorialRadius / (1 - flattening) }

    /// No two points are farther apart than this: half a meridian, rounded up.
    @inlinable
    package static var greatestDistance: Double { 20_003_931.46 }

    /// Third flattening n = (a − b)/(a + b).
    static var thirdFlattening: Double { flattening / (2 - flattening) }

    /// Second eccentricity squared e′² = (a² − b²)/b².
    static var secondEccentricitySquared: Double {
        flattening * (2 - flattening) / ((1 - flattening) * (1 - flattening))
    }
}

/// An angle by its sine and cosine.
struct UnitAngle {
    var sine: Double
    var cosine: Double

    init(sine: Double, cosine: Double) {
        self.sine = sine
        self.cosine = cosine
    }

    /// The direction of the vector (`x`, `y`), which is not zero.
    init(normalizing y: Double, _ x: Double) {
        let length = (y * y + x * x).squareRoot()
        self.init(sine: y / length, cosine: x / length)
    }

    /// An angle of `degrees` in 0 … 180; multiples of 90 give exact values, and no accuracy is lost near them.
    init(degrees: Double) {
        if degrees <= 45 {
            let radians = degrees * (.pi / 180)
            self.init(sine: sin(radians), cosine: cos(radians))
        } else if degrees <= 135 {
            let radians = (90 - degrees) * (.pi / 180)
            self.init(sine: cos(radians), cosine: sin(radians))
        } else {
            let radians = (180 - degrees) * (.pi / 180)
            self.init(sine: sin(radians), cosine: -cos(radians))
        }
    }

    /// The reduced latitude β of a point at geographic latitude φ, tan β = (1 − f) tan φ.
    init(reducingLatitude degrees: Double) {
        let latitude = UnitAngle(degrees: abs(degrees))
        self.init(normalizing: (1 - Ellipsoid.flattening) * latitude.sine, latitude.cosine)
        if degrees < 0 { sine = -sine }
    }
}
