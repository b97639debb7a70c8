// The keys of vi: commands behind Escape, with counts, operators and motions.

/// What was typed of a command.
struct ViCommand: Equatable, Sendable {
    /// Whether keys are commands; else they are text.
    var isActive = false
    /// A number before a command or a motion; 0 for none.
    var count = 0
    /// `d`, `c` or `y`, which wait for a motion, or `r`, `f`, `t`, which wait for a character.
    var pending: Character?
    /// The operator behind which `f` or `t` waits.
    var outer: Character?
}

extension EditorState {
    /// What a key does where the keys are vi's; `nil` where it does what it does elsewhere.
    mutating func viKey(_ key: Key, _ language: some EditorLanguage) -> EditorAction? {
        guard usesViKeys else { return nil }
        guard vi.isActive else {
            switch key {
            case .named(.escape, _): beginCommands()
            case .meta(let letter):
                // Escape and a letter that came at once.
                beginCommands()
                return viKey(.text(String(letter)), language)
            default: return nil
            }
            return .edit
        }
        switch key {
        case .text(let text):
            var action = EditorAction.edit
            for index in text.indices {
                // What follows the command that begins text is typed.
                guard vi.isActive else { return apply(.text(String(text[index...])), after: .other, language) }
                action = viCommand(text[index], language)
            }
            return action
        case .named(.escape, _):
            vi = ViCommand(isActive: true)
            return .edit
        case .named(.enter, _): return enter(language)
        case .named(.backspace, _):
            buffer.move(to: buffer.cursor - 1)
            return .edit
        case .control("r"):
            redoOnce()
            return .edit
        default: return nil
        }
    }

    private mutating func beginCommands() {
        vi = ViCommand(isActive: true)
        if buffer.cursor > buffer.lineStart { buffer.move(to: buffer.cursor - 1) }
    }

    private mutating func beginText(at index: Int) {
        vi = ViCommand()
        buffer.move(to: index)
    }

    private mutating func viCommand(_ letter: Character, _ language: some EditorLanguage) -> EditorAction {
        if let pending = vi.pending {
            finish(pending, letter)
            return .edit
        }
        if let digit = letter.wholeNumberValue, digit > 0 || vi.count > 0 {
            vi.count = min(vi.count * 10 + digit, 10_000)
            return .edit
        }
        let count = max(1, vi.count)
        switch letter {
        case "d", "c", "y", "r", "f", "t":
            vi.pending = letter
            return .edit
        case "i": beginText(at: buffer.cursor)
        case "a": beginText(at: min(buffer.cursor + 1, buffer.lineEnd))
        case "I": beginText(at: buffer.lineStart)
        case "A": beginText(at: buffer.lineEnd)
        case "x": take(buffer.cursor..<min(buffer.cursor + count, buffer.lineEnd))
        case "X": take(max(buffer.lineStart, buffer.cursor - count)..<buffer.cursor)
        case "D": take(buffer.cursor..<buffer.lineEnd)
        case "C", "s", "S":
            let end = letter == "s" ? min(buffer.cursor + count, buffer.lineEnd) : buffer.lineEnd
            take((letter == "S" ? buffer.lineStart : buffer.cursor)..<end)
            beginText(at: buffer.cursor)
        case "p", "P":
            if let text = kills.last {
                if letter == "p" { buffer.move(to: buffer.cursor + 1) }
                buffer.insert(String(repeating: text, count: count))
            }
        case "u": undoOnce()
        case "~": swapCase(count)
        case "j", "+": vertical(1, after: .other)
        case "k", "-": vertical(-1, after: .other)
        case "/", "?": beginSearch()
        default:
            if let index = motion(letter, count) { buffer.move(to: index) }
        }
        vi.count = 0
        return .edit
    }

    /// Ends a command that waited for a motion or a character.
    private mutating func finish(_ pending: Character, _ letter: Character) {
        let count = max(1, vi.count)
        switch pending {
        case "r":
            if buffer.cursor + count <= buffer.lineEnd {
                let start = buffer.cursor
                buffer.replace(start..<start + count, with: String(repeating: letter, count: count))
                buffer.move(to: start + count - 1)
            }
            vi = ViCommand(isActive: true)
        case "f", "t":
            let outer = vi.outer
            vi = ViCommand(isActive: true)
            guard let found = find(letter, count) else { return }
            let end = pending == "t" ? found - 1 : found
            if let outer { operate(outer, buffer.cursor..<end + 1) } else { buffer.move(to: end) }
        default:
            if let digit = letter.wholeNumberValue, digit > 0 || vi.count > 0, letter != "0" || vi.count > 0 {
                vi.count = min(vi.count * 10 + digit, 10_000)
                return
            }
            if letter == "f" || letter == "t" {
                (vi.pending, vi.outer) = (letter, pending)
                return
            }
            vi = ViCommand(isActive: true)
            if letter == pending { return operate(pending, buffer.lineStart..<buffer.lineEnd) }
            // As in vi, changing words goes to their end: the blanks behind stay, and so does what follows one letter.
            let isChange = pending == "c" && letter.lowercased() == "w" && !isAtBlank
            let wordEnd: Character = letter == "W" ? "E" : "e"
            let start = buffer.cursor - 1
            guard
                let index = isChange
                    ? (0..<count).reduce(start, { index, _ in word(wordEnd, from: index) }) : motion(letter, count)
            else { return }
            let isThrough = isChange || letter.lowercased() == "e"
            let last = isThrough ? index + 1 : index
            let end = isThrough || pending == "c" ? min(last, buffer.lineEnd) : last
            operate(pending, min(buffer.cursor, end)..<max(buffer.cursor, end))
        }
    }

    private var isAtBlank: Bool { !buffer.isAtEnd && buffer.clusters[buffer.cursor].isWhitespace }

    private mutating func operate(_ name: Character, _ range: Range<Int>) {
        let range = range.clamped(to: 0..<buffer.clusters.count)
        if name == "y" {
            keep(String(buffer.clusters[range]))
            return buffer.move(to: range.lowerBound)
        }
        take(range)
        if name == "c" { beginText(at: buffer.cursor) }
    }

    /// Takes text out, for `p`.
    private mutating func take(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        keep(buffer.remove(range))
    }

    private mutating func swapCase(_ count: Int) {
        let range = buffer.cursor..<min(buffer.cursor + count, buffer.lineEnd)
        let text = buffer.clusters[range].map { $0.isUppercase ? $0.lowercased() : $0.uppercased() }.joined()
        buffer.replace(range, with: text)
    }

    /// The place of a character behind the cursor in its line.
    private func find(_ letter: Character, _ count: Int) -> Int? {
        var left = count
        for index in buffer.cursor + 1..<max(buffer.cursor + 1, buffer.lineEnd) where buffer.clusters[index] == letter {
            left -= 1
            if left == 0 { return index }
        }
        return nil
    }

    // MARK: Motions

    private func motion(_ letter: Character, _ count: Int) -> Int? {
        switch letter {
        case "h": return max(buffer.lineStart, buffer.cursor - count)
        case "l", " ": return min(buffer.lineEnd, buffer.cursor + count)
        case "0": return buffer.lineStart
        case "^":
            return buffer.clusters[buffer.lineStart..<buffer.lineEnd].firstIndex { $0 != " " } ?? buffer.lineStart
        case "$": return buffer.lineEnd
        case "w", "b", "e", "W", "B", "E":
            return (0..<count).reduce(buffer.cursor) { index, _ in word(letter, from: index) }
        default: return nil
        }
    }

    /// What a character is part of: a blank, a word, or signs.
    private func kind(_ index: Int, _ isWide: Bool) -> Int {
        let character = buffer.clusters[index]
        if character.isWhitespace { return 0 }
        return isWide || character.isWordPart ? 1 : 2
    }

    private func word(_ letter: Character, from start: Int) -> Int {
        let isWide = letter.isUppercase
        let end = buffer.clusters.count
        var index = start
        switch letter.lowercased() {
        case "w":
            guard index < end else { return end }
            let first = kind(index, isWide)
            while index < end, first != 0, kind(index, isWide) == first { index += 1 }
            while index < end, kind(index, isWide) == 0 { index += 1 }
        case "b":
            while index > 0, kind(index - 1, isWide) == 0 { index -= 1 }
            guard index > 0 else { return 0 }
            let first = kind(index - 1, isWide)
            while index > 0, kind(index - 1, isWide) == first { index -= 1 }
        default:
            index += 1
            while index < end, kind(index, isWide) == 0 { index += 1 }
            guard index < end else { return max(0, end - 1) }
            let first = kind(index, isWide)
            while index + 1 < end, kind(index + 1, isWide) == first { index += 1 }
        }
        return index
    }
}
