// Matching records -> bytes, in any of the output formats.

import RecordDatabase
import TextAnalysis

/// Writes the matching records of a set.
struct ResultWriter {
    /// How the result looks.
    struct Layout {
        var format: OutputFormat
        /// The columns requested; `nil` for all fields.
        var fields: [FieldSelector]?
        /// Columns added before all fields when `fields` is `nil` and rows are laid out in columns (sort distances).
        var extraColumns: [FieldSelector] = []
        /// The fields whose columns are shown first where not all have room.
        var wanted: Set<String> = []
        /// Whether titles go before rows of cells.
        var hasTitles = true
        /// Terminal columns for tables; `nil` for lines of any length.
        var width: Int?
        /// Whether a terminal shows what is written: values may then not command it.
        var isShown = false
        var style: Style
    }

    private let values: ResultValues
    private var set: RecordSet { values.set }
    private let layout: Layout
    private let writer: ByteWriter

    init(_ values: ResultValues, layout: Layout, writer: ByteWriter) {
        self.values = values
        self.layout = layout
        self.writer = writer
    }

    /// Writes the records of the given ordinals.
    /// - Returns: titles of columns that the terminal was too narrow for.
    /// - Throws: `CommandError` of status `inputOutput` when a record's file cannot be read again.
    func write(_ ordinals: [Int]) throws(CommandError) -> [String] {
        switch layout.format {
        case .table, .box, .markdown: return table(ordinals)
        case .line: fieldLines(ordinals)
        case .ndjson: try lines(ordinals)
        case .json: try array(ordinals)
        case .csv: separated(ordinals, by: ",")
        case .tsv: separated(ordinals, by: "\t")
        case .geojson: try features(ordinals)
        case .ids:
            for ordinal in ordinals {
                let name = set.recordName(at: ordinal)
                writer.write((layout.isShown ? ValueText.singleLine(name) : name) + "\n")
            }
        case .count: writer.write("\(ordinals.count)\n")
        }
        return []
    }

    // MARK: Columns

    /// The columns requested, or the record's name, its type where there are several, and all fields or a snippet.
    private func columns(for ordinals: [Int]) -> [ResultColumn] {
        let snippet: [ResultColumn] = values.snippets == nil ? [] : [.snippetField, .snippet]
        if let fields = layout.fields { return fields.map(ResultColumn.value) + snippet }
        var names = partNames
        let rows = ordinals.prefix(1_000)
        let isPartial = rows.count < ordinals.count
        names += (snippet.isEmpty ? set.fieldNames : []).filter { name in
            !names.contains(name) && (isPartial || rows.contains { !set.value(of: .field(name), at: $0).isNull })
        }
        return (layout.extraColumns + names.map { FieldSelector(criterion: .field($0)) }).map(ResultColumn.value)
            + snippet
    }

    /// The parts of records that are shown besides their fields: the name, and the type where there are several.
    private var partNames: [String] { (set.hasNames ? ["id"] : []) + (set.recordTypes.count > 1 ? ["type"] : []) }

    private func table(_ ordinals: [Int]) -> [String] {
        if ordinals.isEmpty { return [] }
        let columns = columns(for: ordinals)
        let heads = columns.map { head(of: $0, sample: ordinals.prefix(100)) }
        var table = TableWriter(
            layout.format, columns: heads, available: layout.width, style: layout.style, writer: writer)
        for ordinal in ordinals {
            if writer.isClosed { break }
            table.append(cells: columns.map { cell(of: $0, at: ordinal) })
        }
        table.finish()
        return table.hiddenColumns
    }

    /// A column's head, from the kinds of its first values.
    private func head(of column: ResultColumn, sample: ArraySlice<Int>) -> TableWriter.Column {
        guard case .value = column else { return TableWriter.Column(title: column.title, isNumeric: false) }
        let values = sample.map { self.values.value(of: column, at: $0) }.filter { !$0.isNull }
        let isNumeric = !values.isEmpty && values.allSatisfy(\.isNumber)
        let isRigid = column.title == "id" || isNumeric || !values.isEmpty && values.allSatisfy(\.isShort)
        return TableWriter.Column(
            title: column.title, isNumeric: isNumeric, isRigid: isRigid, isWanted: layout.wanted.contains(column.title))
    }

    private func cell(of column: ResultColumn, at ordinal: Int) -> TableWriter.Cell {
        switch column {
        case .value(let selector): TableWriter.Cell(text: text(of: selector, at: ordinal))
        case .snippetField: TableWriter.Cell(text: ValueText.display(values.value(of: column, at: ordinal)))
        case .snippet: values.snippets(at: ordinal).first?.cell ?? TableWriter.Cell(text: "")
        }
    }

    /// A table cell: distances in kilometres or metres, scores with three digits, everything else as a value.
    private func text(of column: FieldSelector, at ordinal: Int) -> String {
        let value = values.value(of: column.criterion, at: ordinal)
        if case .relevance = column.criterion, case .double(let score) = value {
            let thousandths = String(Int((score * 1_000).rounded()) + 1_000)
            return "\(Int((score * 1_000).rounded()) / 1_000).\(thousandths.suffix(3))"
        }
        guard case .distance = column.criterion, case .double(let metres) = value else {
            return ValueText.display(value)
        }
        if metres < 1_000 { return "\(Int(metres.rounded())) m" }
        let tenths = Int((metres / 100).rounded())
        return "\(tenths / 10).\(tenths % 10) km"
    }

    /// A line a field, those that the record has, the names right-aligned; a blank line between records. On a terminal
    /// long values go on below their beginning.
    private func fieldLines(_ ordinals: [Int]) {
        for (index, ordinal) in ordinals.enumerated() {
            if writer.isClosed { break }
            let named = layout.fields ?? []
            let extra = layout.extraColumns.filter { column in !named.contains { $0.title == column.title } }
            let members = (extra + named).map { ($0.title, text(of: $0, at: ordinal)) }
            let fields = layout.fields == nil ? self.members(of: ordinal).map { ($0.0, ValueText.display($0.1)) } : []
            let all = (members + fields).map { (ValueText.singleLine($0.0), $0.1) }
            let width = all.map { TextWidth.columns(of: $0.0) }.max() ?? 0
            if index > 0 { writer.write("\n") }
            let indent = "\n" + String(repeating: " ", count: width + 2)
            for (name, value) in all {
                let margin = String(repeating: " ", count: width - TextWidth.columns(of: name))
                let room = max(20, (layout.width ?? .max) - width - 3)
                let lines = layout.width == nil ? [value] : WrappedText.lines(of: value, columns: room)
                writer.write(margin + layout.style.bold(name) + "  " + lines.joined(separator: indent) + "\n")
            }
        }
    }

    /// RFC 4180, with a header line.
    private func separated(_ ordinals: [Int], by separator: Unicode.Scalar) {
        let columns = separatedColumns
        var cells = CSVWriter(separator: separator)
        if layout.hasTitles {
            for (column, type) in columns {
                let title = layout.isShown ? ValueText.singleLine(column.title) : column.title
                if let type { cells.write(title: title, of: type) } else { cells.write(title) }
            }
            cells.endLine()
        }
        for ordinal in ordinals {
            if writer.isClosed { break }
            for (column, type) in columns {
                let value = values.value(of: column, at: ordinal)
                if layout.isShown {
                    cells.write(ValueText.shown(value))
                } else if let type {
                    cells.write(value, as: type)
                } else {
                    cells.write(value)
                }
            }
            cells.endLine()
            writer.append(&cells.bytes)
        }
        writer.append(&cells.bytes)
    }

    /// The columns requested, or all there are, whatever matches: those of the files' headers in their order, then
    /// the fields that no header names.
    private var separatedColumns: [(column: ResultColumn, type: FieldType?)] {
        if layout.fields != nil || values.snippets != nil { return columns(for: []).map { ($0, nil) } }
        let named = set.fileColumns
        var known = Set(named.map(\.name))
        var others: [String] = named.isEmpty ? partNames : []
        known.formUnion(others)
        others += set.fieldNames.filter { known.insert($0).inserted }
        return (named.map { ($0.name, $0.type) } + others.map { ($0, nil) }).map { name, type in
            (.value(FieldSelector(criterion: .field(name))), type)
        }
    }

    // MARK: JSON

    private func lines(_ ordinals: [Int]) throws(CommandError) {
        for ordinal in ordinals {
            if writer.isClosed { break }
            try appendObject(ordinal)
            writer.bytes.append(0x0A)
            writer.flushIfFull()
        }
    }

    private func array(_ ordinals: [Int]) throws(CommandError) {
        writer.write("[")
        for (index, ordinal) in ordinals.enumerated() {
            if writer.isClosed { break }
            writer.write(index == 0 ? "\n" : ",\n")
            try appendObject(ordinal)
            writer.flushIfFull()
        }
        writer.write(ordinals.isEmpty ? "]\n" : "\n]\n")
    }

    /// The line the record was read from, unchanged, where all of it is requested; else an object of the fields.
    private func appendObject(_ ordinal: Int) throws(CommandError) {
        if layout.fields == nil, values.snippets == nil {
            do throws(FileError) {
                if try set.appendSource(of: ordinal, to: &writer.bytes) { return }
            } catch {
                throw CommandError(error)
            }
        }
        append(object: members(of: ordinal))
    }

    /// Names and values of what is requested, and snippets where they are.
    private func members(of ordinal: Int) -> [(String, FieldValue)] {
        recordMembers(of: ordinal) + (values.snippets == nil ? [] : [("snippets", values.snippetList(at: ordinal))])
    }

    /// Names and values of what is requested; without `--fields` only values that there are.
    private func recordMembers(of ordinal: Int) -> [(String, FieldValue)] {
        if let fields = layout.fields {
            return fields.map { ($0.title, values.value(of: $0.criterion, at: ordinal)) }
        }
        var members: [(String, FieldValue)] = []
        if set.hasNames { members.append(("id", .string(set.recordName(at: ordinal)))) }
        if set.hasTypes { members.append(("type", .string(set.recordType(at: ordinal)))) }
        for name in set.fieldNames where !members.contains(where: { $0.0 == name }) {
            let value = values.value(of: .field(name), at: ordinal)
            if !value.isNull { members.append((name, value)) }
        }
        return members
    }

    private func append(object members: [(String, FieldValue)]) {
        var json = JSONWriter()
        json.bytes.append(UInt8(ascii: "{"))
        for (index, (name, value)) in members.enumerated() {
            if index > 0 { json.bytes.append(UInt8(ascii: ",")) }
            json.write(name)
            json.bytes.append(UInt8(ascii: ":"))
            json.write(value)
        }
        json.bytes.append(UInt8(ascii: "}"))
        writer.append(&json.bytes)
    }

    /// RFC 7946: one feature a record; its place is the first location, its properties are all others, and a location
    /// that says more than its place.
    private func features(_ ordinals: [Int]) throws(CommandError) {
        writer.write(#"{"type":"FeatureCollection","#)
        var others = set.collectionMembers
        if !others.isEmpty { others.append(UInt8(ascii: ",")) }
        writer.append(&others)
        writer.write(#""features":["#)
        for (index, ordinal) in ordinals.enumerated() {
            if writer.isClosed { break }
            writer.write(index == 0 ? "\n" : ",\n")
            if layout.fields == nil, values.snippets == nil {
                do throws(FileError) {
                    if try set.appendSource(of: ordinal, asFeature: true, to: &writer.bytes) {
                        writer.flushIfFull()
                        continue
                    }
                } catch {
                    throw CommandError(error)
                }
            }
            feature(ordinal)
        }
        writer.write(ordinals.isEmpty ? "]}\n" : "\n]}\n")
    }

    /// The shape that a value is; `nil` for other values.
    private static func geometry(_ value: FieldValue) -> JSONValue? {
        switch value {
        case .location(let place):
            let numbers = [place.longitude, place.latitude] + [place.details?.altitude].compactMap(\.self)
            return .members(["type": .string("Point"), "coordinates": .array(numbers.map { .double($0) })])
        case .object(let members):
            guard case .string(let type)? = members["type"], type != "Point", members["coordinates"] != nil else {
                return nil
            }
            var json = JSONWriter()
            json.write(members["coordinates"] ?? .null)
            guard let places = try? JSONReader.tree(String(decoding: json.bytes, as: UTF8.self)) else { return nil }
            return .members(["type": .string(type), "coordinates": places])
        default: return nil
        }
    }

    /// Whether a value is a location of which a shape does not say all.
    private static func hasMore(_ value: FieldValue) -> Bool {
        guard case .location(let place) = value, var details = place.details else { return false }
        details.altitude = nil
        return details != Location.Details()
    }

    private func feature(_ ordinal: Int) {
        var properties = members(of: ordinal).filter { $0.0 != "id" }
        var geometry = JSONValue.null
        for (index, property) in properties.enumerated() {
            guard let shape = Self.geometry(property.1) else { continue }
            geometry = shape
            if !Self.hasMore(property.1) { properties.remove(at: index) }
            break
        }
        let name = JSONValue.string(set.recordName(at: ordinal))
        writer.write("{\"type\":\"Feature\",\"id\":\(name.text),\"geometry\":\(geometry.text),\"properties\":")
        append(object: properties)
        writer.write("}")
    }
}

extension FieldSelector {
    /// A selector of a known criterion.
    init(criterion: SortKey.Criterion) { self.criterion = criterion }
}

extension FieldValue {
    /// Whether the value is a number.
    var isNumber: Bool {
        switch self {
        case .int64, .double: true
        default: false
        }
    }

    /// Whether the value is of a kind that never takes much room.
    var isShort: Bool {
        switch self {
        case .bool, .date: true
        default: isNumber
        }
    }
}
