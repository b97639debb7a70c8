// What clients see of each other's commits, and whether the checker of that finds what it is to find.

import FoundationEssentials
import Testing
import _TestSupport

@testable import Campaigns

private typealias Step = History.Step
private typealias Write = History.Write
private typealias Seen = History.Observation

/// A history made by hand, and what is wrong with it.
private struct PlantedHistory: CustomTestStringConvertible, Sendable {
    let name: String
    let faults: [IsolationChecker.Kind]
    var steps: [Step] = []

    var testDescription: String { name }

    init(_ name: String, _ faults: IsolationChecker.Kind..., steps: [Step]) {
        (self.name, self.faults) = (name, faults)
        // Two records, written together before anything else.
        self.steps = [step(0, 1, 2, writes: [Write("a", from: nil, to: 1), Write("b", from: nil, to: 2)])] + steps
    }
}

private func step(
    _ client: Int, _ began: Int, _ ended: Int, _ outcome: History.Outcome = .done, sees seen: [Seen] = [],
    writes: [Write] = [], isWhole: Bool = false
) -> Step {
    Step(
        client: client, began: began, ended: ended, outcome: outcome, seen: seen, writes: writes, isWhole: isWhole)
}

@Suite struct IsolationTests {
    @Test(arguments: [(1, 4, nil), (2, 6, nil), (3, 4, "isolation")] as [(UInt64, Int, String?)])
    func clientsAreIsolated(seed: UInt64, clients: Int, name: String?) async {
        let folder = name.map { CampaignTool.temporaryFolder("\($0)-\(seed)") }
        defer { if let folder { try? FileManager.default.removeItem(atPath: folder) } }
        let ground = folder.map { ContainerGround.folder($0) } ?? .memory
        check(await IsolationCampaign(seed: seed, clients: clients, ground: ground).run(calls: 400))
    }

    @Test(
        "The same on a server, and on three", .waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled),
        arguments: [(UInt64(4), 1), (5, 3)])
    func clientsOfServersAreIsolated(seed: UInt64, count: Int) async throws {
        let nodes = try PostgreSQLNodes.shared(count)
        let result = await IsolationCampaign(seed: seed, ground: .servers(nodes)).run(calls: 400)
        check(result)
        #expect(result.nodes == count)
    }

    private func check(_ result: IsolationCampaign.Result) {
        for fault in result.faults.prefix(3) { Issue.record("\(fault)") }
        #expect(result.steps > 400 && result.commits > 100, "\(result)")
        // Two clients make each raced record.
        #expect(result.conflicts > 5, "\(result)")
    }

    @Test("Clients that do something wrong are found", arguments: IsolationClient.Flaw.allCases)
    func wrongClients(_ flaw: IsolationClient.Flaw) async {
        var found: [String] = []
        // Threads take turns as they like: a run may give the flaw no chance to show.
        for seed in UInt64(1)...8 where found.isEmpty {
            found = await IsolationCampaign(seed: seed, flaw: flaw).run(calls: 400).faults
        }
        #expect(!found.isEmpty)
    }

    @Test(arguments: sound + faulty) private func plantedHistories(history: PlantedHistory) {
        let faults = IsolationChecker.faults(in: History(steps: history.steps))
        #expect(faults.map(\.kind) == history.faults, "\(faults)")
    }
}

/// Histories in which everything is as promised.
private let sound = [
    PlantedHistory(
        "calls at the same time, in either order",
        steps: [
            step(1, 3, 6, writes: [Write("a", from: 1, to: 3)]),
            step(2, 3, 7, sees: [Seen("a", 1), Seen("b", 2)]),
            step(3, 4, 8, sees: [Seen("a", 3), Seen("b", 2)]),
        ]),
    PlantedHistory(
        "a conflict",
        steps: [
            step(1, 3, 6, writes: [Write("a", from: 1, to: 3)]),
            step(2, 4, 7, .rejected, sees: [Seen("a", 3)], writes: [Write("a", from: 1, to: 4)]),
        ]),
    PlantedHistory(
        "a record that was made and deleted",
        steps: [
            step(1, 3, 4, sees: [Seen("a", 1), Seen("b", 2)], isWhole: true),
            step(1, 5, 6, writes: [Write("c", from: nil, to: 5)]),
            step(2, 7, 8, sees: [Seen("a", 1), Seen("b", 2), Seen("c", 5)], isWhole: true),
            step(1, 9, 10, writes: [Write("c", from: 5, to: nil)]),
            step(2, 11, 12, sees: [Seen("a", 1), Seen("b", 2)], isWhole: true),
        ]),
    // Saves that looked at another record promise nothing about it: only transactions do.
    PlantedHistory(
        "two saves, each after a look at the record of the other",
        steps: [
            step(1, 3, 4, sees: [Seen("b", 2)]), step(2, 3, 4, sees: [Seen("a", 1)]),
            step(1, 5, 8, writes: [Write("a", from: 1, to: 3)]),
            step(2, 5, 8, writes: [Write("b", from: 2, to: 4)]),
        ]),
    PlantedHistory(
        "commits on two servers, seen in different orders",
        steps: [
            step(1, 3, 9, writes: [Write("a", from: 1, to: 3)]),
            step(2, 3, 9, writes: [Write("c", from: nil, to: 4, node: 1)]),
            step(3, 4, 8, sees: [Seen("a", 3), Seen("c", nil, node: 1)]),
            step(4, 4, 8, sees: [Seen("a", 1), Seen("c", 4, node: 1)]),
        ]),
]

/// Histories with one thing that must not be.
private let faulty = [
    PlantedHistory(
        "two saves from one fetched value", .lostUpdate,
        steps: [
            step(1, 3, 6, writes: [Write("a", from: 1, to: 3)]), step(2, 4, 7, writes: [Write("a", from: 1, to: 4)]),
        ]),
    PlantedHistory(
        "two clients made one record", .lostUpdate,
        steps: [
            step(1, 3, 6, writes: [Write("c", from: nil, to: 3)]),
            step(2, 7, 8, writes: [Write("c", from: nil, to: 4)]),
        ]),
    PlantedHistory(
        "a save over a deletion", .lostUpdate,
        steps: [
            step(1, 3, 6, writes: [Write("a", from: 1, to: nil)]),
            step(2, 4, 7, writes: [Write("a", from: 1, to: 4)]),
        ]),
    PlantedHistory(
        "half of a commit", .tornSnapshot,
        steps: [
            step(1, 3, 8, writes: [Write("a", from: 1, to: 3), Write("b", from: 2, to: 4)]),
            step(2, 4, 5, sees: [Seen("a", 3), Seen("b", 2)]),
        ]),
    PlantedHistory(
        "half of a commit on the second server", .tornSnapshot,
        steps: [
            step(1, 3, 4, writes: [Write("c", from: nil, to: 5, node: 1), Write("d", from: nil, to: 6, node: 1)]),
            step(1, 5, 9, writes: [Write("c", from: 5, to: 7, node: 1), Write("d", from: 6, to: 8, node: 1)]),
            step(2, 6, 8, sees: [Seen("a", 1), Seen("c", 7, node: 1), Seen("d", 6, node: 1)]),
        ]),
    PlantedHistory(
        "the later commit without the one before it", .tornSnapshot,
        steps: [
            step(1, 3, 9, writes: [Write("a", from: 1, to: 3)]),
            step(3, 3, 9, sees: [Seen("a", 3)], writes: [Write("b", from: 2, to: 4)]),
            step(2, 4, 8, sees: [Seen("a", 1), Seen("b", 4)]),
        ]),
    PlantedHistory(
        "a whole snapshot without a record that a commit made", .tornSnapshot,
        steps: [
            step(1, 3, 8, writes: [Write("a", from: 1, to: 3), Write("c", from: nil, to: 4)]),
            step(2, 4, 9, sees: [Seen("a", 3), Seen("b", 2)], isWhole: true),
        ]),
    PlantedHistory(
        "two values in one snapshot", .twoMoments,
        steps: [
            step(1, 3, 8, writes: [Write("a", from: 1, to: 3)]),
            step(2, 4, 9, sees: [Seen("a", 1), Seen("b", 2), Seen("a", 3)]),
        ]),
    PlantedHistory(
        "snapshots in different orders", .diverging,
        steps: [
            step(1, 3, 9, writes: [Write("a", from: 1, to: 3)]), step(2, 3, 9, writes: [Write("b", from: 2, to: 4)]),
            step(3, 4, 8, sees: [Seen("a", 3), Seen("b", 2)]), step(4, 4, 8, sees: [Seen("a", 1), Seen("b", 4)]),
        ]),
    PlantedHistory(
        "a read after the own commit that does not see it", .staleOwn,
        steps: [step(1, 3, 4, writes: [Write("a", from: 1, to: 3)]), step(1, 5, 6, sees: [Seen("a", 1)])]),
    PlantedHistory(
        "a read after the commit of another that does not see it", .stale,
        steps: [step(1, 3, 4, writes: [Write("a", from: 1, to: 3)]), step(2, 5, 6, sees: [Seen("a", 1)])]),
    PlantedHistory(
        "a moment that goes back", .staleOwn,
        steps: [
            step(1, 3, 12, writes: [Write("a", from: 1, to: 3)]),
            step(2, 4, 5, sees: [Seen("a", 3)]), step(2, 6, 7, sees: [Seen("a", 1)]),
        ]),
    PlantedHistory(
        "a deleted record that is still seen", .stale,
        steps: [step(1, 3, 4, writes: [Write("a", from: 1, to: nil)]), step(2, 5, 6, sees: [Seen("a", 1)])]),
    PlantedHistory(
        "a record that is missing though it was made", .tornSnapshot,
        steps: [step(1, 3, 4, sees: [Seen("a", 1)], isWhole: true)]),
    PlantedHistory(
        "transactions that each change what the other read", .writeSkew,
        steps: [
            step(1, 3, 8, sees: [Seen("a", 1), Seen("b", 2)], writes: [Write("a", from: 1, to: 3)]),
            step(2, 3, 8, sees: [Seen("a", 1), Seen("b", 2)], writes: [Write("b", from: 2, to: 4)]),
        ]),
    PlantedHistory(
        "the value of a rejected save", .uncommittedValue,
        steps: [
            step(1, 3, 4, writes: [Write("a", from: 1, to: 3)]),
            step(2, 3, 5, .rejected, sees: [Seen("a", 3)], writes: [Write("a", from: 1, to: 4)]),
            step(3, 6, 7, sees: [Seen("a", 4)]),
        ]),
    PlantedHistory(
        "the value of an abandoned transaction", .uncommittedValue,
        steps: [
            step(1, 3, 6, .abandoned, sees: [Seen("a", 1)], writes: [Write("a", from: 1, to: 3)]),
            step(2, 4, 5, sees: [Seen("a", 3)]),
        ]),
    PlantedHistory("a value out of nowhere", .unknownValue, steps: [step(1, 3, 4, sees: [Seen("a", 9)])]),
    PlantedHistory(
        "a conflict with nobody", .groundlessConflict,
        steps: [step(1, 3, 4, .rejected, sees: [Seen("a", 1)], writes: [Write("a", from: 1, to: 3)])]),
    PlantedHistory(
        "a conflict with a commit that came later", .stale,
        steps: [
            step(1, 3, 4, .rejected, sees: [Seen("a", 3)], writes: [Write("a", from: 1, to: 4)]),
            step(2, 5, 6, writes: [Write("a", from: 1, to: 3)]),
        ]),
]
