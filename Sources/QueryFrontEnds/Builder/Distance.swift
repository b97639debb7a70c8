// Lengths on the ground.

/// A length on the Earth's surface, for comparing distances: `.kilometers(5)`.
public struct Distance: Hashable, Sendable, Codable, Comparable {
    /// Metres.
    public var meters: Double

    /// So many metres.
    public static func meters(_ value: Double) -> Distance { Distance(meters: value) }
    /// Thousands of metres.
    public static func kilometers(_ value: Double) -> Distance { Distance(meters: value * 1000) }
    /// International miles of 1,609.344 metres.
    public static func miles(_ value: Double) -> Distance { Distance(meters: value * 1609.344) }
    /// International nautical miles of 1,852 metres.
    public static func nauticalMiles(_ value: Double) -> Distance { Distance(meters: value * 1852) }

    public static func < (a: Distance, b: Distance) -> Bool { a.meters < b.meters }
}
