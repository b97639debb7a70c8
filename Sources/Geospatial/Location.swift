// A place on the Earth's surface.

public import FoundationEssentials

/// A position on the WGS 84 ellipsoid, in degrees, and what else is known about it.
///
/// Predicates compare positions only; Swift's `==` compares the details too.
public struct Location: Hashable, Sendable, Codable {
    /// Degrees north of the equator, −90 … 90.
    public var latitude: Double
    /// Degrees east of Greenwich, −180 … 180.
    public var longitude: Double
    // In one box that most places do not have: the engine moves places about by the million.
    @usableFromInline var box: DetailsBox?

    /// A position; use `isValid` to learn whether the degrees make sense.
    @inlinable
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
        box = nil
    }

    /// A position with what else is known about it.
    public init(latitude: Double, longitude: Double, details: Details?) {
        self.init(latitude: latitude, longitude: longitude)
        box = details.map(DetailsBox.init)
    }

    /// Whether latitude is in −90 … 90, longitude in −180 … 180, and both are finite.
    @inlinable
    public var isValid: Bool { latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180 }

    /// What a receiver tells about a position besides the position.
    public struct Details: Hashable, Sendable, Codable {
        /// Metres above the sea.
        public var altitude: Double?
        /// Metres about the position within which the receiver is.
        public var horizontalAccuracy: Double?
        /// Metres above and below the altitude.
        public var verticalAccuracy: Double?
        /// Degrees clockwise from north.
        public var course: Double?
        /// Metres a second.
        public var speed: Double?
        /// When the position was taken.
        public var timestamp: Date?

        /// What a receiver says; what it does not say is `nil`.
        public init(
            altitude: Double? = nil, horizontalAccuracy: Double? = nil, verticalAccuracy: Double? = nil,
            course: Double? = nil, speed: Double? = nil, timestamp: Date? = nil
        ) {
            self.altitude = altitude
            self.horizontalAccuracy = horizontalAccuracy
            self.verticalAccuracy = verticalAccuracy
            self.course = course
            self.speed = speed
            self.timestamp = timestamp
        }
    }

    /// What else is known about the position; `nil` when nothing is.
    public var details: Details? {
        get { box?.details }
        set { box = newValue.map(DetailsBox.init) }
    }

    /// Whether two places are at one position, whatever else is known about them.
    package func isSamePosition(as other: Location) -> Bool {
        latitude == other.latitude && longitude == other.longitude
    }

    @usableFromInline final class DetailsBox: Sendable {
        let details: Details
        init(_ details: Details) { self.details = details }
    }

    public static func == (a: Location, b: Location) -> Bool { a.isSamePosition(as: b) && a.details == b.details }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(latitude)
        hasher.combine(longitude)
    }

    private enum CodingKeys: String, CodingKey { case latitude, longitude, details }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            latitude: try container.decode(Double.self, forKey: .latitude),
            longitude: try container.decode(Double.self, forKey: .longitude),
            details: try container.decodeIfPresent(Details.self, forKey: .details))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(latitude, forKey: .latitude)
        try container.encode(longitude, forKey: .longitude)
        try container.encodeIfPresent(details, forKey: .details)
    }
}
