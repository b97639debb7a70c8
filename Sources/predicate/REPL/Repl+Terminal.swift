// The loop on a terminal whose lines can be edited.

import Glibc
import LineEditing
import RecordDatabase

extension Repl {
    /// Reads, edits and runs entries until the end.
    func runTerminal(_ device: TerminalDevice) -> ExitStatus {
        self.device = device
        greet()
        usesViKeys = usesViKeys || HistoryFile.prefersViKeys
        let file = HistoryFile()
        var state = EditorState(history: InputHistory(file: file.text))
        defer { device.restore() }
        while !isEnded {
            device.enterEditing()
            let entry = edit(&state, device)
            // Control-C is a key until here: a signal is left from a program that ran before.
            if device.signals.taken().contains(where: SignalPipe.ends) { break }
            device.enterRunning()
            guard let entry = entry.map(Self.withoutEmptyLines) else { break }
            if state.remember(entry: entry) { file.append(entry) }
            execute(entry)
        }
        return .success
    }

    /// An entry without the empty lines at its end.
    private static func withoutEmptyLines(_ entry: String) -> String {
        var entry = Substring(entry)
        while entry.last == "\n" { entry.removeLast() }
        return String(entry)
    }

    /// One entry; `nil` at the end of input.
    private func edit(_ state: inout EditorState, _ device: TerminalDevice) -> String? {
        let language = PredicateLanguage(self)
        let palette: Palette = session.outputStyle.isColored ? .colored : .monochrome
        var painter = ScreenPainter(columns: device.size.columns, palette: palette)
        state.usesViKeys = usesViKeys
        if !draft.isEmpty { state.set(draft) }
        draft = ""
        while true {
            let layout = layout(device)
            if !device.hasKeys { device.write(painter.paint(layout.screen(of: state, language))) }
            let action: EditorAction
            switch device.next() {
            case .key(let key): action = state.handle(key, language)
            case .resized, .nothing: continue
            case .hangup: return nil
            }
            switch action {
            case .edit: continue
            case .submit(let text):
                device.write(painter.paint(layout.finalScreen(of: text, language)) + painter.leave())
                return text
            case .interrupt(let text):
                let isEmpty = text.isEmpty
                device.write(painter.paint(layout.finalScreen(of: text + "^C", PlainLanguage())) + painter.leave())
                if isEmpty { state.notice = "'.quit' or Control-D ends" }
            case .end:
                device.write(painter.paint(layout.finalScreen(of: "", language)) + painter.leave())
                return nil
            case .clearScreen:
                device.write("\u{1B}[H\u{1B}[2J")
                painter.reset(columns: device.size.columns)
            case .suspend:
                device.write(painter.leave())
                device.suspend()
            case .openEditor(let text):
                device.write(painter.paint(layout.finalScreen(of: text, language)) + painter.leave())
                if let edited = editedElsewhere(text, device) { state.set(edited) }
                device.enterEditing()
            }
        }
    }

    private func layout(_ device: TerminalDevice) -> ScreenLayout {
        let (columns, rows) = device.size
        return ScreenLayout(prompt: prompt(columns: columns), columns: columns, height: rows)
    }

    /// A text after the user's own editor was at it; `nil` when that failed, which is shown.
    private func editedElsewhere(_ text: String, _ device: TerminalDevice) -> String? {
        do throws(CommandError) { return try ExternalEditor.edit(text, device) } catch {
            session.report(error)
            return nil
        }
    }
}

/// Text without meaning.
private struct PlainLanguage: EditorLanguage {
    func highlights(of text: String) -> [HighlightedRange] { [] }
    func diagnosis(of text: String, cursor: Int) -> Diagnosis? { nil }
    func isFinished(_ text: String) -> Bool { true }
    func completions(of text: String, cursor: Int) -> CompletionList {
        CompletionList(range: cursor..<cursor, candidates: [])
    }
}
