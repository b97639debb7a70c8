// predicate watch: the matches among the lines that are appended to files.

import Glibc
import RecordDatabase

/// `predicate watch PREDICATE FILE…`
enum WatchCommand: Command {
    static let specification = CommandSpecification(
        name: "watch",
        operands: "PREDICATE [FILE…|FOLDER|postgresql://…]",
        summary: "Print the records that match as they are appended to NDJSON files or saved in a store.",
        discussion: """
            Follows the files until it is stopped, or after --limit matches; a file may be cut, replaced or not be there
            yet. Standard input (no file, or '-') is read to its end. A line counts when its line end is written; lines
            that cannot be read are told and left out. Of a store, or a container on a server, records are printed
            that come to match, and those that match and were changed, after each commit of whoever writes it. Pipes
            and devices are followed as standard input only. Exit status: as of query.
            """,
        options: [
            OptionSpecification("--all", "Begin with what is there already."),
            OptionSpecification("--limit", letter: "-n", value: "N", "End after N matches."),
            OptionSpecification(
                "--fields", letter: "-f", value: "A,B",
                "Only these fields; nested ones by dots; else the lines as they are."),
            OptionSpecification("--interval", value: "MS", "Milliseconds between two looks (default: 200)."),
        ] + SharedOptions.values + [
            OptionSpecification(
                "--type", letter: "-t", value: "TYPE", "Only records of this type; those that give none are of it."),
            OptionSpecification("--id-field", value: "NAME", "Field that names a record (default: id)."),
            OptionSpecification("--type-field", value: "NAME", "Field that tells a record's type (default: type)."),
        ] + StoreOperand.options + [SharedOptions.dialect] + SharedOptions.messages,
        examples: [
            Example("errors as they come", "predicate watch 'status >= 500' access.ndjson"),
            Example("the next three", "predicate watch \"level == 'error'\" app.ndjson --limit 3"),
            Example("new orders in a store", "predicate watch 'total > 100' orders.store"),
            Example("in a container on a server", "predicate watch 'total > 100' postgresql://app@db/shop -t Order"),
            Example("from a program", "tail -F app.log.json | predicate watch 'user.plan == \"free\"'"),
        ])

    /// Endings of files whose lines are no records by themselves.
    private static let unfollowed = [".csv", ".tsv", ".gz", ".zst"]

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard let text = arguments.operands.first else {
            throw CommandError(
                .usage, "'predicate watch' needs a predicate",
                hint: "for example: predicate watch 'status >= 500' access.ndjson")
        }
        var files = Array(arguments.operands.dropFirst())
        if files.isEmpty {
            if StandardStream.input.isTerminal {
                throw CommandError(
                    .usage, "no record file is given, and standard input is a terminal", hint: "name a file")
            }
            files = ["-"]
        }
        if files.count > 1, files.contains("-") {
            throw CommandError(.usage, "standard input is followed alone, without files")
        }
        if let file = files.first(where: { file in unfollowed.contains { file.hasSuffix($0) } }) {
            throw CommandError(
                .usage, "files of NDJSON can be followed, and '\(file)' is none",
                hint: "'predicate query' reads the file as it is")
        }
        var settings = QuerySettings(format: .ndjson)
        settings.dialect = arguments["--dialect"]
        settings.arguments = try arguments.formatArguments()
        settings.variables = try arguments.variables()
        if let list = arguments["--fields"] { settings.fields = try FieldSelector.list(list) }
        let query = try settings.query(text)
        let limit = try arguments.count("--limit") ?? .max
        // An hour at most: what follows counts in microseconds of 32 bits.
        let interval = min(max(1, try arguments.count("--interval") ?? 200), 3_600_000)
        let input = InputFiles(arguments, paths: files)
        if StandardStream.error.isTerminal, files != ["-"] {
            let all = arguments.has("--all")
            let what = input.store != nil ? "records of" : all ? "the lines of" : "new lines of"
            session.remark("waiting for \(what) \(input.description) that match; Control-C ends it")
        }
        if input.store != nil {
            return try StoreWatch(query: query, files: input, session: session)
                .run(fromStart: arguments.has("--all"), limit: limit, interval: interval)
        }
        var options = LoadOptions()
        options.format = .ndjson
        if let name = arguments["--id-field"] { options.idField = name }
        if let name = arguments["--type-field"] { options.typeField = name }
        let tails = files.map { FileTail($0, fromStart: arguments.has("--all") || $0 == "-") }
        var watch = Watch(
            query: query, type: arguments["--type"], options: options, limit: limit, session: session)
        return try watch.run(tails, interval: interval)
    }
}

/// A query that runs on lines as they come.
struct Watch {
    let query: Query
    let type: String?
    let options: LoadOptions
    let limit: Int
    let session: Session
    private var matched = 0
    /// The last failure; the same one is told once.
    private var lastFailure: String?
    /// Lines that could not be read, since the last that could.
    private var unreadable = 0
    /// How many unreadable lines in a row are told one by one.
    private static let toldUnreadable = 5

    init(query: Query, type: String?, options: LoadOptions, limit: Int, session: Session) {
        self.query = query
        self.type = type
        self.options = options
        self.limit = limit
        self.session = session
    }

    /// Follows the files until enough has matched, or nothing more can come.
    /// - Throws: `CommandError` of status `inputOutput`.
    mutating func run(_ tails: [FileTail], interval: Int) throws(CommandError) -> ExitStatus {
        while matched < limit {
            var isEnded = false
            var isQuiet = true
            for tail in tails where matched < limit {
                let news = try tail.poll()
                try report(news, of: tail)
                if let event = news.event { session.remark(event) }
                isEnded = isEnded || news.isEnded
                isQuiet = isQuiet && news.lines.isEmpty && news.event == nil
            }
            session.output.flush()
            if isEnded || session.output.failure != nil { break }
            if isQuiet, tails.first?.path != "-" { usleep(UInt32(interval * 1000)) }
        }
        return matched > 0 ? .success : .noMatch
    }

    /// A line with its number in its file.
    private typealias Line = (number: Int, text: [UInt8])

    /// Prints those of some lines that match: all lines are tested at once; where that fails, each on its own, so that
    /// no line suffers from another.
    private mutating func report(_ news: FileTail.News, of tail: FileTail) throws(CommandError) {
        let lines = news.lines.enumerated().map { (number: $0 + news.firstLine, text: $1) }
            .filter { !$0.text.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
        if lines.isEmpty { return }
        if let set = try? records(of: lines, tail), lines.count == 1 || !hasMixedTexts(set),
            let ordinals = try? matches(in: set)
        {
            unreadable = 0
            return try print(ordinals, of: set, lines)
        }
        for line in lines where matched < limit {
            guard let set = record(of: line, tail) else { continue }
            let ordinals: [Int]
            do throws(RecordPredicateError) { ordinals = try matches(in: set) } catch {
                if lastFailure != error.message { session.report(CommandError(error)) }
                lastFailure = error.message
                continue
            }
            try print(ordinals, of: set, [line])
        }
    }

    /// The record of one line; `nil` for a line that is told and left out.
    private mutating func record(of line: Line, _ tail: FileTail) -> RecordSet? {
        do throws(FileError) {
            let set = try records(of: [line], tail)
            unreadable = 0
            return set
        } catch {
            unreadable += 1
            var error = error
            error.line = line.number
            if unreadable <= Self.toldUnreadable { session.remark("left out: \(error)") }
            if unreadable == Self.toldUnreadable {
                session.remark("lines like these are left out without a word from here on; NDJSON is expected")
            }
            return nil
        }
    }

    private func records(of lines: [Line], _ tail: FileTail) throws(FileError) -> RecordSet {
        let bytes = Array(lines.map(\.text).joined(separator: [UInt8(ascii: "\n")]))
        var set = try RecordSet(bytes: bytes, name: tail.path, type: type, options: options)
        set.buildsIndexes = false
        // Later lines may have the fields that those of this moment lack.
        set.allowsUnknownFields = true
        return set
    }

    /// Whether texts that would be dates are texts because of others beside them: lines on their own tell another type.
    private func hasMixedTexts(_ set: RecordSet) -> Bool {
        let names = Set(
            set.schemas.flatMap(\.fields).filter { [.string, .list(.string)].contains($0.type) }.map(\.name))
        if names.isEmpty { return false }
        return (0..<set.count).contains { ordinal in
            set.record(at: ordinal)?.fields.contains { names.contains($0.key) && $0.value.holdsTextOfDate } == true
        }
    }

    private func matches(in set: RecordSet) throws(RecordPredicateError) -> [Int] {
        try set.ordinals(matching: query.predicate, variables: query.settings.variables)
    }

    /// Prints matches: the fields requested, else the lines as they came.
    private mutating func print(_ ordinals: [Int], of set: RecordSet, _ lines: [Line]) throws(CommandError) {
        let ordinals = Array(ordinals.prefix(limit - matched))
        matched += ordinals.count
        if query.settings.fields != nil {
            let layout = ResultWriter.Layout(
                format: .ndjson, fields: query.settings.fields, style: session.outputStyle)
            _ = try ResultWriter(ResultValues(set: set), layout: layout, writer: session.output).write(ordinals)
            return
        }
        for ordinal in ordinals where lines.indices.contains(ordinal) {
            session.output.bytes += lines[ordinal].text
            session.output.write("\n")
        }
    }
}

extension FieldValue {
    /// Whether the value is a text that a field of its own would take for a date, or a list with one.
    fileprivate var holdsTextOfDate: Bool {
        switch self {
        case .string(let text): RFC3339.date(text) != nil
        case .list(let elements): elements.contains(where: \.holdsTextOfDate)
        default: false
        }
    }
}
