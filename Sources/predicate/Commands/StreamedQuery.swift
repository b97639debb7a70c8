// Queries that print matches while their input is read.

import RecordDatabase

/// A query over lines of JSON that looks at one record at a time: what matches is printed as it is read, and reading
/// stops at the limit. The memory is that of a piece of the input.
struct StreamedQuery {
    private let query: Query
    private let session: Session
    /// How many matches are still left out, and how many may still be printed.
    private var offset: Int
    private var room: Int
    private var printedCount = 0
    /// Names that no piece so far has; `nil` before the first.
    private var unknown: [RecordSet.UnknownField]?
    /// The first records, for what is told of slips.
    private var sample: RecordSet?

    /// What became of a run.
    enum Outcome {
        case done(ExitStatus)
        /// The input is small, or the query needs all of it: nothing was printed, and these are the records.
        case whole(RecordSet)
    }

    /// The switch for reading everything first.
    static let option = OptionSpecification(
        "--whole", "Read all of the input before anything is printed, also without --sort.")

    /// Whether a query may run one record at a time: it has no order, and its output no columns of all records.
    static func suits(_ settings: QuerySettings, _ arguments: ParsedArguments) -> Bool {
        let isPlain = settings.sort.isEmpty && !settings.isExplained && !settings.explainsAsJSON
        guard isPlain, !settings.showsSnippets, !settings.refusesScans,
            !["--whole", "--type", "--skip-bad-lines"].contains(where: arguments.has),
            arguments["--input-format"].map({ $0 == "ndjson" }) ?? true
        else { return false }
        switch settings.format {
        case .ndjson, .ids: return true
        // A count is of all of the input, and that is read fastest as a whole.
        default: return false
        }
    }

    init(_ query: Query, _ session: Session) {
        (self.query, self.session) = (query, session)
        offset = query.settings.offset
        room = query.settings.limit ?? .max
    }

    /// Runs the query on files.
    /// - Throws: `CommandError` as reading the files and evaluating the predicate.
    mutating func run(on files: InputFiles) throws(CommandError) -> Outcome {
        for (number, path) in files.paths.enumerated() where room > 0 {
            if let whole = try run(path, of: files, number) { return .whole(whole) }
        }
        for field in unknown ?? [] { session.remark(onUnknown: field) }
        if let sample { query.tellSlips(over: sample, hasMatches: printedCount > 0, counts: false, session) }
        return .done(printedCount == 0 ? .noMatch : .success)
    }

    /// - Returns: All records, where the query needs them.
    private mutating func run(_ path: String, of files: InputFiles, _ number: Int) throws(CommandError) -> RecordSet? {
        let pieces: RecordPieces
        do throws(FileError) {
            pieces = try RecordPieces(path: path, limits: files.options.limits)
            guard try pieces.isNDJSON() else {
                if number == 0 { return try files.rest(of: pieces, [], session) }
                throw FileError(
                    kind: .malformed, file: path, message: "this file is of another form than the ones before",
                    hint: "--whole reads all files before anything is printed")
            }
        } catch {
            throw CommandError(error)
        }
        while room > 0 {
            let lines = pieces.lineCount
            let set: RecordSet
            do throws(FileError) {
                guard let piece = try pieces.next() else { break }
                // What blank lines begin with may be of any form.
                if number == 0, unknown == nil, piece.allSatisfy({ $0 <= 0x20 }) {
                    return try files.rest(of: pieces, piece, session)
                }
                var options = files.options
                options.format = .ndjson
                (options.filesBefore, options.linesBefore) = (number, lines)
                set = try RecordSet(bytes: piece, name: pieces.name, options: options)
                if number == 0, unknown == nil {
                    if try pieces.isAtEnd() || needsAll(set) { return try files.rest(of: pieces, piece, session) }
                }
            } catch {
                throw CommandError(error)
            }
            try take(set, path)
        }
        return nil
    }

    /// Whether the first records show that others are looked at, too, or fields are shown that may come later.
    private func needsAll(_ set: RecordSet) -> Bool {
        let shown = (query.settings.fields ?? []).map(\.criterion)
        return set.followsReferences(query.predicate, shown) || !set.unknownFields(among: shown).isEmpty
    }

    /// Prints what matches among the records of a piece.
    private mutating func take(_ piece: RecordSet, _ path: String) throws(CommandError) {
        var set = piece
        set.buildsIndexes = false
        set.allowsUnknownFields = true
        let shown = (query.settings.fields ?? []).map(\.criterion)
        if unknown != nil, set.followsReferences(query.predicate, shown) {
            throw CommandError(
                .badData, "\(path): records behind references are looked at, and these may be anywhere in the input",
                hint: "--whole reads all of it before anything is printed")
        }
        var wanted = query
        wanted.settings.offset = 0
        wanted.settings.limit = room < .max - offset ? offset + room : nil
        let selection: RecordSet.Selection
        do throws(RecordPredicateError) { selection = try wanted.select(from: set) } catch { throw CommandError(error) }
        let matches = Array(selection.ordinals.dropFirst(offset))
        offset -= min(offset, selection.ordinals.count)
        if room < .max { room -= matches.count }
        printedCount += matches.count
        let missing = selection.unknownFields
        unknown =
            unknown.map { known in known.filter { field in missing.contains { $0.name == field.name } } } ?? missing
        if sample == nil { sample = set }
        let layout = ResultWriter.Layout(
            format: query.settings.format, fields: query.settings.fields, isShown: session.isOutputShown,
            style: session.outputStyle)
        _ = try ResultWriter(ResultValues(set: set), layout: layout, writer: session.output).write(matches)
        session.output.flush()
        if session.output.isClosed { room = 0 }
    }
}
