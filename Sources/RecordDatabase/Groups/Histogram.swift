// How the numbers or dates of a field are spread.

import FoundationEssentials
import QueryExecution
public import RecordModel

/// How many records have a number, or a date, between edges.
public struct Histogram: Hashable, Sendable {
    /// The first and the last edge; for dates seconds since 2001-01-01T00:00:00Z.
    public var range: ClosedRange<Double>
    /// Whether the values are dates.
    public var isDate: Bool
    /// Number of records in each bin. A bin has its lower edge; the last one has its upper edge, too.
    public var counts: [Int]
    /// Number of records without a number or date.
    public var missingCount: Int
    /// Number of records among them whose values are of other kinds; the others have no value.
    public var otherKindCount: Int
    /// Number of records all of whose numbers are beyond the edges, or NaN.
    public var outsideCount: Int

    /// Edges that are not at equal distances, or at round numbers; empty for others.
    private var givenEdges: [Double]

    init(_ spread: NumberSpread, isDate: Bool) {
        range = spread.range
        givenEdges = spread.edges
        self.isDate = isDate
        counts = spread.counts
        missingCount = spread.missingCount
        otherKindCount = spread.otherCount
        outsideCount = spread.outsideCount
    }

    /// The edges, one more than there are bins: doubles or dates.
    public var edges: [FieldValue] {
        (0...counts.count).map { index in
            let edge = edge(index)
            return isDate ? .date(Date(timeIntervalSinceReferenceDate: edge)) : .double(edge)
        }
    }

    private func edge(_ index: Int) -> Double {
        if givenEdges.indices.contains(index) { return givenEdges[index] }
        if index == counts.count { return range.upperBound }
        let part = Double(index) / Double(counts.count)
        return range.lowerBound * (1 - part) + range.upperBound * part
    }
}
