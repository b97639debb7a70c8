// Work that Control-C ends.

import Glibc
import Synchronization

/// Runs work in a task, and cancels it on the user's request.
enum InterruptibleWork {
    /// How long cancelled work has to end in order; then it is left behind.
    private static let grace = 300
    /// Work that takes longer than so many milliseconds is told of.
    private static let patience = 3_000

    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    /// The value of the work; `nil` when it was ended.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) -> Value? {
        guard let ends = PipeEnds() else { return work() }
        defer { close(ends.reader) }
        // What was pressed before the work began is meant for it: nothing is thrown away here.
        let signals = SignalPipe()
        let outcome = Outcome<Value>()
        let task = Task.detached(priority: .userInitiated) {
            let value = work()
            outcome.value.withLock { $0 = value }
            close(ends.writer)
        }
        var isCancelled = false
        var seconds = 0
        let isSeen = StandardStream.error.isTerminal
        defer { if seconds > 0 { tell("\r\u{1B}[K") } }
        while true {
            switch signals.wait(for: ends.reader, milliseconds: isCancelled ? grace : isSeen ? patience : nil) {
            case .input: return isCancelled ? nil : outcome.value.withLock { $0 }
            case .signals(let numbers) where numbers.contains(SIGINT) || numbers.contains(where: SignalPipe.ends):
                task.cancel()
                isCancelled = true
            case .signals: continue
            case .nothing:
                if isCancelled { return nil }
                seconds += Self.patience / 1_000
                tell("\rworking for \(seconds) s; Control-C ends it\u{1B}[K")
            }
        }
    }

    private static func tell(_ text: String) {
        let writer = ByteWriter(.error)
        writer.write(text)
        writer.flush()
    }
}
