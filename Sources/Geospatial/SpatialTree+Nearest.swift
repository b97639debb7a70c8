// The places nearest to a centre.

internal import CKernels

extension SpatialTree {
    /// A row and its distance in metres.
    package struct Neighbor: Hashable, Comparable, Sendable {
        package let row: UInt32
        package let distance: Double

        /// The nearer first, of equally near ones the lower row.
        package static func < (left: Neighbor, right: Neighbor) -> Bool {
            (left.distance, left.row) < (right.distance, right.row)
        }
    }

    /// The `limit` rows nearest to `center` that `isIncluded` accepts, nearest first, of equally near ones the lower
    /// row first; none if the centre is not valid. Complexity: O(log places + limit log limit), as a rule.
    ///
    /// - Parameter location: The place of a row in degrees; called for little more than `limit` rows.
    package func nearest(
        _ limit: Int, to center: Location, location: (UInt32) -> Location, isIncluded: (UInt32) -> Bool = { _ in true }
    ) -> [Neighbor] {
        guard limit > 0, count > 0, center.isValid else { return [] }
        // All that can be among the nearest is in the circle through the last of them by straight lines, made wider by
        // what the lines may be off.
        let chord = nearestChord(limit, to: GeocentricPoint(center), isIncluded: isIncluded)
        let reach = ChordBounds.greatestDistance(
            chord: chord * (1 + Self.margin.relative) + Self.margin.absolute)
        let test = DistanceTest(center: center, range: .atMost(reach + 1e-5))
        var rows: [UInt32] = []
        select(test, location: location, into: &rows)
        var neighbors: [Neighbor] = []
        for row in rows where isIncluded(row) {
            neighbors.append(Neighbor(row: row, distance: Geodesic.distance(from: location(row), to: center)))
        }
        neighbors.sort()
        return Array(neighbors.prefix(limit))
    }

    /// The `limit`-th smallest chord to the points accepted, infinite if there are fewer.
    private func nearestChord(_ limit: Int, to point: GeocentricPoint, isIncluded: (UInt32) -> Bool) -> Double {
        let (cx, cy, cz) = (Float(point.x), Float(point.y), Float(point.z))
        var open = Heap<Box>()
        // The negatives of the smallest squared chords, so that the largest of them comes first.
        var best = Heap<Float>()
        var worst = Float.infinity
        var chords = [Float](repeating: 0, count: Self.leafSize)

        open.insert(Box(chord: 0, level: levels.count, index: 0))
        while let box = open.popLeast(), box.chord < worst {
            if box.level == 0 {
                pointChords(box.index, cx, cy, cz, &chords)
                let positions = positions(0, box.index)
                for position in positions where chords[position - positions.lowerBound] < worst {
                    guard isIncluded(ordinals[position]) else { continue }
                    best.insert(-chords[position - positions.lowerBound])
                    if best.count > limit { _ = best.popLeast() }
                    if best.count == limit { worst = -(best.least ?? -.infinity) }
                }
            } else {
                let level = box.level - 1
                let first = box.index * Self.fanOut
                boxChords(level, box.index, cx, cy, cz, &chords)
                for child in 0..<min(Self.fanOut, boxCounts[level] - first) where chords[child] < worst {
                    open.insert(Box(chord: chords[child], level: level, index: first + child))
                }
            }
        }
        return best.count < limit ? .infinity : Double(worst.squareRoot())
    }

    /// A box to be looked into: the squared chord to its nearest point, and which it is; level 0 is a leaf.
    private struct Box: Comparable {
        var chord: Float
        var level: Int
        var index: Int

        static func < (left: Box, right: Box) -> Bool { left.chord < right.chord }
    }

    private func pointChords(_ leaf: Int, _ cx: Float, _ cy: Float, _ cz: Float, _ chords: inout [Float]) {
        let start = leaf * Self.leafSize
        // SAFETY: a leaf's 64 coordinates exist, the last leaf being filled up, and there is room for 64 chords.
        unsafe x.withUnsafeBufferPointer { x in
            unsafe y.withUnsafeBufferPointer { y in
                unsafe z.withUnsafeBufferPointer { z in
                    unsafe chords.withUnsafeMutableBufferPointer { chords in
                        unsafe kernels_points_chords(
                            x.baseAddress.map { unsafe $0 + start }, y.baseAddress.map { unsafe $0 + start },
                            z.baseAddress.map { unsafe $0 + start }, cx, cy, cz, chords.baseAddress)
                    }
                }
            }
        }
    }

    private func boxChords(
        _ level: Int, _ group: Int, _ cx: Float, _ cy: Float, _ cz: Float, _ chords: inout [Float]
    ) {
        // SAFETY: the group's sixteen boxes exist, the last group being filled up, and there is room for 64 chords.
        unsafe levels[level].withUnsafeBufferPointer { boxes in
            unsafe chords.withUnsafeMutableBufferPointer { chords in
                unsafe kernels_boxes_chords(
                    boxes.baseAddress.map { unsafe $0 + group * Self.groupFloats }, cx, cy, cz, chords.baseAddress)
            }
        }
    }
}

/// A binary heap with the least element first.
struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    var count: Int { elements.count }
    var least: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func popLeast() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let least = elements.first else { return last }
        elements[0] = last
        var parent = 0
        while true {
            var child = 2 * parent + 1
            guard child < elements.count else { break }
            if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
            guard elements[child] < elements[parent] else { break }
            elements.swapAt(child, parent)
            parent = child
        }
        return least
    }
}
