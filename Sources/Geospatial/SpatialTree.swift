// Places in a tree of boxes: which are in a range of distances.

internal import CKernels

/// An immutable index of places: which ones are in a range of distances from a centre, and which are nearest to it.
///
/// Points in space are sorted along the curve of `CellID`, 64 to a leaf, and sixteen boxes of leaves or of nodes make
/// a node; there is nothing special about poles and the antimeridian. A query takes whole what lies inside, skips what
/// lies outside, and tests the points of the leaves at the rim, a node or a leaf at a time in vectors.
///
/// Coordinates are single precision, to half a metre. Where that leaves a place undecided the exact distance comes
/// from its degrees, which stay in the column: callers pass a function that finds them.
///
/// A covering of the circle by cells looked up in the sorted list was the alternative: without regard to where the
/// places are it either tests many points or looks up many cells, at some 100 ns for a look-up in a million places.
package struct SpatialTree: Sendable {
    /// The rows, in the order of the curve.
    let ordinals: [UInt32]
    /// The greatest of them.
    private let highestRow: UInt32?
    /// Coordinates in the same order, filled up to whole leaves with points infinitely far away.
    let x: [Float]
    let y: [Float]
    let z: [Float]
    /// Boxes by level, leaves first, in groups of sixteen: 16 each of least x, greatest x, and so on for y and z.
    let levels: [[Float]]
    /// Number of boxes by level.
    let boxCounts: [Int]

    static let leafSize = 64
    static let fanOut = 16
    static let groupFloats = 6 * fanOut
    /// How far chords between single precision points may be off: 1.5 m and half a millionth.
    static let margin = (absolute: 1.5, relative: 5e-7)

    /// Number of places.
    package var count: Int { ordinals.count }

    /// Bytes of memory the tree takes.
    package var byteCount: Int { 4 * (ordinals.count + 3 * x.count + levels.reduce(0) { $0 + $1.count }) }

    /// Indexes the places of `rows`, given in degrees by row; rows beyond the columns, and places off the globe, are
    /// left out. Complexity: O(rows), about a fifth of a second for a million.
    package init(rows: some Sequence<UInt32>, latitudes: Span<Double>, longitudes: Span<Double>) {
        var places: [Place] = []
        places.reserveCapacity(rows.underestimatedCount)
        for row in rows where Int(row) < min(latitudes.count, longitudes.count) {
            let location = Location(latitude: latitudes[Int(row)], longitude: longitudes[Int(row)])
            guard location.isValid else { continue }
            places.append(Place(row: row, point: GeocentricPoint(location)))
        }
        Place.sort(&places)

        let leaves = (places.count + Self.leafSize - 1) / Self.leafSize
        let padding = repeatElement(Float.infinity, count: leaves * Self.leafSize - places.count)
        ordinals = places.map(\.row)
        highestRow = ordinals.max()
        x = places.map(\.x) + padding
        y = places.map(\.y) + padding
        z = places.map(\.z) + padding
        (levels, boxCounts) = Self.boxes(leaves: leaves, points: places.count, x, y, z)
    }

    /// What a tree is made of, for storing it.
    package struct Parts: Sendable {
        package var ordinals: [UInt32] = []
        package var x: [Float] = []
        package var y: [Float] = []
        package var z: [Float] = []
        package var levels: [[Float]] = []

        package init() {}
    }

    /// What the tree is made of.
    package var parts: Parts {
        var parts = Parts()
        (parts.ordinals, parts.x, parts.y, parts.z, parts.levels) = (ordinals, x, y, z, levels)
        return parts
    }

    /// The tree of the parts of another one; `nil` when their sizes do not belong to a tree.
    package init?(_ parts: Parts) {
        let leaves = (parts.ordinals.count + Self.leafSize - 1) / Self.leafSize
        let points = leaves * Self.leafSize
        guard parts.x.count == points, parts.y.count == points, parts.z.count == points else { return nil }
        var counts: [Int] = []
        var boxes = leaves
        // Level by level, until one group holds all boxes.
        while boxes > 0, counts.isEmpty || boxes > 1 {
            counts.append(boxes)
            boxes = (boxes + Self.fanOut - 1) / Self.fanOut
        }
        let sizes = counts.map { ($0 + Self.fanOut - 1) / Self.fanOut * Self.groupFloats }
        guard parts.levels.map(\.count) == sizes else { return nil }
        (ordinals, x, y, z) = (parts.ordinals, parts.x, parts.y, parts.z)
        highestRow = ordinals.max()
        (levels, boxCounts) = (parts.levels, counts)
    }

    /// A row on its way into the tree.
    private struct Place {
        var cell: UInt64
        var row: UInt32
        var x: Float
        var y: Float
        var z: Float

        init(row: UInt32, point: GeocentricPoint) {
            cell = CellID(point).rawValue
            self.row = row
            (x, y, z) = (Float(point.x), Float(point.y), Float(point.z))
        }

        /// Sorts by cell, leaving places of one cell in order: from the lowest digit of the cell to the highest.
        static func sort(_ places: inout [Place]) {
            let digitBits: UInt64 = 13
            var other = places
            for shift in stride(from: 0, to: UInt64(CellID.bits), by: Int(digitBits)) {
                var starts = [Int](repeating: 0, count: 1 << Int(digitBits))
                let mask = UInt64(starts.count - 1)
                for place in places { starts[Int(place.cell >> shift & mask)] += 1 }
                var start = 0
                for digit in starts.indices { (starts[digit], start) = (start, start + starts[digit]) }
                for place in places {
                    let digit = Int(place.cell >> shift & mask)
                    other[starts[digit]] = place
                    starts[digit] += 1
                }
                swap(&places, &other)
            }
        }
    }

    /// Builds the boxes level by level until one group holds them all.
    private static func boxes(
        leaves: Int, points: Int, _ x: [Float], _ y: [Float], _ z: [Float]
    ) -> (levels: [[Float]], counts: [Int]) {
        func extent(_ values: ArraySlice<Float>) -> (Float, Float) {
            values.reduce((.infinity, -.infinity)) { (min($0.0, $1), max($0.1, $1)) }
        }
        var boxes = (0..<leaves).map { leaf in
            let range = leaf * leafSize..<min(points, (leaf + 1) * leafSize)
            return [x, y, z].map { extent($0[range]) }
        }
        var levels: [[Float]] = []
        var counts: [Int] = []
        while !boxes.isEmpty {
            let groups = (boxes.count + fanOut - 1) / fanOut
            var level = [Float](repeating: .infinity, count: groups * groupFloats)
            for (index, box) in boxes.enumerated() {
                let start = index / fanOut * groupFloats + index % fanOut
                for (axis, bounds) in box.enumerated() {
                    level[start + 2 * axis * fanOut] = bounds.0
                    level[start + (2 * axis + 1) * fanOut] = bounds.1
                }
            }
            levels.append(level)
            counts.append(boxes.count)
            if groups == 1 { break }
            boxes = (0..<groups).map { group in
                let children = boxes[group * fanOut..<min(boxes.count, (group + 1) * fanOut)]
                return (0..<3).map { axis in
                    (children.map { $0[axis].0 }.min() ?? .infinity, children.map { $0[axis].1 }.max() ?? .infinity)
                }
            }
        }
        return (levels, counts)
    }
}

// MARK: - Ranges of distances

extension SpatialTree {
    /// Number of places in the range of `test`. Complexity: O(√(places in range)) for a circle, as a rule.
    ///
    /// - Parameter location: The place of a row in degrees; called for the few at the very rim.
    package func count(_ test: DistanceTest, location: (UInt32) -> Location) -> Int {
        var count = 0
        walk(test) { positions in
            count += positions.count
        } leaf: { position, members, undecided in
            count += members.nonzeroBitCount
            forEachBit(undecided) { bit in
                if test.containsExactly(location(ordinals[position + bit])) { count += 1 }
            }
        }
        return count
    }

    /// Bounds of the number of places in range, from the boxes alone: for estimates.
    package func countBounds(_ test: DistanceTest) -> ClosedRange<Int> {
        var (least, most) = (0, 0)
        walkBoxes(test) { positions in
            least += positions.count
        } partial: { positions in
            most += positions.count
        }
        return least...least + most
    }

    /// Appends the rows in the range of `test` to `rows`, in no order.
    package func select(_ test: DistanceTest, location: (UInt32) -> Location, into rows: inout [UInt32]) {
        walk(test) { positions in
            rows.append(contentsOf: ordinals[positions])
        } leaf: { position, members, undecided in
            forEachBit(members) { rows.append(ordinals[position + $0]) }
            forEachBit(undecided) { bit in
                let row = ordinals[position + bit]
                if test.containsExactly(location(row)) { rows.append(row) }
            }
        }
    }

    /// Sets the bits of the rows in the range of `test`: 64 rows to a word, those beyond `words` are left out.
    package func mark(_ test: DistanceTest, location: (UInt32) -> Location, in words: inout [UInt64]) {
        guard let highestRow else { return }
        if Int(highestRow) >= words.count * 64 {
            var rows: [UInt32] = []
            select(test, location: location, into: &rows)
            for row in rows where Int(row) < words.count * 64 { words[Int(row >> 6)] |= 1 &<< UInt64(row & 63) }
            return
        }
        walk(test) { positions in
            // SAFETY: the positions exist, and every row of the tree has a bit.
            unsafe ordinals.withUnsafeBufferPointer { ordinals in
                unsafe words.withUnsafeMutableBufferPointer { words in
                    unsafe kernels_list_set_bits(
                        ordinals.baseAddress.map { unsafe $0 + positions.lowerBound }, positions.count,
                        words.baseAddress)
                }
            }
        } leaf: { position, members, undecided in
            forEachBit(members) { bit in
                let row = ordinals[position + bit]
                words[Int(row >> 6)] |= 1 &<< UInt64(row & 63)
            }
            forEachBit(undecided) { bit in
                let row = ordinals[position + bit]
                if test.containsExactly(location(row)) { words[Int(row >> 6)] |= 1 &<< UInt64(row & 63) }
            }
        }
    }

    @inline(__always)
    private func forEachBit(_ word: UInt64, _ body: (Int) -> Void) {
        var word = word
        while word != 0 {
            body(word.trailingZeroBitCount)
            word &= word &- 1
        }
    }

    /// Calls `whole` with runs of positions inside, and `leaf` with the first position of leaves at the rim, the points
    /// inside and those undecided.
    @inline(__always)
    private func walk(
        _ test: DistanceTest, whole: (Range<Int>) -> Void, leaf: (Int, UInt64, UInt64) -> Void
    ) {
        var chords = Self.chordTest(test)
        walkBoxes(test, whole: whole) { positions in
            var undecided: UInt64 = 0
            // SAFETY: a leaf's 64 coordinates exist, the last leaf being filled up.
            let members = unsafe x.withUnsafeBufferPointer { x in
                unsafe y.withUnsafeBufferPointer { y in
                    unsafe z.withUnsafeBufferPointer { z in
                        let start = positions.lowerBound
                        return unsafe kernels_points_classify(
                            x.baseAddress.map { unsafe $0 + start }, y.baseAddress.map { unsafe $0 + start },
                            z.baseAddress.map { unsafe $0 + start }, &chords, &undecided)
                    }
                }
            }
            let real: UInt64 = ~0 >> UInt64(Self.leafSize - positions.count)
            leaf(positions.lowerBound, members & real, undecided & real)
        }
    }

    /// Calls `whole` with runs of positions inside and `partial` with leaves that may be cut by the rim.
    private func walkBoxes(_ test: DistanceTest, whole: (Range<Int>) -> Void, partial: (Range<Int>) -> Void) {
        guard !levels.isEmpty, !test.range.isEmpty else { return }
        var chords = Self.chordTest(test)
        func visit(_ level: Int, _ group: Int) {
            let first = group * Self.fanOut
            let real: UInt32 = (1 << UInt32(min(Self.fanOut, boxCounts[level] - first))) - 1
            var outside: UInt32 = 0
            // SAFETY: the group's sixteen boxes exist, the last group being filled up.
            let inside = unsafe levels[level].withUnsafeBufferPointer { boxes in
                unsafe kernels_boxes_classify(
                    boxes.baseAddress.map { unsafe $0 + group * Self.groupFloats }, &chords, &outside)
            }
            var rest = real & ~outside
            while rest != 0 {
                let child = rest.trailingZeroBitCount
                rest &= rest &- 1
                if inside >> UInt32(child) & 1 != 0 {
                    whole(positions(level, first + child))
                } else if level == 0 {
                    partial(positions(0, first + child))
                } else {
                    visit(level - 1, first + child)
                }
            }
        }
        visit(levels.count - 1, 0)
    }

    /// The positions below a box.
    func positions(_ level: Int, _ box: Int) -> Range<Int> {
        let size = Self.leafSize << (4 * level)
        return box * size..<min(count, (box + 1) * size)
    }

    private static func chordTest(_ test: DistanceTest) -> kernels_chord_test {
        let thresholds = ChordThresholds(test.range, margin: margin.absolute, relative: margin.relative)
        return kernels_chord_test(
            x: Float(test.point.x), y: Float(test.point.y), z: Float(test.point.z),
            surely_above: Float(thresholds.surelyAbove), surely_below: Float(thresholds.surelyBelow),
            surely_under: Float(thresholds.surelyUnder), surely_over: Float(thresholds.surelyOver))
    }
}
