// Records that are all new, checked column by column.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore

/// Rows of a segment on their way into a database.
///
/// The checks are those of `BatchPlan`, made for a column at a time. Whatever needs a look at single records (a record
/// that is there already, references, assets, a value that is rejected) makes the load give up, and the records go one
/// by one.
struct ColumnLoad {
    private let segment: Segment
    private let caller: Caller
    /// The types of fields, which define those that are new.
    private let declared: [String: FieldType]
    /// Bytes of names and values.
    let byteCount: Int

    /// - Parameter rows: Rows of the segment, all of them or some.
    /// `nil` when the records have to go one by one.
    init?(_ rows: Range<Int>, of segment: Segment, declared: [String: FieldType] = [:], _ caller: Caller) {
        let limits = caller.configuration.limits
        guard segment.zoneID == .default, segment.recordType != ContainerSchema.userRecordType,
            segment.recordType != ContainerSchema.shareType, !rows.isEmpty,
            segment.columns.allSatisfy({ $0.presentCount == 0 || Self.canLoad($0.type) })
        else { return nil }
        var part = segment
        if rows != 0..<segment.count {
            var gathering = RowGather()
            gathering.append(source: 0, rows: rows)
            let gathered = try? Segment.gathered(
                gathering, of: [segment], schema: segment.schema, zoneID: segment.zoneID)
            guard let gathered else { return nil }
            part = gathered
        }
        self.segment = part
        (self.caller, self.declared) = (caller, declared)
        byteCount = part.byteCount
        // Then no record has more bytes than it may.
        guard byteCount <= limits.bytesPerRecord, hasLegalNames else { return nil }
    }

    /// Whether values of a type can be looked at without the record that they belong to.
    private static func canLoad(_ type: FieldType) -> Bool {
        switch type {
        case .int64, .double, .bool, .string, .date, .data, .location: true
        case .list(let element?): canLoad(element)
        // Among values of several kinds there may be references and assets.
        case .any, .list(nil), .number, .reference, .asset, .object: false
        }
    }

    private var hasLegalNames: Bool {
        let length = caller.configuration.limits.nameLength
        return (0..<segment.count).allSatisfy { row in
            (try? NameRules.check(segment.recordID(row), maximumLength: length)) != nil
        }
    }

    /// Adds the rows to a commit, with what the database writes about records, and what they add to the schema; false
    /// when the records have to go one by one.
    func add(
        to commit: inout Commit, on snapshot: Snapshot, _ schema: ContainerSchema, firstChange: Int64
    ) -> Bool {
        let type = segment.recordType
        let mayCreate = commit.scope == .private || caller.may(.create, type: schema.recordTypes[type])
        let isConstrained = schema.recordTypes[type]?.isConstrained ?? false
        guard mayCreate, !isConstrained, areNew(in: snapshot) else { return false }
        var draft = SchemaDraft(
            schema, environment: caller.configuration.environment,
            maximumNameLength: caller.configuration.limits.nameLength)
        let check = ValueCheck(zoneID: segment.zoneID, caller)
        do {
            _ = try draft.stored(firstValues, ofType: type, declared: declared, check)
            var columns: [(name: String, column: Column)] = []
            for (field, column) in zip(segment.schema.fields, segment.columns) where column.presentCount > 0 {
                guard let stored = draft.schema.recordTypes[type]?.fields[field.name]?.type,
                    schema.recordTypes[type]?.fields[field.name] != nil || !column.hasEmptyLists
                else { return false }
                columns.append((field.name, try column.stored(as: stored, field.name, check)))
            }
            columns += try metadata(of: commit, firstChange: firstChange)
            commit.rows = NewRows(
                recordType: type, zoneID: segment.zoneID, names: segment.names, columns: columns)
        } catch {
            // The record that it is about is found one by one.
            return false
        }
        if draft.hasGrown { commit.schema = draft.schema }
        return true
    }

    private func areNew(in snapshot: Snapshot) -> Bool {
        (0..<segment.count).allSatisfy { row in
            unsafe segment.names.withBytes(row) { name in
                let hash = unsafe ByteHash.hash(name)
                return unsafe snapshot.address(named: name, hash: hash, zoneID: segment.zoneID) == nil
            }
        }
    }

    /// The first value of each field: the one that a schema learns from.
    private var firstValues: [String: FieldValue] {
        var values: [String: FieldValue] = [:]
        for (field, column) in zip(segment.schema.fields, segment.columns) {
            guard let row = (0..<column.count).first(where: column.isPresent) else { continue }
            values[field.name] = column.value(row)
        }
        return values
    }

    /// What the database writes about records, as columns.
    private func metadata(
        of commit: Commit, firstChange: Int64
    ) throws(ColumnError) -> [(name: String, column: Column)] {
        var columns: [(name: String, column: Column)] = []
        func add(_ name: String, _ value: (Int) -> FieldValue) throws(ColumnError) {
            columns.append((name, try .of(name, count: segment.count, value)))
        }
        let date = FieldValue.date(commit.date)
        try add(MetadataColumn.modificationDate) { _ in date }
        try add(MetadataColumn.changeTag) { .int64(firstChange &+ Int64($0)) }
        try add(MetadataColumn.creationDate) { _ in date }
        guard let userName = commit.userName else { return columns }
        let user = FieldValue.reference(RecordReference(recordID: Record.ID(userName)))
        try add(MetadataColumn.lastModifier) { _ in user }
        try add(MetadataColumn.creator) { _ in user }
        return columns
    }
}

extension Column {
    /// Whether a list without elements is among the values.
    fileprivate var hasEmptyLists: Bool {
        guard case .list(let lists) = values else { return false }
        return (0..<count).contains { isPresent($0) && lists.range($0).isEmpty }
    }

    /// The column as a field of a type stores it.
    /// - Throws: `ValueFault` for a value that the field cannot hold, `ColumnError`.
    fileprivate func stored(as type: FieldType, _ name: String, _ check: ValueCheck) throws -> Column {
        if type == self.type, isStoredAsItIs { return self }
        var isOther = false
        for row in 0..<count where isPresent(row) && !isOther {
            isOther = try check.stored(value(row), as: type) != nil
        }
        guard isOther else { return self }
        var fault: ValueFault?
        let column = try Column.of(name, count: count) { row in
            let value = self.value(row)
            do throws(ValueFault) {
                return try check.stored(value, as: type) ?? value
            } catch {
                fault = error
                return .null
            }
        }
        if let fault { throw fault }
        return column
    }

    /// Whether every value of the column's type can be stored.
    private var isStoredAsItIs: Bool {
        switch values {
        case .int64, .text, .dictionary, .data: true
        case .list(let lists): lists.elements.presentCount == lists.elements.count && lists.elements.isStoredAsItIs
        default: false
        }
    }
}
