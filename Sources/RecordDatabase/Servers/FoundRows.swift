// The rows that a server gave for a query, and what is left to be decided here.

import PredicateSemantics
import QueryExecution
import RecordModel

/// A query that suits the schema, and its zone.
struct RemoteQuery {
    let checked: CheckedQuery
    let predicate: BoundPredicate
    let zone: RecordZone.ID?

    /// All rows that the query may find, in any order.
    func selection(ofType type: String) -> ServerSelection {
        ServerSelection(
            type: type, zoneID: zone, predicate: predicate, followsReferences: predicate.followsReferences, order: [],
            start: nil, limit: nil)
    }

    /// The first rows of a page, and one more, which tells whether there is another page.
    func page(_ request: PageRequest, _ limits: Limits) -> ServerSelection {
        let pageSize = request.pageSize(limits)
        return ServerSelection(
            type: request.query.recordType, zoneID: zone, predicate: predicate.selecting(for: checked.order),
            followsReferences: predicate.followsReferences || checked.order.contains(where: \.followsReferences),
            order: checked.order,
            start: request.cursor.map {
                ServerSelection.Start(values: $0.position.values, zoneName: $0.position.zoneName)
            },
            limit: pageSize < .max ? pageSize + 1 : nil)
    }
}

extension BoundPredicate {
    /// What a server selects records by, so that the matches can be put in an order.
    func selecting(for order: [SortKey]) -> BoundPredicate {
        order.contains(where: \.isOfAllRecords) ? replacingRoot(.constant(true)) : self
    }
}

/// The rows that a query may find.
struct FoundRows {
    let query: RemoteQuery
    let moment: ServerMoment
    /// Who may see the rows.
    let caller: Caller
    /// When the call began.
    let start: ContinuousClock.Instant

    /// The query on these rows.
    func search(_ request: PageRequest, _ database: RemoteDatabase) throws(DatabaseError) -> Search {
        let moment = SearchMoment(
            origin: database.origin, snapshot: try moment.snapshot(), schema: moment.schema, start: start)
        return Search(
            request, query.checked, predicate: .bound(query.predicate), on: moment, caller, database.store)
    }

    /// A page of them.
    func page(_ request: PageRequest, _ database: RemoteDatabase) throws(DatabaseError) -> PageMatches {
        guard moment.areRowsSure == true, !query.checked.order.contains(where: \.isOfAllRecords) else {
            return try search(request, database).run()
        }
        let page: (rows: [ServerRow], next: PageCursor?)
        do throws(PageError) { page = try surePage(request) } catch {
            throw DatabaseError(page: error, of: request.query.predicate)
        }
        let time = ContinuousClock.now - start
        database.store.counters.countQuery(time)
        if caller.configuration.isSlow(time) {
            // The page is there: words for the log that fail are left out.
            try? search(request, database).tell(ofTime: time, found: page.rows.count)
        }
        return matches(page, request, database)
    }

    /// A page where the server was sure of each row: they need not be put into a store to be looked for there.
    private func surePage(_ request: PageRequest) throws(PageError) -> (rows: [ServerRow], next: PageCursor?) {
        let rows = moment.rows
        let matches = KnownMatches(
            of: .bound(query.predicate), type: request.query.recordType, zoneID: query.zone,
            sortedBy: query.checked.order)
        let page = try matches.page(
            of: rows.count, limit: request.pageSize(caller.configuration.limits), after: request.cursor?.position,
            value: { rows[$0].value(of: $1) }, zone: { rows[$0].id.zoneID })
        return (page.rows.map { rows[$0] }, page.next)
    }

    private func matches(
        _ page: (rows: [ServerRow], next: PageCursor?), _ request: PageRequest, _ database: RemoteDatabase
    ) -> PageMatches {
        let rows = ServedRows(page.rows, desiredKeys: request.desiredKeys.map { Set($0) })
        let facts = query.checked.check.type.facts
        var opener = RecordOpener(caller.keys)
        let matches = page.rows.enumerated().map { number, row -> (Record.ID, Result<Record, DatabaseError>) in
            let stored = (type: row.type, version: RecordVersion(rows: rows, row: number))
            return (row.id, Database.result(row.id, stored, sealedAs: row.id, facts, &opener))
        }
        let cursor = page.next.map {
            Query.Cursor(query: request.query, zones: request.zones, origin: database.origin, position: $0)
        }
        return (matches, cursor)
    }
}

/// Rows of a server as records read them, one object for all records of a result.
final class ServedRows: RecordRows {
    private let rows: [ServerRow]
    /// The desired fields; `nil` for all.
    private let desiredKeys: Set<String>?
    var isStored: Bool { true }

    init(_ rows: [ServerRow], desiredKeys: Set<String>?) { (self.rows, self.desiredKeys) = (rows, desiredKeys) }

    func metadata(row: Int) -> Record.Metadata {
        let row = rows[row]
        return Record.Metadata(
            creationDate: row.creationDate, creatorUserRecordID: row.creator.map { Record.ID($0) },
            modificationDate: row.modificationDate, lastModifiedUserRecordID: row.lastModifier.map { Record.ID($0) },
            recordChangeTag: ChangeTag.text(row.change))
    }

    func recordChangeTag(row: Int) -> String? { ChangeTag.text(rows[row].change) }
    func parent(row: Int) -> RecordReference? { rows[row].parent }
    func share(row: Int) -> RecordReference? { rows[row].share }

    func value(of field: String, row: Int) -> FieldValue {
        if let desiredKeys, !desiredKeys.contains(field) { return .null }
        return rows[row].fields[field] ?? .null
    }

    func fields(row: Int) -> [String: FieldValue] {
        guard let desiredKeys else { return rows[row].fields }
        return rows[row].fields.filter { desiredKeys.contains($0.key) }
    }
}
