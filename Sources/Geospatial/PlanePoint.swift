// Longitudes and latitudes as coordinates of a plane, compared without rounding.

/// A point of the plane of longitudes and latitudes, which is the graticule unrolled.
struct PlanePoint: Hashable, Sendable {
    /// Degrees east, as written.
    var longitude: Double
    /// Full turns that are added to the longitude: whole, and few.
    var turns: Double
    /// Degrees north.
    var latitude: Double

    init(longitude: Double, turns: Double = 0, latitude: Double) {
        (self.longitude, self.turns, self.latitude) = (longitude, turns, latitude)
    }

    /// The abscissa, rounded.
    var x: Double { longitude + 360 * turns }

    /// −1, 0 or 1: whether the point lies west of, on the meridian of, or east of another one. Exact.
    func isEast(of other: PlanePoint) -> Int {
        let estimate = (longitude - other.longitude) + 360 * (turns - other.turns)
        if abs(estimate) > 1e-9 { return estimate > 0 ? 1 : -1 }
        var sum = ExactSum()
        sum.add(longitude, 1)
        sum.add(360, turns)
        sum.add(other.longitude, -1)
        sum.add(-360, other.turns)
        return sum.sign
    }

    /// 1 where the point lies to the left of the line from one point to another, −1 to the right, 0 on it. Exact.
    ///
    /// The cross product of (end − start) and (self − start) is computed in floating point; where its error may reach
    /// its magnitude, as a sum of products without rounding.
    func side(from start: PlanePoint, to end: PlanePoint) -> Int {
        let (rise, height) = (end.latitude - start.latitude, latitude - start.latitude)
        let run = (end.longitude - start.longitude) + 360 * (end.turns - start.turns)
        let width = (longitude - start.longitude) + 360 * (turns - start.turns)
        let (left, right) = (run * height, rise * width)
        // Differences of coordinates as written are right to a relative 2⁻⁵³; where turns are added, to 2⁻⁴² degrees.
        var error = 0x1p-50 * (abs(left) + abs(right)) + 1e-290
        if turns != start.turns || end.turns != start.turns { error += 0x1p-41 * (abs(height) + abs(rise)) }
        let cross = left - right
        if abs(cross) > error { return cross > 0 ? 1 : -1 }
        var sum = ExactSum()
        end.addProduct(with: self, sign: 1, to: &sum)
        self.addProduct(with: end, sign: -1, to: &sum)
        end.addProduct(with: start, sign: -1, to: &sum)
        start.addProduct(with: end, sign: 1, to: &sum)
        self.addProduct(with: start, sign: 1, to: &sum)
        start.addProduct(with: self, sign: -1, to: &sum)
        return sum.sign
    }

    /// Adds abscissa times the other's latitude.
    private func addProduct(with other: PlanePoint, sign: Double, to sum: inout ExactSum) {
        sum.add(longitude, sign * other.latitude)
        sum.add(360 * turns, sign * other.latitude)
    }
}
