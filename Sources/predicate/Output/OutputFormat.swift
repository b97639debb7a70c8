// The forms in which matching records are written.

/// A form of the result.
enum OutputFormat: String, CaseIterable {
    case table, box, markdown, line, ndjson, json, csv, tsv, geojson, ids, count

    /// All names, for the help text and the option's check.
    static let names = allCases.map(\.rawValue)

    /// Whether rows are laid out in aligned columns.
    var isTable: Bool { self == .table || self == .box || self == .markdown }
}
