// A process that prints lines, and goes on until its input ends or a signal comes.

import Glibc

/// A process beside this one that tells what it does.
final class SpokenProcess {
    /// How a process ended, and whether that was wanted. A status is what `waitpid` gives.
    enum Ending: Equatable {
        /// By the kill that it was sent.
        case killed
        /// After its input ended.
        case finished(Int32)
        /// Before it was sent anything.
        case byItself(Int32)
        /// By a kill, as it had not finished long after its input ended.
        case late

        /// What is wrong with it; `nil` for a kill that was sent, and for success at the end of the input.
        var fault: String? {
            switch self {
            case .killed, .finished(0): nil
            case .finished(let status): "ended with \(ChildProcess.text(ofStatus: status))"
            case .byItself(let status): "ended by itself with \(ChildProcess.text(ofStatus: status))"
            case .late: "did not end with its input, and was killed"
            }
        }
    }

    private let process: ChildProcess
    private let input: Int32
    private let output: Int32
    private var rest: [UInt8] = []
    /// The status of a process that was waited for: its number may be another one's by now.
    private var status: Int32?

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

    /// The next line.
    ///
    /// - Parameter time: How long to wait for it; `nil` for any time.
    /// - Returns: `nil` where the process ended, or that time did.
    func line(within time: Duration? = nil) -> String? {
        let end = time.map { ContinuousClock.now + $0 }
        while true {
            if let end = rest.firstIndex(of: 0x0A) {
                defer { rest.removeFirst(end + 1) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            if let end {
                let left = max(.zero, end - .now) / .milliseconds(1)
                guard hasOutput(within: Int32(clamping: Int(left.rounded(.up)))) else {
                    if ContinuousClock.now >= end { return nil }
                    continue
                }
            }
            guard let piece = ChildProcess.read(output) else { return nil }
            rest += piece
        }
    }

    /// The lines that it has printed by now, without waiting for more.
    func linesSoFar() -> [String] {
        while hasOutput(within: 0), let piece = ChildProcess.read(output) { rest += piece }
        guard let end = rest.lastIndex(of: 0x0A) else { return [] }
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Whether there is something to read, be it the end.
    private func hasOutput(within milliseconds: Int32) -> Bool {
        var state = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        // SAFETY: one entry is passed, which lives as long as the call.
        return unsafe poll(&state, 1, milliseconds) > 0
    }

    /// Whether it has ended, in whatever way.
    var hasEnded: Bool {
        if status == nil { status = process.statusSoFar() }
        return status != nil
    }

    /// Ends its input, so that it finishes, and waits for its end; called once, and nothing after it but `linesSoFar`.
    ///
    /// - Parameter time: How long to wait before it is killed.
    func finish(within time: Duration) -> Ending {
        if hasEnded, let status {
            close(input)
            return .byItself(status)
        }
        close(input)
        let end = ContinuousClock.now + time
        while !hasEnded {
            guard ContinuousClock.now < end else {
                killAndWait()
                return .late
            }
            // What it prints is read meanwhile: it could not end while it waits for room.
            if hasOutput(within: 5), let piece = ChildProcess.read(output) { rest += piece } else { usleep(5000) }
        }
        return .finished(status ?? 0)
    }

    /// Kills it, and waits for its end; called once, and nothing after it but `linesSoFar`.
    func kill() -> Ending {
        // The input ends last: at its end the process would finish, before the signal is there.
        defer { close(input) }
        if hasEnded, let status { return .byItself(status) }
        let status = killAndWait()
        return status & 0x7F == SIGKILL ? .killed : .byItself(status)
    }

    /// Gives back what the process's lines came through; called once, after `finish` or `kill`.
    func forget() { close(output) }

    /// Ends its input, interrupts it, and waits for its end; called once.
    func end() {
        close(input)
        if !hasEnded {
            process.signal(SIGINT)
            status = process.wait()
        }
        close(output)
    }

    @discardableResult
    private func killAndWait() -> Int32 {
        process.signal(SIGKILL)
        let status = process.wait()
        self.status = status
        return status
    }
}
