// What was entered before: walking through it, searching it, and its form in a file.

/// Entries of earlier and of this session, oldest first.
package struct InputHistory: Equatable, Sendable {
    /// More entries are dropped, the oldest first.
    package static let capacity = 10_000

    package private(set) var entries: [String] = []
    /// The entry that is shown, `entries.count` for the text being written.
    private var position = 0
    private var draft = ""
    /// What the entries that are walked through begin with.
    private var prefix = ""

    /// A history of the lines of a file; lines that a crash cut short are taken as they are.
    package init(file text: String = "") {
        entries = text.split(separator: "\n").suffix(Self.capacity).map { Self.decoded($0) }
        position = entries.count
    }

    /// Adds an entry, unless it is empty, begins with a blank, or repeats the last one; returns whether it did.
    package mutating func add(_ entry: String) -> Bool {
        defer { position = entries.count }
        if entry.isEmpty || entry.first == " " || entry == entries.last { return false }
        entries.append(entry)
        if entries.count > Self.capacity { entries.removeFirst(entries.count - Self.capacity) }
        return true
    }

    /// Goes back to the text being written.
    package mutating func rest() { position = entries.count }

    /// The entry before (`-1`) or behind (`1`) the one shown; the text being written comes last. Behind a text that
    /// entries begin with, those only.
    package mutating func step(_ direction: Int, from text: String) -> String? {
        if position == entries.count {
            draft = text
            prefix = continuation(of: text) == nil ? "" : text
        }
        var next = position + direction
        while entries.indices.contains(next), !entries[next].hasPrefix(prefix) { next += direction }
        guard 0...entries.count ~= next else { return nil }
        position = next
        return next == entries.count ? draft : entries[next]
    }

    /// The newest entry that begins with a text and goes on behind it.
    package func continuation(of text: String) -> String? {
        entries.last { $0.hasPrefix(text) && $0.utf8.count > text.utf8.count }
    }

    /// The newest entry before a position that contains the text; letter case counts when the text has capitals.
    package func search(_ text: String, before end: Int) -> Int? {
        guard !text.isEmpty else { return nil }
        let isExact = text.contains(where: \.isUppercase)
        let needle = isExact ? text : text.lowercased()
        return entries[..<min(end, entries.count)].lastIndex {
            (isExact ? $0 : $0.lowercased()).firstRange(of: needle) != nil
        }
    }

    /// The oldest entry behind a position that contains the text, as `search(_:before:)`.
    package func search(_ text: String, after start: Int) -> Int? {
        var end = entries.count
        var found: Int?
        while let index = search(text, before: end), index > start {
            found = index
            end = index
        }
        return found
    }

    // MARK: File

    /// An entry as a line of the file, with its line end.
    package static func line(of entry: String) -> String {
        var line = ""
        for character in entry.unicodeScalars {
            switch character {
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            default: line.unicodeScalars.append(character)
            }
        }
        return line + "\n"
    }

    private static func decoded(_ line: Substring) -> String {
        var entry = String.UnicodeScalarView()
        var isEscaped = false
        for character in line.unicodeScalars {
            if isEscaped {
                entry.append(character == "n" ? "\n" : character == "r" ? "\r" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                entry.append(character)
            }
        }
        return String(entry)
    }
}
