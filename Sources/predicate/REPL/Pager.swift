// Long results page by page: through $PAGER, or here.

import Glibc
import LineEditing
import RecordDatabase
import TextAnalysis

/// Takes a result's bytes: shows them at once while they fit on the screen, else through a pager.
final class Pager {
    private let device: TerminalDevice
    private let style: Style
    /// What waits for the decision whether it fits.
    private var held: [UInt8] = []
    private var state = State.holding
    /// Rows of the screen that are written since the last stop.
    private var rows = 0
    /// What was looked for last.
    private var sought = ""
    /// Lines that were passed over since.
    private var passedOver = 0

    private enum State {
        case holding
        case program(ChildProgram)
        case stopping
        /// Lines are passed over until one holds the text.
        case seeking(String)
        /// The user wants the rest at once.
        case flowing
        case closed
    }

    init(_ device: TerminalDevice, style: Style) {
        self.device = device
        self.style = style
    }

    /// Where the result is written to.
    var writer: ByteWriter {
        ByteWriter(limit: 1 << 12) { [self] bytes in
            if case .holding = state {
                held += bytes
                if rowCount(held) < height { return .taken }
                start()
                return passOn()
            }
            held = bytes
            return passOn()
        }
    }

    /// Shows what is held; waits for the pager's end.
    func finish() {
        switch state {
        case .holding: device.write(String(decoding: held, as: UTF8.self))
        case .program(var child):
            _ = child.finish()
            _ = device.signals.taken()
        case .seeking(let text): device.write(style.dim("-- no line holds '\(text)' --") + "\n")
        case .stopping, .flowing, .closed: break
        }
        state = .closed
    }

    /// Rows that leave room for the line of counts and the prompt.
    private var height: Int { max(4, device.size.rows - 2) }

    private func rowCount(_ bytes: [UInt8]) -> Int {
        bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().reduce(0) { $0 + rows(of: $1) }
    }

    /// Rows that a line takes. Cheap first: most lines are shorter in bytes than the terminal is wide.
    private func rows(of line: ArraySlice<UInt8>) -> Int {
        let columns = device.size.columns
        if line.count <= columns { return 1 }
        let width = TextWidth.columns(of: Self.withoutColors(String(decoding: line, as: UTF8.self)))
        return max(1, (width + columns - 1) / columns)
    }

    private static func withoutColors(_ text: String) -> String {
        guard text.utf8.contains(0x1B) else { return text }
        return text.split(separator: "\u{1B}[", omittingEmptySubsequences: false).enumerated().map { index, part in
            index == 0 ? part : part.drop { $0 != "m" }.dropFirst()
        }.joined()
    }

    private func start() {
        state = .stopping
        guard let pager = Environment["PAGER"], !pager.isEmpty else { return }
        // As git does: less shows colours, and leaves the screen as it is.
        unsafe setenv("LESS", "FRX", 0)
        device.restore()
        if let child = ChildProgram(shell: pager, pipesInput: true) { state = .program(child) }
    }

    private func passOn() -> ByteWriter.Outcome {
        defer { held = [] }
        switch state {
        case .program(let child):
            guard let input = child.input else { return .unwanted }
            return ByteWriter.write(held, to: input)
        case .stopping, .seeking: return showPages()
        case .flowing:
            device.write(String(decoding: held, as: UTF8.self))
            let stops = device.signals.taken().contains(SIGINT)
            return stops ? .unwanted : .taken
        case .holding, .closed: return .unwanted
        }
    }

    // MARK: Stops at full screens

    private func showPages() -> ByteWriter.Outcome {
        for line in held.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            if case .seeking(let text) = state {
                guard holds(line, text) else {
                    passedOver += 1
                    continue
                }
                if passedOver > 0 { device.write(style.dim("-- \(passedOver.grouped) lines passed over --") + "\n") }
                (state, rows) = (.stopping, passedOver > 0 ? 1 : 0)
            }
            let needed = rows(of: line)
            if case .stopping = state, rows + needed > height {
                guard let more = readCommand() else {
                    state = .closed
                    return .unwanted
                }
                rows = height - more
                if case .seeking(let text) = state {
                    passedOver = 0
                    guard holds(line, text) else {
                        passedOver = 1
                        continue
                    }
                    state = .stopping
                }
            }
            device.write(String(decoding: line, as: UTF8.self) + "\n")
            rows += needed
        }
        // A line whose end is still to come.
        let tail = held.suffix(while: { $0 != 0x0A })
        device.write(String(decoding: tail, as: UTF8.self))
        return .taken
    }

    /// How many rows more the user wants; `nil` for no more.
    private func readCommand() -> Int? {
        device.write(style.dim("-- more: space, Enter a line, / search, a all, q stop --"))
        defer { device.write("\r\u{1B}[K") }
        while true {
            switch device.next() {
            case .key(.text(" ")), .key(.named(.pageDown, _)), .key(.control("f")): return height
            case .key(.named(.enter, _)), .key(.named(.down, _)), .key(.control("j")): return 1
            case .key(.text(let letters)) where letters.hasPrefix("/") || letters == "n" && sought.isEmpty:
                guard let text = readPattern(String(letters.dropFirst())) else {
                    device.write("\r\u{1B}[K" + style.dim("-- more: space, Enter a line, / search, a all, q stop --"))
                    continue
                }
                sought = text
                state = .seeking(text)
                return height
            case .key(.text("n")):
                state = .seeking(sought)
                return height
            case .key(.text("a")):
                state = .flowing
                return height
            case .key(.text("q")), .key(.text("Q")), .key(.control("c")), .key(.control("d")), .key(.named(.escape, _)),
                .hangup:
                return nil
            default: continue
            }
        }
    }

    /// Whether a line holds a text; letter case counts when the text has capitals.
    private func holds(_ line: ArraySlice<UInt8>, _ text: String) -> Bool {
        let shown = Self.withoutColors(String(decoding: line, as: UTF8.self))
        let isExact = text.contains(where: \.isUppercase)
        return (isExact ? shown : shown.lowercased()).contains(isExact ? text : text.lowercased())
    }

    /// The text to look for; `nil` when that was given up.
    ///
    /// - Parameter typed: What was typed of it.
    private func readPattern(_ typed: String) -> String? {
        var text = typed
        while true {
            device.write("\r\u{1B}[K/" + ValueText.singleLine(text))
            switch device.next() {
            case .key(.text(let letters)), .key(.paste(let letters)): text += letters
            case .key(.named(.enter, _)), .key(.control("j")), .key(.control("m")):
                return text.isEmpty ? (sought.isEmpty ? nil : sought) : text
            case .key(.named(.backspace, _)), .key(.control("h")):
                if text.isEmpty { return nil }
                text.removeLast()
            case .key(.named(.escape, _)), .key(.control("c")), .key(.control("g")), .hangup: return nil
            default: continue
            }
        }
    }
}

extension [UInt8] {
    /// The elements behind the last one that does not satisfy a condition.
    fileprivate func suffix(while isWanted: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        guard let last = lastIndex(where: { !isWanted($0) }) else { return self[...] }
        return self[(last + 1)...]
    }
}
