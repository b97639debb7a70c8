// Which call has to come before which, and where that cannot be.

/// Calls as nodes, and why one has to precede another.
struct PrecedenceGraph {
    enum Reason: Sendable {
        /// The later one replaces, or sees, what the earlier one wrote.
        case follows
        /// The earlier one sees what the later one replaced.
        case overlooks
        /// The earlier one had ended when the later one began.
        case time
    }

    private struct Edge {
        let target: Int
        let reason: Reason
    }

    private let steps: [History.Step]
    /// Of the steps, and then of the moments at which a step ended, in order: with these, the order in time takes O(n)
    /// edges.
    private var edges: [[Edge]]

    init(_ steps: [History.Step]) {
        self.steps = steps
        let ends = steps.indices.sorted { steps[$0].ended < steps[$1].ended }
        edges = Array(repeating: [], count: steps.count * 2)
        for (place, step) in ends.enumerated() {
            edges[step].append(Edge(target: steps.count + place, reason: .time))
            if place + 1 < ends.count {
                edges[steps.count + place].append(Edge(target: steps.count + place + 1, reason: .time))
            }
        }
        var place = 0
        for step in steps.indices.sorted(by: { steps[$0].began < steps[$1].began }) {
            while place < ends.count, steps[ends[place]].ended < steps[step].began { place += 1 }
            if place > 0 { edges[steps.count + place - 1].append(Edge(target: step, reason: .time)) }
        }
    }

    mutating func add(_ earlier: Int, before later: Int, _ reason: Reason) {
        if earlier != later { edges[earlier].append(Edge(target: later, reason: reason)) }
    }

    /// For each group of calls that all have to precede each other a short cycle of them, each with the reason why it
    /// precedes the next.
    func cycles() -> [[(step: Int, reason: Reason)]] {
        components().compactMap { component in
            let members = component.filter { $0 < steps.count }
            return members.prefix(32).compactMap { shortestCycle(from: $0, in: members) }.min { $0.count < $1.count }
        }
    }

    /// The shortest way from a call back to itself.
    private func shortestCycle(from start: Int, in members: [Int]) -> [(step: Int, reason: Reason)]? {
        let inside = Set(members)
        var origins: [Int: (step: Int, reason: Reason)] = [:]
        var reached = [start]
        var next = 0
        while next < reached.count {
            let step = reached[next]
            next += 1
            let later = members.filter { steps[step].ended < steps[$0].began }.map { Edge(target: $0, reason: .time) }
            for edge in edges[step].filter({ inside.contains($0.target) }) + later where origins[edge.target] == nil {
                origins[edge.target] = (step, edge.reason)
                if edge.target == start { return way(to: start, origins) }
                reached.append(edge.target)
            }
        }
        return nil
    }

    private func way(
        to start: Int, _ origins: [Int: (step: Int, reason: Reason)]
    ) -> [(step: Int, reason: Reason)] {
        var cycle: [(step: Int, reason: Reason)] = []
        var place = start
        repeat {
            guard let origin = origins[place] else { break }
            cycle.append(origin)
            place = origin.step
        } while place != start
        return cycle.reversed()
    }

    /// The strongly connected components of more than one node (Tarjan, without recursion).
    private func components() -> [[Int]] {
        var numbers = Array(repeating: -1, count: edges.count)
        var lowest = numbers
        var isOpen = Array(repeating: false, count: edges.count)
        var (open, found) = ([Int](), [[Int]]())
        var count = 0
        for root in edges.indices where numbers[root] < 0 {
            var calls = [(node: root, edge: 0)]
            while let (node, edge) = calls.popLast() {
                if edge == 0 {
                    (numbers[node], lowest[node], isOpen[node]) = (count, count, true)
                    count += 1
                    open.append(node)
                } else {
                    let target = edges[node][edge - 1].target
                    if isOpen[target] { lowest[node] = min(lowest[node], lowest[target]) }
                }
                if edge < edges[node].count {
                    calls.append((node, edge + 1))
                    if numbers[edges[node][edge].target] < 0 { calls.append((edges[node][edge].target, 0)) }
                } else if lowest[node] == numbers[node] {
                    var component: [Int] = []
                    while let last = open.popLast() {
                        isOpen[last] = false
                        component.append(last)
                        if last == node { break }
                    }
                    if component.count > 1 { found.append(component.sorted()) }
                }
            }
        }
        return found
    }
}
