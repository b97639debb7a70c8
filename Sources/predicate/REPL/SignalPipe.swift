// Signals as something that can be waited for together with input.

import Glibc

/// Where the handler writes; a handler may use nothing but global state.
nonisolated(unsafe) private var signalWriter: Int32 = -1

/// Catches the signals of a terminal session and hands them out on demand.
///
/// There is one pipe a process; while it exists, Control-C ends no process, and writing to a closed pipe is an error.
struct SignalPipe {
    private let reader: Int32

    /// What a wait brought.
    enum Event {
        case input
        case signals([Int32])
        case nothing
    }

    private static let caught = [SIGINT, SIGWINCH, SIGTERM, SIGHUP]

    /// Whether the signal tells the process to end.
    static func ends(_ signal: Int32) -> Bool { signal == SIGTERM || signal == SIGHUP }

    private static let shared: Int32 = {
        guard let ends = PipeEnds() else { return -1 }
        ends.neverWait()
        unsafe signalWriter = ends.writer
        for number in caught {
            var action = sigaction()
            unsafe action.__sigaction_handler.sa_handler = { number in
                let error = errno
                var byte = UInt8(truncatingIfNeeded: number)
                // SAFETY: write is allowed in a handler; a full pipe drops the byte, others are waiting then.
                _ = unsafe Glibc.write(signalWriter, &byte, 1)
                errno = error
            }
            action.sa_flags = SA_RESTART
            // SAFETY: the structure lives on this frame for the length of the call.
            unsafe sigaction(number, &action, nil)
        }
        signal(SIGPIPE, SIG_IGN)
        return ends.reader
    }()

    init() { reader = Self.shared }

    /// Waits for input, for a signal, or for time to pass; `nil` milliseconds wait for ever.
    func wait(for descriptor: Int32, milliseconds: Int?) -> Event {
        var polled = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: reader, events: Int16(POLLIN), revents: 0),
        ]
        // SAFETY: the array has two elements.
        let count = unsafe poll(&polled, 2, milliseconds.map { Int32(clamping: $0) } ?? -1)
        if count > 0, polled[1].revents != 0 { return .signals(taken()) }
        if count > 0, polled[0].revents != 0 { return .input }
        return .nothing
    }

    /// The signals that came since the last time.
    func taken() -> [Int32] {
        var bytes = [UInt8](repeating: 0, count: 64)
        // SAFETY: the kernel writes at most as many bytes as the array has.
        let count = unsafe read(reader, &bytes, bytes.count)
        return bytes.prefix(max(0, count)).map(Int32.init)
    }
}
