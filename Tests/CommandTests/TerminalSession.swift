// The command on a real terminal: tmux types keys and reads the screen.

import Foundation
import Testing

/// A program in a terminal of some size.
final class TerminalSession {
    private let socket: String

    /// Starts a shell line in a new terminal.
    init(_ line: String, columns: Int, rows: Int, environment: [String: String] = [:]) throws {
        socket = "predicate-\(UUID().uuidString.prefix(8))"
        var arguments = ["-L", socket, "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
        for (name, value) in environment { arguments += ["-e", "\(name)=\(value)"] }
        try Self.tmux(arguments + [line])
    }

    deinit { _ = try? Self.tmux(["-L", socket, "kill-server"]) }

    /// Runs tmux and answers what it writes.
    ///
    /// Not by Foundation's Process: that waits until every copy of its descriptors is closed, and the server, which
    /// outlives the call, would hold one.
    @discardableResult
    private static func tmux(_ arguments: [String]) throws -> String {
        let folder = try TemporaryFolder()
        let output = try folder.file("output", "")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        for descriptor: Int32 in 3..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        // Threads of a pool hold signals back, and what they start would do so too: Control-C would come to nobody.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let removed: Set = ["NO_COLOR", "CLICOLOR_FORCE", "COLUMNS", "PAGER", "TMUX", "EDITOR", "VISUAL"]
        let environment = ProcessInfo.processInfo.environment.filter { !removed.contains($0.key) }
        var words = (["tmux", "-u"] + arguments).map { strdup($0) } + [nil]
        var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for string in words + variables { free(string) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, "tmux", &actions, &attributes, &words, &variables) == 0 else {
            throw CocoaError(.executableNotLoadable)
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    /// Types keys: text, with names of keys in brackets: `abc<Tab><C-a><Paste:text>`.
    func type(_ keys: String) throws {
        var rest = Substring(keys)
        var arguments = ["-L", socket]
        func send(_ words: [String]) { arguments += (arguments.count > 2 ? [";"] : []) + ["send-keys"] + words }
        while !rest.isEmpty {
            if rest.first == "<", let end = rest.firstIndex(of: ">") {
                let key = rest[rest.index(after: rest.startIndex)..<end]
                rest = rest[rest.index(after: end)...]
                guard key.hasPrefix("Paste:") else {
                    send([String(key)])
                    continue
                }
                // Between the brackets that the program asked for.
                let text = String(key.dropFirst(6)).replacing("\\n", with: "\n")
                arguments += (arguments.count > 2 ? [";"] : []) + ["set-buffer", text, ";", "paste-buffer", "-p"]
            } else {
                let text = rest.prefix(1) + rest.dropFirst().prefix { $0 != "<" }
                // A semicolon at the end would end tmux's command.
                send(["-l", "--", text.hasSuffix(";") ? text.dropLast() + "\\;" : String(text)])
                rest = rest.dropFirst(text.count)
            }
        }
        try Self.tmux(arguments)
    }

    func resize(columns: Int, rows: Int) throws {
        try Self.tmux(["-L", socket, "resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The rows of the screen down to the last that holds something, without blanks at their ends; perhaps with
    /// colours.
    func screen(colored: Bool = false) throws -> [String] {
        let text = try Self.tmux(["-L", socket, "capture-pane", "-p"] + (colored ? ["-e"] : []))
        var rows = text.split(separator: "\n", omittingEmptySubsequences: false).map(Self.normalized)
        while rows.last == "" { rows.removeLast() }
        return rows
    }

    /// Column and row of the cursor.
    func cursor() throws -> String {
        try Self.tmux(["-L", socket, "display", "-p", "#{cursor_x},#{cursor_y}"]).trimmingCharacters(in: .newlines)
    }

    /// Times differ from run to run: `N ms` stands for all, `N times` for how often something was done meanwhile.
    private static func normalized(_ row: Substring) -> String {
        var row = String(row)
        while row.last == " " { row.removeLast() }
        return row.replacing(/\d+(\.\d+)? (ns|µs|ms|s)\b/, with: "N ms").replacing(/[\d,]+ times\b/, with: "N times")
    }

    /// How long what is waited for may take: for a machine that has much else to do. Nothing waits that long on
    /// another.
    static let patience: Double = 180

    /// What was waited for did not come.
    struct Timeout: Error, CustomStringConvertible {
        var description: String
    }

    /// Waits until the screen shows the rows.
    /// - Throws: `Timeout` with the rows that it shows instead.
    @discardableResult
    func wait(for rows: [String]) throws -> [String] {
        try wait("the screen\n\(rows.joined(separator: "\n"))") { $0 == rows }
    }

    /// Waits until the screen is as wanted; answers it.
    /// - Throws: `Timeout` with the last one seen.
    @discardableResult
    func wait(_ what: String = "another screen", until isWanted: ([String]) -> Bool) throws -> [String] {
        var rows: [String] = []
        try poll(what) {
            rows = try screen()
            return isWanted(rows) ? nil : rows.joined(separator: "\n")
        }
        return rows
    }

    /// Waits until the cursor is at a column and a row: it moves behind the text.
    /// - Throws: `Timeout` with the place that it is at.
    func wait(forCursor place: String) throws {
        try poll("the cursor at \(place)") {
            let seen = try cursor()
            return seen == place ? nil : seen
        }
    }

    /// Waits until the screen with its colours is as wanted; answers it as one text.
    /// - Throws: `Timeout` with the last one seen.
    @discardableResult
    func waitForColors(until isWanted: (String) -> Bool) throws -> String {
        var text = ""
        try poll("other colours") {
            text = try screen(colored: true).joined()
            return isWanted(text) ? nil : text
        }
        return text
    }

    /// Waits until Control-C is a signal to the program, which has taken the keys before: it runs something.
    /// - Throws: `Timeout`, and an error without a terminal.
    func waitForSignals() throws {
        let path = try Self.tmux(["-L", socket, "display", "-p", "#{pane_tty}"]).trimmingCharacters(in: .newlines)
        let terminal = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        guard terminal >= 0 else { throw CocoaError(.fileNoSuchFile) }
        defer { close(terminal) }
        try poll("Control-C as a signal") {
            var settings = termios()
            return tcgetattr(terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ISIG) != 0 ? nil : path
        }
    }

    /// Looks again and again, until there is nothing left to wait for: what is seen is none of it.
    private func poll(_ what: String, _ unwanted: () throws -> String?) throws {
        let end = ContinuousClock.now + .seconds(Self.patience)
        while let seen = try unwanted() {
            if ContinuousClock.now > end { throw Timeout(description: "waited for \(what)\n-- and saw\n\(seen)") }
            usleep(15_000)
        }
    }
}

/// A step of a session: keys, and the screen they lead to.
struct TerminalStep {
    var name: String
    var keys: String
    var rows: [String]
    var cursor: String?

    /// Reads a file of steps: `# name`, `keys …`, `|row` for each row, perhaps `cursor COLUMN,ROW`.
    static func all(_ text: String) -> [TerminalStep] {
        var steps: [TerminalStep] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") {
                steps.append(TerminalStep(name: String(line.dropFirst(2)), keys: "", rows: []))
            } else if line.hasPrefix("keys ") {
                steps[steps.count - 1].keys += line.dropFirst(5)
            } else if line.hasPrefix("cursor ") {
                steps[steps.count - 1].cursor = String(line.dropFirst(7))
            } else if line.hasPrefix("|") {
                steps[steps.count - 1].rows.append(String(line.dropFirst()))
            }
        }
        return steps
    }
}
