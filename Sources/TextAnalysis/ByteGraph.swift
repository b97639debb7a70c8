// Regular expressions as graphs over UTF-8 bytes: the step between a pattern and its automaton.

/// A graph whose paths from start to end spell the texts that match (Thompson's construction).
struct ByteGraph {
    /// An edge for the bytes of a range.
    struct Edge {
        var bytes: ClosedRange<UInt8>
        var target: Int
    }

    private(set) var edges: [[Edge]] = []
    /// Nodes that are reached from a node without a byte.
    private(set) var silent: [[Int]] = []
    let start = 0
    /// Where a path ends whose text only ICU can judge.
    let unknown = 1
    private(set) var end = 0
    private(set) var isTooLarge = false

    private static let nodeLimit = 2048

    init(_ node: RegularNode) {
        _ = newNode()
        _ = newNode()
        end = add(node, from: start)
    }

    private mutating func newNode() -> Int {
        guard edges.count < Self.nodeLimit else {
            isTooLarge = true
            return edges.count - 1
        }
        edges.append([])
        silent.append([])
        return edges.count - 1
    }

    /// Adds paths for a node; returns where they end.
    private mutating func add(_ node: RegularNode, from start: Int) -> Int {
        if isTooLarge { return start }
        switch node {
        case .scalar(let set):
            let end = newNode()
            for range in set.ranges where !set.isOpenBeyondASCII || range.lowerBound < 0x80 {
                add(range, from: start, to: end)
            }
            if set.isOpenBeyondASCII { edges[start].append(Edge(bytes: 0x80...0xFF, target: unknown)) }
            return end
        case .anything:
            let end = newNode()
            silent[start].append(end)
            edges[end].append(Edge(bytes: 0...0xFF, target: end))
            return end
        case .sequence(let nodes): return nodes.reduce(start) { add($1, from: $0) }
        case .choice(let nodes):
            let end = newNode()
            for node in nodes {
                let branch = newNode()
                silent[start].append(branch)
                silent[add(node, from: branch)].append(end)
            }
            return end
        case .repetition(let node, let least, let most):
            var place = start
            for _ in 0..<least { place = add(node, from: place) }
            return most.map { addOptional(node, $0 - least, from: place) } ?? addLoop(node, from: place)
        }
    }

    private mutating func addLoop(_ node: RegularNode, from start: Int) -> Int {
        let loop = newNode()
        silent[start].append(loop)
        silent[add(node, from: loop)].append(loop)
        let end = newNode()
        silent[loop].append(end)
        return end
    }

    private mutating func addOptional(_ node: RegularNode, _ count: Int, from start: Int) -> Int {
        let end = newNode()
        var place = start
        for _ in 0..<count {
            silent[place].append(end)
            let branch = newNode()
            silent[place].append(branch)
            place = add(node, from: branch)
        }
        silent[place].append(end)
        return end
    }

    // MARK: UTF-8

    /// Adds paths for a range of scalars, surrogates left out.
    private mutating func add(_ range: ClosedRange<UInt32>, from start: Int, to end: Int) {
        let lengths: [ClosedRange<UInt32>] = [
            0...0x7F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF,
        ]
        for limits in lengths where range.overlaps(limits) {
            let part = range.clamped(to: limits)
            add(Self.utf8(part.lowerBound)[...], Self.utf8(part.upperBound)[...], from: start, to: end)
        }
    }

    private static func utf8(_ scalar: UInt32) -> [UInt8] {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(0x80 | (scalar >> shift) & 0x3F) }
        return switch scalar {
        case ..<0x80: [UInt8(scalar)]
        case ..<0x800: [UInt8(0xC0 | scalar >> 6), tail(0)]
        case ..<0x10000: [UInt8(0xE0 | scalar >> 12), tail(6), tail(0)]
        default: [UInt8(0xF0 | (scalar >> 18) & 7), tail(12), tail(6), tail(0)]
        }
    }

    /// Adds paths for the sequences between two of one length.
    private mutating func add(_ low: ArraySlice<UInt8>, _ high: ArraySlice<UInt8>, from start: Int, to end: Int) {
        guard var first = low.first, var last = high.first, first <= last else { return }
        if low.count == 1 {
            edges[start].append(Edge(bytes: first...last, target: end))
            return
        }
        let (lowRest, highRest) = (low.dropFirst(), high.dropFirst())
        let least = ArraySlice([UInt8](repeating: 0x80, count: lowRest.count))
        let most = ArraySlice([UInt8](repeating: 0xBF, count: lowRest.count))
        if first == last { return step(first...first, lowRest, highRest, from: start, to: end) }
        if lowRest != least {
            step(first...first, lowRest, most, from: start, to: end)
            first += 1
        }
        if highRest != most {
            step(last...last, least, highRest, from: start, to: end)
            last -= 1
        }
        if first <= last { step(first...last, least, most, from: start, to: end) }
    }

    private mutating func step(
        _ bytes: ClosedRange<UInt8>, _ low: ArraySlice<UInt8>, _ high: ArraySlice<UInt8>, from start: Int, to end: Int
    ) {
        let next = newNode()
        edges[start].append(Edge(bytes: bytes, target: next))
        add(low, high, from: next, to: end)
    }
}
