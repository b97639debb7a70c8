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

    /// A place in the folder that only this thread uses: targets run beside each other in tests.
    static func place(_ name: String) -> String { "\(path)/\(name)-\(UInt(pthread_self()))" }

    /// Removes the folder.
    static func remove() { try? FileManager.default.removeItem(atPath: path) }
}
