// .watch: a question that is asked anew whenever the files change.

import Glibc
import RecordDatabase

extension DotCommand {
    /// Shows the matches there are, then those that come, until Control-C.
    static func watch(_ repl: Repl, _ text: String) throws(CommandError) {
        guard !repl.files.paths.isEmpty, !repl.files.paths.contains("-") else {
            throw .operand("there is no file to watch", ".open log.ndjson")
        }
        var query: Query
        if text.isEmpty, let last = repl.last {
            query = last.query
        } else {
            query = try repl.settings.query(text.isEmpty ? "TRUEPREDICATE" : text)
        }
        // New matches come at the end, which a limit would cut off.
        query.settings.limit = nil
        var watch = LiveQuery(query, repl)
        repl.session.note(
            repl.session.messageStyle.dim(
                "Watching \(repl.files.paths.map(FilePath.name).joined(separator: ", ")); Control-C ends."))
        try watch.show()
        while watch.waitForChange() { try watch.reload() }
        repl.session.note("")
    }
}

/// A question over files that grow.
private struct LiveQuery {
    private let query: Query
    private let repl: Repl
    private var versions: [[Int]?]
    /// Names of the records that matched so far.
    private var known: Set<String> = []
    private var lastError: String?
    /// The time between two looks at the files; longer where reading them takes long.
    private var pause = 200

    init(_ query: Query, _ repl: Repl) {
        self.query = query
        self.repl = repl
        versions = repl.files.paths.map(FilePath.version)
    }

    /// Waits until a file is another than before; false when the user has enough.
    mutating func waitForChange() -> Bool {
        let signals = repl.device?.signals ?? SignalPipe()
        while true {
            if repl.isInteractive {
                if case .signals(let numbers) = signals.wait(for: -1, milliseconds: pause),
                    numbers.contains(where: { $0 == SIGINT || SignalPipe.ends($0) })
                {
                    return false
                }
            } else {
                usleep(UInt32(pause) * 1000)
            }
            let now = repl.files.paths.map(FilePath.version)
            guard now != versions else { continue }
            versions = now
            return true
        }
    }

    /// Reads the files again, and shows what matches now and did not before. A line that is being written is waited for.
    mutating func reload() throws(CommandError) {
        let clock = ContinuousClock()
        let start = clock.now
        do throws(CommandError) {
            repl.set = try repl.files.load(repl.session) { true }
            lastError = nil
        } catch {
            if lastError == nil {
                lastError = error.message
                return
            }
            if lastError != error.message { repl.session.report(error) }
            lastError = error.message
            return
        }
        let taken = clock.now - start
        pause = max(
            200, 4 * Int(taken.components.seconds * 1000 + taken.components.attoseconds / 1_000_000_000_000_000))
        try show()
    }

    /// Shows the matches that were not shown before.
    mutating func show() throws(CommandError) {
        let selection = try repl.find(query)
        repl.last = Repl.Answer(query: query, text: query.predicate.text, selection: selection)
        var new = selection
        new.ordinals = selection.ordinals.filter { known.insert(name($0)).inserted }
        new.matched = new.ordinals.count
        var shown = query
        shown.settings.showsTimer = false
        if !new.ordinals.isEmpty { try shown.write(new, of: repl.set, repl.session) }
        repl.session.output.flush()
        let count = new.ordinals.count
        repl.session.note(
            repl.session.messageStyle.dim(
                "\(count.grouped) new \(count == 1 ? "match" : "matches"), \(selection.ordinals.count.grouped) of "
                    + "\(repl.set.count.grouped) records match"))
    }

    private func name(_ ordinal: Int) -> String {
        "\(repl.set.recordType(at: ordinal))/\(repl.set.recordName(at: ordinal))"
    }
}
