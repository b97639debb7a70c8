// Following a store: a query that runs again after every commit of another process.

import Glibc
import RecordDatabase

/// A query about a store that someone writes.
struct StoreWatch {
    let query: Query
    /// The store.
    let files: InputFiles
    let session: Session

    /// Prints the records that come to match, and those that match and were changed.
    ///
    /// - Parameters:
    ///   - fromStart: Whether those that match at the beginning are printed, too.
    ///   - limit: Ends after so many.
    ///   - interval: Milliseconds between two looks at the store.
    /// - Throws: `CommandError`.
    func run(fromStart: Bool, limit: Int, interval: Int) throws(CommandError) -> ExitStatus {
        var changes = ResultChanges()
        var isFirst = true
        var matched = 0
        var versions: [FilePath.Version?]?
        let server = try server()
        while matched < limit, session.output.failure == nil {
            let set: RecordSet
            if let server {
                guard let records = try server.next() else { continue }
                set = records
            } else {
                let now = files.versions
                if now == versions {
                    usleep(UInt32(interval * 1000))
                    continue
                }
                versions = now
                set = try files.load(session)
            }
            var selection: RecordSet.Selection
            do throws(RecordPredicateError) { selection = try query.select(from: set) } catch {
                throw CommandError(error)
            }
            selection.ordinals = changes.advance(to: selection.ordinals, of: set).ordinals
            if fromStart || !isFirst {
                selection.ordinals = Array(selection.ordinals.prefix(limit - matched))
                matched += selection.ordinals.count
                try query.write(selection, of: set, session)
                session.output.flush()
            }
            isFirst = false
        }
        return matched > 0 ? .success : .noMatch
    }

    /// What is followed on a server; `nil` for a folder.
    private func server() throws(CommandError) -> ServerRecords? {
        guard let store = files.store, store.isServer else { return nil }
        return try ServerRecords(store, type: files.type, query)
    }
}
