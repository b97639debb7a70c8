// How records are read from files.

import Glibc
package import RecordColumns
public import RecordModel

/// The form of a file of records.
public enum RecordFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// One JSON object a line.
    case ndjson
    /// One JSON array of objects, or a GeoJSON collection of features: their properties are the fields, a point is
    /// `location`, any other shape `geometry`.
    case json
    /// Comma-separated values with a header; a header without commas tells that semicolons or tabs separate.
    case csv
    /// Tab-separated values with a header.
    case tsv
}

/// Bounds of what is loaded, so that a small compressed or odd file cannot exhaust memory.
public struct LoadLimits: Hashable, Sendable {
    /// Bytes after decompression, over all files.
    public var maximumBytes = 64 << 30
    /// Records, over all files.
    public var maximumRecords = 1 << 31
    /// Bytes of one line, of one CSV record, or of a JSON array as a whole.
    public var maximumRecordBytes = 1 << 30
    /// Depth of nesting in JSON.
    public var maximumDepth = 256
    /// Different fields, over all record types, with those of identifiers, types and zones.
    public var maximumFields = 4096
    /// Different record types. Pairs of a type and a zone may be 16,384.
    public var maximumTypes = 1024
    /// Bytes of memory that the columns of the records take, about: a record takes some in every field that any record
    /// of its type has, so that few bytes of a file may need many. By default three quarters of the machine's memory.
    public var maximumMemory = Self.memory / 4 * 3

    /// The usual bounds.
    public init() {}

    /// The machine's memory in bytes.
    private static let memory = max(1 << 30, sysconf(Int32(_SC_PHYS_PAGES)) * max(1, sysconf(Int32(_SC_PAGESIZE))))
}

/// How far loading has come.
public struct LoadProgress: Hashable, Sendable {
    /// Bytes read from the file, as it is stored.
    public var bytesRead: Int
    /// Size of the file, where known.
    public var bytesTotal: Int?
    /// Records loaded so far.
    public var records: Int
}

/// How records are read from files.
public struct LoadOptions: Sendable {
    /// The field that names records.
    public var idField = "id"
    /// The field that gives their type; `nil` when none does.
    public var typeField: String? = "type"
    /// The type of records that give none.
    public var defaultType = "Record"
    /// The form of the files; `nil` to tell by name and content.
    public var format: RecordFormat?
    /// The types of columns of CSV and TSV files, by name, also where the header names another. Columns with no type
    /// here or in the header are of the kind that suits all of their cells. A `.date` takes plain days, `2024-02-29`,
    /// as midnight UTC.
    public var columnTypes: [String: FieldType] = [:]
    /// Whether a field takes values of kinds that do not mix, such as numbers and texts, each as it is; otherwise the
    /// first value of another kind is an error. Comparisons look at each value then, and a note tells of the field.
    public var widensMixedFields = false
    /// Whether records that cannot be taken are left out and reported, instead of ending the load.
    public var skipBadLines = false
    /// How many errors of left-out records are kept; all are counted.
    public var maximumReportedErrors = 100
    /// What a file may need at most.
    public var limits = LoadLimits()
    /// Whether the place of every record in its file is kept, to get its text back unchanged.
    public var keepsSource = false
    /// Whether it is kept for each record which fields it says to have no value: null in JSON, an empty cell in CSV.
    package var keepsNulls = false
    /// Reads what is no text of records, such as a table of a database, as lines of JSON; `nil` for all else.
    package var converter: (@Sendable (_ path: String) throws(FileError) -> ConvertedLines?)?
    /// Fields of the file at hand whose texts are no dates, even if all of them read so.
    var textFields: [String] = []
    /// The fields that become references, by the keys of other records.
    package var joins: [KeyJoin] = []
    /// Whether each file is of a type of its own, named after it, where its records give none, in a zone of its own.
    package var separatesFiles = false
    /// The types of columns as far as the cells of earlier records tell them. Another cell stays a text.
    package var guessedTypes: [String: FieldType] = [:]
    /// The fields that are read; `nil` for all. Those of other names are passed over.
    package var wantedFields: Set<String>?
    /// The zone of records that give none.
    package var defaultZone: RecordZone.ID?
    /// Files and lines before those that are read: pieces of a stream go on with the numbers.
    package var filesBefore = 0
    package var linesBefore = 0
    /// Called now and then while loading; loading stops when it returns false.
    public var progress: (@Sendable (LoadProgress) -> Bool)?
    /// Bounds of one segment of the table; for tests.
    package var loaderLimits = RecordLoader.Limits()

    /// The usual options: a record that cannot be taken ends the load with an error.
    public init() {}
}

/// What is no text of records as lines of JSON.
package struct ConvertedLines: Sendable {
    package var bytes: [UInt8]
    /// Fields whose texts are no dates, even if all of them read so.
    package var textFields: [String]

    package init(bytes: [UInt8], textFields: [String]) {
        self.bytes = bytes
        self.textFields = textFields
    }
}

/// What loading left out.
public struct LoadReport: Hashable, Sendable {
    /// How many records were left out.
    public internal(set) var skippedCount = 0
    /// How many lines they took: a record of CSV whose quotes are not closed takes all that follow. In a JSON array as
    /// many as records.
    public internal(set) var skippedLineCount = 0
    /// The first errors.
    public internal(set) var errors: [FileError] = []
    /// Bytes read, after decompression.
    public internal(set) var bytes = 0
    /// What is worth knowing of the files: another encoding, columns whose names appear twice, fields of several kinds.
    public internal(set) var notes: [String] = []
    /// The field of each note on a field of several kinds, by the note.
    package internal(set) var mixedFields: [String: String] = [:]
    /// The text of the members of a GeoJSON collection besides its features, as `"name":"cities"`.
    package internal(set) var collectionMembers: [UInt8] = []
    /// What fields held that became references.
    package var joinedKeys = JoinedKeys()
    /// The columns that the headers of CSV and TSV files name, in order, each once; empty without such a file.
    package internal(set) var columns: [CSVColumn] = []

    /// What loading records with fields of these names left out: nothing.
    package init(titles: [String] = []) { columns = titles.map { CSVColumn(name: $0, type: nil) } }

    /// The notes that were not told: of pieces of one stream each field of several kinds is told of once.
    package func news(_ told: inout Set<String>) -> [String] {
        notes.filter { told.insert(mixedFields[$0].map { "field " + $0 } ?? $0).inserted }
    }
}

/// A column of a CSV or TSV file, as its header names it.
package struct CSVColumn: Hashable, Sendable {
    /// The field's name.
    package var name: String
    /// The type behind the name (`population:INT64`); `nil` where the cells tell it.
    package var type: FieldType?
}
