// .watch: a query that runs again whenever the files, or the store, are written.

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
            repl.session.messageStyle.dim("Watching \(repl.files.description); Control-C ends."))
        try watch.show(isFirst: true)
        while watch.waitForChange() { try watch.reload() }
        repl.session.note("")
    }
}

/// A query over records that are written by others.
private struct LiveQuery {
    private let query: Query
    private let repl: Repl
    private var versions: [FilePath.Version?]
    private var changes = ResultChanges()
    private var lastError: String?
    /// The time between two looks at the files; longer where reading them takes long.
    private var pause = 200

    init(_ query: Query, _ repl: Repl) {
        self.query = query
        self.repl = repl
        // Those that were there when the session read them may have been written since.
        versions = repl.versions
    }

    /// Waits until a file is another than before; false when the user has enough.
    mutating func waitForChange() -> Bool {
        let signals = repl.device?.signals ?? SignalPipe()
        while true {
            let now = repl.files.versions
            if now != versions {
                versions = now
                return true
            }
            if repl.isInteractive {
                if case .signals(let numbers) = signals.wait(for: -1, milliseconds: pause),
                    numbers.contains(where: { $0 == SIGINT || SignalPipe.ends($0) })
                {
                    return false
                }
            } else {
                usleep(UInt32(pause) * 1000)
            }
        }
    }

    /// Reads the files again, and shows what matches now and did not before. A line that is being written is waited
    /// for.
    mutating func reload() throws(CommandError) {
        let clock = ContinuousClock()
        let start = clock.now
        do throws(CommandError) {
            try repl.load(repl.files, keepsType: true, canBeStopped: false)
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
        try show(isFirst: false)
    }

    /// Shows the matches that were not shown before.
    mutating func show(isFirst: Bool) throws(CommandError) {
        let selection = try repl.find(query)
        repl.last = Repl.ShownResult(query: query, text: query.predicate.text, selection: selection)
        let difference = changes.advance(to: selection.ordinals, of: repl.set)
        if difference.isEmpty, !isFirst { return }
        var new = selection
        new.ordinals = difference.ordinals
        // The scores are stored beside the ordinals.
        let scores = selection.scores.map { Dictionary(zip(selection.ordinals, $0)) { first, _ in first } }
        new.scores = scores.map { scores in new.ordinals.map { scores[$0] ?? 0 } }
        new.matched = new.ordinals.count
        var shown = query
        shown.settings.showsTimer = false
        if !new.ordinals.isEmpty { try shown.write(new, of: repl.set, repl.session) }
        repl.session.output.flush()
        repl.session.note(
            repl.session.messageStyle.dim(
                "\(difference.text), \(selection.ordinals.count.grouped) of \(repl.set.count.grouped) records match"))
    }
}
