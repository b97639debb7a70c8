// A source file of the project and the modules that it imports.
import _TestSupport

/// A file by its path below the project's folder.
struct SourceFile {
    let path: String
    let lines: [Substring]

    init(_ path: String) throws { self.init(path: path, text: try ProjectFiles.text(path)) }

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The module in whose folder the file lies.
    var module: String { String(path.split(separator: "/")[1]) }

    private static let kinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "typealias", "func", "var", "let", "actor",
    ]

    private static let initials = Array("@ifp".utf8)

    /// Names of the imported modules, as the import declarations write them.
    var imports: [String] {
        lines.compactMap { line in
            // Most lines are none: their first letter tells.
            guard let first = line.utf8.first(where: { $0 != 0x20 }), Self.initials.contains(first) else { return nil }
            var words = line.split(separator: " ")[...]
            while let word = words.first,
                word.hasPrefix("@") || ["public", "package", "internal", "private", "fileprivate"].contains(word)
            {
                words.removeFirst()
            }
            guard words.popFirst() == "import" else { return nil }
            if let kind = words.first, Self.kinds.contains(kind) { words.removeFirst() }
            return words.first?.split(separator: ".").first.map(String.init)
        }
    }

    /// Names of the types that the file declares, without those of the types around them.
    var declaredTypes: Set<String> {
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "actor", "typealias"]
        var names: Set<String> = []
        for line in lines {
            let words = line.split(separator: " ")
            for (word, name) in zip(words, words.dropFirst()) where kinds.contains(word) {
                names.insert(String(name.prefix { $0.isLetter || $0.isNumber }))
            }
        }
        return names
    }
}
