// How long something takes: the median of many runs after a warm-up.

import CAllocations
import Glibc

/// Times of one piece of work, in seconds per run.
struct Measurement: Codable {
    var median: Double
    var minimum: Double
    var maximum: Double
    /// Median processor time, of all threads: what remains of a time when other programs are busy.
    var processor: Double
    /// How many runs were timed.
    var runs: Int

    /// Times `body`: three runs to warm up, then at least `runs` of them and as many as `budget` seconds allow, but no
    /// more than `limit` seconds where a run is long (then seven are enough).
    ///
    /// Runs shorter than the clock can resolve are timed in groups.
    static func of(
        runs: Int = 30, budget: Double = 0.3, limit: Double = 10, _ body: () throws -> Void
    ) rethrows -> Measurement {
        let clock = ContinuousClock()
        var warm = 0.0
        for _ in 0..<3 where warm < 1 {
            warm = try clock.measure(body).seconds
        }
        // A group lasts 20 µs or more, a thousand times what reading the clock costs.
        let group = max(1, min(100_000, Int(20e-6 / max(warm, 1e-9))))
        var times: [Double] = []
        var processorTimes: [Double] = []
        let start = clock.now
        while times.count < 100_000 {
            let before = processorSeconds()
            let time = try clock.measure { for _ in 0..<group { try body() } }
            processorTimes.append((processorSeconds() - before) / Double(group))
            times.append(time.seconds / Double(group))
            let elapsed = (clock.now - start).seconds
            if times.count >= runs, elapsed > budget { break }
            if times.count >= 7, elapsed > limit { break }
        }
        return Measurement(times, processor: processorTimes, group: group)
    }

    /// Summarises wall and processor times of groups of runs.
    init(_ times: [Double], processor: [Double] = [], group: Int = 1) {
        let sorted = times.sorted()
        minimum = sorted.first ?? .nan
        maximum = sorted.last ?? .nan
        median = Self.middle(of: sorted)
        self.processor = Self.middle(of: processor.sorted())
        runs = sorted.count * group
    }

    private static func middle(of sorted: [Double]) -> Double {
        let middle = sorted.count / 2
        if sorted.isEmpty { return .nan }
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

/// Processor time of this program so far, in seconds.
func processorSeconds() -> Double {
    var time = timespec()
    // SAFETY: `time` outlives the call.
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Whether this program counts its blocks of memory: not under a sanitizer.
let countsAllocations = callocations_counts() == 1

/// How many blocks of memory `body` and the threads that work for it allocate.
///
/// They are counted only meanwhile: a count that threads share would be part of what suites time.
func allocations(_ body: () throws -> Void) rethrows -> Int {
    callocations_begin()
    defer { callocations_end() }
    try body()
    return Int(callocations_count())
}

extension Duration {
    /// The duration in seconds.
    var seconds: Double {
        let (whole, fraction) = components
        return Double(whole) + Double(fraction) * 1e-18
    }
}

/// Keeps a value alive and computed: the optimiser cannot see what happens to it.
@inline(never)
func consume<Value>(_ value: Value) {
    withExtendedLifetime(value) {}
}
