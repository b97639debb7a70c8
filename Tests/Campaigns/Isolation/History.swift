// What clients of one store did, as they saw it: what the checker of isolation reads.

/// Calls of several clients, each of which makes one call after another.
///
/// Every value is written at most once, and a key that was deleted is not saved again: a value tells which commit wrote
/// it.
struct History: Sendable {
    /// What a client saw of a key; `nil` where there was no record.
    struct Observation: Hashable, Sendable {
        let key: String
        let value: Int64?
        /// The server that has the key, where there are several.
        let node: Int32

        init(_ key: String, _ value: Int64?, node: Int32 = 0) {
            (self.key, self.value, self.node) = (key, value, node)
        }
    }

    /// What a client put in the place of what it knew.
    struct Write: Hashable, Sendable {
        let key: String
        /// What the client knew of the key; `nil` for a record that it made.
        let base: Int64?
        /// `nil` deletes the record.
        let value: Int64?
        /// As that of an observation.
        let node: Int32

        init(_ key: String, from base: Int64?, to value: Int64?, node: Int32 = 0) {
            (self.key, self.base, self.value, self.node) = (key, base, value, node)
        }
    }

    enum Outcome: Sendable {
        /// A read, or a commit that counts.
        case done
        /// A commit that failed since another was first; what was seen is what the error tells of the stored records.
        case rejected
        /// A transaction whose body threw.
        case abandoned
    }

    /// A call: all that it saw, and all that it wrote, is to be of one moment between its beginning and its end.
    struct Step: Sendable {
        let client: Int
        /// Readings of one clock, before the call and after it.
        let began: Int
        var ended: Int
        var outcome = Outcome.done
        var seen: [Observation] = []
        var writes: [Write] = []
        /// Whether keys that were not seen were looked for as well.
        var isWhole = false

        var isCommit: Bool { outcome == .done && !writes.isEmpty }
    }

    var steps: [Step] = []

    /// What happened on each node. Each has moments of its own, and a commit is on one of them: only what is about one
    /// node is promised to be of one moment.
    var ofEachNode: [History] {
        let nodes = Set(steps.flatMap { $0.seen.map(\.node) + $0.writes.map(\.node) })
        if nodes.count < 2 { return [self] }
        return nodes.sorted().map { node in
            History(
                steps: steps.compactMap { step in
                    var step = step
                    step.seen.removeAll { $0.node != node }
                    step.writes.removeAll { $0.node != node }
                    return step.seen.isEmpty && step.writes.isEmpty && !step.isWhole ? nil : step
                })
        }
    }
}

extension History.Step: CustomStringConvertible {
    var description: String {
        func text(_ value: Int64?) -> String { value.map(String.init) ?? "nothing" }
        let reads = seen.prefix(6).map { "\($0.key) is \(text($0.value))" }
        let changes = writes.map { "\($0.key) from \(text($0.base)) to \(text($0.value))" }
        return "client \(client) [\(began)…\(ended)] \(outcome): " + (reads + changes).joined(separator: ", ")
    }
}
