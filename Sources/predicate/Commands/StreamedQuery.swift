// Queries that print matches while their input is read.

import PostgreSQLStore
import PredicateSyntax
import RecordDatabase

/// A query over lines of JSON or CSV that looks at one record at a time: what matches is printed as it is read, and
/// reading stops at the limit. The memory is that of a piece of the input.
///
/// Cells of lines of JSON without `--fields` are printed when all was read, as any record may have a column of its own;
/// until then they wait on the disk.
struct StreamedQuery {
    private let query: Query
    private let session: Session
    /// How many matches are still left out, and how many may still be printed.
    private var offset: Int
    private var room: Int
    private var printedCount = 0
    /// Names that no piece so far has; `nil` before the first.
    private var unknown: [RecordSet.UnknownField]?
    /// The fields that the predicate looks at; `nil` for all of them.
    private var wantedFields: Set<String>?
    /// Notes on pieces of the input that were told.
    private var told: Set<String> = []
    private var dates = StreamedDates()
    /// The types of columns that files so far have told.
    private var guesses: [String: FieldType] = [:]
    /// The first records, for what is told of slips.
    private var sample: RecordSet?
    /// Whether the rows are those of a server's table: values that look like references lead nowhere.
    private var isOfTable = false
    /// The titles that were printed.
    private var titles: [String]?
    /// The rows that wait for their columns.
    private var spool: CellSpool?

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
            !["--whole", "--type", "--skip-bad-lines", "--reference"].contains(where: arguments.has),
            arguments["--input-format"].map({ $0 != "json" }) ?? true
        else { return false }
        switch settings.format {
        case .ndjson, .ids: return true
        case .csv, .tsv: return settings.limit != 0
        case .count: return settings.limit == nil && settings.offset == 0
        default: return false
        }
    }

    init(_ query: Query, _ session: Session) {
        (self.query, self.session) = (query, session)
        offset = query.settings.offset
        room = query.settings.limit ?? .max
    }

    /// Whether only the number of matches is wanted.
    private var counts: Bool { query.settings.format == .count }

    /// Runs the query on files.
    /// - Throws: `CommandError` as reading the files and evaluating the predicate.
    mutating func run(on files: InputFiles) throws(CommandError) -> Outcome {
        if let table = try files.table() { return .done(try run(on: table)) }
        // The titles are those of all files.
        if files.paths.contains(where: SQLiteTable.isTable)
            || printsColumns && files.paths.count > 1 && !areLines(files)
        {
            return .whole(try files.load(session, for: query))
        }
        for (number, path) in files.paths.enumerated() where isReading {
            if let whole = try run(path, of: files, number) { return .whole(whole) }
        }
        try spool?.write(to: session.output)
        if counts { session.output.write("\(printedCount)\n") }
        for field in unknown ?? [] { session.remark(onUnknown: field) }
        if let sample { query.tellSlips(over: sample, hasMatches: printedCount > 0, counts: false, session) }
        return .done(printedCount == 0 ? .noMatch : .success)
    }

    /// Runs the query on the rows of a table that may match.
    private mutating func run(on table: TableOperand) throws(CommandError) -> ExitStatus {
        isOfTable = true
        let rows = try table.rows(for: query, showing: nil)
        if counts {
            do throws(DatabaseError) { printedCount = try rows.countCertain() } catch { throw CommandError(error) }
        }
        while room > 0 {
            let piece: RecordSet?
            do throws(DatabaseError) { piece = try rows.next() } catch { throw CommandError(error) }
            guard let piece else { break }
            try take(piece, table.shown)
        }
        if counts { session.output.write("\(printedCount)\n") }
        if titles == nil, !counts { try write([], of: table.empty) }
        if let sample { query.tellSlips(over: sample, hasMatches: printedCount > 0, counts: false, session) }
        return printedCount == 0 ? .noMatch : .success
    }

    /// - Returns: All records, where the query needs them.
    private mutating func run(_ path: String, of files: InputFiles, _ number: Int) throws(CommandError) -> RecordSet? {
        let pieces: RecordPieces
        let format: RecordFormat
        do throws(FileError) {
            pieces = try RecordPieces(path: path, limits: files.options.limits)
            let known = try pieces.format(files.options.format)
            guard let known else {
                if isUndecided { return try files.rest(of: pieces, number, [], session) }
                throw FileError(
                    kind: .malformed, file: path, message: "this file is of another form than the ones before",
                    hint: "--whole reads all files before anything is printed")
            }
            format = known
        } catch {
            throw CommandError(error)
        }
        var options = files.options
        options.format = format
        if format == .ndjson, printsColumns, spool == nil {
            spool = CellSpool(
                separator: query.settings.format == .tsv ? "\t" : ",", isShown: session.isOutputShown)
        }
        if format != .ndjson { options.keepsSource = false }
        var isFirst = true
        while isReading {
            (options.filesBefore, options.linesBefore) = (number, pieces.lineCount)
            let set: RecordSet
            do throws(FileError) {
                guard let piece = try pieces.next() else { break }
                // What blank lines begin with may be of any form.
                if isUndecided, piece.allSatisfy({ $0 <= 0x20 }) {
                    return try files.rest(of: pieces, number, piece, session)
                }
                set = try records(of: piece, pieces, &options, isFirst: isFirst && format != .ndjson)
                if isUndecided, try pieces.isAtEnd() || needsAll(set) {
                    return try files.rest(of: pieces, number, piece, session)
                }
                if isFirst, format != .ndjson {
                    pieces.takeHeader(of: piece)
                    options.guessedTypes.merge(Self.types(of: set)) { $1 }
                    guesses.merge(options.guessedTypes) { known, _ in known }
                    // Columns of CSV never mix: a cell that is no guess's is a text.
                    options.widensMixedFields = true
                }
            } catch {
                throw CommandError(error)
            }
            try take(set, path)
            if isFirst, counts {
                options.keepsSource = false
                options.wantedFields = wantedFields
                try countRest(of: pieces, options, path)
                return nil
            }
            isFirst = false
        }
        return nil
    }

    /// The records of a piece. Columns that are empty in the first one of a file hold what they held in files before:
    /// as columns of their own they would be texts.
    private func records(
        of piece: [UInt8], _ pieces: RecordPieces, _ options: inout LoadOptions, isFirst: Bool
    ) throws(FileError) -> RecordSet {
        let set = try RecordSet(piece, of: pieces, options)
        guard isFirst else { return set }
        let guessed = guesses.filter { Self.isEmpty($0.key, in: set) }
        if guessed.isEmpty { return set }
        options.guessedTypes = guessed
        return try RecordSet(piece, of: pieces, options)
    }

    /// Whether a column of CSV has neither a type nor a value.
    private static func isEmpty(_ name: String, in set: RecordSet) -> Bool {
        set.fileColumns.contains { $0.name == name && $0.type == nil } && !set.hasValue(name)
    }

    /// Whether no record was taken yet, as all files so far were empty: all may still be read first.
    private var isUndecided: Bool { unknown == nil }

    /// Whether more is to be read: there is room for matches, or there may be columns.
    private var isReading: Bool { room > 0 || spool != nil && !session.output.isClosed }

    /// Whether all files have lines of JSON, as far as that can be told without taking anything from a pipe.
    private func areLines(_ files: InputFiles) -> Bool {
        files.paths.allSatisfy { path in
            guard FilePath.isRegularFile(path) else { return false }
            let pieces = try? RecordPieces(path: path, limits: files.options.limits)
            return (try? pieces?.format(files.options.format)) == .ndjson
        }
    }

    /// Whether the output has columns that the titles of the input tell.
    private var printsColumns: Bool {
        (query.settings.format == .csv || query.settings.format == .tsv) && query.settings.fields == nil
    }

    /// The types of columns that the first records tell.
    private static func types(of set: RecordSet) -> [String: FieldType] {
        var types: [String: FieldType] = [:]
        for field in set.schemas.flatMap(\.fields) where set.hasValue(field.name) {
            switch field.type {
            case .int64, .double, .number: types[field.name] = .number
            case .date, .bool, .string: types[field.name] = field.type
            default: break
            }
        }
        return types
    }

    /// Counts what matches in all that is left of a stream, several pieces at a time.
    private mutating func countRest(
        of pieces: RecordPieces, _ options: LoadOptions, _ path: String
    ) throws(CommandError) {
        let count = PieceCount(query, options, unknown: unknown ?? [], told: told, dates)
        try count.run(pieces)
        printedCount += count.matches
        unknown = count.unknown
        (told, dates) = (count.told, count.dates)
        for note in count.notes { session.remark(note) }
    }

    /// Whether the first records show that others are looked at, too, or fields are shown that may come later.
    private func needsAll(_ set: RecordSet) -> Bool {
        let shown = (query.settings.fields ?? []).map(\.criterion)
        if set.followsReferences(query.predicate, shown) || !set.unknownFields(among: shown).isEmpty { return true }
        // What an empty column of CSV holds is told by later cells.
        guard set.fileColumns.contains(where: { $0.type == nil && !set.hasValue($0.name) }) else { return false }
        return RecordSet.fieldNames(of: query.predicate).contains { Self.isEmpty($0, in: set) }
    }

    /// Prints what matches among the records of a piece.
    private mutating func take(_ piece: RecordSet, _ path: String) throws(CommandError) {
        var set = piece
        set.buildsIndexes = false
        set.allowsUnknownFields = true
        for note in piece.loadReport?.news(&told) ?? [] { session.remark(note) }
        if !isOfTable { for note in dates.news(of: piece, in: path) { session.remark(note) } }
        let shown = (query.settings.fields ?? []).map(\.criterion)
        if unknown != nil, !isOfTable, set.followsReferences(query.predicate, shown) {
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
        if sample == nil {
            sample = set
            wantedFields = query.predicate.looksAtAllFields ? nil : Set(selection.fieldNames)
        }
        if spool != nil {
            try spool?.append(matches, of: set)
        } else if !counts {
            try write(matches, of: set)
        }
        if session.output.isClosed { room = 0 }
    }

    private mutating func write(_ matches: [Int], of set: RecordSet) throws(CommandError) {
        var layout = ResultWriter.Layout(
            format: query.settings.format, fields: query.settings.fields, isShown: session.isOutputShown,
            style: session.outputStyle)
        layout.hasTitles = titles == nil
        titles = titles ?? set.fileColumns.map(\.name)
        _ = try ResultWriter(ResultValues(set: set), layout: layout, writer: session.output).write(matches)
        session.output.flush()
    }
}

extension RecordPredicate {
    /// Whether a part of it may look at any field of a record.
    var looksAtAllFields: Bool {
        LexicalToken.tokens(of: text).contains { token in
            let word = String(Substring(text.utf8.dropFirst(token.range.lowerBound).prefix(token.range.count)))
            return ["SELF", "ALLTOKENS"].contains(word.uppercased())
        }
    }
}
