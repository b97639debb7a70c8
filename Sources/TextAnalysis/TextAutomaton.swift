// Patterns as finite automata over bytes: a few nanoseconds a byte at most, and never a failure.
internal import CKernels

/// A pattern that reads UTF-8 text byte by byte.
///
/// ICU remains the judge of what a pattern means: an automaton is made of patterns for which the two cannot differ, and
/// says so where a text takes more than it knows. Rejected: derivatives of expressions (as large, and slower to build).
package final class TextAutomaton: Sendable {
    private let table: [UInt16]
    private let classes: [UInt8]
    private let outcomes: [UInt8]
    private let lastBytes: [UInt8]
    private let start: UInt32
    private let sinks: UInt32
    /// Whether there are texts that it cannot judge.
    package let isPartial: Bool

    /// The automaton of a pattern that is matched against folded texts; nil where it would be too large.
    convenience init?(_ node: RegularNode) {
        guard let states = StateTable(ByteGraph(node)) else { return nil }
        self.init(states)
    }

    private init(_ states: StateTable) {
        table = states.table
        classes = states.classes
        outcomes = states.outcomes
        start = states.start
        sinks = states.sinks
        let width = states.classCount
        isPartial = stride(from: 0, to: states.table.count, by: width).contains { state in
            states.outcomes[state] != 2
                && states.table[state..<state + width].contains { states.outcomes[Int($0)] == 2 }
        }
        var lastBytes = [UInt8](repeating: 0, count: 256)
        for byte in 0..<256 {
            let mayEnd = stride(from: 0, to: states.table.count, by: width).contains { state in
                states.outcomes[Int(states.table[state + Int(states.classes[byte])])] != 0
            }
            if mayEnd { lastBytes[byte] = 1 }
        }
        self.lastBytes = lastBytes
    }

    /// Whether a text matches; nil where it cannot tell.
    /// - Complexity: O(n).
    package func matches(_ text: Span<UInt8>) -> Bool? {
        unsafe withKernel(limit: 256) { kernel in
            // SAFETY: the kernel reads the bytes of the text during the call.
            let outcome = unsafe text.withUnsafeBufferPointer {
                unsafe kernels_automaton_run(kernel, $0.baseAddress, $0.count)
            }
            return outcome == 2 ? nil : outcome == 1
        }
    }

    /// Sorts rows of texts by whether they match.
    ///
    /// - Parameters:
    ///   - bytes: The texts one after another.
    ///   - offsets: Where each text starts, ascending, and where the last one ends within the bytes.
    ///   - candidates: A bit for each text: whether it is to be matched.
    ///   - limit: Texts with this byte or a greater one are not read: 256 for none.
    /// - Returns: A bit for each text that matches, and one for each of which it cannot tell.
    /// - Complexity: O(bytes of candidates).
    @unsafe package func select(
        _ bytes: UnsafeBufferPointer<UInt8>, _ offsets: UnsafeBufferPointer<UInt32>, among candidates: [UInt64],
        below limit: Int
    ) -> (matching: [UInt64], unknown: [UInt64]) {
        let rows = max(0, offsets.count - 1)
        guard candidates.count == (rows + 63) / 64 else { return (candidates.map { _ in 0 }, candidates) }
        var matching = candidates
        var unknown = candidates
        unsafe withKernel(limit: limit) { kernel in
            // SAFETY: offsets and bytes are as the caller says, and there is a word for every 64 rows.
            unsafe kernels_text_match(
                kernel, bytes.baseAddress, offsets.baseAddress, rows, candidates, &matching, &unknown)
        }
        return (matching, unknown)
    }

    private func withKernel<R>(limit: Int, _ body: (UnsafePointer<kernels_automaton>) -> R) -> R {
        unsafe table.withUnsafeBufferPointer { table in
            unsafe classes.withUnsafeBufferPointer { classes in
                unsafe outcomes.withUnsafeBufferPointer { outcomes in
                    unsafe lastBytes.withUnsafeBufferPointer { lastBytes in
                        // SAFETY: the arrays live during the call. Every entry of the table is the place of a state in
                        // it, a state has an entry for every class, and every place of a state has an outcome.
                        var kernel = unsafe kernels_automaton(
                            table: table.baseAddress, classes: classes.baseAddress, outcomes: outcomes.baseAddress,
                            last_bytes: lastBytes.baseAddress, start: start, sinks: sinks,
                            limit: UInt32(clamping: limit))
                        return unsafe body(&kernel)
                    }
                }
            }
        }
    }
}

/// The states of an automaton: sets of nodes of a graph (the subset construction).
private struct StateTable {
    private(set) var table: [UInt16] = []
    private(set) var classes = [UInt8](repeating: 0, count: 256)
    private(set) var classCount = 1
    private(set) var outcomes: [UInt8] = []
    private(set) var start: UInt32 = 0
    private(set) var sinks: UInt32 = 0

    /// What may be built for one pattern: entries of the table, and steps on the way.
    private static let entryLimit = 1 << 15
    private static let stepLimit = 1 << 21

    init?(_ graph: ByteGraph) {
        guard !graph.isTooLarge else { return nil }
        let representatives = makeClasses(graph)
        // The sets of nodes: none, unknown, then as they are found.
        var sets: [[Int]] = [[], [graph.unknown]]
        var numbers: [[Int]: Int] = [[]: 0, [graph.unknown]: 1]
        var successors: [[Int]] = [
            [Int](repeating: 0, count: classCount), [Int](repeating: 1, count: classCount),
        ]
        var steps = 0
        func number(of nodes: [Int]) -> Int {
            let reached = Self.closure(nodes, graph, &steps)
            let set = reached.contains(graph.unknown) ? [graph.unknown] : reached
            if let known = numbers[set] { return known }
            numbers[set] = sets.count
            sets.append(set)
            return sets.count - 1
        }
        let first = number(of: [graph.start])
        var state = 2
        while state < sets.count {
            guard sets.count * classCount <= Self.entryLimit, steps < Self.stepLimit else { return nil }
            successors.append(
                representatives.map { byte in
                    var targets: [Int] = []
                    for node in sets[state] {
                        steps += graph.edges[node].count
                        for edge in graph.edges[node] where edge.bytes.contains(byte) { targets.append(edge.target) }
                    }
                    return number(of: targets)
                })
            state += 1
        }
        lay(sets.map { $0.contains(graph.unknown) ? 2 : $0.contains(graph.end) ? 1 : 0 }, successors, first)
    }

    /// Bytes that no edge tells apart are one class; returns a byte of each.
    private mutating func makeClasses(_ graph: ByteGraph) -> [UInt8] {
        var isFirst = [Bool](repeating: false, count: 257)
        isFirst[0] = true
        for edge in graph.edges.joined() {
            isFirst[Int(edge.bytes.lowerBound)] = true
            isFirst[Int(edge.bytes.upperBound) + 1] = true
        }
        var representatives: [UInt8] = []
        for byte in UInt8.min...UInt8.max {
            if isFirst[Int(byte)] { representatives.append(byte) }
            classes[Int(byte)] = UInt8(truncatingIfNeeded: representatives.count - 1)
        }
        classCount = representatives.count
        return representatives
    }

    private static func closure(_ nodes: [Int], _ graph: ByteGraph, _ steps: inout Int) -> [Int] {
        var reached = Set(nodes)
        var pending = Array(reached)
        while let node = pending.popLast() {
            steps += 1
            for next in graph.silent[node] where reached.insert(next).inserted { pending.append(next) }
        }
        return reached.sorted()
    }

    /// Lays the states out, those first that are never left.
    private mutating func lay(_ stateOutcomes: [UInt8], _ successors: [[Int]], _ first: Int) {
        let isSink = successors.indices.map { state in successors[state].allSatisfy { $0 == state } }
        let order = successors.indices.filter { isSink[$0] } + successors.indices.filter { !isSink[$0] }
        var places = [Int](repeating: 0, count: order.count)
        for (position, state) in order.enumerated() { places[state] = position * classCount }
        outcomes = [UInt8](repeating: 0, count: order.count * classCount)
        for state in order {
            outcomes[places[state]] = stateOutcomes[state]
            table += successors[state].map { UInt16(truncatingIfNeeded: places[$0]) }
        }
        start = UInt32(truncatingIfNeeded: places[first])
        sinks = UInt32(truncatingIfNeeded: isSink.count { $0 } * classCount)
    }
}
