// The file of entries of earlier sessions. That it cannot be read or written must not matter.

import Glibc
import LineEditing

/// The history file, `$XDG_STATE_HOME/predicate/history` or `~/.local/state/predicate/history`.
struct HistoryFile {
    private let path: String?

    init() {
        let state = Environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let folder = state ?? Environment["HOME"].map { $0 + "/.local/state" }
        path = folder.map { $0 + "/predicate/history" }
        if let folder { Self.makeFolders(folder + "/predicate") }
    }

    private static func makeFolders(_ path: String) {
        var made = ""
        for part in path.split(separator: "/") {
            made += "/" + part
            // SAFETY: the path is passed as a NUL-terminated copy.
            unsafe mkdir(made, 0o700)
        }
    }

    /// The lines of the file; those beyond the newest are dropped from it.
    var text: String {
        guard let path, var reader = try? LineReader.file(path) else { return "" }
        var lines: [String] = []
        while let line = try? reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        let isLong = lines.count > InputHistory.capacity * 2
        if isLong { lines.removeFirst(lines.count - InputHistory.capacity) }
        let text = lines.map { $0 + "\n" }.joined()
        if isLong { try? FileWriter.replace(path, with: text) }
        return text
    }

    /// Whether the user's settings of lines, `$INPUTRC` or `~/.inputrc`, choose the keys of vi.
    static var prefersViKeys: Bool {
        guard let path = Environment["INPUTRC"] ?? Environment["HOME"].map({ $0 + "/.inputrc" }),
            FilePath.isReadableFile(path), var reader = try? LineReader.file(path)
        else { return false }
        while let line = try? reader.next() {
            let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\t" }
            if words == ["set", "editing-mode", "vi"] { return true }
        }
        return false
    }

    /// Adds an entry, in one write: sessions side by side do not mix theirs.
    func append(_ entry: String) {
        guard let path else { return }
        // SAFETY: the path is passed as a NUL-terminated copy.
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        _ = ByteWriter.write(Array(InputHistory.line(of: entry).utf8), to: descriptor)
        close(descriptor)
    }
}
