// Comma- and tab-separated values as records.

import RecordColumns

extension RecordFileReader {
    /// Loads records of cells under a header. Kinds are those that suit all cells of a column; cells without content
    /// are no values.
    func loadCells(_ lines: LineReader, from source: ByteSource, separator: Unicode.Scalar) throws(FileError) {
        let cells = CSVParser(lines, separator: separator, limits: options.limits)
        do throws(FileError) {
            guard try cells.next() else { return }
            let header = try readHeader(cells)
            while try nextRecord(cells, source) {
                do throws(FileError) { try append(cells, header) } catch {
                    var error = error
                    error.line = error.line ?? cells.line
                    try leaveOut(error, source)
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
            do throws(FileError) { return try cells.next() } catch { try leaveOut(error, source) }
        }
    }

    /// What the cells of a record are.
    private struct Header {
        /// The number of each field's name.
        var keys: [Int]
        var idCell: Int?
        var typeCell: Int?
    }

    private func readHeader(_ cells: CSVParser) throws(FileError) -> Header {
        var keys: [Int] = []
        for index in 0..<cells.count {
            let name = unsafe cells.cell(index).map { unsafe String(decoding: $0, as: UTF8.self) } ?? ""
            let key: Int
            do throws(ColumnError) {
                key = try builder.fieldNames.number(of: name.isEmpty ? "column\(index + 1)" : name)
            } catch {
                throw FileError(error)
            }
            guard !keys.contains(key) else {
                throw FileError(
                    kind: .duplicate, line: cells.line, field: builder.fieldNames[key],
                    message: "the header names a column twice")
            }
            keys.append(key)
        }
        return Header(
            keys: keys, idCell: keys.firstIndex { builder.fieldNames[$0] == options.idField },
            typeCell: options.typeField.flatMap { type in keys.firstIndex { builder.fieldNames[$0] == type } })
    }

    private func append(_ cells: CSVParser, _ header: Header) throws(FileError) {
        let keys = header.keys
        guard cells.count == keys.count else {
            throw FileError(
                kind: .notARecord, message: "\(cells.count) cells where the header has \(keys.count)",
                hint: "a cell with a separator or a line end stands in quotes")
        }
        let origin = origin(line: cells.line)
        do throws(ColumnError) {
            try begin(cells, header, origin: origin)
        } catch {
            var error = FileError(error)
            if error.kind == .duplicate { error.field = options.idField }
            throw error
        }
        do throws(ColumnError) {
            for (index, key) in keys.enumerated() where index != header.idCell && index != header.typeCell {
                let column = builder.column(forKey: key)
                column.shape.infersFromText = true
                if let cell = unsafe cells.cell(index) {
                    try unsafe column.append(cell: cell, row: builder.row, origin: origin)
                }
            }
        } catch {
            builder.rollBack()
            throw FileError(error)
        }
        builder.commit(bytes: cells.byteCount)
    }

    private func begin(_ cells: CSVParser, _ header: Header, origin: Int) throws(ColumnError) {
        let id = unsafe header.idCell.flatMap { unsafe cells.cell($0) }
        let type = unsafe header.typeCell.flatMap { unsafe cells.cell($0) }
        let fallbackName = Array(fallbackName(cells.line).utf8)
        let defaultType = Array(options.defaultType.utf8)
        unsafe try fallbackName.withUnsafeBufferPointer { fallbackName throws(ColumnError) in
            unsafe try defaultType.withUnsafeBufferPointer { defaultType throws(ColumnError) in
                try unsafe builder.begin(type: type ?? defaultType, name: id ?? fallbackName, origin: origin)
            }
        }
        if unsafe id != nil { builder.hasNames = true }
        if unsafe type != nil { builder.hasTypes = true }
    }
}
