// Places as points in space, where poles and the antimeridian are nothing special.

import Glibc

/// A point on the ellipsoid in metres from the Earth's centre: x to (0°, 0°), y to (0°, 90° E), z to the north pole.
///
/// The straight line between two such points, the chord c, bounds their geodesic distance s from both sides:
///
///     2A asin(c / 2A) ≤ s ≤ 2B asin(c / 2B)
///
/// with the largest and the smallest radius of curvature, A = a²/b and B = b²/a. Above: a geodesic is a space curve
/// of curvature at most 1/B, and of all such curves of one length the plane circular arc has the shortest chord
/// (Schur's comparison theorem; for s ≤ πB). Below: the ellipsoid is an intersection of balls of radius A (Blaschke's
/// rolling theorem), so it contains the spindle swept by the arc of radius A over the chord; a path on the surface
/// stays outside of the spindle, nearest-point projection onto it shortens no less than the spindle's own meridian.
/// At 50 km the two bounds are 3 mm apart, at 500 km 3 m.
package struct GeocentricPoint: Hashable, Sendable {
    package var x: Double
    package var y: Double
    package var z: Double

    /// A point given by its coordinates in metres.
    @inlinable
    package init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The point at `location` on the ellipsoid, to a few nanometres; NaN if it is not valid.
    package init(_ location: Location) {
        guard location.isValid else {
            self.init(x: .nan, y: .nan, z: .nan)
            return
        }
        let beta = UnitAngle(reducingLatitude: location.latitude)
        let longitude = UnitAngle(degrees: abs(location.longitude))
        let radius = Ellipsoid.equatorialRadius * beta.cosine
        self.init(
            x: radius * longitude.cosine,
            y: location.longitude < 0 ? -radius * longitude.sine : radius * longitude.sine,
            z: Ellipsoid.polarRadius * beta.sine)
    }

    /// The square of the straight-line distance to `other`, in square metres.
    @inlinable
    package func squaredChord(to other: GeocentricPoint) -> Double {
        let (dx, dy, dz) = (x - other.x, y - other.y, z - other.z)
        return dx * dx + dy * dy + dz * dz
    }
}

/// Bounds that connect chords and geodesic distances; the proof is at `GeocentricPoint`.
package enum ChordBounds {
    /// A chord so short that the distance is certainly below `distance` metres; infinite if every distance is.
    package static func within(_ distance: Double) -> Double {
        if distance > Ellipsoid.greatestDistance { return .infinity }
        // Schur's theorem ends at πB = 19,903 km. Up to the chord that belongs to 19,000 km it still holds: points
        // so near lie within 18,700 km of each other along the projection of a great circle of radius a.
        let diameter = 2 * Ellipsoid.smallestCurvatureRadius
        return diameter * sin(max(0, min(distance, 19_000_000)) / diameter)
    }

    /// A chord so long that the distance is certainly above `distance` metres; infinite if none is.
    package static func beyond(_ distance: Double) -> Double {
        let diameter = 2 * Ellipsoid.largestCurvatureRadius
        if distance > Ellipsoid.greatestDistance { return .infinity }
        return diameter * sin(max(0, distance) / diameter)
    }

    /// No distance over a chord of `chord` metres is longer than this.
    package static func greatestDistance(chord: Double) -> Double {
        let diameter = 2 * Ellipsoid.smallestCurvatureRadius
        if chord > within(19_000_000) { return Ellipsoid.greatestDistance }
        return diameter * asin(max(0, chord) / diameter)
    }
}
