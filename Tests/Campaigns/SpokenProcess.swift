// A process that prints lines, and goes on until its input ends or a signal comes.

import Glibc

/// A process beside this one that tells what it does.
final class SpokenProcess {
    private let process: ChildProcess
    private let input: Int32
    private let output: Int32
    private var rest: [UInt8] = []

    /// - Returns: `nil` for a program that could not be started.
    init?(_ arguments: [String]) {
        guard let input = ChildProcess.pipe(), let output = ChildProcess.pipe() else { return nil }
        let process = ChildProcess.start(arguments, descriptors: [0: input.reading, 1: output.writing])
        for end in [input.reading, output.writing] { close(end) }
        (self.input, self.output) = (input.writing, output.reading)
        guard let process else {
            close(input.writing)
            close(output.reading)
            return nil
        }
        self.process = process
    }

    /// The next line; `nil` where the process ended.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard let piece = ChildProcess.read(output) else { return nil }
            rest += piece
        }
    }

    /// The lines that it has printed by now, without waiting for more.
    func linesSoFar() -> [String] {
        var state = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        // SAFETY: one entry is passed, which lives as long as the call.
        while unsafe poll(&state, 1, 0) > 0, let piece = ChildProcess.read(output) { rest += piece }
        guard let end = rest.lastIndex(of: 0x0A) else { return [] }
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Ends its input, so that it finishes, and waits for its end; called once, and nothing after it but `linesSoFar`.
    ///
    /// - Returns: The status that `waitpid` gives.
    func finish() -> Int32 {
        close(input)
        return process.wait()
    }

    /// Kills it, and waits for its end; called once, and nothing after it but `linesSoFar`.
    func kill() {
        close(input)
        process.signal(SIGKILL)
        _ = process.wait()
    }

    /// Gives back what the process's lines came through; called once, after `finish` or `kill`.
    func forget() { close(output) }

    /// Ends its input, interrupts it, and waits for its end; called once.
    func end() {
        close(input)
        process.signal(SIGINT)
        _ = process.wait()
        close(output)
    }
}
