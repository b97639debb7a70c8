// The targets of Package.swift, read from its text.

/// A target as the package declares it.
struct PackageTarget: Equatable {
    enum Kind: String { case target, executableTarget, testTarget }

    var kind: Kind
    var name: String
    /// Targets that it depends on, in the order of the declaration.
    var dependencies: [String]
    /// The folder of its sources below the project's.
    var path: String
    /// Folders and files in `path` that are no part of it.
    var excluded: [String]

    /// The name that import declarations use.
    var importedName: String { String(name.map { $0 == "-" ? "_" : $0 }) }

    /// Whether a file of the project is one of the target's sources.
    func owns(_ file: String) -> Bool {
        file.hasPrefix(path + "/") && !excluded.contains { file.hasPrefix("\(path)/\($0)/") || file == "\(path)/\($0)" }
    }

    /// The targets that a manifest declares.
    static func all(in manifest: String) -> [PackageTarget] {
        manifest.matches(of: /\.(target|executableTarget|testTarget)\(/).compactMap { match in
            Kind(rawValue: String(match.1)).flatMap { PackageTarget($0, call(in: manifest[match.range.upperBound...])) }
        }
    }

    /// The arguments of a call, up to its closing parenthesis.
    private static func call(in text: Substring) -> Substring {
        var (depth, isText) = (1, false)
        for index in text.indices {
            switch text[index] {
            case "\"": isText.toggle()
            case "(" where !isText: depth += 1
            case ")" where !isText:
                depth -= 1
                if depth == 0 { return text[..<index] }
            default: break
            }
        }
        return text
    }

    private init?(_ kind: Kind, _ call: Substring) {
        guard let name = call.firstMatch(of: /name: "([^"]+)"/)?.1 else { return nil }
        func list(_ match: Substring?) -> [String] {
            (match ?? "").matches(of: /"([^"]+)"/).map { String($0.1) }
        }
        self.kind = kind
        self.name = String(name)
        dependencies = list(call.firstMatch(of: /dependencies: \[([^\]]*)\]/)?.1)
        excluded = list(call.firstMatch(of: /exclude: \[([^\]]*)\]/)?.1)
        path =
            call.firstMatch(of: /[^a-zA-Z]path: "([^"]+)"/).map { String($0.1) }
            ?? (kind == .testTarget ? "Tests/" : "Sources/") + name
    }

    /// What is wrong with the dependencies, given the sources: a dependency that no file imports, and an import that is
    /// not declared. A test may depend on an executable that it only runs.
    ///
    /// - Parameters:
    ///   - sources: The target's own files.
    ///   - targets: All targets of the package.
    func faults(of sources: [SourceFile], in targets: [PackageTarget]) -> [String] {
        let known = Dictionary(uniqueKeysWithValues: targets.map { ($0.importedName, $0) })
        let executables = Set(targets.filter { $0.kind == .executableTarget }.map(\.name))
        var imported: [String: String] = [:]
        for source in sources {
            for name in source.imports.compactMap({ known[$0]?.name }) where imported[name] == nil {
                imported[name] = source.path
            }
        }
        var faults: [String] = []
        for name in dependencies where imported[name] == nil && !(kind == .testTarget && executables.contains(name)) {
            faults.append("Package.swift: \(self.name) depends on \(name), which none of its files imports")
        }
        for (name, path) in imported.sorted(by: { $0.key < $1.key }) where !dependencies.contains(name) {
            faults.append("\(path) imports \(name), which is no dependency of \(self.name) in Package.swift")
        }
        return faults
    }
}
