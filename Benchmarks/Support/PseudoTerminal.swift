// A terminal in software, with a program on its other side: keys are typed and what comes back is timed.

import Glibc

/// The master side of a Linux pseudo-terminal whose slave is a program's terminal.
final class PseudoTerminal {
    private let master: Int32
    private let process: pid_t

    /// Starts a program (the first argument is its path) on a terminal of 120 by 40.
    init(_ arguments: [String]) throws(UsageError) {
        // SAFETY: the path is passed as a NUL-terminated copy.
        master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var unlock: Int32 = 0
        var number: Int32 = 0
        var size = winsize(ws_row: 40, ws_col: 120, ws_xpixel: 0, ws_ypixel: 0)
        // SAFETY: the kernel reads and fills the variables of this frame. TIOCSPTLCK and TIOCGPTN are macros that
        // Swift does not see.
        guard master >= 0, unsafe ioctl(master, 0x4004_5431, &unlock) == 0,
            unsafe ioctl(master, 0x8004_5430, &number) == 0, unsafe ioctl(master, UInt(TIOCSWINSZ), &size) == 0
        else { throw UsageError(description: "cannot make a pseudo-terminal") }
        guard let process = Self.spawn(arguments, terminal: "/dev/pts/\(number)") else {
            throw UsageError(description: "cannot run \(arguments.first ?? "")")
        }
        self.process = process
    }

    deinit {
        kill(process, SIGTERM)
        var status: Int32 = 0
        // SAFETY: the variable outlives the call.
        unsafe waitpid(process, &status, 0)
        close(master)
    }

    /// A session of its own, so that the terminal that it opens first becomes the one that controls it.
    private static func spawn(_ arguments: [String], terminal: String) -> pid_t? {
        // SAFETY: as in `ChildProcess`: all structures and strings live until destroyed at the end.
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        for descriptor: Int32 in 0...2 {
            unsafe posix_spawn_file_actions_addopen(&actions, descriptor, terminal, O_RDWR, 0)
        }
        let newSession: Int16 = 0x80
        unsafe posix_spawnattr_setflags(&attributes, newSession)
        var strings = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let variables: [String] = ["TERM=xterm-256color", "XDG_STATE_HOME=/dev/null"]
        var environment = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
            for index in unsafe strings.indices { unsafe free(strings[index]) }
            for index in unsafe environment.indices { unsafe free(environment[index]) }
        }
        var process: pid_t = 0
        guard let path = arguments.first,
            unsafe posix_spawn(&process, path, &actions, &attributes, &strings, &environment) == 0
        else { return nil }
        return process
    }

    /// Types keys.
    func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        // SAFETY: the buffer has as many bytes as are written.
        _ = unsafe bytes.withUnsafeBufferPointer { unsafe write(master, $0.baseAddress, $0.count) }
    }

    /// What has come after at most so many milliseconds; empty when nothing has.
    func read(milliseconds: Int32) -> String {
        var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        // SAFETY: one structure; then as many bytes as the buffer has.
        guard unsafe poll(&polled, 1, milliseconds) > 0 else { return "" }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let count = unsafe Glibc.read(master, &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    /// Everything until nothing comes for a while.
    func readAll(quietFor milliseconds: Int32 = 100) -> String {
        var text = ""
        while case let more = read(milliseconds: milliseconds), !more.isEmpty { text += more }
        return text
    }

    /// Reads until a text has come; false when it does not come in time.
    func wait(for text: String, milliseconds: Int32) -> Bool {
        var seen = ""
        while !seen.contains(text) {
            let more = read(milliseconds: milliseconds)
            if more.isEmpty { return false }
            seen += more
        }
        return true
    }
}
