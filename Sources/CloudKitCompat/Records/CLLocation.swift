// Places, for systems without CoreLocation.

public import Foundation
public import RecordDatabase

/// Degrees of latitude or longitude.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres; negative when unknown.
public typealias CLLocationAccuracy = Double
/// Metres a second; negative when unknown.
public typealias CLLocationSpeed = Double
/// Degrees clockwise from north; negative when unknown.
public typealias CLLocationDirection = Double

/// A position in degrees.
public struct CLLocationCoordinate2D: Hashable, Sendable {
    /// Degrees, positive north of the equator.
    public var latitude: CLLocationDegrees
    /// Degrees, positive east of Greenwich.
    public var longitude: CLLocationDegrees

    /// A position; that it is one on the Earth is not checked here.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A place on the Earth's surface, and what a receiver knows about it: replaces CoreLocation's class of this name.
public final class CLLocation: NSObject, NSSecureCoding, NSCopying, Sendable {
    let location: Location
    private let made: Date

    /// A place in degrees of which nothing else is known.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.init(Location(latitude: latitude, longitude: longitude))
    }

    /// A place without course and speed.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        self.init(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
    }

    /// A place with all that a receiver says; negative accuracies, courses and speeds are unknown ones.
    public convenience init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        let details = Location.Details(
            altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
            course: course, speed: speed, timestamp: timestamp)
        self.init(Location(latitude: coordinate.latitude, longitude: coordinate.longitude, details: details))
    }

    /// The same place under CoreLocation's name.
    public convenience init(_ location: Location) { self.init(location, made: Date()) }

    private init(_ location: Location, made: Date) { (self.location, self.made) = (location, made) }

    /// The position in degrees.
    public var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: location.latitude, longitude: location.longitude)
    }

    /// Above the sea; 0 when unknown.
    public var altitude: CLLocationDistance { location.details?.altitude ?? 0 }
    /// 0 for a place that was made of its coordinate alone.
    public var horizontalAccuracy: CLLocationAccuracy { location.details?.horizontalAccuracy ?? 0 }
    /// How far off the altitude may be; negative when unknown.
    public var verticalAccuracy: CLLocationAccuracy { location.details?.verticalAccuracy ?? -1 }
    /// The direction of movement, clockwise from true north; negative when unknown.
    public var course: CLLocationDirection { location.details?.course ?? -1 }
    /// The speed over ground; negative when unknown.
    public var speed: CLLocationSpeed { location.details?.speed ?? -1 }
    /// When the position was taken; when the object was made, if that is unknown.
    public var timestamp: Date { location.details?.timestamp ?? made }

    /// Metres along the surface.
    public func distance(from other: CLLocation) -> CLLocationDistance {
        Geodesic.distance(from: location, to: other.location)
    }

    // MARK: Archives

    private struct Coded: Codable {
        let location: Location
        let made: Date
    }
    private static let key = "CLLocation"
    /// True: a place can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) {
        coder.encode(value: Coded(location: location, made: made), for: Self.key)
    }

    /// `nil` where no place was archived.
    public convenience init?(coder: NSCoder) {
        guard let coded: Coded = coder.value(for: Self.key) else { return nil }
        self.init(coded.location, made: coded.made)
    }

    /// The place itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Equality

    public override func isEqual(_ object: Any?) -> Bool { (object as? CLLocation)?.location == location }
    public override var hash: Int { location.hashValue }
    public override var description: String { "<\(location.latitude),\(location.longitude)>" }
}
