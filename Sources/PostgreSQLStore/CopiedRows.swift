// New records as rows of COPY.

import FoundationEssentials
import RecordDatabase
import RecordModel
import RecordPushdown

/// New rows of one type in the server's binary form.
struct CopiedRows {
    /// `COPY … FROM STDIN`.
    let statement: Statement
    private let layout: ColumnLayout
    private let owner: String
    private let zones: [String: Int64]
    private let coding: RowCoding
    private let columns: [(field: FieldColumn, name: String)]
    private let rows: [ServerRow]

    /// Bytes that are sent together, about.
    private static let pieceSize = 1 << 18

    init(_ rows: [ServerRow], ofType type: String, _ schema: ContainerSchema, _ commit: CommitStatements) {
        layout = Layout.columns(of: type, schema.recordTypes[type] ?? ContainerSchema.RecordType())
        (self.rows, owner, zones, coding) = (rows, commit.owner, commit.zones, commit.coding)
        columns = layout.columnNames
        let names = ColumnLayout.derived.map(\.name) + columns.map { Statement.name($0.name) }
        statement = Statement(
            """
            COPY \(Layout.table(of: type))(_b, _z, _n, _s, _c, _t0, _u0, _t1, _u1, _p, _h, _r,
            \(names.joined(separator: ", "))) FROM STDIN (FORMAT binary)
            """)
    }

    /// Copies the rows in the transaction that is open.
    func copy(on connection: Connection) throws(CallError) {
        let pieces: [[UInt8]]
        do throws(DatabaseError) { pieces = try self.pieces() } catch { throw .database(error) }
        do throws(ServerError) { try connection.copy(statement, pieces) } catch { throw .server(error) }
    }

    /// The bytes, in pieces.
    ///
    /// - Throws: `DatabaseError` for a value that nests too deeply, and a zone that the server does not have.
    /// - Complexity: O(values).
    private func pieces() throws(DatabaseError) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        // A mark, no flags, nothing more of a header.
        var bytes = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]
        bytes.append(bigEndian: Int64(0))
        for row in rows {
            try write(row, to: &bytes)
            if bytes.count >= Self.pieceSize {
                pieces.append(bytes)
                bytes = []
            }
        }
        bytes.append(bigEndian: Int16(-1))
        return pieces + [bytes]
    }

    private func write(_ row: ServerRow, to bytes: inout [UInt8]) throws(DatabaseError) {
        guard let zone = zones[row.id.zoneID.zoneName] else { throw CommitStatements.missingZone }
        let projection = RowProjection(row.fields, layout)
        bytes.append(bigEndian: Int16(12 + ColumnLayout.derived.count + columns.count))
        let values: [Parameter] = [
            .int16(Layout.bucket(of: row.id, owner: owner)), .int32(Int32(truncatingIfNeeded: zone)),
            .text(row.id.recordName), .int64(row.change), .int64(row.change),
            .double(row.creationDate.timeIntervalSinceReferenceDate), .text(row.creator),
            .double(row.modificationDate.timeIntervalSinceReferenceDate), .text(row.lastModifier),
            .text(row.parent?.recordID.recordName), .text(row.share?.recordID.recordName),
            .bytes(try coding.bytes(of: row.fields)),
            .int16(projection.marks.rawValue), projection.marks.isDisjoint(with: .odd) ? .null(.bool) : .bool(true),
        ]
        for value in values { value.writeCounted(to: &bytes) }
        bytes.appendCounted { Self.write(projection.lexemes, to: &$0) }
        for (field, name) in columns {
            let value = projection.values[name]?.parameter ?? .null(field.kind.parameter)
            value.writeCounted(to: &bytes)
        }
    }

    /// The number of words, then each with the number of its places, and these.
    private static func write(_ lexemes: [(word: String, places: [Int])], to bytes: inout [UInt8]) {
        bytes.append(bigEndian: Int32(truncatingIfNeeded: lexemes.count))
        for (word, places) in lexemes {
            bytes += word.utf8
            bytes.append(0)
            bytes.append(bigEndian: UInt16(truncatingIfNeeded: places.count))
            for place in places { bytes.append(bigEndian: UInt16(truncatingIfNeeded: place)) }
        }
    }
}

extension ColumnLayout {
    /// The columns of the fields, in the order of their names.
    var columnNames: [(field: FieldColumn, name: String)] {
        fields.values.sorted { $0.name < $1.name }.flatMap { field in field.columns.map { (field, $0.name) } }
    }
}
