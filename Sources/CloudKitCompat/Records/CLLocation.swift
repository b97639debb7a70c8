// Places, for systems without CoreLocation.

public import RecordDatabase

public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double

/// A position in degrees.
public struct CLLocationCoordinate2D: Hashable, Sendable {
    public var latitude: CLLocationDegrees
    public var longitude: CLLocationDegrees

    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// A place on the Earth's surface: stands in for CoreLocation's class of this name, and holds the coordinate alone.
public final class CLLocation: Hashable, Sendable {
    let location: Location

    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        location = Location(latitude: latitude, longitude: longitude)
    }

    /// The same place under CoreLocation's name.
    public init(_ location: Location) { self.location = location }

    public var coordinate: CLLocationCoordinate2D {
        CLLocationCoordinate2D(latitude: location.latitude, longitude: location.longitude)
    }

    /// Metres along the surface.
    public func distance(from other: CLLocation) -> CLLocationDistance {
        Geodesic.distance(from: location, to: other.location)
    }

    public static func == (a: CLLocation, b: CLLocation) -> Bool { a.location == b.location }
    public func hash(into hasher: inout Hasher) { hasher.combine(location) }
}
