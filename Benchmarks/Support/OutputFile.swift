// Files written and read whole or in pieces.

import FoundationEssentials
import Glibc

/// A file being written.
@safe
struct OutputFile: ~Copyable {
    private let path: String
    private let file: UnsafeMutablePointer<FILE>

    /// Creates the file, with the folders that lead to it, or empties it.
    init(_ path: String) throws {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        if !folder.isEmpty {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        guard let file = unsafe fopen(path, "w") else { throw UsageError(description: "cannot write \(path)") }
        self.path = path
        unsafe self.file = unsafe file
    }

    borrowing func write(_ bytes: [UInt8]) throws {
        // SAFETY: the file is open until `deinit`; the buffer is valid during the call and has `count` bytes.
        let written = unsafe bytes.withUnsafeBufferPointer { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
        guard written == bytes.count else { throw UsageError(description: "cannot write to \(path): disk full?") }
    }

    deinit {
        // SAFETY: opened by `init`, closed only here.
        unsafe _ = fclose(file)
    }
}
