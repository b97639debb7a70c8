// The degrees that a circle on the ellipsoid covers.

import Glibc

/// A box of latitudes and longitudes that contains every place within a distance of a centre.
package struct BoundingBox: Hashable, Sendable {
    /// Latitudes in degrees, −90 … 90.
    package let south: Double
    package let north: Double
    /// Degrees of longitude to either side of the centre, 0 … 180; 180 where the circle contains a pole.
    package let longitudeReach: Double

    /// The box around `center`, which is valid, for a radius in metres, which is not NaN.
    ///
    /// Parallels Δφ apart are at least BΔφ apart on the ground, B = b²/a being the meridian's smallest radius of
    /// curvature. Projection to the inscribed sphere of radius b shortens paths, so that the geocentric directions of
    /// two places s apart differ by at most ρ = s/b, and from a geocentric latitude ψ longitudes by at most
    /// asin(sin ρ / cos ψ). Both are widened by 1e-9 for rounding.
    package init(center: Location, radius: Double) {
        let widened = max(0, radius) * (1 + 1e-9) + 1e-3
        let latitudeReach = widened / Ellipsoid.smallestCurvatureRadius * (180 / .pi)
        south = max(-90, center.latitude - latitudeReach)
        north = min(90, center.latitude + latitudeReach)

        let ratio = Ellipsoid.polarRadius / Ellipsoid.equatorialRadius
        let geocentric = atan(ratio * ratio * tan(center.latitude * (.pi / 180)))
        let reach = widened / Ellipsoid.polarRadius
        if abs(geocentric) + reach < .pi / 2 {
            longitudeReach = min(180, asin(min(1, sin(reach) / cos(geocentric))) * (180 / .pi) * (1 + 1e-9) + 1e-9)
        } else {
            longitudeReach = 180
        }
    }
}
