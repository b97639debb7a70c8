// Loads files of records.

import CSIMDJSON
package import RecordColumns
import RecordModel

/// What was loaded.
package struct LoadedRecords: Sendable {
    package let records: LoadedSegments
    /// The files as they were named, by the index that `RowOrigin.file` gives.
    package let files: [String]
    package let report: LoadReport
    /// The text of the records as the files have it, where that was requested.
    package let source: OriginalText?
    /// The fields that records name without a value; `nil` where that is not kept.
    package let nulls: NullFields?
}

/// Loads files of records, one after another, into one sequence.
///
/// A record without an identifier is named by its line number; those of a second and later file by the number of the
/// file too, as in `2:17`.
package final class RecordFileReader {
    private(set) var options: LoadOptions
    let loader: RecordLoader
    private var files: [String] = []
    private var report = LoadReport()
    /// The names of `report.columns`.
    private var columnNames: Set<String> = []
    private let source: OriginalText?
    private var nulls = NullFields()
    private var nextProgress = 0
    /// The number of records at which memory is reckoned again.
    private var nextReckoning = 0
    /// Records between two reckonings: few enough for the widest of them.
    private static let reckoningInterval = 2048

    /// A reader of no file yet.
    package init(options: LoadOptions = LoadOptions()) {
        self.options = options
        var limits = options.loaderLimits
        limits.maximumFields = options.limits.maximumFields
        limits.maximumTypes = options.limits.maximumTypes
        loader = RecordLoader(
            keys: RecordKeys(id: options.idField, type: options.typeField), limits: limits,
            isWidening: options.widensMixedFields)
        source = options.keepsSource ? OriginalText() : nil
    }

    /// Adds the records of a file; `-` is standard input. After an error the reader is of no more use.
    /// - Throws: `FileError`.
    package func load(path: String) throws(FileError) {
        if let lines = try options.converter?(path) {
            options.textFields = lines.textFields
            defer { options.textFields = [] }
            return try load(ByteSource(bytes: lines.bytes, name: path), as: .ndjson)
        }
        try load(ByteSource(path: path))
    }

    /// Adds the records of a stream from which pieces were taken, these among them.
    /// - Throws: `FileError`.
    package func load(_ pieces: RecordPieces, taken: [UInt8]) throws(FileError) { try load(pieces.returned(taken)) }

    /// Adds the records of bytes in memory, which may be compressed, under the name of a file.
    /// - Throws: `FileError`.
    package func load(bytes: [UInt8], name: String) throws(FileError) {
        try load(ByteSource(bytes: bytes, name: name))
    }

    /// All records loaded. Call once.
    package func finish() -> LoadedRecords {
        for mixture in loader.mixtures { tell(of: mixture) }
        let names = options.keepsNulls ? (0..<loader.fieldNames.count).map { loader.fieldNames[$0] } : []
        return LoadedRecords(
            records: loader.finish(), files: files, report: report, source: source,
            nulls: options.keepsNulls ? nulls.named(names) : nil)
    }

    private func load(_ source: ByteSource, as known: RecordFormat? = nil) throws(FileError) {
        let lines = try LineReader(source, limits: options.limits, bytesBefore: report.bytes)
        files.append(source.name)
        if options.separatesFiles { separate(source.name) }
        try self.source?.begin(source, position: loader.count)
        nextProgress = 0
        if let encoding = source.encoding { tell("read as \(encoding.rawValue)") }
        let start = try unsafe lines.peek()
        let format = unsafe known ?? options.format ?? RecordFormat(ofFile: source.name, startingWith: start)
        switch format {
        case .ndjson: try loadLines(lines, from: source)
        case .json: try loadArray(lines, from: source)
        case .csv: try loadCells(lines, from: source, separator: unsafe RecordFormat.separator(ofHeader: start))
        case .tsv: try loadCells(lines, from: source, separator: "\t")
        }
        report.bytes += lines.bytesRead
        _ = options.progress?(
            LoadProgress(bytesRead: source.storedRead, bytesTotal: source.storedSize, records: loader.count))
    }

    /// Notes what is worth knowing of a file, a few times at most.
    func tell(_ note: String) {
        if report.notes.count < 20 { report.notes.append("\(files.last ?? ""): \(note)") }
    }

    /// Tells that a field holds values of two kinds.
    private func tell(of mixture: KindMixture) {
        guard report.notes.count < 20 else { return }
        let origin = RowOrigin(packed: mixture.origin)
        let file = files.indices.contains(origin.file) ? files[origin.file] : ""
        let note =
            "\(file):\(origin.line): field '\(mixture.field)' holds \(FileError.phrase(mixture.found)) here and "
            + "\(FileError.phrase(mixture.existing)) before; each value stays what it is"
        report.notes.append(note)
        report.mixedFields[note] = mixture.field
    }

    /// Has the records of a file that give no type or zone be of its own, and its columns.
    private func separate(_ name: String) {
        loader.separateColumns()
        var base = name.split(separator: "/").last.map(String.init) ?? name
        if let colon = base.lastIndex(of: ":") { base = String(base[base.index(after: colon)...]) }
        if let dot = base.firstIndex(of: "."), dot != base.startIndex { base = String(base[..<dot]) }
        options.defaultType = base.isEmpty || base == "-" ? "Record" : base
        options.defaultZone = files.count == 1 ? nil : RecordZone.ID("file\(files.count)")
    }

    /// Notes a column that a header names.
    func note(column name: String, _ type: FieldType?) {
        if columnNames.insert(name).inserted { report.columns.append(CSVColumn(name: name, type: type)) }
    }

    /// Notes the fields that are null in the record added last.
    func noteNulls(_ keys: [Int]) {
        if !keys.isEmpty { nulls.note(keys, ofRecordAt: loader.count - 1) }
    }

    // MARK: JSON

    private func loadLines(_ lines: LineReader, from source: ByteSource) throws(FileError) {
        let parser = try FastParser(options.limits)
        let appender = try RecordAppender(loader, options)
        while let line = try unsafe lines.next() {
            guard unsafe !Self.isBlank(line) else { continue }
            let number = options.linesBefore + lines.line
            let origin = origin(line: number)
            do throws(FileError) {
                try unsafe append(line, parser, appender, origin: origin)
                noteNulls(appender.nullKeys)
                unsafe try noteSource(lines.lineOffset, unsafe line)
            } catch {
                var error = error
                error.line = number
                if let field = error.field { error.column = unsafe Self.column(of: field, in: line) }
                try leaveOut(error, source)
            }
            try tick(lines, source)
        }
    }

    private func append(
        _ line: UnsafeBufferPointer<UInt8>, _ parser: FastParser, _ appender: RecordAppender, origin: Int
    ) throws(FileError) {
        let fallbackName = { self.fallbackName(RowOrigin(packed: origin).line) }
        if let tape = unsafe parser.parse(line) {
            return try unsafe appender.append(
                tape, at: JSONTape.first, size: line.count, origin: origin, fallbackName: fallbackName)
        }
        // simdjson says that something is wrong, but not where; and it rejects whole numbers beyond 64 bits.
        var parser = unsafe JSONParser(
            Array(line), maximumDepth: options.limits.maximumDepth, takesSpecialNumbers: true)
        do throws(JSONError) { try parser.parse() } catch {
            var failure = FileError(error)
            failure.column = error.offset.map { unsafe Self.scalars(line, upTo: $0) + 1 }
            throw failure
        }
        unsafe try parser.withTape { tape throws(FileError) in
            try unsafe appender.append(
                tape, at: JSONTape.first, size: line.count, origin: origin, fallbackName: fallbackName)
        }
    }

    private func loadArray(_ lines: LineReader, from source: ByteSource) throws(FileError) {
        let text = try unsafe lines.rest()
        guard unsafe !Self.isBlank(text) else { return }
        let parser = try FastParser(options.limits)
        if let tape = unsafe parser.parse(text) {
            return try unsafe appendElements(tape, text, lines, source)
        }
        var thorough = unsafe JSONParser(
            Array(text), maximumDepth: options.limits.maximumDepth, takesSpecialNumbers: true)
        do throws(JSONError) { try thorough.parse() } catch {
            var failure = FileError(error)
            failure.file = source.name
            if let offset = error.offset {
                let before = unsafe text[..<offset]
                let lineStart = unsafe before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
                failure.line = unsafe before.reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
                failure.column = unsafe Self.scalars(UnsafeBufferPointer(rebasing: text[lineStart..<offset])) + 1
            }
            throw failure
        }
        unsafe try thorough.withTape { tape throws(FileError) in
            try unsafe appendElements(tape, text, lines, source)
        }
    }

    private func appendElements(
        _ tape: JSONTape, _ text: UnsafeBufferPointer<UInt8>, _ lines: LineReader, _ source: ByteSource
    ) throws(FileError) {
        let appender = try RecordAppender(loader, options)
        let features = unsafe FeatureCollection.features(of: tape)
        let array = unsafe features ?? JSONTape.first
        let isArray = unsafe tape.kind(array) == JSONTape.Kind.array
        var index = isArray ? array + 1 : array
        let end = isArray ? unsafe tape.end(array) : array + 1
        var element = 0
        var texts: JSONElements?
        if options.keepsSource {
            texts = unsafe JSONElements(text, in: features == nil ? nil : "features")
            self.source?.keepBytes(asFeatures: features != nil)
        }
        if features != nil, let members = texts?.otherMembers { report.collectionMembers = members }
        while index < end {
            element += 1
            let bytes = unsafe texts?.next(text)
            do throws(FileError) {
                let number = element
                let size = unsafe 8 * (tape.next(index) - index)
                try unsafe appender.append(
                    tape, at: index, size: size, origin: origin(line: element), isFeature: features != nil
                ) { fallbackName(number) }
                if let bytes {
                    try unsafe bytes.withUnsafeBufferPointer { bytes throws(FileError) in
                        try unsafe noteSource(0, bytes)
                    }
                }
                noteNulls(appender.nullKeys)
            } catch {
                var error = error
                error.line = element
                try leaveOut(error, source)
            }
            unsafe index = tape.next(index)
            try tick(lines, source)
        }
    }

    // MARK: What all formats share

    /// The number that stands for a line of the file at hand.
    func origin(line: Int) -> Int { RowOrigin(file: files.count - 1, line: line).packed }

    /// The name of a record that gives none.
    func fallbackName(_ line: Int) -> String {
        let file = options.filesBefore + files.count
        return file == 1 ? String(line) : "\(file):\(line)"
    }

    /// Keeps the place of the record added last.
    func noteSource(_ offset: Int, _ text: UnsafeBufferPointer<UInt8>) throws(FileError) {
        unsafe source?.note(offset, text)
    }

    /// Counts a record that could not be taken, of so many lines, or ends the load.
    /// - Throws: the error, with file and lines filled in.
    func leaveOut(_ error: FileError, _ source: ByteSource, lines: Int = 1) throws(FileError) {
        var error = error
        error.file = source.name
        if let earlier = error.earlierLine.map(RowOrigin.init(packed:)) {
            error.earlierLine = earlier.line
            let isElsewhere = earlier.file != files.count - 1
            if isElsewhere, files.indices.contains(earlier.file) { error.earlierFile = files[earlier.file] }
            error.message += " (line \(earlier.line)\(error.earlierFile.map { " of \($0)" } ?? ""))"
        }
        switch error.kind {
        case .io, .compression, .limit, .cancelled: throw error
        // Of no line, and so of the stream: the next read would meet it again.
        case _ where error.line == nil: throw error
        default: if !options.skipBadLines { throw error }
        }
        report.skippedCount += 1
        report.skippedLineCount += lines
        if report.errors.count < options.maximumReportedErrors { report.errors.append(error) }
    }

    /// Checks limits, and reports progress about once a megabyte.
    func tick(_ lines: LineReader, _ source: ByteSource) throws(FileError) {
        if loader.count > options.limits.maximumRecords {
            throw FileError(
                kind: .limit, file: source.name, line: lines.line,
                message: "more than \(options.limits.maximumRecords) records",
                hint: "raise the limit if the file is meant to be that large")
        }
        if loader.count >= nextReckoning || lines.bytesRead >= nextProgress {
            nextReckoning = loader.count + Self.reckoningInterval
            guard loader.byteCount <= options.limits.maximumMemory else {
                throw FileError(
                    kind: .limit, file: source.name, line: lines.line,
                    message: "the records so far would take more than \(options.limits.maximumMemory) bytes of memory",
                    hint: "every record takes room in every field of its type; raise the limit if that is meant")
            }
        }
        guard lines.bytesRead >= nextProgress else { return }
        nextProgress = lines.bytesRead + 1 << 20
        let progress = LoadProgress(
            bytesRead: source.storedRead, bytesTotal: source.storedSize, records: loader.count)
        if Task.isCancelled || options.progress?(progress) == false {
            throw FileError(kind: .cancelled, file: source.name, message: "loading was stopped")
        }
    }

    private static func isBlank(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe line.allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
    }

    /// Unicode scalars in the first bytes of a text, counting bytes that begin one.
    private static func scalars(_ text: UnsafeBufferPointer<UInt8>, upTo count: Int? = nil) -> Int {
        unsafe text.prefix(count ?? text.count).reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }

    /// The column of a field's value in the line of its record.
    private static func column(of field: String, in line: UnsafeBufferPointer<UInt8>) -> Int? {
        var parser = unsafe JSONParser(Array(line))
        guard (try? parser.parse()) != nil else { return nil }
        let key = Array(field.utf8)
        return parser.memberOffsets.last { $0.key == key }.map { unsafe scalars(line, upTo: $0.offset) + 1 }
    }
}

/// simdjson's parser.
@safe
private final class FastParser {
    private let parser: OpaquePointer

    init(_ limits: LoadLimits) throws(FileError) {
        guard let parser = unsafe csimdjson_parser_create(max(1, limits.maximumDepth)) else {
            throw FileError(kind: .io, message: "out of memory")
        }
        unsafe self.parser = parser
    }

    deinit { unsafe csimdjson_parser_destroy(parser) }

    /// The tape of a text that is followed by readable padding, valid until the next call; `nil` when rejected.
    func parse(_ text: UnsafeBufferPointer<UInt8>) -> JSONTape? {
        var words: UnsafePointer<UInt64>?
        var strings: UnsafePointer<UInt8>?
        // SAFETY: `LineReader` keeps the padding behind every text it gives out.
        guard unsafe csimdjson_parse(parser, text.baseAddress, text.count, &words, &strings) == 0,
            let words = unsafe words, let strings = unsafe strings
        else { return nil }
        return unsafe JSONTape(words: words, strings: strings)
    }
}
