// Records in a browser: the server that an application or the command starts.

import Glibc
import HTTPServing
public import RecordDatabase
import Synchronization

/// Shows records in a browser on this machine: tables, counts by value, histograms, maps, plans.
///
/// It listens on 127.0.0.1 alone, and replies to nobody who does not have the key in ``address``. It only reads.
/// For applications in development: what the page shows is everything that the database holds.
///
///     let server = try ExploreServer(container.privateDatabase)
///     print(server.address)
public final class ExploreServer: Sendable {
    private let server: HTTPServer
    private let explorer: Explorer
    private let key: String
    private let watching: Task<Void, Never>

    /// A server that runs, until ``stop()`` or the end of the last reference to it.
    ///
    /// - Parameters:
    ///   - database: What is shown; pages follow its commits.
    ///   - name: What the page calls it.
    ///   - port: The port; 0 for one that is free.
    /// - Throws: `DatabaseError` where the records cannot be read, and of code `serviceUnavailable` where the port is
    ///   taken.
    public convenience init(
        _ database: Database, name: String = "database", port: UInt16 = 0
    ) throws(DatabaseError) {
        let source = ExploredRecords(
            name: name,
            version: { (try? database.lastChange()).map { ExploredRecords.Version([Int($0.number)]) } },
            load: { () throws(ExploredRecords.LoadError) in
                do throws(DatabaseError) {
                    return try database.snapshot().allRecords()
                } catch {
                    throw ExploredRecords.LoadError(error.reason)
                }
            })
        try self.init(source, database.snapshot().allRecords(), options: Options(port: port))
    }

    /// A server for records that stay as they are.
    ///
    /// - Parameters: As above.
    /// - Throws: `DatabaseError` of code `serviceUnavailable` where the port is taken.
    public convenience init(
        _ records: RecordSet, name: String = "records", port: UInt16 = 0
    ) throws(DatabaseError) {
        let source = ExploredRecords(name: name, version: { nil }, load: { nil })
        try self.init(source, records, options: Options(port: port))
    }

    /// How a server runs.
    package struct Options: Sendable {
        package var port: UInt16
        /// Further names with ports under which pages reach it.
        package var allowedHosts: [String]
        package var limits: QueryLimits
        package var translations: [PageTranslation]
        /// A folder with the files of the page, for work on them; `nil` for those in the program.
        package var page: String?

        /// The usual limits: 10 seconds and 256 MB a query.
        package init(
            port: UInt16 = 0, allowedHosts: [String] = [], time: Duration = .seconds(10),
            translations: [PageTranslation] = [], page: String? = nil
        ) {
            (self.port, self.allowedHosts, self.translations) = (port, allowedHosts, translations)
            self.page = page
            limits = QueryLimits(time: time, resultBytes: 256 << 20)
        }
    }

    /// A server for records that may be read again.
    /// - Throws: As the public initializers.
    package init(
        _ source: ExploredRecords, _ records: RecordSet, options: Options
    ) throws(DatabaseError) {
        let explorer = Explorer(source, records, options)
        self.explorer = explorer
        let key = RequestGuard.newKey()
        let guardian = Mutex<RequestGuard?>(nil)
        do throws(HTTPServer.ListenError) {
            server = try HTTPServer(port: options.port) { request, reply in
                guard let guardian = guardian.withLock({ $0 }) else { return reply.reject(503, "not ready") }
                await explorer.reply(to: request, reply, verdict: guardian.verdict(on: request))
            }
        } catch {
            throw DatabaseError(
                .serviceUnavailable, "cannot listen on 127.0.0.1: errno \(error.number)",
                hint: "choose another port, or 0 for one that is free")
        }
        let port = server.port
        guardian.withLock { $0 = RequestGuard(port: port, key: key, allowedHosts: options.allowedHosts) }
        self.key = key
        watching = Task.detached(priority: .utility) { await explorer.watch() }
        WaitingThread.start { [server] in server.run() }
    }

    deinit { stop() }

    /// The port that it listens on.
    public var port: UInt16 { server.port }

    /// The address of the page with its key, which is new for each server. It is a secret: who has it may read all.
    public var address: String { "http://127.0.0.1:\(server.port)/#key=\(key)" }

    /// Does something once, when the first request with the key has come: who was to learn the address knows it.
    package func onFirstCall(_ body: @escaping @Sendable () -> Void) { explorer.onFirstCall(body) }

    /// Ends the server and all that it works on.
    public func stop() {
        watching.cancel()
        server.stop()
    }
}
