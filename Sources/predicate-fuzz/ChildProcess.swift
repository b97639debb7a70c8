// Programs that are run to their end, and read.

import FoundationEssentials
import Glibc

/// A process of its own, for work that may be ended by a signal.
enum ChildProcess {
    /// How a process ended, and what it printed.
    struct Outcome {
        var lines: [String] { String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init) }
        /// The bytes that it printed.
        var output: [UInt8] = []
        /// As `waitpid` gives it; -1 for a program that could not be started.
        var status: Int32

        var isKilled: Bool { status >= 0 && status & 0x7F == SIGKILL }
    }

    /// Runs a program.
    ///
    /// - Parameters:
    ///   - arguments: Its path, and what it is called with.
    ///   - environment: What it finds in its environment besides what this process has.
    static func run(_ arguments: [String], environment: [String: String] = [:]) -> Outcome {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { return Outcome(status: -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var words: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) } + [nil]
        let assignments = variables.map { "\($0.key)=\($0.value)" }
        var pairs: [UnsafeMutablePointer<CChar>?] = unsafe assignments.map { unsafe strdup($0) } + [nil]
        defer {
            for index in unsafe words.indices { unsafe free(words[index]) }
            for index in unsafe pairs.indices { unsafe free(pairs[index]) }
        }
        var child: pid_t = 0
        let status = unsafe posix_spawn(&child, arguments[0], &actions, nil, &words, &pairs)
        close(ends[1])
        guard status == 0 else { return Outcome(status: -1) }
        let bytes = Self.bytes(from: ends[0])
        var result: Int32 = 0
        _ = unsafe waitpid(child, &result, 0)
        return Outcome(output: bytes, status: result)
    }

    private static func bytes(from descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            // SAFETY: no more is read than the piece holds.
            let count = unsafe Glibc.read(descriptor, &piece, piece.count)
            if count <= 0 { return bytes }
            bytes += piece[..<count]
        }
    }
}
