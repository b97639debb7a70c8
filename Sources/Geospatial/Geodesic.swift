// The distance between two places on the WGS 84 ellipsoid.

/// Shortest paths on the WGS 84 ellipsoid.
public enum Geodesic {
    /// Length in metres of the shortest path on the ellipsoid between two places.
    ///
    /// Accurate to about 20 nanometres for every pair: equal places give 0, at the poles the longitude does not
    /// matter, and places opposite each other need no special care. NaN if either place is not `isValid`.
    ///
    /// Method: C. F. F. Karney, "Algorithms for geodesics", J. Geodesy 87, 43–55 (2013),
    /// doi 10.1007/s00190-012-0578-z.
    public static func distance(from start: Location, to end: Location) -> Double {
        guard start.isValid, end.isValid else { return .nan }
        let apart = abs(end.longitude - start.longitude)
        let inverse = InverseGeodesic(
            latitudes: start.latitude, end.latitude, longitudeDifference: apart > 180 ? 360 - apart : apart)
        return inverse.distance()
    }
}
