// The terminal itself: its modes, its size, its keys.

import Glibc
import LineEditing

/// A terminal on standard input and output whose lines can be edited.
final class TerminalDevice {
    private let original: termios
    private var decoder = KeyDecoder()
    private var waiting: [Key] = []
    let signals = SignalPipe()
    private let input = StandardStream.input.rawValue
    private let output = StandardStream.output.rawValue

    /// What came from the terminal.
    enum Event {
        case key(Key)
        case resized
        /// The terminal is gone, or the process was told to end.
        case hangup
        case nothing
    }

    /// The terminal; `nil` when standard input is none.
    init?() {
        var settings = termios()
        // SAFETY: the structure lives on this frame for the length of the call.
        guard unsafe tcgetattr(StandardStream.input.rawValue, &settings) == 0 else { return nil }
        original = settings
    }

    // MARK: Modes

    /// Every key comes at once, nothing is echoed, pastes are marked.
    func enterEditing() {
        var settings = original
        settings.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON | INLCR | IGNCR)
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
        settings.c_cflag |= tcflag_t(CS8)
        apply(settings)
        write("\u{1B}[?2004h")
    }

    /// Keys wait unseen, but Control-C is a signal: for the time that something runs.
    func enterRunning() {
        write("\u{1B}[?2004l")
        var settings = original
        settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
        apply(settings)
    }

    /// As the shell left it: for other programs, and at the end.
    func restore() { apply(original) }

    private func apply(_ settings: termios) {
        var settings = settings
        // SAFETY: the structure lives on this frame for the length of the call.
        unsafe tcsetattr(input, TCSADRAIN, &settings)
    }

    /// Stops the process as Control-Z does, and comes back when it is continued.
    func suspend() {
        write("\u{1B}[?2004l")
        restore()
        raise(SIGTSTP)
        enterEditing()
    }

    // MARK: Output

    /// Columns and rows.
    var size: (columns: Int, rows: Int) {
        var size = winsize()
        // SAFETY: the kernel fills the structure that lives on this frame for the length of the call.
        let result = unsafe ioctl(output, UInt(TIOCGWINSZ), &size)
        return result == 0 && size.ws_col > 0 && size.ws_row > 0 ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }

    /// Writes text at once.
    func write(_ text: String) {
        if case .taken = ByteWriter.write(Array(text.utf8), to: output) { return }
        restore()
        exit(128 + SIGHUP)
    }

    // MARK: Input

    /// Whether keys have come that were not read yet.
    var hasKeys: Bool {
        if !waiting.isEmpty { return true }
        var polled = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        // SAFETY: one structure, on this frame.
        return unsafe poll(&polled, 1, 0) > 0
    }

    /// The next thing that happens, within a time; `nil` waits for ever.
    func next(milliseconds: Int? = nil) -> Event {
        if !waiting.isEmpty { return .key(waiting.removeFirst()) }
        // What follows an Escape within this time belongs to it.
        let timeout = decoder.isPending ? 50 : milliseconds
        switch signals.wait(for: input, milliseconds: timeout) {
        case .input:
            guard let bytes = read() else { return .hangup }
            waiting = decoder.keys(bytes)
        case .signals(let numbers):
            if numbers.contains(where: SignalPipe.ends) { return .hangup }
            if numbers.contains(SIGWINCH) { return .resized }
            if numbers.contains(SIGINT) { return .key(.control("c")) }
        case .nothing:
            if decoder.isPending { waiting = decoder.flush() } else { return .nothing }
        }
        return next(milliseconds: milliseconds)
    }

    private func read() -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            // SAFETY: the kernel writes at most as many bytes as the array has.
            let count = unsafe Glibc.read(input, &bytes, bytes.count)
            if count < 0, errno == EINTR { continue }
            return count > 0 ? Array(bytes.prefix(count)) : nil
        }
    }
}
