// Record sets from files and from records.

public import FoundationEssentials
import RecordColumns
public import RecordFiles
public import RecordModel
import RecordStore

extension RecordSet {
    /// Reads record files, one after another, into one set.
    ///
    /// NDJSON, JSON arrays, CSV and TSV, told apart by name and content, plain or packed as gzip or zstd; `-` is
    /// standard input.
    ///
    /// - Parameters:
    ///   - paths: The files.
    ///   - type: Only records of this type are queried, and records that give no type are of it; `nil` for all.
    ///   - options: Names of fields, limits, what happens to bad lines.
    /// - Throws: `FileError` with file, line and field.
    /// - Complexity: O(bytes).
    public init(
        contentsOf paths: String..., type: String? = nil, options: LoadOptions = LoadOptions()
    ) throws(FileError) {
        try self.init(contentsOf: paths, type: type, options: options)
    }

    /// Reads a record file, as `init(contentsOf:type:options:)` reads those of paths.
    ///
    /// - Parameter url: A file's URL.
    /// - Throws: `FileError` with file, line and field.
    public init(
        contentsOf url: URL, type: String? = nil, options: LoadOptions = LoadOptions()
    ) throws(FileError) {
        try self.init(contentsOf: [url.path], type: type, options: options)
    }

    /// Reads record files, as `init(contentsOf:type:options:)`.
    ///
    /// - Throws: `FileError` with file, line and field.
    public init(
        contentsOf paths: [String], type: String? = nil, options: LoadOptions = LoadOptions()
    ) throws(FileError) {
        var options = options
        if let type { options.defaultType = type }
        let reader = RecordFileReader(options: options)
        for path in paths { try reader.load(path: path) }
        let loaded = reader.finish()
        var report = loaded.report
        let joined = try loaded.records.joined(options.joins)
        report.joinedKeys = joined.keys
        self.init(
            joined.records, recordType: type,
            source: Source(report: report, text: loaded.source, nulls: loaded.nulls))
    }

    /// Reads records from bytes in memory, such as those of a network's response: what a file could hold, packed or
    /// not.
    ///
    /// - Parameters:
    ///   - type: As of `init(contentsOf:type:options:)`.
    ///   - options: As of `init(contentsOf:type:options:)`.
    /// - Throws: `FileError` with line and field.
    /// - Complexity: O(bytes).
    public init(
        _ data: Data, type: String? = nil, options: LoadOptions = LoadOptions()
    ) throws(FileError) {
        try self.init(bytes: Array(data), name: "", type: type, options: options)
    }

    /// Reads records from bytes in memory, as from a file of that name.
    ///
    /// - Throws: `FileError` with line and field.
    package init(
        bytes: [UInt8], name: String, type: String? = nil, options: LoadOptions = LoadOptions()
    ) throws(FileError) {
        var options = options
        if let type { options.defaultType = type }
        let reader = RecordFileReader(options: options)
        try reader.load(bytes: bytes, name: name)
        let loaded = reader.finish()
        self.init(loaded.records, recordType: type, source: Source(report: loaded.report, text: loaded.source))
    }

    /// Reads the records of a piece of a stream.
    ///
    /// - Parameter options: With the form, and the files and lines before the piece.
    /// - Throws: `FileError` with line and field.
    package init(_ piece: [UInt8], of pieces: RecordPieces, _ options: LoadOptions) throws(FileError) {
        try self.init(piece, header: pieces.header, name: pieces.name, options)
    }

    /// As `init(_:of:_:)`, with the titles of CSV that go before the piece, and the name of the stream.
    package init(_ piece: [UInt8], header: [UInt8], name: String, _ options: LoadOptions) throws(FileError) {
        var options = options
        if !header.isEmpty { options.linesBefore -= header.reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) } }
        try self.init(bytes: header.isEmpty ? piece : header + piece, name: name, options: options)
    }

    /// Whether a record has a value of a field.
    package func hasValue(_ field: String) -> Bool {
        snapshot.segments.contains { entry in
            guard let column = entry.segment.column(named: field) else { return false }
            if case .missing = column.values { return false }
            return true
        }
    }

    /// Reads the rest of a stream of which pieces were taken, and other files behind it.
    ///
    /// - Parameter taken: The pieces.
    /// - Throws: `FileError` with file, line and field.
    package init(
        _ pieces: RecordPieces, taken: [UInt8], followedBy paths: [String], type: String?, options: LoadOptions
    ) throws(FileError) {
        var options = options
        if let type { options.defaultType = type }
        let reader = RecordFileReader(options: options)
        try reader.load(pieces, taken: taken)
        for path in paths { try reader.load(path: path) }
        let loaded = reader.finish()
        self.init(
            loaded.records, recordType: type,
            source: Source(report: loaded.report, text: loaded.source, nulls: loaded.nulls))
    }

    /// Whether a predicate, or what is shown, looks at records behind references; also where that cannot be told.
    package func followsReferences(_ predicate: RecordPredicate, _ shown: [SortKey.Criterion]) -> Bool {
        for case .field(let path) in shown {
            guard let dot = path.firstIndex(of: ".") else { continue }
            let types = schemas.compactMap { $0.type(of: String(path[..<dot])) }
            if types.contains(where: { $0 == .reference || $0 == .list(.reference) }) { return true }
        }
        guard let bound = try? binder().bind(predicate) else {
            // A field that no record has: only a path may lead to other records.
            guard let tree = try? predicate.tree else { return false }
            var hasPath = false
            tree.root.forEachPart { part in
                if case .step = part { hasPath = true }
            }
            return hasPath
        }
        return bound.followsReferences
    }

    /// A set of records that the program made.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` when two records have one name, or a field holds values of
    ///   kinds that do not mix; it names the place in the sequence, from 1.
    /// - Complexity: O(fields of all records).
    public init(records: some Sequence<Record>) throws(DatabaseError) {
        do throws(FileError) {
            try self.init(loading: records)
        } catch {
            let field = error.field.map { ", field \($0)" } ?? ""
            let earlier = error.earlierLine.map { "; see record \($0)" } ?? ""
            throw DatabaseError(
                .invalidArguments, "record \(error.line ?? 0)\(field): \(error.message)\(earlier)", hint: error.hint)
        }
    }

    /// As `init(records:)`; the `line` of an error is the place in the sequence, from 1.
    init(loading records: some Sequence<Record>) throws(FileError) {
        let loader = RecordLoader(readsDates: false)
        var number = 0
        for record in records {
            number += 1
            do throws(ColumnError) {
                try loader.append(record, origin: number)
            } catch {
                var error = FileError(error)
                error.line = number
                throw error
            }
        }
        self.init(loader.finish(), recordType: nil)
    }

    /// What loading left out, for a set from files.
    public var loadReport: LoadReport? { source.report }

    /// The columns that the headers of the CSV and TSV files name, those without a value in any record too; empty for a
    /// set from elsewhere.
    package var fileColumns: [CSVColumn] { source.report?.columns ?? [] }

    /// The text of the members that a GeoJSON file has besides its features.
    package var collectionMembers: [UInt8] { source.report?.collectionMembers ?? [] }

    /// The fields that a record names without a value: null in JSON, an empty cell in CSV; none where that is not kept.
    /// The ordinal is one that the set gave.
    package func nullFields(at ordinal: Int) -> [String] { source.nulls?.names(ofRecordAt: ordinal) ?? [] }

    /// The file, by its place among those that were loaded, and the line that a record came from. The ordinal is one
    /// that the set gave.
    package func origin(at ordinal: Int) -> (file: Int, line: Int) {
        guard let origin = source.origins?[ordinal] else { return (0, ordinal + 1) }
        return (origin.file, origin.line)
    }

    /// Appends the text that a record was read from, without its line end; false when the set does not keep it, or has
    /// it in the other form: as a GeoJSON feature, or as a record.
    package func appendSource(
        of ordinal: Int, asFeature: Bool = false, to bytes: inout [UInt8]
    ) throws(FileError) -> Bool {
        guard let text = try source.text?.text(ordinal, asFeature: asFeature) else { return false }
        bytes += text
        return true
    }
}
