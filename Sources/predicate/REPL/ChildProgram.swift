// Other programs on the same terminal: the pager, the user's editor.

import Glibc

/// A program that was started.
struct ChildProgram {
    private let process: pid_t
    /// Where its standard input is written to, when that was requested.
    private(set) var input: Int32?

    /// Starts a shell line; `$1` in it is the argument.
    init?(shell line: String, argument: String = "", pipesInput: Bool = false) {
        let ends = pipesInput ? PipeEnds() : nil
        if pipesInput, ends == nil { return nil }
        // SAFETY: the structures are made here, used on this frame only, and destroyed at its end.
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        if let ends { unsafe posix_spawn_file_actions_adddup2(&actions, ends.reader, 0) }
        // SAFETY: as above. Handlers end with this program by themselves; that SIGPIPE is ignored would not.
        var defaults = sigset_t()
        unsafe sigemptyset(&defaults)
        unsafe sigaddset(&defaults, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        var process: pid_t = 0
        let words = ["sh", "-c", line, "sh", argument]
        // SAFETY: the words are copied into C strings that live for the call, the list ends with NULL.
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
        let status = unsafe posix_spawn(&process, "/bin/sh", &actions, &attributes, &pointers, environ)
        if let ends { close(ends.reader) }
        guard status == 0 else {
            if let ends { close(ends.writer) }
            return nil
        }
        self.process = process
        input = ends?.writer
    }

    /// Waits for the end; whether it ended well.
    mutating func finish() -> Bool {
        if let input { close(input) }
        input = nil
        var status: Int32 = 0
        // SAFETY: the variable lives on this frame for the length of the call.
        while unsafe waitpid(process, &status, 0) < 0 { if errno != EINTR { return false } }
        return status == 0
    }
}

/// The user's own editor.
enum ExternalEditor {
    /// A text after the user edited it in a file of its own.
    /// - Throws: `CommandError` of status `inputOutput`.
    static func edit(_ text: String, _ device: TerminalDevice) throws(CommandError) -> String {
        let folder = Environment["TMPDIR"] ?? "/tmp"
        var name = Array("\(folder)/predicate-XXXXXX.txt".utf8CString)
        // SAFETY: the array holds a NUL-terminated template that is changed in place.
        let descriptor = unsafe mkstemps(&name, 4)
        guard descriptor >= 0 else {
            throw CommandError(.inputOutput, "cannot make a file in '\(folder)': \(ErrorNumber.text(errno))")
        }
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // SAFETY: the path is passed as a NUL-terminated copy.
        defer { unsafe unlink(path) }
        let outcome = ByteWriter.write(Array((text + "\n").utf8), to: descriptor)
        // What the disk has no room for may be told as late as here.
        let isClosed = close(descriptor) == 0
        if case .failed(let reason) = outcome { throw unwritten(path, reason) }
        guard isClosed else { throw unwritten(path, ErrorNumber.text(errno)) }
        device.restore()
        let editor =
            [Environment["VISUAL"], Environment["EDITOR"], "vi"].compactMap { $0 }.first { !$0.isEmpty } ?? "vi"
        var child = ChildProgram(shell: editor + " \"$1\"", argument: path)
        guard child?.finish() == true else {
            throw CommandError(.inputOutput, "'\(editor)' did not end well", hint: "set EDITOR to your editor")
        }
        var reader = try LineReader.file(path)
        var lines: [String] = []
        while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }

    private static func unwritten(_ path: String, _ reason: String) -> CommandError {
        CommandError(
            .inputOutput, "cannot write the text to '\(path)': \(reason)",
            hint: "TMPDIR names the folder for files like this")
    }
}
