// The records of a database on a server, again after each commit.

import Dispatch
import RecordDatabase

/// Reads what a query may find on a server whenever somebody has written there.
final class ServerRecords {
    private let container: Container
    private let database: Database
    private let type: String?
    private let query: Query
    private let commits = DispatchSemaphore(value: 0)
    private let end: @Sendable () -> Void

    /// - Throws: `CommandError`.
    init(_ operand: StoreOperand, type: String?, _ query: Query) throws(CommandError) {
        (self.type, self.query) = (type, query)
        container = try operand.open()
        database = operand.database(of: container)
        do throws(DatabaseError) {
            end = try database.watchServer { [commits] in commits.signal() }
        } catch {
            throw CommandError(error)
        }
    }

    deinit {
        end()
        container.close()
    }

    /// The records after the next commit, at once the first time; `nil` where there was none for some milliseconds.
    /// - Throws: `CommandError`.
    func next(within milliseconds: Int = 1_000) throws(CommandError) -> RecordSet? {
        guard commits.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else { return nil }
        while commits.wait(timeout: .now()) == .success {}
        do throws(DatabaseError) {
            return try RecordSet(
                on: database, type: type, matching: query.isRanked ? nil : query.predicate,
                variables: query.settings.variables)
        } catch {
            throw CommandError(error)
        }
    }
}
