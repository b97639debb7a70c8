// Where the project's own files are, for tests that read them.
import FoundationEssentials

/// The files of the project, found from the place of this source file.
public enum ProjectFiles {
    /// The folder that holds `Package.swift`.
    public static let root: String = {
        var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        parts.removeLast(3)
        return parts.joined(separator: "/")
    }()

    /// The text of a file given by its path below the root.
    public static func text(_ path: String) throws -> String {
        try String(contentsOf: URL(filePath: root + "/" + path), encoding: .utf8)
    }

    /// Names of the entries of a folder below the root, sorted.
    public static func entries(of folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root + "/" + folder).sorted()
    }

    /// Paths below the root of all files under a folder with one of the given extensions, sorted.
    public static func files(under folder: String, extensions: Set<String>) throws -> [String] {
        var found: [String] = []
        for entry in try entries(of: folder) where !entry.hasPrefix(".") {
            let path = folder.isEmpty ? entry : folder + "/" + entry
            if isFolder(path) {
                found += try files(under: path, extensions: extensions)
            } else if let dot = entry.lastIndex(of: "."), extensions.contains(String(entry[entry.index(after: dot)...]))
            {
                found.append(path)
            }
        }
        return found
    }

    /// True for a folder.
    public static func isFolder(_ path: String) -> Bool {
        var isDirectory = false
        return FileManager.default.fileExists(atPath: root + "/" + path, isDirectory: &isDirectory) && isDirectory
    }
}
