// Folders of stored containers, and containers on servers, as operands and options name them.

import FoundationEssentials
import Glibc
import PostgreSQLStore
import RecordDatabase

/// Which database of which store a call is about.
struct StoreOperand {
    let path: String
    /// The container on a server.
    let container: String
    private let scope: DatabaseScope
    private let user: String?

    /// Options that name a database of a store.
    static let options = [
        OptionSpecification(
            "--scope", value: "NAME", choices: ["private", "public"],
            "The database of a store: private (default) or public."),
        OptionSpecification("--user", value: "NAME", "Whose private database (default: the user that needs no name)."),
        container,
    ]

    /// The option that names the container on a server.
    static let container = OptionSpecification(
        "--container", value: "NAME", "The container of a postgresql:// address (default: local).")

    init(_ path: String, _ arguments: ParsedArguments) {
        self.path = path
        container = arguments["--container"] ?? "local"
        scope = arguments["--scope"] == "public" ? .public : .private
        user = arguments["--user"]
    }

    /// The folder that is the first operand.
    /// - Throws: `CommandError` of status `usage`.
    init(_ arguments: ParsedArguments, for verb: String) throws(CommandError) {
        guard let path = arguments.operands.first else {
            throw CommandError(
                .usage, "'predicate \(verb)' needs the folder of a store",
                hint: "for example: predicate \(verb) places.store")
        }
        self.init(path, arguments)
    }

    /// Whether the operand is the address of a server, where a container takes the place of a store.
    static func isServer(_ path: String) -> Bool {
        path.hasPrefix("postgresql://") || path.hasPrefix("postgres://")
    }

    /// Whether the container is on a server.
    var isServer: Bool { Self.isServer(path) }

    /// The operand as messages show it: an address may hold a password.
    var shown: String { isServer ? "the server's container \(container)" : path }

    /// Whether a path is the folder of a store.
    static func isStore(_ path: String) -> Bool {
        // SAFETY: the path is passed as a NUL-terminated copy.
        unsafe access(tables(of: path), F_OK) == 0
    }

    /// The file that every change of a store is written to.
    static func tables(of path: String) -> String { path + "/data.mdb" }

    /// Which database of the store is meant, where it is not the usual one.
    var databaseName: String? { scope == .public ? "public" : user.map { "private \($0)" } }

    /// The options that name the database.
    var words: [String] {
        ["--scope", scope == .public ? "public" : "private"] + (user.map { ["--user", $0] } ?? [])
            + (isServer ? ["--container", container] : [])
    }

    /// The records, read where they are.
    /// - Throws: `CommandError`.
    func records(ofType type: String?) throws(CommandError) -> RecordSet {
        if isServer { return try records(ofType: type, matching: nil) }
        do throws(DatabaseError) {
            var set = try RecordSet(storedAt: URL(filePath: path), scope: scope, user: user, type: type)
            // As of files: the command tells of fields that no record has, and goes on.
            set.allowsUnknownFields = true
            return set
        } catch {
            throw CommandError(error)
        }
    }

    /// The records on a server; where a query is known, those that it cannot find may be missing.
    ///
    /// - Parameter onlyPrinted: Whether those that it does not print may be missing, too.
    /// - Throws: `CommandError`.
    func records(
        ofType type: String?, matching query: Query?, onlyPrinted: Bool = false
    ) throws(CommandError) -> RecordSet {
        let container = try open()
        defer { container.close() }
        let known = query?.isRanked == true ? nil : query
        do throws(DatabaseError) {
            return try RecordSet(
                on: database(of: container), type: type, matching: known?.predicate,
                variables: known?.settings.variables ?? [:], explains: known?.settings.isExplained ?? false,
                first: onlyPrinted ? known?.settings.firstPrinted : nil)
        } catch {
            throw CommandError(error)
        }
    }

    /// Calls a body with what reads the records on a server in portions, until the body returns.
    /// - Throws: `CommandError`.
    func withPortions<Outcome>(
        ofType type: String?, _ body: (ServedPortions) throws(DatabaseError) -> Outcome
    ) throws(CommandError) -> Outcome {
        let container = try open()
        defer { container.close() }
        do throws(DatabaseError) {
            return try database(of: container).withPortions(ofType: type, body)
        } catch {
            throw CommandError(error)
        }
    }

    /// The schema of a container on a server, without its records.
    /// - Throws: `CommandError`.
    func schema() throws(CommandError) -> ContainerSchema {
        let container = try open()
        defer { container.close() }
        return container.schema
    }

    /// How many records on a server match, counted there; `nil` where that has to be told from the records, and where
    /// none matches, as they tell why.
    /// - Throws: `CommandError`.
    func count(ofType type: String?, matching query: Query) throws(CommandError) -> Int? {
        let settings = query.settings
        guard isServer, settings.format == .count, settings.limit == nil, settings.offset == 0, !settings.isExplained
        else { return nil }
        let container = try open()
        defer { container.close() }
        do throws(DatabaseError) {
            let count = try RecordSet.count(
                on: database(of: container), type: type, matching: query.predicate, variables: settings.variables)
            return count == 0 ? nil : count
        } catch {
            throw CommandError(error)
        }
    }

    /// The records on a server that match, counted there by the values of a field; `nil` where the records have to
    /// tell.
    /// - Throws: `CommandError`.
    func groups(by field: String, ofType type: String?, for query: Query) throws(CommandError) -> [RecordGroup]? {
        guard isServer else { return nil }
        let container = try open()
        defer { container.close() }
        do throws(DatabaseError) {
            return try RecordSet.groups(
                on: database(of: container), type: type, matching: query.predicate,
                variables: query.settings.variables, by: field)
        } catch {
            throw CommandError(error)
        }
    }

    /// Opens the store.
    ///
    /// - Parameter session: Who is told when indexes of text are rebuilt.
    /// - Throws: `CommandError`.
    func open(
        _ options: StorageOptions = StorageOptions(), _ session: Session? = nil, identifier: String? = nil
    ) throws(CommandError) -> Container {
        // What is loaded from files comes in larger pieces than what applications send.
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = 1 << 20
        configuration.limits.bytesPerRequest = 1 << 30
        configuration.limits.bytesPerRecord = 1 << 30
        do throws(DatabaseError) {
            if isServer {
                return try Container(
                    identifier: container,
                    on: NodeContainer.open(identifier: container, connectingTo: path, connectionCount: 2),
                    account: user.map { Account.user($0) } ?? .localUser, configuration: configuration)
            }
            return try Container(
                identifier: identifier, storedAt: URL(filePath: path), options: options,
                account: user.map { Account.user($0) } ?? .localUser, configuration: configuration
            ) { done, count in
                if StandardStream.error.isTerminal || done == count {
                    session?.note("\(done) of \(count) text indexes of another ICU version rebuilt")
                }
            }
        } catch {
            throw CommandError(error)
        }
    }

    /// The database of the scope.
    func database(of container: Container) -> Database {
        scope == .public ? container.publicDatabase : container.privateDatabase
    }
}

extension Query {
    /// Whether how well records match is requested, which depends on all others.
    var isRanked: Bool { settings.sort.contains { $0.criterion == .relevance } }
}

extension QuerySettings {
    /// The order of the records that are printed, and how many are the first of them; `nil` where the output tells
    /// anything of others: their number, the names of their fields, records behind references.
    fileprivate var firstPrinted: (order: [SortKey], count: Int)? {
        guard let limit, limit > 0, !sort.isEmpty, locales.isEmpty, format != .count, !isExplained, !explainsAsJSON,
            !refusesScans, !showsTimer
        else { return nil }
        if fields == nil, format != .ids { return nil }
        let isOfOthers = (fields ?? []).contains { selector in
            switch selector.criterion {
            case .field(let name): name.contains(".")
            case .relevance: true
            case .recordName, .distance: false
            }
        }
        let (count, isTooLarge) = limit.addingReportingOverflow(offset)
        return isOfOthers || isTooLarge ? nil : (sort, count)
    }
}

extension CommandError {
    /// What a store rejects.
    init(_ error: DatabaseError) {
        let status: ExitStatus =
            switch error.code {
            case .invalidArguments: .usage
            case .internalError, .incompatibleVersion: .badData
            default: .inputOutput
            }
        self.init(status, error.reason, hint: error.hint)
        stage = "store"
        details = [JSONValue.Member(key: "code", value: .string("\(error.code)"))]
    }
}
