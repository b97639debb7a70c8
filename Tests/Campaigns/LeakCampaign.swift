// Queries beyond number must leave memory as they found it.

import PredicateSemantics
import RecordDatabase
import RecordModel

/// Asks random queries of random records: some fail, some are cancelled, some ask for more than they may.
struct LeakCampaign {
    /// What became of the queries.
    struct Result {
        var succeeded = 0
        var failed = 0
        var cancelled = 0
        /// Ended by a limit of time or memory.
        var rejected = 0
        var faults: [String] = []
    }

    /// How many more bytes may be allocated in the last quarter than in the first: what caches hold by chance.
    private static let slack = 1 << 20

    private let seed: UInt64
    private let records: Int

    init(seed: UInt64, records: Int) {
        self.seed = seed
        self.records = max(1, records)
    }

    /// Asks so many queries, and tells of memory at twenty moments.
    ///
    /// Records and their indexes come and go, too, and memory is measured when they are gone: how many indexes queries
    /// have made by then is chance. Caches forget all when they are full, so that memory rises and falls with a period of
    /// about 1,300 queries: the least of a quarter tells what stays, where it is longer than that. Judged by the blocks
    /// that the allocator has given out: the pages it keeps grow by steps that tell of no leak.
    func run(queries count: Int) async -> Result {
        var result = Result()
        var queries = RandomPredicates(seed: seed)
        var mutator = PredicateMutator(seed: seed)
        var measures: [Int] = []
        let step = max(1, count / 20)
        do throws(DatabaseError) {
            for start in stride(from: 0, to: count, by: step) {
                let numbers = start..<min(start + step, count)
                try await runQueries(numbers, &queries, &mutator, &result)
                guard numbers.count == step else { continue }
                measures.append(ProcessMemory.allocated)
                let (allocated, resident) = (ProcessMemory.allocated >> 10, ProcessMemory.resident >> 10)
                print("\(numbers.upperBound) queries: \(allocated) KB allocated, \(resident) KB in memory")
            }
        } catch {
            result.faults.append("\(error)")
        }
        if measures.count >= 20, let late = measures.suffix(5).min(), let early = measures.prefix(5).min(),
            late > early + Self.slack
        {
            result.faults.append("memory grows: \((late - early) >> 10) KB more allocated than in the first quarter")
        }
        return result
    }

    /// Asks the queries of these numbers about records that are gone when it returns.
    private func runQueries(
        _ numbers: Range<Int>, _ queries: inout RandomPredicates, _ mutator: inout PredicateMutator,
        _ result: inout Result
    ) async throws(DatabaseError) {
        let sets = try makeSets(numbers.lowerBound)
        for number in numbers {
            let query = queries.query()
            let text = number % 3 == 0 ? mutator.mutated(query.text) : query.text
            await runQuery(text, query.arguments, number, sets, &result)
        }
    }

    /// A small set for most queries, and one that is large enough for queries to be interrupted.
    private func makeSets(_ number: Int) throws(DatabaseError) -> (small: RecordSet, large: RecordSet) {
        var source = RandomRecords(seed: seed &+ UInt64(number))
        var small = try RecordSet(records: source.records(records))
        var large = try RecordSet(records: source.records(6000))
        large.buildsIndexes = false
        (small.allowsUnknownFields, large.allowsUnknownFields) = (true, true)
        // What the allocator keeps for each thread would grow with the threads, not with the queries.
        (small.usesAllCores, large.usesAllCores) = (false, false)
        return (small, large)
    }

    private func runQuery(
        _ text: String, _ arguments: [FieldValue], _ number: Int, _ sets: (small: RecordSet, large: RecordSet),
        _ result: inout Result
    ) async {
        guard let predicate = try? RecordPredicate(format: text, arguments: arguments) else {
            result.failed += 1
            return
        }
        var set = number % 100 == 0 ? sets.large : sets.small
        switch number % 400 {
        case 100: set.limits.time = .zero
        case 200: set.limits.resultBytes = 64
        default: break
        }
        let kind: EvaluationError.Kind?
        do throws(RecordPredicateError) {
            if number % 400 == 0 {
                try await Self.runCancelled(predicate, set)
            } else {
                try Self.runQuery(predicate, set, number)
            }
            result.succeeded += 1
            return
        } catch {
            kind = error.evaluationKind
        }
        switch kind {
        case .cancelled: result.cancelled += 1
        case .timeLimit, .resultLimit: result.rejected += 1
        default: result.failed += 1
        }
    }

    private static func runQuery(_ predicate: RecordPredicate, _ set: RecordSet, _ number: Int)
        throws(RecordPredicateError)
    {
        switch number % 4 {
        case 0: _ = try set.records(matching: predicate, limit: 20)
        case 1: _ = try set.count(matching: predicate)
        case 2: _ = try set.ordinals(matching: predicate, sortedBy: [.descending("whole"), .ascending("text")])
        default: _ = try set.explain(predicate)
        }
    }

    /// Asks in a task that is cancelled before the answer can be there.
    private static func runCancelled(
        _ predicate: RecordPredicate, _ set: RecordSet
    ) async throws(RecordPredicateError) {
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return Swift.Result { () throws(RecordPredicateError) in try set.count(matching: predicate) }
        }
        _ = try await task.value.get()
    }
}
