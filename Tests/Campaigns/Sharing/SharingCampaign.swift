// Shares, participants and permissions, against a model of dictionaries.

import FoundationEssentials
import RecordDatabase

/// Random calls of an owner and of participants; after each, what everyone sees is what the model says.
struct SharingCampaign {
    struct Result {
        var steps = 0
        /// Steps that were refused, as they must be.
        var refused = 0
        var comparisons = 0
        var difference: String?
        /// The fewest steps that lead to a difference.
        var trace: [String] = []
    }

    let seed: UInt64
    /// Where the store is.
    var ground = ContainerGround.memory
    /// What clients do wrong.
    var flaw: SharingClients.Flaw?

    /// Takes so many steps; where they lead to a difference, the fewest that do are looked for.
    func run(steps: Int) -> Result {
        let numbers = Array(0..<steps)
        var result = run(numbers)
        guard result.difference != nil else { return result }
        let shortest = ShortestTrace.of(Array(numbers.prefix(result.steps)), attempts: 400) {
            run($0).difference != nil
        }
        result.trace = shortest.map { "\(SharingStep($0, seed: seed))" } + [run(shortest).difference ?? "none"]
        return result
    }

    private func run(_ numbers: [Int]) -> Result {
        var result = Result()
        do throws(DatabaseError) {
            let clients = try SharingClients(on: ground, flaw: flaw)
            defer { clients.close() }
            var model = SharingModel()
            for number in numbers {
                let step = SharingStep(number, seed: seed)
                result.steps += 1
                let expected = model.take(step)
                let code = clients.take(step)
                if !expected.isEmpty { result.refused += 1 }
                if code.map({ expected.contains($0) }) ?? expected.isEmpty {
                    result.difference = try difference(clients, model, number, &result.comparisons)
                } else {
                    result.difference =
                        "gave \(code.map { "\($0)" } ?? "success"), expected \(expected.map { "\($0)" }.sorted())"
                }
                if let difference = result.difference {
                    result.difference = "seed \(seed), step \(number), \(step): \(difference)"
                    return result
                }
            }
        } catch {
            result.difference = "seed \(seed): \(error)"
        }
        return result
    }

    /// How what somebody sees differs from the model.
    private func difference(
        _ clients: SharingClients, _ model: SharingModel, _ number: Int, _ comparisons: inout Int
    ) throws(DatabaseError) -> String? {
        for (place, user) in ([SharingModel.owner] + SharingModel.guests).enumerated() {
            let zones = Set(SharingModel.zoneNames.filter { model.view(user, $0) != nil })
            let names = try clients.zoneNames(user)
            if names != zones { return "\(user) finds the zones \(names.sorted()), expected \(zones.sorted())" }
            for zone in SharingModel.zoneNames {
                let expected = model.view(user, zone)
                comparisons += 2
                let view = try clients.view(user, zone)
                if view != expected { return "\(user) sees \(words(view)) in \(zone), expected \(words(expected))" }
                let items = expected.map { view in Set(view.filter { $0.value != "share" }.keys) }
                let found = try clients.found(user, zone)
                if found != items { return "\(user) finds \(found?.sorted() ?? ["no zone"]) in \(zone)" }
                // Copies read on now and then, so that much happens between.
                if (number + place) % 3 != 0 { continue }
                comparisons += 1
                let copy = try clients.copy(user, zone)
                if copy != expected {
                    return "the copy of \(user) has \(words(copy)) of \(zone), expected \(words(expected))"
                }
            }
        }
        return nil
    }

    private func words(_ view: [String: String]?) -> String {
        view.map { view in "\(view.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" })" } ?? "no zone"
    }
}
