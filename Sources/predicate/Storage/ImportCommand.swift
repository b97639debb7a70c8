// predicate import: records of files into a store.

import FoundationEssentials
import Glibc
import RecordDatabase

/// `predicate import FOLDER [FILE…]`
enum ImportCommand: Command {
    static let specification = CommandSpecification(
        name: "import", operands: "FOLDER [FILE…]",
        summary: "Save the records of files in a store.",
        discussion: """
            Reads what 'predicate query' reads. A record of a name that is there already gets the new values. Records are
            saved in pieces, each whole or not at all; a call that was interrupted goes on where it ended when it is made
            again with the same files. Records that the store refuses are counted, and the first of them shown.
            """,
        options: [
            OptionSpecification("--batch", value: "N", "Records that are saved at once (default: 10000)."),
            OptionSpecification("--restart", "Begin with the first record, whatever an earlier call did."),
            OptionSpecification(
                "--durability", value: "NAME", choices: ["full", "normal", "off"],
                "How long a piece waits for the disk: full (default), normal or off."),
        ] + SharedOptions.input + StoreOperand.options + SharedOptions.messages,
        examples: [
            Example("a file", "predicate import places.store cities.ndjson --type City"),
            Example("packed CSV", "predicate import people.store people.csv.gz --type Person --id-field email"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "import")
        let paths = Array(arguments.operands.dropFirst())
        let size = try arguments.count("--batch") ?? 10_000
        if size == 0 { throw CommandError(.usage, "'--batch' is at least 1") }
        let set = try InputFiles(arguments, files: paths).load(session)
        if set.recordTypes.contains("") {
            throw CommandError(.usage, "the records give no type", hint: "--type TYPE names it")
        }
        var options = StorageOptions()
        switch arguments["--durability"] {
        case "off": options.durability = .off
        case "normal": options.durability = .normal
        default: break
        }
        let container = try operand.open(options)
        defer { container.close() }
        var importing = Importing(
            set: set, database: operand.database(of: container), batch: size, name: Self.name(of: paths),
            session: session)
        do throws(DatabaseError) {
            if !arguments.has("--restart") { try importing.resume() }
            try importing.run()
        } catch {
            throw CommandError(error)
        }
        return importing.refusedCount == 0 ? .success : .badData
    }

    /// Tells these files, as they are now, from others: paths, sizes and times of change.
    private static func name(of paths: [String]) -> String {
        paths.map { path in
            var status = stat()
            // SAFETY: the path is passed as a NUL-terminated copy, the structure lives on this frame.
            guard unsafe stat(path, &status) == 0 else { return path }
            return "\(path) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
        }.joined(separator: "\n")
    }
}

/// Records on their way into a database.
private struct Importing {
    let set: RecordSet
    let database: Database
    let batch: Int
    /// Names what is imported.
    let name: String
    let session: Session
    private(set) var refusedCount = 0
    private var next = 0
    private let clock = ContinuousClock()

    init(set: RecordSet, database: Database, batch: Int, name: String, session: Session) {
        (self.set, self.database, self.batch, self.name, self.session) = (set, database, batch, name, session)
    }

    /// The mark that a piece leaves in the database, with the piece itself.
    private func mark(_ end: Int) -> Data { Data("import \(end) \(name)".utf8) }

    /// Goes on behind the last piece of the same files.
    mutating func resume() throws(DatabaseError) {
        guard let data = try database.lastClientToken() else { return }
        let words = String(decoding: data, as: UTF8.self).split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3, words[0] == "import", let end = Int(words[1]), words[2] == name, end <= set.count else {
            return
        }
        next = end
        session.note("\(end.grouped) of \(set.count.grouped) records were saved before (--restart begins anew)")
    }

    mutating func run() throws(DatabaseError) {
        let (start, first) = (clock.now, next)
        let count = set.count
        var shown = clock.now
        while next < count {
            let end = min(count, next + batch)
            let records = (next..<end).compactMap { set.record(at: $0) }
            let result = try database.modify(
                ModifyRequest(saves: records, policy: .allKeys, isAtomic: false, clientToken: mark(end)))
            for (id, outcome) in result.saves {
                guard case .failure(let error) = outcome else { continue }
                refusedCount += 1
                if refusedCount <= 5 { session.note("\(id.recordName): \(error.reason)") }
            }
            next = end
            if StandardStream.error.isTerminal, next < count, clock.now - shown > .milliseconds(500) {
                shown = clock.now
                show(rate(next - first, since: start), left: count - next)
            }
        }
        let all = count - first
        if StandardStream.error.isTerminal { session.messages.write("\r\u{1B}[K") }
        session.note(
            "\((all - refusedCount).grouped) records saved, \(rate(all, since: start).grouped) a second"
                + (refusedCount > 0 ? "; \(refusedCount.grouped) refused" : ""))
    }

    private func rate(_ count: Int, since start: ContinuousClock.Instant) -> Int {
        Int(Double(count) / max(1e-3, (clock.now - start) / .seconds(1)))
    }

    private func show(_ rate: Int, left: Int) {
        session.messages.write(
            "\r\(next.grouped) of \(set.count.grouped) records, \(rate.grouped) a second, "
                + "\(left / max(1, rate)) s left\u{1B}[K")
        session.messages.flush()
    }
}
