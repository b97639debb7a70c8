// Tab: what could appear at the cursor, put in at once or offered in a menu.

extension EditorState {
    /// Puts in the only candidate, or what all begin with, and offers the rest.
    mutating func complete(_ language: some EditorLanguage) {
        let list = language.completions(of: buffer.text, cursor: buffer.byteCursor)
        guard let first = list.candidates.first else {
            notice = "nothing to complete here"
            return
        }
        if list.candidates.count == 1 { return put(first, over: list.range) }
        menu = CompletionMenu(list, over: buffer)
        if let prefix = menu?.commonPrefix {
            buffer.replace(bytes: list.range, with: prefix)
            offer(language)
        }
    }

    /// What a key does while the menu is open; `nil` when it is taken as usual.
    mutating func menuKey(_ key: Key, _ language: some EditorLanguage) -> EditorAction? {
        guard var menu else { return nil }
        switch key {
        case .named(.tab, []), .named(.down, []), .control("n"), .control("i"): choose(&menu, 1)
        case .named(.tab, .shift), .named(.up, []), .control("p"): choose(&menu, -1)
        case .named(.escape, _), .control("g"):
            buffer = menu.original
            self.menu = nil
        case .named(.enter, []) where menu.chosen != nil: accept(menu)
        case .text(let text):
            if let chosen = menu.chosen {
                buffer = menu.original
                put(menu.list.candidates[chosen], over: menu.list.range, before: text)
            }
            return typed(text, menu, language)
        case .named(.backspace, []) where menu.chosen == nil && buffer.cursor > 0:
            undo.append(buffer)
            redo = []
            _ = buffer.remove(buffer.cursor - 1..<buffer.cursor)
            last = .other
            offer(language)
        default:
            if menu.chosen != nil { accept(menu) }
            self.menu = nil
            return nil
        }
        return .edit
    }

    private mutating func choose(_ menu: inout CompletionMenu, _ direction: Int) {
        menu.step(direction)
        buffer = menu.preview
        self.menu = menu
    }

    private mutating func accept(_ menu: CompletionMenu) {
        guard let chosen = menu.chosen else { return }
        buffer = menu.original
        put(menu.list.candidates[chosen], over: menu.list.range)
    }

    /// A letter goes on with the word and narrows the menu, or begins something new behind a chosen candidate.
    private mutating func typed(
        _ text: String, _ menu: CompletionMenu, _ language: some EditorLanguage
    ) -> EditorAction? {
        self.menu = nil
        if menu.chosen != nil { return nil }
        undo.append(buffer)
        redo = []
        buffer.insert(text)
        last = .typing
        // Only while the same word goes on: nobody wanted the next completed.
        if text.allSatisfy({ !$0.isWhitespace }) { offer(language, from: menu.list.range.lowerBound) }
        return .edit
    }

    /// Opens the menu for the text as it is now, or closes it when nothing fits.
    private mutating func offer(_ language: some EditorLanguage, from start: Int? = nil) {
        let list = language.completions(of: buffer.text, cursor: buffer.byteCursor)
        let isOther = start.map { $0 != list.range.lowerBound } ?? false
        menu = list.candidates.isEmpty || isOther ? nil : CompletionMenu(list, over: buffer)
    }

    /// Puts a candidate in, with a blank behind it unless one is there or `next` begins with something that needs none.
    private mutating func put(_ candidate: CompletionCandidate, over range: Range<Int>, before next: String? = nil) {
        undo.append(buffer)
        redo = []
        buffer.replace(bytes: range, with: candidate.text)
        menu = nil
        let follows = buffer.isAtEnd ? nil : buffer.clusters[buffer.cursor]
        guard candidate.isWhole else { return }
        if let next {
            if next.first?.isWordPart == true { buffer.insert(" ") }
        } else if follows == nil {
            buffer.insert(" ")
            last = .completion
        }
    }
}
