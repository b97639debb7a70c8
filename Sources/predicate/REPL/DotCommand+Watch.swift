// .watch: a query that runs again whenever the files, or the store, are written.

import Glibc
import RecordDatabase

extension DotCommand {
    /// Shows the matches there are, then those that come, until Control-C.
    static func watch(_ repl: Repl, _ text: String) throws(CommandError) {
        guard !repl.files.paths.isEmpty, !repl.files.paths.contains("-") else {
            throw .operand("there is no file to watch", ".open log.ndjson")
        }
        if repl.isOnServer, repl.files.store == nil {
            throw CommandError(.usage, "a table of a server tells nobody when it is written", hint: nil)
        }
        var query: Query
        if text.isEmpty, let last = repl.last {
            query = last.query
        } else {
            query = try repl.settings.query(text.isEmpty ? "TRUEPREDICATE" : text)
        }
        // New matches come at the end, which a limit would cut off.
        query.settings.limit = nil
        var watch = try LiveQuery(query, repl)
        repl.session.note(
            repl.session.messageStyle.dim("Watching \(repl.files.description); Control-C ends."))
        try watch.show()
        while try watch.waitForChange() { try watch.reload() }
        repl.session.note("")
    }
}

/// A query over records that are written by others.
private struct LiveQuery {
    private let query: Query
    private let repl: Repl
    private var versions: [FilePath.Version?]
    /// What a server has, and tells of its commits; `nil` for files and folders.
    private let server: ServerRecords?
    /// The records of the server after its last commit.
    private var served: RecordSet?
    private var isFirst = true
    private var changes = ResultChanges()
    private var lastError: String?
    /// The time between two looks at the files; longer where reading them takes long.
    private var pause = 200

    /// - Throws: `CommandError` where a server cannot be watched.
    init(_ query: Query, _ repl: Repl) throws(CommandError) {
        self.query = query
        self.repl = repl
        let input = repl.served
        server = try input?.store.map { (store) throws(CommandError) in
            try ServerRecords(store, type: input?.type, query)
        }
        // Those that were there when the session read them may have been written since.
        versions = repl.versions
    }

    /// Waits until a file is another than before, or a server has told of a commit; false when the user has enough.
    mutating func waitForChange() throws(CommandError) -> Bool {
        let signals = repl.device?.signals ?? SignalPipe()
        while true {
            let caught: [Int32]
            if let server {
                served = try server.next(within: pause)
                if served != nil { return true }
                caught = signals.taken()
            } else {
                let now = repl.files.versions
                if now != versions {
                    versions = now
                    return true
                }
                if case .signals(let numbers) = signals.wait(for: -1, milliseconds: pause) {
                    caught = numbers
                } else {
                    caught = []
                }
            }
            if caught.contains(where: SignalPipe.ends) { repl.isEnded = true }
            if repl.isEnded || caught.contains(SIGINT) { return false }
        }
    }

    /// Reads the files again, and shows what matches now and did not before. A line that is being written is waited
    /// for. The records of a server have come already.
    mutating func reload() throws(CommandError) {
        if server != nil { return try show() }
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
        try show()
    }

    /// Shows the matches that were not shown before; those of a server when it has given them.
    mutating func show() throws(CommandError) {
        if server != nil, served == nil { return }
        let found: Repl.Found
        if let served { found = try repl.find(query, in: served) } else { found = try repl.find(query) }
        repl.last = Repl.ShownResult(query: query, text: query.predicate.text, found: found)
        let selection = found.selection
        let difference = changes.advance(to: selection.ordinals, of: found.set)
        defer { isFirst = false }
        if difference.isEmpty, !isFirst { return }
        var new = selection
        new.ordinals = difference.ordinals
        // The scores are stored beside the ordinals.
        let scores = selection.scores.map { Dictionary(zip(selection.ordinals, $0)) { first, _ in first } }
        new.scores = scores.map { scores in new.ordinals.map { scores[$0] ?? 0 } }
        new.matched = new.ordinals.count
        var shown = query
        shown.settings.showsTimer = false
        if !new.ordinals.isEmpty { try shown.write(new, of: found.set, repl.session) }
        repl.session.output.flush()
        let count = selection.ordinals.count
        // Of a server only those came that may match.
        let matches =
            server == nil
            ? "\(count.grouped) of \(found.set.count.grouped) records match"
            : "\(count.grouped) \(count == 1 ? "record matches" : "records match")"
        repl.session.note(repl.session.messageStyle.dim("\(difference.text), \(matches)"))
    }
}
