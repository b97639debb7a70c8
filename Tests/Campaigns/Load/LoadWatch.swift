// Whether a load goes on, judged by what its processes tell.

/// Watches for those that are refused again and again, and for those that do nothing, though the disk has room.
///
/// Only time counts in which the disk has had room for a while: who is late may tell of a full one. Limits are wide, as
/// busy machines are no fault: with two cores and a load of 20 a save has taken 36 seconds, and a moment half a minute
/// of a reader.
struct LoadWatch {
    /// Somebody that has something to do.
    enum Party: Hashable {
        case writer
        case reader(Int)
        /// All readers together: most are killed too soon to say of one that it does nothing.
        case readers
        /// All work of looking after the store, whichever it is.
        case maintenance
        case work(String)

        var name: String {
            switch self {
            case .writer: "the writer"
            case .reader(let number): "reader \(number)"
            case .readers: "the readers"
            case .maintenance: "looking after the store"
            case .work(let work): work
            }
        }
    }

    /// What was seen.
    enum Event: Equatable {
        /// Seconds went by.
        case passed(Double)
        case filled
        case freed
        case done(Party)
        case refused(Party, String)
    }

    /// Seconds after a full disk that do not count.
    static let grace = 10.0
    /// The most seconds between two looks that count: a watcher that is late itself is on a busy machine.
    static let longestLook = 1.0
    /// Fewer refusals say nothing.
    static let fewestRefusals = 5

    /// Seconds that somebody may be refused, without a success between; `nil` for any time.
    static func longestRefusal(of party: Party) -> Double? {
        switch party {
        case .writer, .reader: 60
        // Compacting waits for readers, which may wait for a processor.
        case .work: 1800
        case .readers, .maintenance: nil
        }
    }

    /// Seconds that somebody may do nothing; `nil` for any time.
    static func longestPause(of party: Party) -> Double? {
        switch party {
        case .writer: 180
        case .readers: 300
        // One that is never killed, and a moment of which may take a minute.
        case .reader(0): 900
        case .maintenance: 1800
        case .reader, .work: nil
        }
    }

    /// What somebody did last, in seconds that count.
    private struct Course {
        var lastDone: Double
        var refusals = 0
        var firstRefused = 0.0
        var lastRefused = 0.0
        var reason = ""
    }

    private var courses: [Party: Course] = [:]
    private var seconds = 0.0
    private var secondsWithRoom = Self.grace
    private var isFull = false

    private var counts: Bool { !isFull && secondsWithRoom >= Self.grace }

    init(readers: Int) {
        var parties: [Party] = [.writer, .maintenance]
        if readers > 0 { parties += [.readers, .reader(0)] }
        for party in parties { courses[party] = Course(lastDone: 0) }
    }

    mutating func note(_ event: Event) {
        switch event {
        case .passed(let time):
            guard !isFull else { return }
            let counted = min(time, Self.longestLook)
            if counts { seconds += counted }
            secondsWithRoom += counted
        case .filled: isFull = true
        case .freed: (isFull, secondsWithRoom) = (false, 0)
        case .done(let party): courses[party] = Course(lastDone: seconds)
        case .refused(let party, let reason): noteRefusal(of: party, reason)
        }
    }

    private mutating func noteRefusal(of party: Party, _ reason: String) {
        guard counts else { return }
        var course = courses[party] ?? Course(lastDone: seconds)
        if course.refusals == 0 { course.firstRefused = seconds }
        course.refusals += 1
        (course.lastRefused, course.reason) = (seconds, reason)
        courses[party] = course
    }

    /// What is wrong by now; each thing is told once, and again when it has gone on as long once more.
    mutating func takeFaults() -> [String] {
        let found = courses.compactMap { party, course in Self.fault(of: party, course, seconds).map { (party, $0) } }
        for (party, _) in found { courses[party] = Course(lastDone: seconds) }
        return found.map(\.1).sorted()
    }

    private static func fault(of party: Party, _ course: Course, _ now: Double) -> String? {
        let refused = course.lastRefused - course.firstRefused
        if course.refusals >= fewestRefusals, let longest = longestRefusal(of: party), refused > longest {
            return "\(party.name): refused \(course.refusals) times in \(Int(refused)) s with room on the disk: "
                + course.reason
        }
        guard let longest = longestPause(of: party), now - course.lastDone > longest else { return nil }
        return "\(party.name): nothing done in \(Int(now - course.lastDone)) s with room on the disk"
    }
}
