// How long a query takes when it runs repeatedly.

import RecordDatabase

/// The times of a query's runs.
struct Measurement: Sendable {
    let matches: Int
    let first: Duration
    /// All times but the first, ascending.
    let times: [Duration]

    /// Runs a query, which tells how many records match.
    /// - Parameter runs: How many runs after the first; by default as often as goes into a second, 5 to 1000 times,
    ///   until the task is cancelled.
    init<Failure: Error>(runs: Int? = nil, _ run: () throws(Failure) -> Int) throws(Failure) {
        let clock = ContinuousClock()
        func time() throws(Failure) -> (matches: Int, time: Duration) {
            let start = clock.now
            return (try run(), clock.now - start)
        }
        let start = clock.now
        (matches, first) = try time()
        var times: [Duration] = []
        repeat {
            times.append(try time().time)
        } while runs.map { times.count < $0 }
            ?? (!Task.isCancelled && (times.count < 5 || times.count < 1000 && clock.now - start < .seconds(1)))
        self.times = times.sorted()
    }

    var fastest: Duration { time(at: 0) }
    var median: Duration { time(at: 0.5) }

    /// The time within which a share of the runs stay.
    private func time(at share: Double) -> Duration { times[Int(Double(times.count - 1) * share)] }

    /// Median, spread and first time, two lines.
    var text: String {
        "median \(median.text), fastest \(fastest.text), 95 % within \(time(at: 0.95).text); "
            + "\(times.count.grouped) times, \(matches.grouped) \(matches == 1 ? "match" : "matches")\n"
            + "first time \(first.text)\n"
    }
}
