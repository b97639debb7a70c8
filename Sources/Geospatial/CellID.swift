// The Earth in cells, in an order that keeps neighbours together.

/// A cell of the Earth's surface about half a metre wide, by its place along a curve that fills the surface.
///
/// The sphere is seen as the six faces of a cube; on each, Hilbert's curve visits 2²⁴ × 2²⁴ cells, so that cells next
/// to each other on the curve are next to each other on the ground. There is no seam at the poles or the antimeridian.
package struct CellID: Hashable, Comparable, Sendable {
    /// Three bits of face, then 48 bits of place along the curve.
    package let rawValue: UInt64

    /// Number of bits that `rawValue` uses.
    static let bits = 51

    private static let order = 24

    /// The cell of a point, which is not NaN.
    package init(_ point: GeocentricPoint) {
        let (x, y, z) = (point.x, point.y, point.z)
        let (ax, ay, az) = (abs(x), abs(y), abs(z))
        let face: UInt64
        let u: Double
        let v: Double
        if az >= ax, az >= ay {
            (face, u, v) = (z > 0 ? 2 : 5, x / az, y / az)
        } else if ax >= ay {
            (face, u, v) = (x > 0 ? 0 : 3, y / ax, z / ax)
        } else {
            (face, u, v) = (y > 0 ? 1 : 4, z / ay, x / ay)
        }
        rawValue = face << 48 | Self.curve(Self.step(u), Self.step(v))
    }

    /// The column or row of a coordinate −1 … 1 on a face.
    private static func step(_ coordinate: Double) -> UInt32 {
        let scaled = (coordinate + 1) * Double(1 << (order - 1))
        return scaled > 0 ? min(UInt32(min(scaled, 1e9)), 1 << order - 1) : 0
    }

    /// The distance along Hilbert's curve of order 24 to a column and row.
    private static func curve(_ column: UInt32, _ row: UInt32) -> UInt64 {
        var (x, y) = (column, row)
        var distance: UInt64 = 0
        var side: UInt32 = 1 << (order - 1)
        while side > 0 {
            let right = x & side != 0
            let upper = y & side != 0
            distance = distance << 2 | (right ? upper ? 2 : 3 : upper ? 1 : 0)
            if !upper {
                // The lower quarters run along the curve turned over, the right one also back to front.
                if right { (x, y) = (~x, ~y) }
                (x, y) = (y, x)
            }
            side >>= 1
        }
        return distance
    }

    package static func < (left: CellID, right: CellID) -> Bool { left.rawValue < right.rawValue }
}
