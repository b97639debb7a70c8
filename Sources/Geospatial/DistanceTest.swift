// Whether places are within a range of distances from a centre, without computing most of the distances.

internal import CKernels

/// The test `distance(place, centre) in range`, for one centre and many places.
///
/// The straight line through the Earth decides all but a few: it bounds the geodesic distance so tightly that the
/// exact distance is needed only within millimetres (at 50 km) to metres (at 500 km) of the rim. The result always
/// equals `range.contains(Geodesic.distance(from: place, to: centre))`; a place that is not valid is never in range.
package struct DistanceTest: Sendable {
    /// The place distances are measured from.
    package let center: Location
    /// The accepted distances, in metres.
    package let range: DistanceRange
    /// The centre in space.
    package let point: GeocentricPoint
    /// What squared chords tell, for chords computed from `GeocentricPoint`s.
    package let thresholds: ChordThresholds

    /// Prepares the test. A centre that is not valid is in no range of any place.
    package init(center: Location, range: DistanceRange) {
        self.center = center
        self.range = center.isValid ? range : .empty
        point = GeocentricPoint(center)
        thresholds = ChordThresholds(self.range, margin: 1e-5)
    }

    /// Whether `location` is in range.
    package func contains(_ location: Location) -> Bool {
        switch thresholds.verdict(point.squaredChord(to: GeocentricPoint(location))) {
        case .inside: true
        case .outside: false
        case .undecided: containsExactly(location)
        }
    }

    /// The same result from the geodesic distance itself.
    package func containsExactly(_ location: Location) -> Bool {
        range.contains(Geodesic.distance(from: location, to: center))
    }

    /// Tests rows of degrees, 64 to a word, the lowest row in the lowest bit; writes ⌈rows / 64⌉ words.
    ///
    /// Rows beyond the shorter column or the room in `words` are left out.
    /// - Complexity: O(rows), half a nanosecond for a row far from the centre and three for a row near it.
    package func select(latitudes: Span<Double>, longitudes: Span<Double>, into words: inout MutableSpan<UInt64>) {
        let rows = min(latitudes.count, longitudes.count, words.count * 64)
        let wordCount = (rows + 63) / 64
        guard !range.isEmpty else {
            for word in 0..<wordCount { words[word] = 0 }
            return
        }
        // The kernel's chords are right to 0.1 mm.
        var circle = kernelCircle(ChordThresholds(range, margin: 1e-3))
        var undecided = [UInt64](repeating: 0, count: wordCount)
        // SAFETY: both columns hold `rows` numbers, both sets `wordCount` words, all the kernel reads and writes.
        let anyUndecided = unsafe latitudes.withUnsafeBufferPointer { latitudes in
            unsafe longitudes.withUnsafeBufferPointer { longitudes in
                unsafe words.withUnsafeMutableBufferPointer { words in
                    unsafe undecided.withUnsafeMutableBufferPointer { undecided in
                        unsafe kernels_select_near(
                            latitudes.baseAddress, longitudes.baseAddress, rows, &circle, words.baseAddress,
                            undecided.baseAddress)
                    }
                }
            }
        }
        if anyUndecided != 0 { decide(undecided, latitudes: latitudes, longitudes: longitudes, into: &words) }
    }

    /// Adds the rows of `undecided` that are exactly in range.
    private func decide(
        _ undecided: [UInt64], latitudes: Span<Double>, longitudes: Span<Double>,
        into words: inout MutableSpan<UInt64>
    ) {
        for word in undecided.indices {
            var bits = undecided[word]
            while bits != 0 {
                let bit = bits.trailingZeroBitCount
                bits &= bits &- 1
                let row = word * 64 + bit
                if containsExactly(Location(latitude: latitudes[row], longitude: longitudes[row])) {
                    words[word] |= 1 &<< UInt64(bit)
                }
            }
        }
    }

    private func kernelCircle(_ thresholds: ChordThresholds) -> kernels_circle {
        let beyondIsMember = range.upperBound > Ellipsoid.greatestDistance
        let box = BoundingBox(center: center, radius: beyondIsMember ? range.lowerBound : range.upperBound)
        return kernels_circle(
            south: box.south, north: box.north, center_longitude: center.longitude,
            longitude_reach: box.longitudeReach,
            x: point.x, y: point.y, z: point.z,
            surely_above: thresholds.surelyAbove, surely_below: thresholds.surelyBelow,
            surely_under: thresholds.surelyUnder, surely_over: thresholds.surelyOver,
            beyond_is_member: beyondIsMember ? 1 : 0)
    }
}

/// What the square of a chord tells about a range of distances.
package struct ChordThresholds: Sendable {
    /// What is known of a place.
    package enum Verdict { case inside, outside, undecided }

    /// Squared chords between these two are certainly inside.
    package let surelyAbove: Double
    package let surelyBelow: Double
    /// Squared chords below the first or above the second are certainly outside.
    package let surelyUnder: Double
    package let surelyOver: Double

    /// Thresholds that stay right for chords with an error of up to `margin` metres and a share `relative` of them.
    package init(_ range: DistanceRange, margin: Double, relative: Double = 0) {
        func shorter(_ chord: Double) -> Double {
            let chord = chord * (1 - relative) - margin
            return chord > 0 ? chord * chord : -1
        }
        func longer(_ chord: Double) -> Double {
            let chord = chord * (1 + relative) + margin
            return chord * chord
        }
        if range.isEmpty {
            (surelyAbove, surelyBelow, surelyUnder, surelyOver) = (.infinity, -1, .infinity, -1)
            return
        }
        surelyAbove = range.lowerBound > 0 ? longer(ChordBounds.beyond(range.lowerBound)) : -1
        surelyUnder = range.lowerBound > 0 ? shorter(ChordBounds.within(range.lowerBound)) : -1
        surelyBelow = shorter(ChordBounds.within(range.upperBound))
        surelyOver = longer(ChordBounds.beyond(range.upperBound))
    }

    /// What `squaredChord` tells; NaN is undecided.
    @inlinable
    package func verdict(_ squaredChord: Double) -> Verdict {
        if squaredChord > surelyAbove, squaredChord < surelyBelow { return .inside }
        if squaredChord < surelyUnder || squaredChord > surelyOver { return .outside }
        return .undecided
    }
}
