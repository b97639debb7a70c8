// What each key does to the text: Emacs keys, as in every shell.

extension EditorState {
    mutating func apply(_ key: Key, after stroke: Stroke, _ language: some EditorLanguage) -> EditorAction {
        switch key {
        case .text(let text): type(text, after: stroke)
        case .paste(let text): buffer.insert(text)
        case .control(let letter): return control(letter, after: stroke, language)
        case .meta(let letter): meta(letter, after: stroke)
        case .named(let name, let modifiers): return named(name, modifiers, after: stroke, language)
        }
        return .edit
    }

    private mutating func type(_ text: String, after stroke: Stroke) {
        // The blank that completion has put in is not wanted twice.
        buffer.insert(stroke == .completion && text.hasPrefix(" ") ? String(text.dropFirst()) : text)
        last = .typing
    }

    private mutating func control(
        _ letter: Character, after stroke: Stroke, _ language: some EditorLanguage
    ) -> EditorAction {
        if stroke == .prefix {
            if letter == "e" { return .openEditor(buffer.text) }
            if letter == "u" { undoOnce() }
            return .edit
        }
        switch letter {
        case "a": buffer.move(to: buffer.lineStart)
        case "e": moveToLineEnd()
        case "b": buffer.move(to: buffer.cursor - 1)
        case "f": moveRight()
        case "p": vertical(-1, after: stroke)
        case "n": vertical(1, after: stroke)
        case "h": deleteBackward()
        case "d":
            if buffer.isEmpty { return .end }
            deleteForward()
        case "k": killLine(after: stroke)
        case "u": kill(buffer.lineStart..<buffer.cursor, isForward: false, after: stroke)
        case "w": kill(buffer.blankStart..<buffer.cursor, isForward: false, after: stroke)
        case "y": yank()
        case "t": transpose()
        case "_": undoOnce()
        case "r": beginSearch()
        case "c": return interrupt()
        case "l": return .clearScreen
        case "z": return .suspend
        case "x": last = .prefix
        case "j", "m": return enter(language)
        case "i": complete(language)
        default: break
        }
        return .edit
    }

    private mutating func meta(_ letter: Character, after stroke: Stroke) {
        switch letter {
        case "b", "B": buffer.move(to: buffer.wordStart)
        case "f", "F": moveRight(byWord: true)
        case "d", "D": kill(buffer.cursor..<buffer.wordEnd, isForward: true, after: stroke)
        case "y": yankEarlier(after: stroke)
        case "u": changeWord { $0.uppercased() }
        case "l": changeWord { $0.lowercased() }
        case "c": changeWord { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        case "<": buffer.move(to: 0)
        case ">": buffer.move(to: buffer.clusters.count)
        case "z", "_": redoOnce()
        default: break
        }
    }

    private mutating func named(
        _ name: Key.Name, _ modifiers: Key.Modifiers, after stroke: Stroke, _ language: some EditorLanguage
    ) -> EditorAction {
        let byWord = !modifiers.intersection([.control, .meta]).isEmpty
        switch name {
        case .enter:
            if modifiers.isEmpty { return enter(language) }
            buffer.insert("\n")
        case .tab: if modifiers.isEmpty { complete(language) }
        case .backspace:
            if byWord {
                kill(buffer.wordStart..<buffer.cursor, isForward: false, after: stroke)
            } else {
                deleteBackward()
            }
        case .delete:
            if byWord { kill(buffer.cursor..<buffer.wordEnd, isForward: true, after: stroke) } else { deleteForward() }
        case .left: buffer.move(to: byWord ? buffer.wordStart : buffer.cursor - 1)
        case .right: moveRight(byWord: byWord)
        case .home: buffer.move(to: byWord ? 0 : buffer.lineStart)
        case .end: if byWord { buffer.move(to: buffer.clusters.count) } else { moveToLineEnd() }
        case .up: vertical(-1, after: stroke)
        case .down: vertical(1, after: stroke)
        case .pageUp: while let entry = history.step(-1, from: buffer.text) { buffer = EditBuffer(entry) }
        case .pageDown: while let entry = history.step(1, from: buffer.text) { buffer = EditBuffer(entry) }
        case .escape, .insert: break
        }
        return .edit
    }

    /// Runs what is finished. What is not begins another line; an empty last line runs it all the same.
    mutating func enter(_ language: some EditorLanguage) -> EditorAction {
        let isLastLineEmpty = buffer.isAtEnd && buffer.clusters.last == "\n"
        if isLastLineEmpty || language.isFinished(buffer.text) { return submit() }
        buffer.insert("\n")
        return .edit
    }

    private mutating func interrupt() -> EditorAction {
        let text = buffer.text
        clear()
        return .interrupt(text)
    }

    // MARK: Movement

    private mutating func moveRight(byWord: Bool = false) {
        if let continuation {
            let all = EditBuffer(buffer.text + continuation)
            guard byWord else {
                buffer = all
                return
            }
            var word = all
            word.move(to: buffer.cursor)
            word.move(to: word.wordEnd)
            buffer = EditBuffer(String(word.clusters[..<word.cursor]))
            return
        }
        buffer.move(to: byWord ? buffer.wordEnd : buffer.cursor + 1)
    }

    private mutating func moveToLineEnd() {
        if let continuation { buffer = EditBuffer(buffer.text + continuation) } else { buffer.move(to: buffer.lineEnd) }
    }

    /// Within the text where there is a line, else through the history.
    mutating func vertical(_ direction: Int, after stroke: Stroke) {
        let column = stroke == .vertical ? goalColumn ?? buffer.column : buffer.column
        if let index = buffer.index(inLine: direction, column: column) {
            buffer.move(to: index)
            (goalColumn, last) = (column, .vertical)
        } else if let entry = history.step(direction, from: buffer.text) {
            buffer = EditBuffer(entry)
        }
    }

    // MARK: Deletion

    private mutating func deleteBackward() {
        if buffer.cursor > 0 { _ = buffer.remove(buffer.cursor - 1..<buffer.cursor) }
    }

    private mutating func deleteForward() {
        if !buffer.isAtEnd { _ = buffer.remove(buffer.cursor..<buffer.cursor + 1) }
    }

    private mutating func killLine(after stroke: Stroke) {
        let end = buffer.lineEnd == buffer.cursor && !buffer.isAtEnd ? buffer.cursor + 1 : buffer.lineEnd
        kill(buffer.cursor..<end, isForward: true, after: stroke)
    }

    /// Kills in a row are put back together.
    private mutating func kill(_ range: Range<Int>, isForward: Bool, after stroke: Stroke) {
        guard !range.isEmpty else { return }
        let text = buffer.remove(range)
        if stroke == .kill, let known = kills.popLast() {
            kills.append(isForward ? known + text : text + known)
        } else {
            keep(text)
        }
        last = .kill
    }

    /// Keeps a text to be put back, among the last ones.
    mutating func keep(_ text: String) {
        kills.append(text)
        if kills.count > 30 { kills.removeFirst() }
    }

    private mutating func yank() {
        guard let text = kills.last else { return }
        yank(text, kills.count - 1, over: buffer.cursor..<buffer.cursor)
    }

    private mutating func yankEarlier(after stroke: Stroke) {
        guard stroke == .yank, let yanked else { return }
        let kill = (yanked.kill - 1 + kills.count) % kills.count
        yank(kills[kill], kill, over: yanked.range)
    }

    private mutating func yank(_ text: String, _ kill: Int, over range: Range<Int>) {
        buffer.replace(range, with: text)
        yanked = (range.lowerBound..<max(range.lowerBound, buffer.cursor), kill)
        last = .yank
    }

    // MARK: Letters

    private mutating func transpose() {
        guard buffer.cursor > 0, buffer.clusters.count > 1 else { return }
        let second = buffer.isAtEnd ? buffer.cursor - 1 : buffer.cursor
        guard second > 0 else { return }
        let pair = String(buffer.clusters[second]) + String(buffer.clusters[second - 1])
        buffer.replace(second - 1..<second + 1, with: pair)
    }

    private mutating func changeWord(_ change: (String) -> String) {
        let range = buffer.cursor..<buffer.wordEnd
        buffer.replace(range, with: change(String(buffer.clusters[range])))
    }

    // MARK: Undo

    mutating func undoOnce() {
        guard let before = undo.popLast() else { return }
        redo.append(buffer)
        buffer = before
        last = .undo
    }

    mutating func redoOnce() {
        guard let next = redo.popLast() else { return }
        undo.append(buffer)
        buffer = next
        last = .undo
    }
}
