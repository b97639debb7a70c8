// A place on the Earth's surface.

/// A position on the WGS 84 ellipsoid, in degrees.
public struct Location: Hashable, Sendable, Codable {
    /// Degrees north of the equator, −90 … 90.
    public var latitude: Double
    /// Degrees east of Greenwich, −180 … 180.
    public var longitude: Double

    /// A position; use `isValid` to learn whether the degrees make sense.
    @inlinable
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether latitude is in −90 … 90, longitude in −180 … 180, and both are finite.
    @inlinable
    public var isValid: Bool { latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180 }
}
