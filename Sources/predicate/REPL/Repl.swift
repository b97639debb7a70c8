// The read-evaluate-print loop: what it knows between lines, and what it does with each.

import Glibc
import RecordDatabase
import TextAnalysis

/// A session of queries over the same records.
final class Repl {
    let session: Session
    /// Where the records are from.
    private(set) var files: InputFiles
    /// The versions of the files, or of the store, before they were read.
    private(set) var versions: [FilePath.Version?]
    /// The records; of those on a server the fields alone, as each query looks for its records there. A new set begins
    /// with values uncounted.
    var set: RecordSet { didSet { completer = PredicateCompleter(for: set) } }
    private(set) var completer: PredicateCompleter
    /// What the dot commands set: everything of a query but its predicate.
    var settings: QuerySettings
    /// The settings as they were typed, by command.
    var settingTexts: [String: String] = [:]
    /// The last query, and what it found.
    var last: ShownResult?
    /// The different queries of the session, newest last.
    private(set) var history: [Query] = []
    /// Whether someone types, rather than a pipe.
    let isInteractive = StandardStream.input.isTerminal
    /// The terminal, when there is one that lines can be edited on.
    var device: TerminalDevice?
    /// Whether lines are edited with the keys of vi.
    var usesViKeys = false
    /// The text that the next line begins with.
    var draft = ""
    private(set) var worst = ExitStatus.success
    var isEnded = false
    /// Files of commands being read, innermost last.
    var reading: [String] = []

    /// What a query found, and the records among which it did.
    struct Found: Sendable {
        var set: RecordSet
        var selection: RecordSet.Selection
    }

    /// A query and what it found.
    struct ShownResult {
        var query: Query
        var text: String
        /// `nil` where a server has counted, and given nothing.
        var found: Found?
    }

    /// A session over files, or without records where there are none.
    /// - Throws: `CommandError` as reading them.
    init(_ files: InputFiles, dialect: String?, session: Session) throws(CommandError) {
        versions = files.versions
        let set = try files.records(session)
        self.set = set
        self.files = files
        self.session = session
        completer = PredicateCompleter(for: set)
        settings = QuerySettings(format: StandardStream.output.isTerminal ? .table : .ndjson)
        settings.dialect = dialect
        settings.joined = files.joinedFields
        settings.showsTimer = isInteractive
        settings.columnsHint = ".fields chooses"
    }

    // MARK: Records

    /// Reads records in place of these.
    ///
    /// - Parameters:
    ///   - keepsType: Whether queries are about the same type as before.
    ///   - canBeStopped: Whether Control-C ends it, and all is as it was; else it waits for whoever looks next.
    /// - Throws: `CommandError` as reading them.
    func load(
        _ files: InputFiles, keepsType: Bool = false, canBeStopped: Bool = true
    ) throws(CommandError) {
        let signals = isInteractive && canBeStopped ? SignalPipe() : nil
        let versions = files.versions
        let loaded = try files.records(session) { signals.map { !$0.taken().contains(SIGINT) } ?? true }
        set = keepsType && loaded.recordType != set.recordType ? loaded.ofType(set.recordType) : loaded
        (self.files, self.versions) = (files, versions)
        settings.joined = files.joinedFields
    }

    /// Lines from a pipe, or from a terminal that cannot be written all over.
    func runLines() throws(CommandError) -> ExitStatus {
        if isInteractive { greet() }
        var reader = LineReader.standardInput()
        let signals = isInteractive ? SignalPipe() : nil
        while !isEnded {
            if isInteractive {
                session.output.write(prompt(columns: 80))
                session.output.flush()
            }
            guard let line = try nextLine(&reader, signals) else { break }
            if let signals, signals.taken().contains(where: SignalPipe.ends) { break }
            execute(String(decoding: line, as: UTF8.self))
        }
        return isInteractive ? .success : worst
    }

    /// The next line. Control-C gives up the one being typed.
    private func nextLine(_ reader: inout LineReader, _ signals: SignalPipe?) throws(CommandError) -> [UInt8]? {
        guard let signals, !reader.hasBufferedLine else { return try reader.next() }
        while true {
            switch signals.wait(for: StandardStream.input.rawValue, milliseconds: nil) {
            case .input: return try reader.next()
            case .signals(let numbers):
                if numbers.contains(where: SignalPipe.ends) { return nil }
                session.output.write("\n" + prompt(columns: 80))
                session.output.flush()
            case .nothing: continue
            }
        }
    }

    /// Says at the beginning what there is and how to go on.
    func greet() {
        let text = contents + " Tab completes, '.help' helps, '.quit' ends."
        let columns = StandardStream.output.columns
        session.note(WrappedText.lines(of: text, columns: columns - 1).joined(separator: "\n"))
    }

    /// What is said where there is nothing to search.
    static let noRecords = CommandError(
        .usage, "'predicate repl' needs a record file",
        hint: "predicate repl cities.ndjson, or begin with .open cities.ndjson")

    /// The files and what they hold, in a sentence.
    var contents: String {
        if files.paths.isEmpty { return "No records yet: '.open FILE' reads some." }
        let fields = "\(set.fieldNames.count) \(set.fieldNames.count == 1 ? "field" : "fields")."
        if isOnServer { return "\(files.description): \(fields) Its server looks for what queries find." }
        return "\(files.description): \(set.count.grouped) \(set.count == 1 ? "record" : "records"), \(fields)"
    }

    /// The file's name, to be typed behind.
    func prompt(columns: Int) -> String {
        let name = files.shortName ?? "predicate"
        let room = max(6, columns / 4)
        return (TextWidth.columns(of: name) <= room ? name : TextWidth.prefix(of: name, columns: room - 1) + "…") + "> "
    }

    // MARK: Lines

    /// Does what a line says, and shows what went wrong.
    func execute(_ line: String) {
        let text = line.trimmed
        if text.isEmpty || text.hasPrefix("# ") { return }
        if Self.endings.contains(text) {
            isEnded = true
            return
        }
        do throws(CommandError) {
            if let command = DotCommand.Call(Self.helpCall(text) ?? text) {
                try command.run(on: self)
            } else {
                try runQuery(text)
            }
        } catch {
            session.report(error)
            worst = error.status
        }
        session.output.flush()
    }

    private static let endings = ["quit", "exit"]

    /// Whether a line is one of the commands that need no dot: 'help', '?', 'help WORD', 'quit', 'exit'.
    static func isPlainCommand(_ line: String) -> Bool {
        let text = line.trimmed
        return endings.contains(text) || helpCall(text) != nil
    }

    /// The command that 'help', '?' and 'help WORD' stand for; `nil` for other lines.
    private static func helpCall(_ text: String) -> String? {
        let words = text.split(separator: " ").map(String.init)
        guard words.count <= 2, let first = words.first, first == "help" || first == "?" else { return nil }
        return ([".help"] + words.dropFirst()).joined(separator: " ")
    }

    /// Runs a predicate and shows the result.
    func runQuery(_ text: String) throws(CommandError) {
        if files.paths.isEmpty, !isInteractive { throw Self.noRecords }
        let query: Query
        do throws(CommandError) { query = try settings.query(text) } catch { throw error.suggestingLines(for: text) }
        let count = try counted(query)
        let found = count == nil ? try find(query) : nil
        last = ShownResult(query: query, text: text, found: found)
        history.removeAll { $0.predicate == query.predicate }
        history = history.suffix(99) + [query]
        if let count { session.output.write("\(count)\n") }
        if let found { try show(query, found) }
    }

    /// Finds what matches, on a server where that has the records; Control-C ends it.
    func find(_ query: Query) throws(CommandError) -> Found {
        guard let served else { return try find(query, in: set) }
        let records = try attempt { () throws(CommandError) in try served.records(for: query) }
        follow(records)
        return try find(query, in: records)
    }

    /// Finds what matches among records; Control-C ends it.
    func find(_ query: Query, in set: RecordSet) throws(CommandError) -> Found {
        try attempt { () throws(CommandError) -> Found in
            do throws(RecordPredicateError) {
                return Found(set: set, selection: try query.select(from: set))
            } catch {
                throw CommandError(error)
            }
        }
    }

    /// Shows what was found, page by page where that is more than the terminal holds.
    func show(_ query: Query, _ found: Found) throws(CommandError) {
        try paged { (session) throws(CommandError) in try query.write(found.selection, of: found.set, session) }
    }

    /// Runs something that writes, page by page where that is more than the terminal holds; messages come at the end.
    func paged(_ body: (Session) throws(CommandError) -> Void) throws(CommandError) {
        guard let device else { return try body(session) }
        let pager = Pager(device, style: session.outputStyle)
        var paged = session
        paged.output = pager.writer
        var messages: [UInt8] = []
        paged.messages = ByteWriter { bytes in
            messages += bytes
            return .taken
        }
        defer {
            paged.output.flush()
            pager.finish()
            session.messages.append(&messages)
            session.messages.flush()
        }
        try body(paged)
    }

    /// Does work that may fail, and that Control-C ends.
    func attempt<Value: Sendable>(
        _ work: @escaping @Sendable () throws(CommandError) -> Value
    ) throws(CommandError) -> Value {
        try interruptible { Result { () throws(CommandError) in try work() } }.get()
    }

    /// Does work that Control-C ends.
    /// - Throws: `CommandError` when it was ended.
    func interruptible<Value: Sendable>(_ work: @escaping @Sendable () -> Value) throws(CommandError) -> Value {
        guard isInteractive else { return work() }
        session.output.flush()
        guard let value = InterruptibleWork.run(work) else {
            throw CommandError(.usage, "stopped", hint: nil)
        }
        return value
    }
}
