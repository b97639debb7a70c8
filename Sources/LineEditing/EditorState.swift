// The line editor as a value: keys go in, text, cursor and what to do come out. No terminal, no file.

/// What a key led to, beyond a changed text.
package enum EditorAction: Equatable, Sendable {
    /// The text may have changed; draw it.
    case edit
    /// The text is to be run; the editor has begun a new one.
    case submit(String)
    /// The text was given up; the editor has begun a new one.
    case interrupt(String)
    /// There will be no more input.
    case end
    case clearScreen
    case suspend
    /// The text is to be edited with the user's own editor.
    case openEditor(String)
}

/// A text being edited, with everything its keys need: undo, killed text, history, search, completion.
package struct EditorState: Sendable {
    package internal(set) var buffer = EditBuffer()
    package internal(set) var history: InputHistory
    /// A line of help below the text.
    package var notice: String?
    /// Whether text may be drawn that was not typed: what continues it in the history.
    package var offersContinuation = true

    /// Whether the keys are those of vi: Escape begins commands, `i` and others text again.
    package var usesViKeys = false

    var vi = ViCommand()
    var menu: CompletionMenu?
    var search: HistorySearch?
    var undo: [EditBuffer] = []
    var redo: [EditBuffer] = []
    var kills: [String] = []
    /// Clusters that the last yank put in, and which kill they came from.
    var yanked: (range: Range<Int>, kill: Int)?
    /// The column that moves up and down aim at.
    var goalColumn: Int?
    var last = Stroke.other

    /// What the stroke before did, which some keys continue.
    enum Stroke: Equatable, Sendable {
        case typing, kill, yank, vertical, undo, other
        /// A completed word with a blank behind it.
        case completion
        /// The text before was entered or given up, and is not to be had back by undoing.
        case clearing
        /// Control-X, the first of two.
        case prefix
    }

    /// An editor with the entries of earlier sessions.
    package init(history: InputHistory = InputHistory()) { self.history = history }

    /// Takes a key.
    package mutating func handle(_ key: Key, _ language: some EditorLanguage) -> EditorAction {
        notice = nil
        if search != nil, let action = searchKey(key) { return action }
        if menu != nil, let action = menuKey(key, language) { return action }
        let before = buffer
        let stroke = last
        last = .other
        let action: EditorAction
        if let known = viKey(key, language) {
            action = known
        } else {
            action = apply(key, after: stroke, language)
        }
        if last != .vertical { goalColumn = nil }
        if buffer.clusters != before.clusters, last != .undo, last != .clearing { remember(before, after: stroke) }
        return action
    }

    /// Sets the text, as a change that can be undone.
    package mutating func set(_ text: String) {
        let before = buffer
        buffer = EditBuffer(text)
        last = .other
        if before.clusters != buffer.clusters { remember(before, after: .other) }
    }

    /// Adds an entry to the history without running it; returns whether it is new.
    package mutating func remember(entry: String) -> Bool { history.add(entry) }

    /// Steps for undo are words: letters typed one after another are one step.
    private mutating func remember(_ before: EditBuffer, after stroke: Stroke) {
        redo = []
        if last == .typing, stroke == .typing, !undo.isEmpty, before.clusters.last?.isWhitespace != true { return }
        undo.append(before)
        if undo.count > 1_000 { undo.removeFirst() }
    }

    /// What the history offers to continue the text with.
    package var continuation: String? {
        guard offersContinuation, !buffer.isEmpty, buffer.isAtEnd, menu == nil, search == nil else { return nil }
        let text = buffer.text
        return history.continuation(of: text).map { String($0.dropFirst(text.count)) }
    }

    /// Begins a new text.
    mutating func clear() {
        buffer = EditBuffer()
        (undo, redo) = ([], [])
        (menu, search) = (nil, nil)
        history.rest()
        last = .clearing
        vi = ViCommand()
    }

    mutating func submit() -> EditorAction {
        let text = buffer.text
        clear()
        return .submit(text)
    }
}
