// Sets of many values are quick where values that differ have different hashes.

import RecordModel
import Testing

@Suite struct HashEdgesTests {
    /// That two of these share a hash by chance is one case in 2^60.
    private static func haveHashesOfTheirOwn(_ values: some Collection<some Hashable>) -> Bool {
        Set(values.map(\.hashValue)).count == values.count
    }

    @Test("Identifiers differ by their names, zones by theirs and by their owners")
    func identifiers() {
        #expect(Self.haveHashesOfTheirOwn(["a", "b", "c"].map { Record.ID($0) }))
        #expect(Self.haveHashesOfTheirOwn(["x", "y", "z"].map { RecordZone.ID($0) }))
        #expect(Self.haveHashesOfTheirOwn(["x", "y", "z"].map { RecordZone.ID("zone", ownerName: $0) }))
    }

    @Test("Records differ by their identifiers, assets by their paths")
    func values() {
        #expect(Self.haveHashesOfTheirOwn(["a", "b", "c"].map { Record(type: "T", id: Record.ID($0)) }))
        #expect(Self.haveHashesOfTheirOwn(["a", "b", "c"].map { Asset(path: $0, size: 7) }))
    }
}
