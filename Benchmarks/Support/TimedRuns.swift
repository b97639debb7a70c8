// How long work takes that gets new values in every run.

/// Times of runs, each with the next of a number of values.
struct TimedRuns: Sendable {
    private let values: Int
    private var next = 0
    /// Runs that are timed together: they last 20 µs or more, a thousand times what reading the clock costs.
    private var group = 1
    private(set) var times: [Double] = []

    /// - Parameter values: How many values there are; after the last comes the first.
    init(values: Int) { self.values = values }

    /// Seconds of a run, the median.
    var median: Double { Measurement(times).median }

    /// Whether values are left over: sides that took other values could not be compared.
    private var isUnderway: Bool { next != 0 || times.isEmpty }

    /// Runs work for so many seconds, and for the last of the values.
    mutating func run<Outcome>(for seconds: Double, _ work: (Int) throws -> Outcome) rethrows {
        let clock = ContinuousClock()
        let start = clock.now
        repeat {
            let before = clock.now
            for _ in 0..<group {
                consume(try work(next))
                advance()
            }
            record((clock.now - before).seconds)
        } while isUnderway || (clock.now - start).seconds < seconds
    }

    /// Runs work for so many seconds, and for the last of the values, where the caller runs.
    nonisolated(nonsending) mutating func run<Outcome>(for seconds: Double, _ work: TimedWork<Outcome>) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        repeat {
            let before = clock.now
            for _ in 0..<group {
                consume(try await work(next))
                advance()
            }
            record((clock.now - before).seconds)
        } while isUnderway || (clock.now - start).seconds < seconds
    }

    private mutating func advance() { next = next + 1 == values ? 0 : next + 1 }

    private mutating func record(_ seconds: Double) {
        times.append(seconds / Double(group))
        // The first run only tells how many are timed together.
        if times.count == 1, group == 1, seconds < 20e-6 {
            group = max(2, min(10_000, Int(20e-6 / max(seconds, 1e-9))))
            times.removeAll()
            // Groups reach the last value only from the first one.
            next = 0
        }
    }
}
