// Whether what clients saw keeps what the database promises about calls at the same time.

/// Checks a history for strict serializability of snapshots, transactions and commits, and for first committer wins.
///
/// Each save names the value that it replaces, so that the order of the commits of a key is known, and all that was seen
/// gives edges: a step comes after the commits whose values it saw, and before those that replaced these values. Steps
/// that do not overlap in time come in the order of time. There is one order of all steps in which each sees exactly
/// what the commits before it left if and only if the edges have no cycle. A save that another client's save between
/// fetch and save should have made fail replaces a value that was replaced already, which is found before that.
struct IsolationChecker {
    struct Fault: Sendable, CustomStringConvertible {
        let kind: Kind
        let description: String
    }

    enum Kind: String, Sendable {
        case lostUpdate = "lost update"
        case unknownValue = "a value that no commit wrote"
        case uncommittedValue = "a value of a commit that does not count"
        case twoMoments = "two values of one key in one snapshot"
        case groundlessConflict = "rejected without a conflict"
        case tornSnapshot = "torn snapshot"
        case diverging = "snapshots that saw commits in different orders"
        case staleOwn = "own call not seen"
        case stale = "stale read"
        case writeSkew = "write skew"
        case ambiguous = "a value that was written twice"
    }

    private struct Version: Hashable {
        let key: String
        let value: Int64?
    }

    private let steps: [History.Step]
    /// The commit that wrote a value, and the one that replaced it; for `nil` the one that deleted and the one that made
    /// the record.
    private var writers: [Version: Int] = [:]
    private var replacers: [Version: Int] = [:]
    private var attempts: [Version: Int] = [:]
    private var keys: Set<String> = []
    private var faults: [Fault] = []

    private init(_ history: History) { steps = history.steps }

    /// What contradicts the promises; empty when nothing does. Nodes keep them each for itself.
    static func faults(in history: History) -> [Fault] { history.ofEachNode.flatMap(faultsOfOne) }

    private static func faultsOfOne(_ history: History) -> [Fault] {
        var checker = IsolationChecker(history)
        checker.orderCommits()
        for step in checker.steps { checker.checkValues(of: step) }
        // Without the writer of each value the order of steps says nothing.
        if checker.faults.isEmpty { checker.checkOrder() }
        return checker.faults
    }

    private mutating func note(_ kind: Kind, _ steps: History.Step...) {
        faults.append(Fault(kind: kind, description: "\(kind.rawValue): " + Self.text(steps)))
    }

    private static func text(_ steps: [History.Step]) -> String { steps.map { "(\($0))" }.joined(separator: " ") }

    private mutating func orderCommits() {
        for (number, step) in steps.enumerated() {
            for write in step.writes {
                let version = Version(key: write.key, value: write.value)
                guard step.isCommit else {
                    if write.value != nil { attempts[version] = number }
                    continue
                }
                keys.insert(write.key)
                if let other = writers.updateValue(number, forKey: version) {
                    // Two that deleted one value are a lost update.
                    if write.value != nil { note(.ambiguous, steps[other], step) }
                }
                let base = Version(key: write.key, value: write.base)
                if let other = replacers.updateValue(number, forKey: base) { note(.lostUpdate, steps[other], step) }
            }
        }
    }

    private mutating func checkValues(of step: History.Step) {
        var values: [String: Int64?] = [:]
        for seen in step.seen {
            if let earlier = values.updateValue(seen.value, forKey: seen.key), earlier != seen.value {
                note(.twoMoments, step)
            }
        }
        let bases = step.writes.map { Version(key: $0.key, value: $0.base) }
        for version in step.seen.map({ Version(key: $0.key, value: $0.value) }) + bases {
            guard version.value != nil, writers[version] == nil else { continue }
            if let attempt = attempts[version] {
                note(.uncommittedValue, steps[attempt], step)
            } else {
                note(.unknownValue, step)
            }
        }
        if step.outcome == .rejected {
            let hasConflict = step.writes.contains { write in values[write.key].map { $0 != write.base } ?? false }
            if !hasConflict { note(.groundlessConflict, step) }
        }
    }

    // MARK: Order

    private mutating func checkOrder() {
        var graph = PrecedenceGraph(steps)
        for (number, step) in steps.enumerated() {
            if step.isCommit {
                for write in step.writes {
                    guard let base = write.base, let writer = writers[Version(key: write.key, value: base)] else {
                        continue
                    }
                    graph.add(writer, before: number, .follows)
                }
            }
            var seen = step.seen
            if step.isWhole {
                seen += keys.subtracting(step.seen.map(\.key)).map { History.Observation($0, nil) }
            }
            for seen in Set(seen) { order(number, seen, &graph) }
        }
        for cycle in graph.cycles() {
            let members = cycle.map { steps[$0.step] }
            let kind = kind(of: cycle)
            faults.append(Fault(kind: kind, description: "\(kind.rawValue): " + Self.text(members)))
        }
    }

    /// Puts a step behind the commit whose value it saw, and before the one that replaced the value.
    private func order(_ number: Int, _ seen: History.Observation, _ graph: inout PrecedenceGraph) {
        let version = Version(key: seen.key, value: seen.value)
        let (writer, replacer) = (writers[version], replacers[version])
        if seen.value == nil, let maker = replacer, let deleter = writer {
            // No record: not made yet, or deleted. Where times leave both open, the step says nothing about the key.
            let (step, isOver) = (steps[number], steps[maker].ended < steps[number].began)
            if step.ended < steps[deleter].began {
                graph.add(number, before: maker, .overlooks)
            } else if isOver {
                graph.add(deleter, before: number, .follows)
            }
            return
        }
        if let writer { graph.add(writer, before: number, .follows) }
        if let replacer { graph.add(number, before: replacer, .overlooks) }
    }

    /// The name of what a cycle shows.
    private func kind(of cycle: [(step: Int, reason: PrecedenceGraph.Reason)]) -> Kind {
        for (place, (step, reason)) in cycle.enumerated() where reason == .time {
            let next = cycle[(place + 1) % cycle.count].step
            return steps[step].client == steps[next].client ? .staleOwn : .stale
        }
        switch cycle.count(where: { !steps[$0.step].isCommit }) {
        case 0: return .writeSkew
        case 1: return .tornSnapshot
        default: return .diverging
        }
    }
}
