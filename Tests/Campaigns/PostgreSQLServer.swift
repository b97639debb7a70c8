// A PostgreSQL server for tests, on a socket in a folder of its own.

import FoundationEssentials
import Glibc
import PostgreSQLStore
import Synchronization

/// A server that runs as long as this process, or until it is stopped.
package final class PostgreSQLServer: Sendable {
    /// Why a server could not be started.
    package struct StartFailure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The folder of the server's programs.
    package static let programs = "/usr/lib/postgresql/15/bin"
    /// Whether the programs are installed.
    package static var isInstalled: Bool { unsafe access(programs + "/postgres", X_OK) == 0 }

    /// The one server that most tests share, started by the first of them.
    package static func shared() throws -> PostgreSQLServer {
        try started.withLock { known in
            if let known { return try known.get() }
            let server = Result { try PostgreSQLServer() }
            known = server
            return try server.get()
        }
    }

    private static let started = Mutex<Result<PostgreSQLServer, any Error>?>(nil)

    /// The folder of its socket and its files.
    package let folder: String
    /// The number of its socket.
    package let port = 6499
    private let process: Mutex<Int32>

    /// What leads to the server, as its superuser.
    package var address: String { "host=\(folder) port=\(port) user=postgres dbname=postgres" }

    /// What leads to the server for the command.
    package var url: String { "postgresql://postgres@/postgres?host=\(folder)&port=\(port)" }

    /// Runs statements, one after another.
    package func run(_ statements: String...) throws {
        try Connection(ConnectionString(address)).run(statements.map { Statement($0) })
    }

    /// Makes a server and starts it.
    package init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/pg-" + UUID().uuidString.prefix(8)
        process = Mutex(0)
        let user = geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups " : ""
        try Self.run("mkdir -p \(folder)/data && { [ -z '\(user)' ] || chown -R postgres \(folder); }")
        try Self.run(
            "cd \(folder) && \(user)\(Self.programs)/initdb -D \(folder)/data -U postgres -A trust -E UTF8 --locale=C "
                + "--no-sync >/dev/null 2>&1")
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Starts the server again after it was stopped.
    package func start() throws {
        let user = geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups " : ""
        // The shell ends the server, and removes its files, when this process is gone: also when nobody has waited for it
        // yet, as whoever started the tests does not while a program that they left has their output open.
        try Self.run(
            """
            cd \(folder)
            \(user)\(Self.programs)/postgres -D \(folder)/data -k \(folder) -p \(port) -c listen_addresses= \
            -c fsync=off -c max_connections=600 -c shared_buffers=32MB >\(folder)/log 2>&1 &
            echo $! > \(folder)/process
            (exec >/dev/null 2>&1 </dev/null
            runs() { grep -qs '^State:.[^ZX]' /proc/\(getpid())/status; }
            while runs && kill -0 $(cat \(folder)/process); do sleep 1; done
            runs || { kill -INT $(cat \(folder)/process); sleep 1; rm -rf \(folder); }) &
            """)
        let text = try String(contentsOfFile: folder + "/process", encoding: .utf8)
        process.withLock { $0 = Int32(text.filter(\.isNumber)) ?? 0 }
        for _ in 0..<200 {
            if (try? Self.run("\(Self.programs)/pg_isready -q -h \(folder) -p \(port)")) != nil { return }
            usleep(25_000)
        }
        throw StartFailure(description: "the server does not start")
    }

    /// Ends the server at once, with the connections there are.
    package func stop() { end(SIGINT) }

    /// Ends the server and what it runs as if its machine had failed: nothing is told to clients, and the next start
    /// begins with what the log of the server has.
    package func crash() {
        let number = process.withLock { $0 }
        let children = (try? String(contentsOfFile: "/proc/\(number)/task/\(number)/children", encoding: .utf8)) ?? ""
        end(SIGKILL, with: children.split(separator: " ").compactMap { Int32($0) })
    }

    /// - Parameter others: Processes that get the signal, too.
    private func end(_ signal: Int32, with others: [Int32] = []) {
        let process = process.withLock { process in
            defer { process = 0 }
            return process
        }
        guard process > 0 else { return }
        for number in [process] + others { kill(number, signal) }
        for number in [process] + others {
            for _ in 0..<200 where kill(number, 0) == 0 { usleep(25_000) }
        }
    }

    /// Runs a command in a shell that has no file of this process open, so that nobody waits for what it leaves running.
    private static func run(_ command: String) throws {
        let closing = "for f in /proc/$$/fd/*; do f=${f##*/}; [ $f -lt 3 ] || eval \"exec $f>&-\"; done"
        let quoted = (closing + "\n" + command).split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''")
        // Foundation's `Process` waits for what a shell leaves running.
        let status = unsafe system("exec bash -c '\(quoted)' >/dev/null 2>&1 </dev/null")
        guard status == 0 else {
            throw StartFailure(description: "a command of the server failed: \(status)")
        }
    }
}
