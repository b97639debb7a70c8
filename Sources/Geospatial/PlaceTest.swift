// Conditions on places.

/// A condition on places: a range of distances from a centre, or an area.
package enum PlaceTest: Sendable {
    case distance(DistanceTest)
    case area(GeoArea)

    /// Whether a place meets the condition; one that is not valid never does.
    package func contains(_ location: Location) -> Bool {
        switch self {
        case .distance(let test): test.contains(location)
        case .area(let area): area.contains(location)
        }
    }

    /// Tests rows of degrees, 64 to a word, the lowest row in the lowest bit; writes ⌈rows / 64⌉ words.
    ///
    /// Rows beyond the shorter column or the room in `words` are left out.
    /// - Complexity: O(rows).
    package func select(latitudes: Span<Double>, longitudes: Span<Double>, into words: inout MutableSpan<UInt64>) {
        switch self {
        case .distance(let test): test.select(latitudes: latitudes, longitudes: longitudes, into: &words)
        case .area(let area):
            let rows = min(latitudes.count, longitudes.count, words.count * 64)
            for word in 0..<(rows + 63) / 64 {
                var bits: UInt64 = 0
                for row in word * 64..<min(rows, word * 64 + 64) {
                    let place = Location(latitude: latitudes[row], longitude: longitudes[row])
                    if area.contains(place) { bits |= 1 &<< UInt64(row & 63) }
                }
                words[word] = bits
            }
        }
    }
}
