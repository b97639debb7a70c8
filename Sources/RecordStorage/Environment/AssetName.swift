// How the files of assets are called.

import Glibc

/// The names that a store gives to files in its folder of assets. A file of another name is somebody else's, and stays.
package enum AssetName {
    /// A name for a file under way that no other has, of this process or another one.
    package static func ofNewCopy() -> String { "copy-\(getpid())-\(UInt64.random(in: 0...UInt64.max))" }

    /// Whether a file is under way, or was left by a process that ended meanwhile.
    package static func isCopy(_ name: String) -> Bool {
        let parts = name.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.count == 3 && parts[0].elementsEqual("copy".utf8)
            && parts[1...].allSatisfy { !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } }
    }

    /// Whether a name is the digest of the bytes of a file.
    package static func isDigest(_ name: String) -> Bool {
        name.utf8.count == 64 && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// Whether a file is one of a store.
    static func isOfStore(_ name: String) -> Bool { isDigest(name) || isCopy(name) }
}
