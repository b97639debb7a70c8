// The inputs that are kept for fuzzing, those that once failed among them, and how well mutations keep their form.

import Foundation
import Testing
import _TestSupport

@testable import Campaigns

@Suite struct FuzzTargetTests {
    /// How many of 200 mutations mean something, where that is less than 80.
    private static let least = [
        "segments": 40, "filters": 60, "explore": 50, "syncstates": 30, "archives": 50, "guesses": 15,
    ]

    @Test(arguments: FuzzTarget.all.map(\.name))
    func storedInputsShowNothingWrong(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        // Every input of a file, and of what was found and what is generated as many as take a moment.
        let kept = KeptCorpus.inputs(of: target, below: ProjectFiles.root)
        let inputs = Replay.stored(for: target, below: ProjectFiles.root) + kept.prefix(10) + target.seeds().prefix(30)
        #expect(!inputs.isEmpty)
        for input in inputs {
            if case .finding(let finding) = target.run(input) { Issue.record("\(finding)") }
        }
    }

    /// Mutations by who knows the form: enough inputs must mean something.
    @Test(arguments: FuzzTarget.all.filter { $0.mutated != nil }.map(\.name))
    func mutationsKeepTheForm(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let mutated = try #require(target.mutated)
        let inputs = target.seeds()
        var generator = SeededGenerator(seed: 5)
        var accepted = 0
        for _ in 0..<200 {
            switch target.run(mutated(generator.pick(inputs), &generator)) {
            case .accepted: accepted += 1
            case .rejected: break
            case .finding(let finding): Issue.record("\(finding)")
            }
        }
        // Of segments, whose parts agree with each other, fewer stay whole, of what has few names, and of other
        // languages, which are guessed from a few forms.
        #expect(accepted >= (Self.least[name] ?? 80), "\(accepted) of 200")
    }

    @Test func keptInputsComeBack() {
        let inputs: [[UInt8]] = [[3, 1], [], [UInt8](repeating: 7, count: 300), [2]]
        let bytes = KeptCorpus.packed(inputs)
        #expect(KeptCorpus.unpacked(bytes) == [[], [2], [3, 1], inputs[2]])
        #expect(KeptCorpus.unpacked(Array(bytes.dropLast())) == [[], [2], [3, 1]])
        #expect(KeptCorpus.unpacked([255, 255, 255, 255, 0]) == [])
        // What is longer than the room that is left is not kept.
        let long = [UInt8](repeating: 1, count: KeptCorpus.byteLimit - 100)
        #expect(KeptCorpus.unpacked(KeptCorpus.packed(inputs + [long])) == [[], [2], [3, 1], inputs[2]])
    }

    /// Mutations begin with kept inputs as often as with others, however few of either there are.
    @Test func mutationsBeginWithKeptInputsToo() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "kept-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        var target = FuzzTarget(name: "any", summary: "", run: { $0.count == 4 ? .accepted : .rejected })
        target.seeds = { (0..<9).map { [$0] } }
        try FileManager.default.createDirectory(
            atPath: KeptCorpus.folder(below: root), withIntermediateDirectories: true)
        try Data(KeptCorpus.packed([[1, 2, 3, 4]])).write(to: URL(filePath: KeptCorpus.path(of: target, below: root)))
        var campaign = TargetCampaign(target, seed: 1, root: root)
        for _ in 0..<200 { #expect(campaign.step() == nil) }
        #expect((60...140).contains(campaign.accepted) && campaign.accepted + campaign.rejected == 200)
    }

    /// One byte decides one choice: the same bytes give the same numbers, another byte changes its own number alone.
    @Test func bytesDecide() {
        func numbers(_ bytes: [UInt8]) -> [Int] {
            var generator = SeededGenerator(deciding: bytes)
            return (0..<8).map { _ in Int.random(in: 0..<6, using: &generator) }
        }
        #expect(numbers([0, 255, 128]).prefix(3) == [0, 5, 3])
        #expect(numbers([0, 255, 128]) == numbers([0, 255, 128]))
        #expect(numbers([0, 0, 128]).dropFirst(2) == numbers([0, 255, 128]).dropFirst(2))
    }
}
