// Rows of tables that others keep as records: typed columns are the fields.

package import FoundationEssentials
import RecordColumns
import RecordFiles
package import RecordModel
import RecordStore

/// A table whose rows are taken for records.
package struct RecordTable: Sendable {
    /// The name, which is the records' type.
    package let name: String
    /// The columns, in their order.
    package let fields: [FieldDefinition]
    /// The column that names the records; `nil` where their numbers do.
    package let key: String?
    /// The columns that begin an index.
    package let indexed: Set<String>

    /// A table; neither names nor types are checked here.
    package init(name: String, fields: [FieldDefinition], key: String?, indexed: Set<String> = []) {
        (self.name, self.fields, self.key, self.indexed) = (name, fields, key, indexed)
    }

    /// The table without rows, to bind predicates to.
    package var empty: RecordSet {
        RecordTableLoader(self, columns: fields.map(\.name), after: 0, moment: nil).finish()
    }
}

/// Takes rows of a table one after another.
package final class RecordTableLoader {
    private let table: RecordTable
    private let columns: [String]
    private let type: [UInt8]
    private let loader = RecordLoader(keys: .ofTable, readsDates: false, isWidening: true)
    /// The numbers of the columns' names.
    private var keys: [Int] = []
    private let keyPosition: Int?
    private let moment: Date?
    private let firstNumber: Int

    /// - Parameters:
    ///   - columns: The columns that the rows have, in this order.
    ///   - count: Rows of the table that others took before.
    ///   - moment: The moment that queries are of; `nil` for that of each.
    package init(_ table: RecordTable, columns: [String], after count: Int, moment: Date?) {
        (self.table, self.columns, firstNumber, self.moment) = (table, columns, count, moment)
        type = Array(table.name.utf8)
        keyPosition = table.key.flatMap { columns.firstIndex(of: $0) }
    }

    /// Adds a row, with a value for each column.
    ///
    /// - Throws: `DatabaseError` for two rows of one name, and for more than memory has room for.
    /// - Complexity: O(values).
    package func append(_ values: [FieldValue]) throws(DatabaseError) {
        let number = firstNumber + loader.count + 1
        do throws(ColumnError) {
            if keys.isEmpty { for column in columns { keys.append(try loader.fieldNames.number(of: column)) } }
            let name = Array((keyPosition.map { Self.text(values[$0]) } ?? "\(number)").utf8)
            unsafe try type.withUnsafeBufferPointer { type throws(ColumnError) in
                try unsafe name.withUnsafeBufferPointer { name throws(ColumnError) in
                    try unsafe loader.begin(type: type, name: name, origin: number)
                }
            }
            for (key, value) in zip(keys, values) {
                // Also without a value: the column is there.
                try loader.column(forKey: key).append(value, row: loader.row, origin: number)
            }
        } catch {
            loader.rollBack()
            let failure = FileError(error)
            throw DatabaseError(
                .invalidArguments, "row \(number) of the table: \(failure.message)",
                hint: table.key.map { "the column '\($0)' names the rows: --id-field names another one" })
        }
        loader.commit(bytes: 64 * values.count)
        guard loader.count % 10_000 != 0 || loader.byteCount <= LoadLimits().maximumMemory else {
            throw DatabaseError(
                .limitExceeded, "the rows so far take more memory than this machine has to spare",
                hint: "without an order rows are printed as they come; --fields reads fewer columns")
        }
    }

    /// A value as a name.
    private static func text(_ value: FieldValue) -> String {
        switch value {
        case .string(let text): text
        case .int64(let number): "\(number)"
        default: "\(value)"
        }
    }

    /// The rows as records. The loader is of no use afterwards.
    ///
    /// - Parameter pushed: What a server did to find them, for explanations.
    package func finish(pushed: QueryExplanation.Pushed? = nil) -> RecordSet {
        let loaded = loader.finish()
        var source = RecordSet.Source(origins: loaded.origins, hasNames: false, hasTypes: false)
        source.report = LoadReport(titles: columns)
        (source.moment, source.pushed) = (moment, pushed)
        source.serverIndexes = ServerIndexes(indexed: table.indexed)
        var type = ContainerSchema.RecordType()
        for field in table.fields { type.define(field.name, ContainerSchema.Field(field.type)) }
        return RecordSet(Snapshot(loaded), recordType: table.name, source: source, declared: type)
    }
}
