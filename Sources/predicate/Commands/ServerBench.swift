// Queries on a server, measured over one connection.

import PostgreSQLStore
import RecordDatabase

/// The records on a server that a query is measured on: those of one type of a container, or the rows of a table.
struct ServerBench {
    private enum Source {
        case container(Container, Database, type: String?)
        case table(TableOperand)
    }

    private let source: Source
    /// How many records there are.
    private(set) var recordCount = 0

    /// - Returns: `nil` for files and folders, and for records of several types.
    /// - Throws: `CommandError`.
    init?(_ input: InputFiles, _ query: Query) throws(CommandError) {
        if let table = try input.table() {
            source = .table(table)
        } else if let store = input.store, store.isServer, input.paths.count == 1 {
            let container = try store.open()
            source = .container(container, store.database(of: container), type: input.type)
        } else {
            return nil
        }
        var all = query
        all.predicate = "TRUEPREDICATE"
        guard let count = try count(all), try self.count(query) != nil else {
            close()
            return nil
        }
        recordCount = count
    }

    func close() { if case .container(let container, _, _) = source { container.close() } }

    /// How many records match: those of which the server is certain are counted there. `nil` where it cannot, and where
    /// the predicate does not suit the records.
    /// - Throws: `CommandError`.
    func count(_ query: Query) throws(CommandError) -> Int? {
        var counted = query
        counted.settings.format = .count
        switch source {
        case .container(_, let database, let type):
            do throws(DatabaseError) {
                return try RecordSet.count(
                    on: database, type: type, matching: query.predicate, variables: query.settings.variables)
            } catch {
                throw CommandError(error)
            }
        case .table(let table):
            let rows = try table.rows(for: counted, showing: nil)
            let (certain, rest): (Int, RecordSet)
            do throws(DatabaseError) {
                (certain, rest) = (try rows.countCertain(), try rows.rest())
            } catch {
                throw CommandError(error)
            }
            return certain + (try Self.matches(query, rest))
        }
    }

    /// How many records match, all of those that may having been fetched.
    /// - Throws: `CommandError`.
    func fetched(_ query: Query) throws(CommandError) -> Int {
        switch source {
        case .container(_, let database, let type):
            let set: RecordSet
            do throws(DatabaseError) {
                set = try RecordSet(
                    on: database, type: type, matching: query.predicate, variables: query.settings.variables)
            } catch {
                throw CommandError(error)
            }
            return try Self.matches(query, set)
        case .table(let table): return try Self.matches(query, table.records(for: query, showing: nil))
        }
    }

    private static func matches(_ query: Query, _ set: RecordSet) throws(CommandError) -> Int {
        var set = set
        set.buildsIndexes = false
        do throws(RecordPredicateError) {
            return try set.count(matching: query.predicate, variables: query.settings.variables)
        } catch {
            throw CommandError(error)
        }
    }
}
