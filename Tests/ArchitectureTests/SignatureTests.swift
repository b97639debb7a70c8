// What can be read at a glance: functions and initializers of at most six parameters, files of at most 415 lines, lines
// of at most 120 columns.

import Testing
import _TestSupport

/// What takes more, and why it may.
private let longSignatures = [
    "CloudKitCompat/Subscriptions/CKNotificationInfo.swift init": "CloudKit's own",
    "RecordDatabase/Subscriptions/ChangeNotification.swift init": "what a notification says",
    "CloudKitCompat/Records/CLLocation.swift init": "CoreLocation's own",
    "Geospatial/GeodesicSeries.swift sineSum": "the coefficients of a series, which stay in registers",
    "PredicateSyntax/PredicateNode.swift init": "the parts of a comparison, all of them public",
    "predicate/CommandLine/CommandSpecification.swift init": "an option, most of whose properties are left out",
]

/// A declared function or initializer.
private struct Signature: Equatable {
    let name: String
    let parameterCount: Int

    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "fileprivate", "private", "static", "class", "final", "override", "required",
        "convenience", "mutating", "nonmutating", "consuming", "borrowing", "nonisolated", "prefix", "postfix",
    ]

    /// The functions and initializers that the lines declare.
    static func all(in lines: [Substring]) -> [Signature] {
        lines.indices.compactMap { number in
            guard lines[number].utf8.contains(UInt8(ascii: "(")) else { return nil }
            let line = lines[number].drop { $0 == " " }
            let words = line.split(separator: " ").drop { modifiers.contains($0) || $0.hasPrefix("@") }
            guard let first = words.first else { return nil }
            let isFunction = first == "func" && words.count > 1
            guard isFunction || first.hasPrefix("init") && first.starts(with: /init[?!]?[(<]/) else { return nil }
            let start = isFunction ? words[words.startIndex + 1] : first
            let name = isFunction ? start.prefix { $0 != "(" && $0 != "<" } : "init"
            let text = [lines[number][start.startIndex...]] + lines[(number + 1)...].prefix(30)
            return Signature(name: String(name), parameterCount: parameterCount(text.joined(separator: "\n")))
        }
    }

    /// The number of parameters in the first parentheses of a text.
    private static func parameterCount(_ text: String) -> Int {
        let code = text.replacing(/"(\\.|[^"\\\n])*"|\/\/[^\n]*|->/, with: "")
        guard let open = code.firstIndex(of: "(") else { return 0 }
        var (depth, count, isEmpty) = (0, 1, true)
        for character in code[open...] {
            switch character {
            case "(", "[", "{", "<": depth += 1
            case ")", "]", "}", ">":
                depth -= 1
                if depth == 0 { return isEmpty ? 0 : count }
            case "," where depth == 1: count += 1
            case " ", "\n": break
            default: isEmpty = false
            }
        }
        return 0
    }
}

@Suite struct SignatureTests {
    @Test func signaturesAreShort() throws {
        var (count, long) = (0, Set<String>())
        for path in try ProjectFiles.files(under: "Sources", extensions: ["swift"]) {
            let signatures = Signature.all(in: try SourceFile(path).lines)
            count += signatures.count
            for signature in signatures where signature.parameterCount > 6 {
                let name = "\(path.dropFirst("Sources/".count)) \(signature.name)"
                #expect(longSignatures[name] != nil, "\(name) takes \(signature.parameterCount) parameters")
                long.insert(name)
            }
        }
        #expect(long == Set(longSignatures.keys), "the exceptions are still needed")
        #expect(count > 4000, "the signatures were found: \(count)")
    }

    @Test(arguments: ["Sources", "Tests", "Benchmarks"])
    func filesAreShort(_ folder: String) throws {
        let paths = try ProjectFiles.files(under: folder, extensions: ["swift"])
        #expect(paths.count > 20)
        for path in paths {
            let lines = try SourceFile(path).lines
            let count = lines.count - (lines.last == "" ? 1 : 0)
            #expect(count <= 415, "\(path) has \(count) lines")
        }
    }

    @Test func linesAreShort() throws {
        for path in try ProjectFiles.files(under: "Sources", extensions: ["swift"]) {
            for (number, line) in try SourceFile(path).lines.enumerated() where line.utf8.count > 120 {
                #expect(line.count <= 120, "\(path):\(number + 1) has \(line.count) columns")
            }
        }
    }

    @Test func parametersAreCounted() {
        let text = """
            package convenience init(
                _ a: Map<Int, Int>, b: (Int, Int) -> Void = { _, _ in }, c: String = ",", // one, two
                d: [String: Int]
            ) throws {
                self.init(a: 1, b: 2)
                // func not(_ a: Int)
            }
            static func == (a: Self, b: Self) -> Bool { (1, 2) == (a, b) }
            @inline(__always) private func none<T: Sequence<Int>>() {}
            """
        let found = Signature.all(in: text.split(separator: "\n"))
        #expect(
            found == [
                Signature(name: "init", parameterCount: 4), Signature(name: "==", parameterCount: 2),
                Signature(name: "none", parameterCount: 0),
            ])
    }
}
