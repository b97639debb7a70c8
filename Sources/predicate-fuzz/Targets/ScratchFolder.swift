// Where targets write the files that they read.

import FoundationEssentials
import Glibc

/// A folder of the process, in memory where the system has a place for that.
enum ScratchFolder {
    static let path: String = {
        let memory = "/dev/shm"
        let parent = unsafe access(memory, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory.path
        let path = "\(parent)/predicate-fuzz-\(getpid())"
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }()

    /// Removes the folder.
    static func remove() { try? FileManager.default.removeItem(atPath: path) }
}
