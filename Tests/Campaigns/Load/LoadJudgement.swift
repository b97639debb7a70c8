// What is wrong with a load as a whole, judged by what was seen of it.

/// The judgement of a load that is over.
struct LoadJudgement {
    /// Seconds of a load that is judged as a whole.
    static let shortest = 600
    /// Samples that tell of growth.
    static let fewestSamples = 600

    /// What is wrong.
    private(set) var faults: [String] = []
    /// What was not looked for, and whoever reads the result has to know.
    private(set) var warnings: [String] = []

    /// - Parameters:
    ///   - samples: One a second.
    ///   - seconds: How long the load was.
    ///   - fullDisks: How often the disk was full; `nil` where it cannot be filled.
    ///   - refused: Calls that were refused.
    init(samples: [LoadSample], seconds: Int, fullDisks: Int?, refused: Int) {
        guard seconds >= Self.shortest else { return }
        judge(fullDisks, refused)
        judge(samples)
    }

    private mutating func judge(_ fullDisks: Int?, _ refused: Int) {
        switch fullDisks {
        case nil: warnings.append("NO FULL DISKS: the folder's file system has more than 2 GB, or is not to be filled")
        case 0: faults.append("the disk was never full, though its file system is small enough")
        case .some(let count) where refused == 0: faults.append("the disk was full \(count) times, and refused no call")
        default: break
        }
    }

    private mutating func judge(_ samples: [LoadSample]) {
        faults += Self.growth(samples)
        let full = Self.whenFull(samples)
        guard full.count >= Self.fewestSamples else {
            warnings.append("SLOW GROWTH NOT JUDGED: \(full.count) seconds with all that the store keeps")
            return
        }
        if !Self.hasOneWriter(full) { warnings.append("the writer's slow growth is judged with --kills 0 alone") }
        faults += Self.slowGrowth(full)
    }

    // MARK: Growth

    /// What grows without end, whoever has it: the last third is compared with the second one.
    static func growth(_ samples: [LoadSample]) -> [String] {
        guard samples.count >= fewestSamples else { return [] }
        let judged: [(String, KeyPath<LoadSample, Int>)] = [
            ("the writer's memory", \.writerMemory), ("a reader's memory", \.readerMemory), ("the store", \.storeBytes),
        ]
        return judged.compactMap { name, path in
            let (before, after) = thirds(samples, path) { $0.max() ?? 0 }
            return after > before * 3 / 2 + 64 << 20 ? text(name, before, after) : nil
        }
    }

    /// The samples from when the store had all that it keeps: nothing has to grow from there on.
    static func whenFull(_ samples: [LoadSample]) -> [LoadSample] {
        Array(samples.drop { $0.entries < LoadStore.entriesWhenFull })
    }

    private static func hasOneWriter(_ samples: [LoadSample]) -> Bool { samples.first?.writer == samples.last?.writer }

    /// What grows, be it slowly, in processes that stay: the last third is compared with the second one. The least of a
    /// third tells what stays; indexes and merges take more for a while.
    ///
    /// - Parameter samples: Those of `whenFull`.
    static func slowGrowth(_ samples: [LoadSample]) -> [String] {
        guard samples.count >= fewestSamples else { return [] }
        var judged: [(String, KeyPath<LoadSample, Int>, Int)] = [
            ("the lasting reader's memory", \.lastingMemory, 32 << 20),
            ("what the lasting reader has allocated", \.lastingAllocated, 4 << 20),
        ]
        if hasOneWriter(samples) {
            judged += [
                ("the lasting writer's memory", \.writerMemory, 64 << 20),
                ("what the lasting writer has allocated", \.writerAllocated, 16 << 20),
            ]
        }
        return judged.compactMap { name, path, slack in
            // Zeros are seconds in which nothing was told.
            let (before, after) = thirds(samples, path) { values in values.filter { $0 > 0 }.min() ?? 0 }
            return after > before * 5 / 4 + slack ? text(name, before, after) : nil
        }
    }

    private static func thirds(
        _ samples: [LoadSample], _ path: KeyPath<LoadSample, Int>, _ fold: ([Int]) -> Int
    ) -> (second: Int, last: Int) {
        let third = samples.count / 3
        return (
            fold(samples[third..<2 * third].map { $0[keyPath: path] }),
            fold(samples[(2 * third)...].map { $0[keyPath: path] })
        )
    }

    private static func text(_ name: String, _ before: Int, _ after: Int) -> String {
        "\(name) grows from \(before >> 20) MB to \(after >> 20) MB"
    }
}
