// Why something is no area.

/// What is wrong with the description of an area, and where.
public struct GeoAreaError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place in the description, `coordinates[0][3][1]`; empty for all of it.
    public var place: String
    /// What is wrong there.
    public var message: String
    /// What to write instead, where that is known.
    public var hint: String?

    package init(_ place: String, _ message: String, hint: String? = nil) {
        (self.place, self.message, self.hint) = (place, message, hint)
    }

    /// The place and the message.
    public var description: String { place.isEmpty ? message : "\(place): \(message)" }
}
