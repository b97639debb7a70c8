// What is behind standard input, output and error: a terminal or not, how wide, with colours or not.

import Glibc

/// A standard stream.
enum StandardStream: Int32 {
    case input = 0
    case output = 1
    case error = 2

    /// Whether the stream is a terminal.
    var isTerminal: Bool { isatty(rawValue) == 1 }

    /// The columns that `COLUMNS` tells.
    private static var toldColumns: Int? {
        Environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Columns that tables may take: the terminal's, or those that `COLUMNS` tells; `nil` for lines of any length,
    /// where nobody limits them.
    static var tableColumns: Int? { StandardStream.output.isTerminal ? StandardStream.output.columns : toldColumns }

    /// Columns of the terminal behind the stream; `COLUMNS` wins where it is set, 80 when nobody knows.
    var columns: Int {
        if let columns = Self.toldColumns { return columns }
        var size = winsize()
        // SAFETY: the kernel fills the structure that lives on this frame for the length of the call.
        let result = unsafe ioctl(rawValue, UInt(TIOCGWINSZ), &size)
        return result == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}

/// Environment variables.
enum Environment {
    /// The value of a variable, `nil` when it is not set.
    static subscript(name: String) -> String? {
        // SAFETY: the text is copied at once; nothing in this process changes the environment.
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(cString: text)
    }
}

/// When to use colours.
enum ColorChoice: String {
    case auto, always, never

    /// Whether to colour what goes to a stream: the choice, then `NO_COLOR`, `CLICOLOR_FORCE`, `TERM=dumb`, then
    /// whether it is a terminal.
    func allows(_ stream: StandardStream) -> Bool {
        switch self {
        case .always: return true
        case .never: return false
        case .auto:
            if let noColor = Environment["NO_COLOR"], !noColor.isEmpty { return false }
            if let force = Environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" { return true }
            return stream.isTerminal && Environment["TERM"] != "dumb"
        }
    }
}

/// Text attributes, or none of them.
struct Style {
    var isColored: Bool

    func bold(_ text: String) -> String { wrapped(text, "1") }
    func dim(_ text: String) -> String { wrapped(text, "2") }
    func red(_ text: String) -> String { wrapped(text, "31") }
    /// What a search found.
    func match(_ text: String) -> String { wrapped(text, "1;31") }
    func cyan(_ text: String) -> String { wrapped(text, "36") }

    private func wrapped(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// The scalars of one of these codes, if a text begins with one; 0 for all other sequences.
    func codeLength(at text: Substring.UnicodeScalarView) -> Int {
        guard isColored, text.first == "\u{1B}" else { return 0 }
        let code = Self.codes.first { text.starts(with: $0) }
        return code?.count ?? 0
    }

    private static let codes = ["0", "1", "2", "31", "1;31", "36"].map { "\u{1B}[\($0)m".unicodeScalars }
}
