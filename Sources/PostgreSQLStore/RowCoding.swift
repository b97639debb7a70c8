// Rows of records, from what the server sends and to what it takes.

import FoundationEssentials
import RecordDatabase
package import RecordModel

/// The columns of a record as they are read, in this order, and the rows that they make.
package struct RowCoding {
    /// What paths of assets are.
    let assets: AssetPaths

    /// Columns of a row `r` of a type's table.
    ///
    /// - Parameter zone: What names its zone.
    static func columns(ofType type: String, zone: String = "z.name") -> String {
        "\(Statement.literal(type)) AS type, \(zone), r._n, r._c, r._t0, r._u0, r._t1, r._u1, r._p, r._r, r._s, r._h"
    }

    /// How many columns these are.
    static let columnCount = 12

    /// The rows of a statement.
    /// - Throws: `DatabaseError` for bytes that are no record.
    func rows(_ set: RowSet) throws(DatabaseError) -> [(row: ServerRow, order: Int64)] {
        var rows: [(row: ServerRow, order: Int64)] = []
        rows.reserveCapacity(set.count)
        var zoneID: RecordZone.ID?
        for number in 0..<set.count {
            guard let name = set.text(number, 1) else { throw Self.damaged }
            // Most rows are of the zone of those before them.
            let zone = zoneID?.zoneName == name ? zoneID ?? RecordZone.ID(name) : RecordZone.ID(name)
            rows.append(try row(set, number, zone))
            zoneID = zone
        }
        return rows
    }

    /// As `rows`, with the error that calls have.
    func readRows(_ set: RowSet) throws(CallError) -> [(row: ServerRow, order: Int64)] {
        do throws(DatabaseError) { return try rows(set) } catch { throw .database(error) }
    }

    private func row(
        _ set: RowSet, _ number: Int, _ zoneID: RecordZone.ID
    ) throws(DatabaseError) -> (row: ServerRow, order: Int64) {
        guard let type = set.text(number, 0), let name = set.text(number, 2), let change = set.int64(number, 3),
            let bytes = set.bytes(number, 9), let order = set.int64(number, 10)
        else { throw Self.damaged }
        let made = Date(timeIntervalSinceReferenceDate: set.double(number, 4) ?? 0)
        let changed = Date(timeIntervalSinceReferenceDate: set.double(number, 6) ?? 0)
        let parent = set.text(number, 8).map { RecordReference(recordID: Record.ID($0, zoneID: zoneID)) }
        var row = ServerRow(
            Record.ID(name, zoneID: zoneID), type: type, fields: try fields(bytes), parent: parent,
            made: (made, set.text(number, 5)), changed: (changed, set.text(number, 7), change))
        row.share = set.text(number, 11).map { RecordReference(recordID: Record.ID($0, zoneID: zoneID)) }
        return (row, order)
    }

    private static var damaged: DatabaseError { DatabaseError(.internalError, "a row of the server is no record") }

    /// The fields of bytes of a row.
    /// - Throws: `DatabaseError` of code `internalError` for bytes that are no fields.
    package func fields(_ bytes: [UInt8]) throws(DatabaseError) -> [String: FieldValue] {
        do throws(BinaryError) {
            var reader = BinaryReader(bytes)
            let count = try reader.number()
            var fields: [String: FieldValue] = [:]
            fields.reserveCapacity(Int(min(count, 64)))
            for _ in 0..<min(count, UInt64(bytes.count)) {
                let name = try reader.text()
                fields[name] = assets.read(try FieldValue(from: &reader))
            }
            try reader.finish()
            return fields
        } catch {
            throw Self.damaged
        }
    }

    /// The bytes of fields, in the order of their names.
    /// - Throws: `DatabaseError` for values that nest too deeply.
    package func bytes(of fields: [String: FieldValue]) throws(DatabaseError) -> [UInt8] {
        var writer = BinaryWriter()
        writer.write(count: fields.count)
        do throws(BinaryError) {
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
                writer.write(name)
                try assets.stored(value).write(to: &writer)
            }
        } catch {
            throw DatabaseError(.invalidArguments, "a value of the record nests too deeply")
        }
        return writer.bytes
    }
}

extension RowCoding {
    /// - Parameter folder: Where the files of assets are.
    package init(assetFolder folder: String) { self.init(assets: AssetPaths(folder: folder)) }
}

extension Record.ID {
    /// Whether the server can have a record of the name: it has no texts with U+0000.
    var isStorable: Bool { !recordName.utf8.contains(0) && !zoneID.zoneName.utf8.contains(0) }
}
