// Deletions in one batch that would leave children behind, and those that fail with them.

import Foundation
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct LeftChildrenTests {
    /// A numbered record below another one, or below none.
    private static func node(_ number: Int, below parent: Int?, in world: World) -> Record {
        var node = record("r\(number)", in: world.zone)
        node.setParent(parent.map { world.own("r\($0)") })
        return node
    }

    /// Forests of which some records are deleted: a deletion fails where a child stays, for whatever reason.
    @Test(arguments: 0..<12) func whatFailsIsWhatHasChildrenThatStay(_ seed: Int) async throws {
        var random = SplitMix64(seed: UInt64(seed))
        let world = try await World()
        let parents = (0..<60).map { number in
            number == 0 || Int.random(in: 0..<5, using: &random) == 0
                ? nil : Int.random(in: max(0, number - 6)..<number, using: &random)
        }
        for (number, parent) in parents.enumerated() {
            try await world.mine.put(Self.node(number, below: parent, in: world))
        }
        let chosen = parents.indices.filter { _ in Int.random(in: 0..<8, using: &random) > 0 }.shuffled(using: &random)
        var gone = Set(chosen)
        func leavesChildren(_ number: Int) -> Bool {
            parents.indices.contains { parents[$0] == number && !gone.contains($0) }
        }
        while let left = gone.first(where: leavesChildren) { gone.remove(left) }
        let outcomes = try world.mine.outcomes(deleting: chosen.map { world.own("r\($0)") })
        for number in chosen {
            #expect(outcomes["r\(number)"] == .some(gone.contains(number) ? nil : .referenceViolation))
        }
        for number in parents.indices {
            #expect(await world.mine.has("r\(number)", in: world.zone) == !gone.contains(number))
        }
    }

    /// Many parents whose children stay, in a transaction.
    @Test func manyParentsAtOnce() async throws {
        let world = try await World()
        let folders = (0..<1500).map { record("f\($0)", in: world.zone, type: "Folder") }
        let documents = (0..<1500).map { number in
            var document = record("d\(number)", in: world.zone, type: "Document")
            document.setParent(world.own("f\(number)"))
            return document
        }
        _ = try await world.mine.write { transaction in
            for record in folders + documents { try transaction.save(record) }
        }
        let error = await fails(.partialFailure) {
            try await world.mine.write { try $0.deleteAll("Folder", where: "TRUEPREDICATE") }
        }
        #expect(error?.partialErrors.count == 1500)
        #expect(error?.partialErrors.values.allSatisfy { $0.code == .referenceViolation } == true)
        #expect(try await world.mine.count(matching: Query("Folder"), in: .all) == 1500)
    }
}
