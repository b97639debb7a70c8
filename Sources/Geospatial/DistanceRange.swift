// Which distances a comparison accepts.

/// A closed range of distances in metres; comparisons with strict bounds become closed ones by the next number.
package struct DistanceRange: Hashable, Sendable {
    /// The smallest distance in the range.
    package let lowerBound: Double
    /// The largest distance in the range; below `lowerBound` if the range is empty.
    package let upperBound: Double

    private init(lowerBound: Double, upperBound: Double) {
        self.lowerBound = lowerBound
        self.upperBound = upperBound
    }

    /// Every distance.
    package static let all = DistanceRange(lowerBound: 0, upperBound: .infinity)

    /// No distance: comparisons with NaN.
    package static let empty = DistanceRange(lowerBound: .infinity, upperBound: -.infinity)

    /// Distances less than `radius`.
    package static func below(_ radius: Double) -> DistanceRange { atMost(radius.nextDown) }

    /// Distances less than or equal to `radius`.
    package static func atMost(_ radius: Double) -> DistanceRange { between(-.infinity, radius) }

    /// Distances greater than `radius`.
    package static func above(_ radius: Double) -> DistanceRange {
        radius == .infinity ? .empty : atLeast(radius.nextUp)
    }

    /// Distances greater than or equal to `radius`.
    package static func atLeast(_ radius: Double) -> DistanceRange { between(radius, .infinity) }

    /// Distances from `lower` to `upper`, both included.
    package static func between(_ lower: Double, _ upper: Double) -> DistanceRange {
        lower <= upper && upper >= 0 && lower < .infinity
            ? DistanceRange(lowerBound: max(0, lower), upperBound: upper) : .empty
    }

    /// Distances in both ranges.
    package func intersection(_ other: DistanceRange) -> DistanceRange {
        .between(max(lowerBound, other.lowerBound), min(upperBound, other.upperBound))
    }

    /// Whether no distance is in the range.
    package var isEmpty: Bool { lowerBound > upperBound }

    /// Whether `distance` is in the range; NaN never is.
    @inlinable
    package func contains(_ distance: Double) -> Bool { distance >= lowerBound && distance <= upperBound }
}
