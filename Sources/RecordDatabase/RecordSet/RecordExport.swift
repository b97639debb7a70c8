// Records as text that reads back as the same records.

public import FoundationEssentials
import RecordColumns
public import RecordFiles
public import RecordModel
import RecordStore

/// Writes the records of a set as NDJSON, JSON, CSV or TSV. Reading the text gives the same records: names, types,
/// zones, parents, and every field with a value of the same kind and content.
///
/// Every record begins with its name and its type under keys of their own. The zone, where it is not the default one,
/// and the parent are stored under `$zone` and `$parent`, which no field can be called. Values have the forms of
/// <doc:FilesOfRecords>; in CSV and TSV the title of each column tells its type (`population:INT64`), and a record
/// without a value has an empty cell.
public struct RecordExport: Sendable {
    /// What else is written, and how parts of records are called.
    public struct Options: Hashable, Sendable {
        /// The key of the record's name.
        public var idKey = "id"
        /// The key of the record's type.
        public var typeKey = "type"
        /// Whether it is written when and by whom a record was first and last saved, and its change tag, for readers: a
        /// database that takes the records writes its own.
        public var includesSystemFields = false
        /// The folder that files of assets are copied to, so that they go with the text, which names them there; `nil`
        /// to name them where they are.
        public var assetFolder: URL?

        /// The usual keys, without system fields; files of assets stay where they are.
        public init() {}
    }

    /// A field and what its values are.
    struct Column {
        let name: String
        /// The type over all records; `ANY` where record types differ about it.
        let type: FieldType
        /// What the elements of the field's lists are, if none of the lists has one.
        var emptyElement: FieldType?
    }

    private let set: RecordSet
    private let format: RecordFormat
    private let options: Options
    private let ordinals: [Int]
    private let columns: [Column]
    private let assets: AssetFolder?
    private let hasZones: Bool
    private let hasParents: Bool
    /// The folder that files of assets are in, where a server may have to give them first.
    var servedAssets: AssetFolder?
    /// Whether another export has written records of the same text before, and whether one will go on.
    package var (follows, isFollowed) = (false, false)

    /// An export of the records of a set.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` when records have a field of the name of a key.
    public init(_ set: RecordSet, as format: RecordFormat, options: Options = Options()) throws(DatabaseError) {
        try self.init(set, at: Self.ordinals(of: set), as: format, options: options)
    }

    /// The records that a set is about.
    static func ordinals(of set: RecordSet) -> [Int] {
        set.recordType.map { set.ordinals(ofType: $0) } ?? Array(0..<set.count)
    }

    /// An export of some records of a set, in the order of the ordinals, which the set gave.
    ///
    /// - Parameters:
    ///   - shape: What the text has of all its records, where these are some of them.
    /// - Throws: As the public initializer.
    package init(
        _ set: RecordSet, at ordinals: [Int], as format: RecordFormat, options: Options = Options(),
        shape: Shape? = nil
    ) throws(DatabaseError) {
        let shape = shape ?? Shape(of: set)
        self.set = set
        self.format = format
        self.options = options
        self.ordinals = ordinals
        columns = shape.columns(of: set)
        assets = options.assetFolder.map { AssetFolder($0) }
        (hasZones, hasParents) = (shape.hasZones, shape.hasParents)
        if let clash = [options.idKey, options.typeKey].first(where: { key in columns.contains { $0.name == key } }) {
            throw DatabaseError(
                .invalidArguments, "the records have a field '\(clash)' of their own",
                hint: "choose another key for names or types")
        }
    }

    /// Takes pieces of the text.
    typealias Sink = (inout [UInt8]) throws(DatabaseError) -> Void

    /// How many records there are.
    public var count: Int { ordinals.count }

    /// Writes all records.
    ///
    /// - Parameter sink: Takes the text piece by piece, a few records at a time, and empties the array.
    /// - Throws: What the sink throws, and then nothing more is written; `DatabaseError` when the file of an
    ///   asset cannot be copied.
    public func write(to sink: (inout [UInt8]) throws -> Void) throws {
        var failure: (any Error)?
        do throws(DatabaseError) {
            try writePieces { piece throws(DatabaseError) in
                do {
                    try sink(&piece)
                } catch {
                    failure = error
                    throw .cancelled
                }
            }
        } catch {
            throw failure ?? error
        }
    }

    /// Writes all records to a file, whose earlier content stays until the new one is whole.
    ///
    /// - Throws: `DatabaseError` of code `internalError` when the file cannot be written, and when the file of an asset
    ///   cannot be copied.
    public func write(to url: URL) throws(DatabaseError) {
        let data = try data()
        do {
            try data.write(to: url, options: .atomic)
        } catch {
            throw DatabaseError(.internalError, "cannot write \(url.path): \(error)")
        }
    }

    func writePieces(to sink: Sink) throws(DatabaseError) {
        switch format {
        case .ndjson: try writeObjects(to: sink)
        case .json: try writeObjects(between: ("[", ",", "]\n"), to: sink)
        case .csv: try writeCells(separatedBy: ",", to: sink)
        case .tsv: try writeCells(separatedBy: "\t", to: sink)
        }
    }

    /// All of the text.
    ///
    /// - Throws: `DatabaseError` when the file of an asset cannot be copied.
    public func text() throws(DatabaseError) -> String { String(decoding: try bytes(), as: UTF8.self) }

    /// All of the text as bytes of UTF-8.
    ///
    /// - Throws: As `text()`.
    public func data() throws(DatabaseError) -> Data { Data(try bytes()) }

    private func bytes() throws(DatabaseError) -> [UInt8] {
        var bytes: [UInt8] = []
        try writePieces { piece in
            bytes += piece
            piece.removeAll(keepingCapacity: true)
        }
        return bytes
    }

    // MARK: Parts of records

    /// What the database wrote about a record, under the keys for that.
    private static let system = zip(
        SystemKeys.written,
        [
            MetadataColumn.creationDate, MetadataColumn.creator, MetadataColumn.modificationDate,
            MetadataColumn.lastModifier,
        ])

    private func systemFields(_ segment: Segment, _ row: Int) -> [(key: String, value: FieldValue)] {
        var fields: [(key: String, value: FieldValue)] = []
        if !segment.zoneID.isDefault { fields.append((SystemKeys.zone, .string(segment.zoneID.zoneName))) }
        if hasParents { fields.append((SystemKeys.parent, segment.value(of: MetadataColumn.parent, row: row))) }
        guard options.includesSystemFields, set.source.schema != nil else { return fields }
        fields += Self.system.map { ($0, segment.value(of: $1, row: row)) }
        fields.append(("$changeTag", segment.change(row).map { .string(ChangeTag.text($0)) } ?? .null))
        return fields
    }

    /// The value of a field, with assets where the text says that they are.
    private func value(_ values: RecordColumns.Column, _ row: Int, of key: String) throws(DatabaseError) -> FieldValue {
        let value = values.value(row)
        guard let assets, let folder = options.assetFolder?.relativePath else { return value }
        return try copied(value, of: key, to: assets, folder)
    }

    private func copied(
        _ value: FieldValue, of key: String, to assets: AssetFolder, _ folder: String
    ) throws(DatabaseError) -> FieldValue {
        switch value {
        case .asset(let asset):
            try servedAssets?.checkIsReadable(asset, key: key)
            let copy = try assets.store(asset)
            let name = copy.path.utf8.lastIndex(of: UInt8(ascii: "/")).map { copy.path[$0...].dropFirst() }
            return .asset(Asset(path: "\(folder)/\(name ?? copy.path[...])", size: copy.size))
        case .list(let elements):
            var copies: [FieldValue] = []
            for element in elements { copies.append(try copied(element, of: key, to: assets, folder)) }
            return .list(copies)
        default: return value
        }
    }

    // MARK: JSON

    /// Writes an object a line, perhaps with what makes an array of them.
    private func writeObjects(
        between signs: (begin: String, separator: String, end: String) = ("", "", ""), to sink: Sink
    ) throws(DatabaseError) {
        var writer = JSONWriter(marksTexts: true)
        if !follows { writer.bytes += Array(signs.begin.utf8) }
        for (index, ordinal) in ordinals.enumerated() {
            if index > 0 || follows { writer.bytes += Array(signs.separator.utf8) }
            try write(ordinal, to: &writer)
            if writer.bytes.count >= 1 << 16 { try sink(&writer.bytes) }
        }
        if !isFollowed { writer.bytes += Array(signs.end.utf8) }
        try sink(&writer.bytes)
    }

    private func write(_ ordinal: Int, to writer: inout JSONWriter) throws(DatabaseError) {
        let view = set.row(at: ordinal)
        let (segment, row) = (view.segment, view.row)
        writer.bytes.append(UInt8(ascii: "{"))
        writer.write(key: options.idKey)
        writer.write(view.recordName)
        writer.write(nextKey: options.typeKey)
        writer.write(segment.recordType)
        for (key, value) in systemFields(segment, row) where !value.isNull {
            writer.write(nextKey: key)
            writer.write(value)
        }
        for column in columns {
            guard let values = segment.column(named: column.name), values.isPresent(row) else { continue }
            writer.write(nextKey: column.name)
            if let element = column.emptyElement, values.value(row) == .list([]) {
                writer.write(emptyListOf: element)
            } else if assets != nil, column.type.mayHoldAssets {
                writer.write(try value(values, row, of: column.name))
            } else {
                writer.write(values, row: row)
            }
        }
        writer.bytes += [UInt8(ascii: "}"), 0x0A]
    }

    // MARK: Cells

    private func writeCells(
        separatedBy separator: Unicode.Scalar, to sink: Sink
    ) throws(DatabaseError) {
        var writer = CSVWriter(separator: separator)
        if !follows { writeHeader(to: &writer) }
        for ordinal in ordinals {
            try write(ordinal, to: &writer)
            if writer.bytes.count >= 1 << 16 { try sink(&writer.bytes) }
        }
        try sink(&writer.bytes)
    }

    private func writeHeader(to writer: inout CSVWriter) {
        writer.write(options.idKey)
        writer.write(options.typeKey)
        if hasZones { writer.write(SystemKeys.zone) }
        if hasParents { writer.write(title: SystemKeys.parent, of: .reference) }
        if options.includesSystemFields, set.source.schema != nil {
            for (key, type) in zip(SystemKeys.written, Self.systemTypes) { writer.write(title: key, of: type) }
        }
        for column in columns { writer.write(title: column.name, of: column.type) }
        writer.endLine()
    }

    private static let systemTypes: [FieldType] = [.date, .reference, .date, .reference, .string]

    private func write(_ ordinal: Int, to writer: inout CSVWriter) throws(DatabaseError) {
        let view = set.row(at: ordinal)
        let (segment, row) = (view.segment, view.row)
        writer.write(view.recordName)
        writer.write(segment.recordType)
        if hasZones { writer.write(segment.zoneID.isDefault ? .null : .string(segment.zoneID.zoneName)) }
        for (key, value) in systemFields(segment, row) where key != SystemKeys.zone {
            writer.write(value, as: key == "$changeTag" ? .string : value.kind == .date ? .date : .reference)
        }
        for column in columns {
            guard let values = segment.column(named: column.name), values.isPresent(row) else {
                writer.write(.null)
                continue
            }
            writer.write(try value(values, row, of: column.name), as: column.type)
        }
        writer.endLine()
    }
}

extension FieldType {
    /// Whether values of the type may be assets or hold some.
    fileprivate var mayHoldAssets: Bool {
        switch self {
        case .asset, .any: true
        case .list(let element): element?.mayHoldAssets ?? true
        default: false
        }
    }
}
