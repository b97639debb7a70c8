// Loads under limits of memory and questions that end early: all or nothing, within bounds, and no harm to what comes
// after.

import FoundationEssentials
import PredicateSemantics
import RecordDatabase
import RecordModel

/// Loads random files under random limits, and asks random questions that are interrupted at random moments.
struct BoundsCampaign {
    /// What became of it.
    struct Result {
        var loaded = 0
        /// Loads that ended at the limit.
        var limited = 0
        var succeeded = 0
        var failed = 0
        /// Questions that ended before their answer was known.
        var interrupted = 0
        /// The most bytes that a load took beyond its limit and its file.
        var excess = 0
        var faults: [String] = []
    }

    /// Bytes that a load may take beyond twice its limit: what is read between two reckonings, and what the allocator
    /// keeps.
    private static let slack = 160 << 20

    private var generator: SeededGenerator
    private var queries: RandomPredicates
    private var result = Result()
    private let rowCounts: [Int]
    private let recordCounts: [Int]

    /// - Parameters:
    ///   - rowCounts: How many rows files may have.
    ///   - recordCounts: How many records questions may be about.
    init(
        seed: UInt64, rowCounts: [Int] = [1, 50, 1000, 5000, 20_000], recordCounts: [Int] = [60, 3000]
    ) {
        generator = SeededGenerator(seed: seed)
        queries = RandomPredicates(seed: seed &+ 1)
        self.rowCounts = rowCounts
        self.recordCounts = recordCounts
    }

    /// Loads a file and asks ten questions, so many times.
    mutating func run(_ count: Int) async -> Result {
        for number in 0..<count {
            load(number)
            await runQuery(number)
        }
        return result
    }

    // MARK: Files

    private mutating func load(_ number: Int) {
        let file = RandomFile(rowCounts, &generator)
        var options = LoadOptions()
        options.limits.maximumMemory = 1 << Int.random(in: 16...26, using: &generator)
        let before = ProcessMemory.resident
        let canMeasure = ProcessMemory.forgetPeak()
        let limited = Self.outcome(file, options)
        if canMeasure {
            let excess = ProcessMemory.recentPeak - before - options.limits.maximumMemory - file.bytes.count
            result.excess = max(result.excess, excess)
            if excess > options.limits.maximumMemory + Self.slack {
                result.faults.append("load \(number) took \(excess >> 20) MB more than its limit: \(file)")
            }
        }
        switch limited {
        case .failure(let error) where error.kind == .limit: result.limited += 1
        case .failure(let error): result.faults.append("load \(number), \(file): \(error)")
        case .success(let set):
            result.loaded += 1
            if set.count != file.rowCount {
                result.faults.append("load \(number), \(file): \(set.count) records")
            }
            guard file.isModest else { return }
            guard case .success(let whole) = Self.outcome(file, LoadOptions()),
                (0..<whole.count).allSatisfy({ set.record(at: $0) == whole.record(at: $0) })
            else { return result.faults.append("load \(number), \(file): other records than without a limit") }
        }
    }

    private static func outcome(_ file: RandomFile, _ options: LoadOptions) -> Swift.Result<RecordSet, FileError> {
        Swift.Result { () throws(FileError) in try RecordSet(bytes: file.bytes, name: file.name, options: options) }
    }

    // MARK: Questions

    private enum Outcome: Equatable {
        case ordinals([Int])
        case fails(String, EvaluationError.Kind?)
    }

    private mutating func runQuery(_ number: Int) async {
        var source = RandomRecords(generator)
        generator = source.generator
        guard var set = try? RecordSet(records: source.records(generator.pick(recordCounts))) else {
            return result.faults.append("questions \(number): no set")
        }
        set.buildsIndexes = generator.oneIn(2)
        set.allowsUnknownFields = true
        set.usesAllCores = generator.oneIn(2)
        for _ in 0..<10 {
            let query = queries.query()
            // What depends on the moment has no answer to compare with.
            guard !query.text.contains("random"), !query.text.contains("now("),
                let predicate = try? RecordPredicate(format: query.text, arguments: query.arguments)
            else { continue }
            // The interrupted one first: it may find no index, and leave one half built.
            let microseconds = 1 << Int.random(in: 0...13, using: &generator)
            let early =
                generator.oneIn(2)
                ? Self.outcome(predicate, set, within: .microseconds(microseconds))
                : await Self.cancelledResult(predicate, set, after: .microseconds(microseconds))
            let whole = Self.outcome(predicate, set, within: nil)
            compare(early, whole, query.text)
        }
    }

    private mutating func compare(_ early: Outcome, _ whole: Outcome, _ text: String) {
        switch early {
        case .fails(_, .timeLimit), .fails(_, .cancelled): result.interrupted += 1
        case whole: if case .ordinals = whole { result.succeeded += 1 } else { result.failed += 1 }
        default: result.faults.append("\(text): \(early) in part, \(whole) as a whole")
        }
        switch whole {
        case .fails(_, .timeLimit), .fails(_, .cancelled): result.faults.append("\(text): interrupted by nothing")
        default: break
        }
    }

    private static func outcome(_ predicate: RecordPredicate, _ set: RecordSet, within time: Duration?) -> Outcome {
        var set = set
        set.limits.time = time
        do throws(RecordPredicateError) {
            return .ordinals(try set.ordinals(matching: predicate))
        } catch {
            return .fails(error.message, error.evaluationKind)
        }
    }

    private static func cancelledResult(
        _ predicate: RecordPredicate, _ set: RecordSet, after time: Duration
    ) async -> Outcome {
        let task = Task { outcome(predicate, set, within: nil) }
        try? await Task.sleep(for: time)
        task.cancel()
        return await task.value
    }
}

/// A file of random width and length, which may need much more memory than it has bytes.
private struct RandomFile: CustomStringConvertible {
    let name: String
    let rowCount: Int
    let width: Int
    private(set) var bytes: [UInt8] = []

    /// Whether it may be loaded without a limit.
    var isModest: Bool { rowCount * width < 4_000_000 }
    var description: String { "\(rowCount) rows of \(width) fields, \(bytes.count) bytes of \(name)" }

    init(_ rowCounts: [Int], _ generator: inout SeededGenerator) {
        let isTable = generator.oneIn(4)
        name = isTable ? "a.csv" : "a.ndjson"
        width = isTable ? generator.pick([1, 3, 40]) : generator.pick([1, 3, 40, 400, 3000])
        rowCount = generator.pick(rowCounts)
        let isLong = rowCount <= 1000 && generator.oneIn(2)
        if isTable { append((["id"] + (0..<width).map { "f\($0)" }).joined(separator: ",") + "\n") }
        for row in 0..<rowCount {
            if isTable {
                append("r\(row)," + (0..<width).map { "\(row &* $0)" }.joined(separator: ",") + "\n")
                continue
            }
            // The first row has every field, and so has memory for every field each row behind it.
            let fields = row == 0 ? Array(0..<width) : (0..<2).map { _ in Int.random(in: 0..<width, using: &generator) }
            var members = ["\"id\":\"r\(row)\""]
            for field in Set(fields).sorted() {
                members.append("\"f\(field)\":\(Self.value(field, row, isLong: isLong))")
            }
            append("{" + members.joined(separator: ",") + "}\n")
        }
    }

    private mutating func append(_ text: String) { bytes += Array(text.utf8) }

    private static func value(_ field: Int, _ row: Int, isLong: Bool) -> String {
        switch field % 4 {
        case 0: "\(row)"
        case 1: "\"text \(row)\(isLong ? String(repeating: " long", count: 200) : "")\""
        case 2: "[\(row),\(row + 1)\(isLong ? String(repeating: ",7", count: 100) : "")]"
        default: "{\"x\":[\(row)],\"y\":\"é\"}"
        }
    }
}
