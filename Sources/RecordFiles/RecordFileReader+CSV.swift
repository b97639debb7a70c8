// Comma- and tab-separated values as records.

import RecordColumns
import RecordModel

extension RecordFileReader {
    /// Loads records of cells under a header. Kinds are those that the options or the header name (`population:INT64`),
    /// else those that suit all cells of a column; cells without content are no values.
    func loadCells(_ lines: LineReader, from source: ByteSource, separator: Unicode.Scalar) throws(FileError) {
        let cells = CSVParser(lines, separator: separator, limits: options.limits)
        do throws(FileError) {
            guard try cells.header() else { return }
            let header = try readHeader(cells)
            var typed = TypedCells(try RecordAppender(loader, options), maximumDepth: options.limits.maximumDepth)
            typed.readsDecimalCommas = separator == ";"
            while try nextRecord(cells, source) {
                do throws(FileError) { try append(cells, header, typed) } catch {
                    var error = error
                    error.line = error.line ?? options.linesBefore + cells.line
                    try leaveOut(error, source, lines: cells.lineCount)
                }
                try tick(lines, source)
            }
        } catch {
            var error = error
            error.file = source.name
            throw error
        }
    }

    private func nextRecord(_ cells: CSVParser, _ source: ByteSource) throws(FileError) -> Bool {
        while true {
            do throws(FileError) { return try cells.next() } catch {
                var error = error
                error.line = error.line.map { $0 + options.linesBefore }
                try leaveOut(error, source, lines: cells.lineCount)
            }
        }
    }

    /// What the cells of a record are.
    private struct Header {
        /// The number of each field's name.
        var keys: [Int]
        /// The types that the header or the options name.
        var types: [FieldType?]
        /// Whether a type is told by other cells, which this column's may not suit.
        var isGuess: [Bool]
        var idCell: Int?
        var typeCell: Int?
        var zoneCell: Int?

        /// Whether a cell is a part of the record other than a field.
        func isPart(_ index: Int) -> Bool { index == idCell || index == typeCell || index == zoneCell }
    }

    private func readHeader(_ cells: CSVParser) throws(FileError) -> Header {
        var keys: [Int] = []
        var types: [FieldType?] = []
        var isGuess: [Bool] = []
        for index in 0..<cells.count {
            let title = unsafe cells.cell(index).map { unsafe String(decoding: $0, as: UTF8.self) } ?? ""
            let (name, titleType) = Self.parts(ofTitle: title)
            let type = options.columnTypes[name] ?? titleType
            let key = try newKey(name.isEmpty ? "column\(index + 1)" : name, keys)
            keys.append(key)
            types.append(type ?? options.guessedTypes[loader.fieldNames[key]])
            isGuess.append(type == nil && types[index] != nil)
            note(column: loader.fieldNames[key], type)
        }
        return Header(
            keys: keys, types: types, isGuess: isGuess,
            idCell: keys.firstIndex { loader.fieldNames[$0] == options.idField },
            typeCell: options.typeField.flatMap { type in keys.firstIndex { loader.fieldNames[$0] == type } },
            zoneCell: keys.firstIndex { loader.fieldNames[$0] == SystemKeys.zone })
    }

    /// The number of a column's name, or where the header has it already of the name with a number behind it.
    private func newKey(_ name: String, _ keys: [Int]) throws(FileError) -> Int {
        var (tried, count) = (name, 0)
        while true {
            do throws(ColumnError) {
                let key = try loader.fieldNames.number(of: tried)
                if !keys.contains(key) {
                    if count > 0 { tell("the header names '\(name)' again: that column is '\(tried)'") }
                    return key
                }
            } catch {
                throw FileError(error)
            }
            count += 1
            tried = "\(name)_\(count)"
        }
    }

    /// The name and the type in a title such as `population:INT64`; all of it is the name if no type ends it.
    private static func parts(ofTitle title: String) -> (name: String, type: FieldType?) {
        guard let colon = title.lastIndex(of: ":"), colon > title.startIndex,
            let type = FieldType(schemaName: String(title[title.index(after: colon)...]))
        else { return (title, nil) }
        return (String(title[..<colon]), type)
    }

    private func append(_ cells: CSVParser, _ header: Header, _ typed: TypedCells) throws(FileError) {
        let keys = header.keys
        guard cells.count == keys.count else {
            throw FileError(
                kind: .notARecord, message: "\(cells.count) cells where the header has \(keys.count)",
                hint: "a cell with a separator or a line end needs quotes")
        }
        let origin = origin(line: options.linesBefore + cells.line)
        do throws(ColumnError) {
            try begin(cells, header, origin: origin)
        } catch {
            var error = FileError(error)
            if error.kind == .duplicate { error.field = options.idField }
            throw error
        }
        do throws(FileError) {
            for (index, key) in keys.enumerated() where !header.isPart(index) {
                if let type = header.types[index] {
                    // A type of records has only the columns that it has values in.
                    guard let cell = unsafe cells.cell(index) else { continue }
                    let column = loader.column(forKey: key)
                    if header.isGuess[index] {
                        try unsafe append(cell, guessedAs: type, typed, to: column, origin: origin)
                        continue
                    }
                    column.shape.declare(type)
                    try unsafe typed.append(cell, as: type, to: column, row: loader.row, origin: origin)
                    continue
                }
                let column = loader.column(forKey: key)
                column.shape.infersFromText = true
                if typed.readsDecimalCommas { column.shape.readsDecimalCommas = true }
                guard let cell = unsafe cells.cell(index) else { continue }
                do throws(ColumnError) {
                    try unsafe column.append(cell: cell, row: loader.row, origin: origin)
                } catch {
                    throw FileError(error)
                }
            }
        } catch {
            loader.rollBack()
            throw error
        }
        loader.commit(bytes: cells.byteCount)
        guard options.keepsNulls else { return }
        let empty = keys.indices.filter { index in !header.isPart(index) && (unsafe cells.cell(index) == nil) }
        noteNulls(empty.map { keys[$0] })
    }

    /// Puts a cell into a column as what other cells of it are, else as the text that it is.
    private func append(
        _ cell: UnsafeBufferPointer<UInt8>, guessedAs type: FieldType, _ typed: TypedCells, to column: ColumnBuilder,
        origin: Int
    ) throws(FileError) {
        if type != .string {
            do throws(FileError) {
                return try unsafe typed.append(cell, as: type, to: column, row: loader.row, origin: origin)
            } catch {
                guard error.kind == .value else { throw error }
                if cell.isEmpty { return }
            }
        }
        do throws(ColumnError) { try unsafe column.append(literal: cell, row: loader.row, origin: origin) } catch {
            throw FileError(error)
        }
    }

    private func begin(_ cells: CSVParser, _ header: Header, origin: Int) throws(ColumnError) {
        let id = unsafe header.idCell.flatMap { unsafe cells.cell($0) }
        let type = unsafe header.typeCell.flatMap { unsafe cells.cell($0) }
        let zone = unsafe header.zoneCell.flatMap { unsafe cells.cell($0) }
        let zoneID =
            unsafe zone.map { unsafe RecordZone.ID(String(decoding: $0, as: UTF8.self)) } ?? options.defaultZone
        let fallbackName = Array(fallbackName(options.linesBefore + cells.line).utf8)
        let defaultType = Array(options.defaultType.utf8)
        unsafe try fallbackName.withUnsafeBufferPointer { fallbackName throws(ColumnError) in
            unsafe try defaultType.withUnsafeBufferPointer { defaultType throws(ColumnError) in
                try unsafe loader.begin(
                    type: type ?? defaultType, name: id ?? fallbackName, zoneID: zoneID, origin: origin)
            }
        }
        if unsafe id != nil { loader.noteName() }
        if unsafe type != nil { loader.hasTypes = true }
    }
}
