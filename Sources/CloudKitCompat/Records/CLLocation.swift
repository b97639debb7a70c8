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
public final class CLLocation: Hashable, Sendable {
    let location: Location
    private let made = Date()

    /// A place in degrees of which nothing else is known.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        location = Location(latitude: latitude, longitude: longitude)
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
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
        verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
        location = Location(
            latitude: coordinate.latitude, longitude: coordinate.longitude,
            details: Location.Details(
                altitude: altitude, horizontalAccuracy: horizontalAccuracy, verticalAccuracy: verticalAccuracy,
                course: course, speed: speed, timestamp: timestamp))
    }

    /// The same place under CoreLocation's name.
    public init(_ location: Location) { self.location = location }

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

    public static func == (a: CLLocation, b: CLLocation) -> Bool { a.location == b.location }
    public func hash(into hasher: inout Hasher) { hasher.combine(location) }
}
