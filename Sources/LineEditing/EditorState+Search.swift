// Searching the history backwards as letters come: Control-R.

/// A search under way.
struct HistorySearch: Equatable, Sendable {
    var text = ""
    /// The entry found; `nil` before and when nothing holds the text.
    var found: Int?
    /// The text to go back to.
    let original: EditBuffer
    /// Whether nothing further was found.
    var isFailing = false
}

extension EditorState {
    mutating func beginSearch() { search = HistorySearch(original: buffer) }

    /// What a key does to the search; `nil` when it ends the search and is then taken as usual.
    mutating func searchKey(_ key: Key) -> EditorAction? {
        guard var search else { return nil }
        switch key {
        case .control("r"), .named(.up, _): search.step(-1, in: history)
        case .control("s"), .named(.down, _): search.step(1, in: history)
        case .text(let text), .paste(let text):
            search.text += text
            search.look(in: history)
        case .named(.backspace, _), .control("h"):
            search.text = String(search.text.dropLast())
            search.look(in: history)
        case .control("g"), .control("c"):
            buffer = search.original
            self.search = nil
            return .edit
        case .named(.enter, []), .control("j"), .control("m"):
            accept(search)
            return submit()
        case .named(.escape, _), .named(.tab, _):
            accept(search)
            return .edit
        default:
            accept(search)
            return nil
        }
        self.search = search
        return .edit
    }

    private mutating func accept(_ search: HistorySearch) {
        self.search = nil
        guard let found = search.found else { return }
        set(history.entries[found])
    }
}

extension HistorySearch {
    /// Looks for the text from the newest entry on.
    mutating func look(in history: InputHistory) {
        let next = history.search(text, before: history.entries.count)
        isFailing = next == nil && !text.isEmpty
        if next != nil || text.isEmpty { found = next }
    }

    /// Goes on to an older (`-1`) or newer (`1`) entry.
    mutating func step(_ direction: Int, in history: InputHistory) {
        guard let found else { return look(in: history) }
        let next = direction < 0 ? history.search(text, before: found) : history.search(text, after: found)
        isFailing = next == nil
        self.found = next ?? found
    }
}
