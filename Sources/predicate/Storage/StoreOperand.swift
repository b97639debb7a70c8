// Folders of stored containers, as operands and options name them.

import FoundationEssentials
import Glibc
import RecordDatabase

/// Which database of which store a call is about.
struct StoreOperand {
    let path: String
    private let scope: DatabaseScope
    private let user: String?

    /// Options that name a database of a store.
    static let options = [
        OptionSpecification(
            "--scope", value: "NAME", choices: ["private", "public"],
            "The database of a store: private (default) or public."),
        OptionSpecification("--user", value: "NAME", "Whose private database (default: the user that needs no name)."),
    ]

    init(_ path: String, _ arguments: ParsedArguments) {
        self.path = path
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
    var words: [String] { ["--scope", scope == .public ? "public" : "private"] + (user.map { ["--user", $0] } ?? []) }

    /// The records, read where they are.
    /// - Throws: `CommandError`.
    func records(ofType type: String?) throws(CommandError) -> RecordSet {
        do throws(DatabaseError) {
            var set = try RecordSet(storedAt: URL(filePath: path), scope: scope, user: user, type: type)
            // As of files: the command tells of fields that no record has, and goes on.
            set.allowsUnknownFields = true
            return set
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
