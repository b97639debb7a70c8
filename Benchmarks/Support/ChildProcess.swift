// Programs started to be timed: by posix_spawn, since Foundation's Process costs as much as what is measured here.

import Glibc

/// A program run to its end.
struct ChildProcess {
    /// What it wrote to standard output.
    var output: [UInt8]
    /// 0…255, or -1 where a signal ended it.
    var status: Int32
    /// Wall time from before its start until it ended and its output was read, in seconds.
    var seconds: Double
    /// Its processor time, of all its threads, in seconds.
    var processorSeconds: Double

    /// Runs a program; the first argument is its path. Its standard error goes to ours.
    static func run(_ arguments: [String]) throws(UsageError) -> ChildProcess {
        let clock = ContinuousClock()
        var ends: [Int32] = [-1, -1]
        // SAFETY: `pipe` writes two descriptors into an array of two.
        guard unsafe pipe(&ends) == 0 else { throw UsageError(description: "cannot make a pipe") }
        defer { close(ends[0]) }
        let start = clock.now
        let started = spawn(arguments, output: ends[1], closing: ends[0])
        close(ends[1])
        guard let process = started else { throw UsageError(description: "cannot run \(arguments.first ?? "")") }
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        // SAFETY: the buffer has as many bytes as the call may write.
        while case let count = unsafe read(ends[0], &buffer, buffer.count), count > 0 {
            output.append(contentsOf: buffer[..<count])
        }
        var status: Int32 = 0
        var usage = rusage()
        // SAFETY: both variables outlive the call.
        unsafe wait4(process, &status, 0, &usage)
        let seconds = (clock.now - start).seconds
        let code = status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
        return ChildProcess(
            output: output, status: code, seconds: seconds,
            processorSeconds: usage.ru_utime.seconds + usage.ru_stime.seconds)
    }

    private static func spawn(_ arguments: [String], output: Int32, closing: Int32) -> pid_t? {
        // SAFETY: the file actions live until destroyed at the end; the argument strings until freed there; both arrays
        // end with the null pointer that posix_spawn looks for.
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        unsafe posix_spawn_file_actions_addclose(&actions, closing)
        var strings = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            for index in unsafe strings.indices { unsafe free(strings[index]) }
        }
        var process: pid_t = 0
        guard let path = arguments.first,
            unsafe posix_spawn(&process, path, &actions, nil, &strings, environ) == 0
        else { return nil }
        return process
    }
}

extension timeval {
    fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) * 1e-6 }
}
