// Editor -> screen: prompt, text with its colours, what is wrong with it, the menu.

import TextAnalysis

/// Lays an editor out for a terminal of some size.
package struct ScreenLayout {
    /// What precedes the first line; following lines are indented as far.
    package var prompt: String
    /// Size of the terminal.
    package var columns: Int
    package var height: Int
    /// Rows of the menu, at most.
    private static let menuHeight = 8

    package init(prompt: String, columns: Int, height: Int) {
        self.prompt = prompt
        self.columns = max(columns, 4)
        self.height = max(height, 3)
    }

    /// The screen of an editor that is being typed into.
    package func screen(of state: EditorState, _ language: some EditorLanguage) -> Screen {
        if let search = state.search { return searchScreen(search, state, language) }
        let text = state.buffer.text
        let cursor = state.buffer.byteCursor
        var styles = Self.styles(of: text, language)
        Self.matchBrackets(in: text, cursor: cursor, language.highlights(of: text), &styles)
        let diagnosis = state.menu == nil ? language.diagnosis(of: text, cursor: cursor) : nil
        if let diagnosis, diagnosis.severity != .unfinished {
            for byte in diagnosis.range.clamped(to: 0..<styles.count) {
                styles[byte] = CellStyle(diagnosis.severity == .error ? .error : .warning, isUnderlined: true)
            }
        }
        var writer = RowWriter(columns: columns)
        writer.put(prompt, .prompt)
        let indent = writer.column
        let place = writer.put(text, styles, cursor: cursor, mark: diagnosis?.range.lowerBound, indent: indent)
        if let continuation = state.continuation, diagnosis?.severity != .error {
            writer.put(continuation, .faint, indent: indent, limit: height - 2)
        }
        writer.finishText(cursor: place.cursor)
        let below = max(0, height - writer.rows.count - 1)
        if let menu = state.menu {
            writer.rows += menuRows(menu, height: min(Self.menuHeight, max(1, below - 1)))
        } else if let notice = state.notice {
            writer.rows += wrapped(notice, .faint, limit: max(1, below))
        } else if let diagnosis {
            writer.rows += rows(of: diagnosis, at: place.mark, in: writer, text, limit: max(1, below))
        }
        return cropped(writer)
    }

    /// The screen of a text that was entered: no menu, no hints.
    package func finalScreen(of text: String, _ language: some EditorLanguage) -> Screen {
        var writer = RowWriter(columns: columns)
        writer.put(prompt, .prompt)
        let styles = Self.styles(of: text, language)
        let place = writer.put(text, styles, cursor: text.utf8.count, mark: nil, indent: writer.column)
        writer.finishText(cursor: place.cursor)
        return cropped(writer)
    }

    private func searchScreen(
        _ search: HistorySearch, _ state: EditorState, _ language: some EditorLanguage
    ) -> Screen {
        var writer = RowWriter(columns: columns)
        writer.put(search.isFailing ? "not found: " : "search: ", search.isFailing ? .error : .prompt)
        writer.put(search.text, .plain)
        let cursor = writer.place
        guard let found = search.found else {
            writer.finishText(cursor: cursor)
            return cropped(writer)
        }
        writer.startRow()
        let entry = state.history.entries[found]
        var styles = Self.styles(of: entry, language)
        let isExact = search.text.contains(where: \.isUppercase)
        let bytes = Array((isExact ? entry : entry.lowercased()).utf8)
        let needle = Array((isExact ? search.text : search.text.lowercased()).utf8)
        if bytes.count == styles.count, let range = bytes.firstRange(of: needle) {
            for byte in range { styles[byte] = CellStyle(.found) }
        }
        _ = writer.put(entry, styles, cursor: 0, mark: nil, indent: 0)
        writer.finishText(cursor: cursor)
        return cropped(writer)
    }

    // MARK: Styles

    /// A style for each byte.
    private static func styles(of text: String, _ language: some EditorLanguage) -> [CellStyle] {
        var styles = [CellStyle](repeating: CellStyle(), count: text.utf8.count)
        for highlight in language.highlights(of: text) {
            for byte in highlight.range.clamped(to: 0..<styles.count) { styles[byte] = CellStyle(highlight.role) }
        }
        return styles
    }

    /// Marks the bracket at or before the cursor and its partner, and a bracket that closes nothing.
    private static func matchBrackets(
        in text: String, cursor: Int, _ highlights: [HighlightedRange], _ styles: inout [CellStyle]
    ) {
        let bytes = Array(text.utf8)
        let partners: [UInt8: UInt8] = [0x29: 0x28, 0x5D: 0x5B, 0x7D: 0x7B]
        var open: [Int] = []
        var pairs: [(open: Int, close: Int)] = []
        for highlight in highlights where highlight.role == .bracket {
            let place = highlight.range.lowerBound
            guard place < bytes.count else { continue }
            guard let partner = partners[bytes[place]] else {
                open.append(place)
                continue
            }
            guard let last = open.last, bytes[last] == partner else {
                styles[place] = CellStyle(.invalid)
                continue
            }
            open.removeLast()
            pairs.append((last, place))
        }
        // The bracket before the cursor counts more than the one behind it.
        let touched =
            pairs.first { $0.open == cursor - 1 || $0.close == cursor - 1 }
            ?? pairs.first { $0.open == cursor || $0.close == cursor }
        guard let touched else { return }
        styles[touched.open] = CellStyle(.matchedBracket)
        styles[touched.close] = CellStyle(.matchedBracket)
    }

    // MARK: Below the text

    private func rows(
        of diagnosis: Diagnosis, at mark: (row: Int, column: Int)?, in writer: RowWriter, _ text: String, limit: Int
    ) -> [[Cell]] {
        let role: TextRole =
            switch diagnosis.severity {
            case .error: .error
            case .warning: .warning
            case .unfinished: .faint
            }
        var message = diagnosis.message
        if diagnosis.severity == .unfinished {
            return wrapped(diagnosis.hint.map { "\(message): \($0)" } ?? message, role, limit: limit)
        }
        var rows: [[Cell]] = []
        if let mark, mark.row == writer.rows.count - 1, mark.column < columns, limit > 1 {
            let width = max(1, min(columns - mark.column, TextWidth.columns(of: Self.part(diagnosis.range, of: text))))
            let caret = "^" + String(repeating: "~", count: width - 1)
            rows.append(cells(String(repeating: " ", count: mark.column), .plain) + cells(caret, role))
        } else if let line = Self.line(ofByte: diagnosis.range.lowerBound, in: text) {
            message = "line \(line): \(message)"
        }
        rows += wrapped(message, role, limit: limit - rows.count)
        if let hint = diagnosis.hint, rows.count < limit {
            rows += wrapped("hint: " + hint, .faint, limit: limit - rows.count)
        }
        return rows
    }

    private static func part(_ range: Range<Int>, of text: String) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: bytes[range.clamped(to: 0..<bytes.count)], as: UTF8.self)
    }

    /// The line of a byte, from 1; `nil` for a text of one line.
    private static func line(ofByte offset: Int, in text: String) -> Int? {
        guard text.utf8.contains(0x0A) else { return nil }
        return text.utf8.prefix(offset).reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
    }

    private func menuRows(_ menu: CompletionMenu, height: Int) -> [[Cell]] {
        let all = menu.list.candidates
        let first = max(0, min((menu.chosen ?? 0) - height / 2, all.count - height))
        let shown = all[first..<min(all.count, first + height)]
        let widest = shown.map { TextWidth.columns(of: $0.text) }.max() ?? 0
        let width = min(widest, max(columns * 2 / 3, columns - 20), columns - 3)
        var rows = shown.enumerated().map { index, candidate in
            let isChosen = menu.chosen == first + index
            let name = Self.fitted(candidate.text, to: width)
            var row = cells(isChosen ? "› " : "  ", isChosen ? .chosen : .menu)
            row += cells(name, isChosen ? .chosen : candidate.role == .plain ? .menu : candidate.role)
            let room = columns - 4 - width
            if room > 3, !candidate.detail.isEmpty {
                row += cells("  ", isChosen ? .chosen : .menu)
                row += cells(Self.fitted(candidate.detail, to: room, pads: false), isChosen ? .chosen : .faint)
            }
            return row
        }
        let rest = all.count - first - shown.count
        if first > 0 || rest > 0 {
            let place = menu.chosen.map { "\($0 + 1) of \(all.count)" } ?? "\(all.count) in all"
            rows.append(cells(Self.fitted("  \(place)", to: columns - 1, pads: false), .faint))
        }
        return rows
    }

    /// The text cut to a width, or filled up to it.
    private static func fitted(_ text: String, to width: Int, pads: Bool = true) -> String {
        let columns = TextWidth.columns(of: text)
        if columns > width { return TextWidth.prefix(of: text, columns: max(0, width - 1)) + "…" }
        return pads ? text + String(repeating: " ", count: width - columns) : text
    }

    private func cells(_ text: String, _ role: TextRole) -> [Cell] {
        var writer = RowWriter(columns: columns)
        writer.put(text, role)
        return writer.rows[0]
    }

    /// A text in rows broken between words.
    private func wrapped(_ text: String, _ role: TextRole, limit: Int) -> [[Cell]] {
        var lines: [String] = [""]
        for word in text.split(separator: " ") {
            let longer = lines[lines.count - 1].isEmpty ? String(word) : lines[lines.count - 1] + " " + word
            if TextWidth.columns(of: longer) < columns || lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = longer
            } else {
                lines.append(String(word))
            }
        }
        return lines.prefix(max(0, limit)).map { cells(Self.fitted($0, to: columns - 1, pads: false), role) }
    }

    /// As many rows as the terminal has, those around the cursor.
    private func cropped(_ writer: RowWriter) -> Screen {
        var screen = Screen(columns: columns)
        let (row, column) = writer.cursor
        let first = min(max(0, row - height + 2), max(0, writer.rows.count - height))
        screen.rows = Array(writer.rows[first..<min(writer.rows.count, first + height)])
        screen.cursorRow = row - first
        screen.cursorColumn = column
        return screen
    }
}
