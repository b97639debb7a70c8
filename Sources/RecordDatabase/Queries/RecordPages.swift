// All records that match, at once or page by page.

public import RecordModel

extension CloudDatabase {
    /// All records that match, in order.
    ///
    /// Where there may be very many, `recordPages(matching:in:desiredKeys:pageSize:)` gives them a page at a time.
    ///
    /// - Parameters:
    ///   - zones: The zones whose records are meant; records that are level in the order come by the names of their
    ///     zones.
    ///   - desiredKeys: The fields wanted; `nil` for all, none for metadata only. The predicate may use others.
    ///   - limit: The largest number of records, the first in that order.
    ///   - offset: How many of the first are left out; they are found all the same.
    /// - Throws: `DatabaseError` of code `invalidArguments` for a predicate or an order that does not suit the type,
    ///   `zoneNotFound`, that of the first record that cannot be given, and others.
    public func records(
        matching query: Query, in zones: QueryZones = .all, desiredKeys: [String]? = nil, limit: Int? = nil,
        offset: Int = 0
    ) async throws(DatabaseError) -> [Record] {
        let limit = limit ?? .max
        var records: [Record] = []
        if limit <= 0 { return records }
        // Of what is left out only the number matters.
        var skipped = 0
        var cursor: Query.Cursor?
        while true {
            let keys = skipped < offset ? [] : desiredKeys
            let wanted = skipped < offset ? offset - skipped : limit - records.count
            let page = try await self.page(query, zones, after: cursor, keys, wanted)
            if skipped < offset {
                skipped += page.matchResults.count
            } else {
                for (_, result) in page.matchResults { records.append(try result.get()) }
            }
            // Other databases may give less than the limit.
            guard let next = page.queryCursor, records.count < limit else { return records }
            if Task.isCancelled { throw .cancelled }
            cursor = next
        }
    }

    /// A page, the first one or that behind a cursor.
    fileprivate func page(
        _ query: Query, _ zones: QueryZones, after cursor: Query.Cursor?, _ desiredKeys: [String]?, _ size: Int
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    ) {
        guard let cursor else {
            return try await recordPage(matching: query, in: zones, desiredKeys: desiredKeys, resultsLimit: size)
        }
        return try await recordPage(after: cursor, desiredKeys: desiredKeys, resultsLimit: size)
    }

    /// All records that match, in order, a page at a time.
    ///
    ///     for try await page in database.recordPages(matching: Query("Log", "level > \(2)")) { write(page) }
    ///
    /// Records that are saved or deleted between two pages neither repeat nor hide others. `Database.read` gives a
    /// result of one moment.
    ///
    /// - Parameters:
    ///   - zones: As of `records(matching:in:desiredKeys:limit:offset:)`.
    ///   - desiredKeys: As of `records(matching:in:desiredKeys:limit:offset:)`.
    ///   - pageSize: The largest number of records in a page.
    /// - Returns: A sequence of pages, none of them empty, that fails as
    ///   `records(matching:in:desiredKeys:limit:offset:)`.
    public func recordPages(
        matching query: Query, in zones: QueryZones = .all, desiredKeys: [String]? = nil, pageSize: Int = 500
    ) -> RecordPages<Self> {
        RecordPages(
            database: self, query: query, zones: zones, desiredKeys: desiredKeys, pageSize: max(1, pageSize))
    }
}

/// The records that match a query, a page at a time.
public struct RecordPages<Source: CloudDatabase>: AsyncSequence, Sendable {
    let database: Source
    let query: Query
    let zones: QueryZones
    let desiredKeys: [String]?
    let pageSize: Int

    /// The pages from the first to the last.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate enum State {
            case atStart
            case after(Query.Cursor)
            case atEnd
        }

        private let pages: RecordPages
        private var state = State.atStart

        fileprivate init(_ pages: RecordPages) { self.pages = pages }

        /// The next page; `nil` behind the last one, and after a failure.
        public mutating func next(
            isolation _: isolated (any Actor)? = #isolation
        ) async throws(DatabaseError) -> [Record]? {
            while true {
                let state = state
                self.state = .atEnd
                if case .atEnd = state { return nil }
                if Task.isCancelled { throw .cancelled }
                let (page, cursor) = try await pages.database.page(
                    pages.query, pages.zones, after: state.cursor, pages.desiredKeys, pages.pageSize)
                var records: [Record] = []
                for (_, result) in page { records.append(try result.get()) }
                if let cursor { self.state = .after(cursor) }
                if !records.isEmpty { return records }
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

extension RecordPages.AsyncIterator.State {
    fileprivate var cursor: Query.Cursor? { if case .after(let cursor) = self { cursor } else { nil } }
}
