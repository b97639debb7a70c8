// Programs that are run beside this one, and read.

import FoundationEssentials
import Glibc

/// Has all files from a number on closed (glibc 2.34); the headers show it to GNU's own programs alone.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
@discardableResult
private func addClosing(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: CInt) -> CInt

/// A process of its own, for work that may be ended by a signal.
///
/// Foundation's `Process` is no help here: it reads 256 bytes of every name in the list of open files, and so behind
/// the list where there are about a thousand (Swift 6.3); now and then that ends the process.
struct ChildProcess {
    /// How a process ended, and what it printed.
    struct Outcome {
        var lines: [String] { String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init) }
        /// The bytes that it printed.
        var output: [UInt8] = []
        /// As `waitpid` gives it; -1 for a program that could not be started.
        var status: Int32

        var isKilled: Bool { status >= 0 && status & 0x7F == SIGKILL }
    }

    let identifier: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: Its path, and what it is called with.
    ///   - environment: What it finds in its environment besides what this process has; `nil` for what it does not find.
    ///   - descriptors: Files of this process that it has as its input, output and errors (0, 1 and 2); the others of
    ///     these are this process's own, and further ones it has not.
    /// - Returns: `nil` for a program that could not be started.
    static func start(
        _ arguments: [String], environment: [String: String?] = [:], descriptors: [Int32: Int32]
    ) -> ChildProcess? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (target, file) in descriptors { unsafe posix_spawn_file_actions_adddup2(&actions, file, target) }
        // Nothing else: many tests at a time have thousands of files open, also those that no other program is to have.
        unsafe addClosing(&actions, 3)
        // Threads of tests hold signals back, and a program would inherit that: nothing could interrupt it.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        unsafe sigemptyset(&noSignals)
        unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let assignments = variables.map { "\($0.key)=\($0.value)" }
        var pairs: [UnsafeMutablePointer<CChar>?] = unsafe assignments.map { unsafe strdup($0) } + [nil]
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            for index in unsafe pairs.indices { unsafe free(pairs[index]) }
        }
        var child: pid_t = 0
        let status = unsafe posix_spawn(&child, arguments[0], &actions, &attributes, &words, &pairs)
        return status == 0 ? ChildProcess(identifier: child) : nil
    }

    /// Waits for its end.
    /// - Returns: What `waitpid` gives.
    func wait() -> Int32 {
        var result: Int32 = 0
        while unsafe waitpid(identifier, &result, 0) < 0, errno == EINTR {}
        return result
    }

    /// What `waitpid` gives, where it has ended; `nil` while it runs. It is asked no more after that.
    func statusSoFar() -> Int32? {
        var result: Int32 = 0
        return unsafe waitpid(identifier, &result, WNOHANG) == identifier ? result : nil
    }

    /// What a status of `waitpid` says.
    static func text(ofStatus status: Int32) -> String {
        let signal = status & 0x7F
        guard signal != 0 else { return "status \(status >> 8 & 0xFF)" }
        // SAFETY: the text is the library's own, and is copied before another one is asked for.
        return unsafe strsignal(signal).map { "signal \(signal), \(unsafe String(cString: $0))" } ?? "signal \(signal)"
    }

    /// Sends it a signal.
    func signal(_ number: Int32) { _ = kill(identifier, number) }

    /// Runs a program to its end.
    ///
    /// - Parameters: As of `start`.
    static func run(_ arguments: [String], environment: [String: String?] = [:]) -> Outcome {
        guard let (output, end) = pipe() else { return Outcome(status: -1) }
        defer { close(output) }
        let process = start(arguments, environment: environment, descriptors: [1: end])
        close(end)
        guard let process else { return Outcome(status: -1) }
        var bytes: [UInt8] = []
        while let piece = read(output) { bytes += piece }
        return Outcome(output: bytes, status: process.wait())
    }

    /// The two ends of a pipe, which no other process gets.
    static func pipe() -> (reading: Int32, writing: Int32)? {
        var ends: [Int32] = [0, 0]
        guard unsafe Glibc.pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// The bytes that come next; `nil` at the end.
    static func read(_ descriptor: Int32) -> [UInt8]? {
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        // SAFETY: no more is read than the piece holds.
        let count = unsafe Glibc.read(descriptor, &piece, piece.count)
        return count > 0 ? Array(piece[..<count]) : nil
    }
}
