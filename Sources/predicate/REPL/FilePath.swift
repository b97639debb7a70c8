// Paths as people write them: names, stems, what a folder holds.

import Glibc

/// What is known of paths.
enum FilePath {
    /// The last component.
    static func name(_ path: String) -> String {
        path == "-" ? "standard input" : path.split(separator: "/").last.map(String.init) ?? path
    }

    /// The name without its extensions: `cities` of `data/cities.ndjson.gz`.
    static func stem(_ path: String) -> String {
        let name = name(path)
        let stem = name.prefix { $0 != "." }
        return stem.isEmpty ? name : String(stem)
    }

    /// The path with the home folder in place of `~`.
    static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = Environment["HOME"] else { return path }
        return home + path.dropFirst()
    }

    /// Whether there is a file, not a folder, that can be read.
    static func isReadableFile(_ path: String) -> Bool {
        var facts = stat()
        // SAFETY: the path is passed as a NUL-terminated copy, the structure lives on this frame.
        return unsafe (stat(path, &facts) == 0 && facts.st_mode & S_IFMT != S_IFDIR && access(path, R_OK) == 0)
    }

    /// Whether there is a file that can be read again and again, no pipe.
    static func isRegularFile(_ path: String) -> Bool {
        var facts = stat()
        // SAFETY: as above.
        return unsafe stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    /// What of a file tells whether it changed.
    struct Version: Equatable {
        private var facts: [Int]
        /// Whether the file may change once more without a later time: clocks of file systems tick in milliseconds.
        private var isFresh: Bool

        /// Numbers that are equal for equal versions.
        var numbers: [Int] { facts + [isFresh ? 1 : 0] }

        fileprivate init(_ file: stat, at now: timespec) {
            facts = [Int(file.st_ino), Int(file.st_size), file.st_mtim.tv_sec, file.st_mtim.tv_nsec]
            let age = (now.tv_sec &- file.st_mtim.tv_sec) &* 1_000 &+ (now.tv_nsec &- file.st_mtim.tv_nsec) / 1_000_000
            isFresh = (0..<20).contains(age)
        }
    }

    /// The version of a file that there is.
    static func version(_ path: String) -> Version? {
        var facts = stat()
        var now = timespec()
        // SAFETY: as above.
        guard unsafe stat(path, &facts) == 0, unsafe clock_gettime(CLOCK_REALTIME, &now) == 0 else { return nil }
        return Version(facts, at: now)
    }

    /// The entries of a folder whose names begin with a text, folders with a slash behind, ascending.
    static func completions(of typed: String) -> [String] {
        let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
        let start = typed.dropFirst(folder.count)
        // SAFETY: the path is passed as a NUL-terminated copy; the stream is closed below.
        guard let stream = unsafe opendir(folder.isEmpty ? "." : expanded(folder)) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        // SAFETY: an entry is valid until the next call; its name is copied before.
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard name.hasPrefix(start), name != ".", name != "..", name.first != "." || start.first == "." else {
                continue
            }
            let path = folder + name
            // A store is a folder that is named as a whole.
            let isFolder = unsafe entry.pointee.d_type == UInt8(DT_DIR) && !StoreOperand.isStore(expanded(path))
            names.append(path + (isFolder ? "/" : ""))
        }
        return names.sorted()
    }
}
