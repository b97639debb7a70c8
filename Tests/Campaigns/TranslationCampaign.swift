// Hostile texts and names through every translator, and what it writes through the target's own parser.

import FoundationEssentials
import Glibc
import PredicateSyntax
import RecordDatabase
import RecordFiles
import RecordModel
import TextAnalysis

/// Translates comparisons of a name with a text by the command, and reads the name and the text back.
struct TranslationCampaign {
    /// What became of it.
    struct Result {
        /// Translations read back, by language.
        var checks: [String: Int] = [:]
        /// Translations that were refused, rightly.
        var rejected = 0
        var findings: [String] = []
        /// Parsers that are not on this machine.
        var missing: [String] = []
    }

    private struct Case {
        var name: String
        var text: String

        var predicate: String { "\(CanonicalText.key(name)) == \(CanonicalText.string(text))" }
        /// The text in normal form C, as columns of databases have it.
        var stored: String { TextFolding.fold(text, []) }
    }

    /// Comparisons that one process translates.
    private static let batch = 500
    /// Comparisons for each of which a process is started, one of so many.
    private static let single = 40

    private let command: String
    private let folder: String
    private var texts: HostileTexts
    private var result = Result()

    /// - Parameter command: The path of `predicate`.
    init(seed: UInt64, command: String, folder: String) {
        texts = HostileTexts(generator: SeededGenerator(seed: seed))
        (self.command, self.folder) = (command, folder)
    }

    /// Translates so many comparisons into every language.
    mutating func run(_ count: Int) -> Result {
        var done = 0
        while done < count {
            let cases = (0..<min(Self.batch, count - done)).map { _ in Case(name: texts.name(), text: texts.text()) }
            done += cases.count
            checkSQL(
                cases, "sqlite", rejecting: Self.hasNUL,
                fault: { sql, test in SQLitePeer.fault(sql, name: test.name, text: test.stored) })
            checkPostgres(cases)
            checkSwift(cases)
            checkFormat(cases)
            checkFilters(cases)
            let few = cases.enumerated().filter { $0.offset % Self.single == 0 }.map(\.element)
            for test in few { checkTable(test.name) }
            for shell in ["sh", "bash"] { checkShell(few, shell) }
        }
        return result
    }

    // MARK: The command

    private enum Outcome {
        case translation(JSONValue)
        case rejected(String)
    }

    /// What the command answers to each comparison.
    private mutating func translations(_ cases: [Case], _ options: [String]) -> [Outcome]? {
        let path = "\(folder)/predicates.txt"
        let text = cases.map { $0.predicate + "\n" }.joined()
        guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
            result.findings.append("cannot write \(path)")
            return nil
        }
        // Errors between the translations, in the order of the lines.
        let line = #"exec "$0" translate -p "$1" --format json --error-format json "${@:2}" 2>&1"#
        let run = ChildProcess.run(["/bin/bash", "-c", line, command, path] + options)
        let results = run.lines.map { line -> Outcome in
            guard let json = try? JSONReader.tree(line) else { return .rejected(line) }
            return json["error"].map { .rejected($0["message"]?.string ?? line) } ?? .translation(json)
        }
        guard results.count == cases.count else {
            result.findings.append(
                "\(options): \(results.count) answers to \(cases.count) predicates, status \(run.status)")
            return nil
        }
        return results
    }

    /// Reads back each translation; a refusal is right where `isRejected` says so.
    private mutating func check(
        _ language: String, _ cases: [Case], _ options: [String], rejecting isRejected: (Case) -> Bool,
        fault: (JSONValue, Case) -> String?
    ) {
        guard let results = translations(cases, ["--to"] + options) else { return }
        for (outcome, test) in zip(results, cases) {
            switch outcome {
            case .rejected(let message):
                if isRejected(test) {
                    result.rejected += 1
                } else {
                    result.findings.append("\(language): \(test.predicate): refused: \(message)")
                }
            case .translation(let json):
                result.checks[language, default: 0] += 1
                if let fault = fault(json, test) {
                    result.findings.append("\(language): \(test.predicate): \(fault): \(json)")
                }
            }
        }
    }

    // MARK: SQL

    private static func hasNUL(_ test: Case) -> Bool { (test.name + test.text).unicodeScalars.contains("\0") }

    private mutating func checkSQL(
        _ cases: [Case], _ database: String, rejecting isRejected: (Case) -> Bool, fault: (String, Case) -> String?
    ) {
        func check(_ json: JSONValue, _ test: Case) -> String? {
            guard let sql = json["sql"]?.string else { return "no SQL" }
            guard let read = SQLScanner.comparison(in: sql) else { return "more than a name and a text" }
            if !read.name.isSame(as: test.name) { return "another name" }
            if !read.text.isSame(as: test.stored) { return "another text" }
            return fault(sql, test)
        }
        self.check(database, cases, ["sql", "--database", database], rejecting: isRejected, fault: check)
    }

    private mutating func checkPostgres(_ cases: [Case]) {
        var conditions: [(sql: String, test: Case)] = []
        checkSQL(
            cases, "postgresql", rejecting: { Self.hasNUL($0) || $0.name.utf8.count > 63 },
            fault: { sql, test in
                conditions.append((sql, test))
                return nil
            })
        guard PostgresPeer.isThere else {
            return result.note(missing: "a server of PostgreSQL (its lexical rules alone)")
        }
        guard let read = PostgresPeer.comparisons(conditions.map(\.sql), folder: folder) else {
            return result.findings.append("the server of PostgreSQL takes some condition for something else")
        }
        for (found, condition) in zip(read, conditions) {
            result.checks["server", default: 0] += 1
            if !found.name.isSame(as: condition.test.name) || !found.text.isSame(as: condition.test.stored) {
                result.findings.append("server: \(condition.test.predicate): another name or text: \(condition.sql)")
            }
        }
    }

    private mutating func checkTable(_ name: String) {
        if name.unicodeScalars.contains("\0") { return }
        let run = ChildProcess.run([command, "translate", "--to", "sql", "--table", name, "a == 'x'"])
        result.checks["table", default: 0] += 1
        let fault = SQLitePeer.fault(String(decoding: run.output.dropLast(), as: UTF8.self), table: name)
        if let fault { result.findings.append("table: \(CanonicalText.string(name)): \(fault)") }
    }

    // MARK: Swift

    private mutating func checkSwift(_ cases: [Case]) {
        var calls: [(text: String, test: Case)] = []
        check(
            "swift", cases, ["swift"], rejecting: { _ in false },
            fault: { json, test in
                guard let text = json["swift"]?.string else { return "no call" }
                calls.append((text, test))
                return text.utf8.contains(0x0A) ? "a line break" : nil
            })
        guard let compiled = SwiftPeer.calls(calls.map(\.text), folder: folder) else {
            return result.note(missing: "swiftc")
        }
        guard compiled.count == calls.count else {
            return result.findings.append("swift: \(compiled.count) of \(calls.count) calls compiled")
        }
        for (found, call) in zip(compiled, calls) {
            result.checks["swiftc", default: 0] += 1
            // A part that the builder has no words for stays a predicate.
            let isSame =
                found.whole.isEmpty
                ? found.name == call.test.name && found.text.isSame(as: call.test.text)
                : Self.isSame(found.whole, call.test)
            if !isSame { result.findings.append("swift: \(call.test.predicate): another name or text: \(call.text)") }
        }
    }

    // MARK: Predicates and JSON

    /// Whether a predicate compares the name with the text, and does nothing else.
    private static func isSame(_ predicate: String, _ test: Case) -> Bool {
        guard let tree = try? SyntaxTree(parsing: predicate), case .comparison(let comparison) = tree.root.kind,
            comparison.comparisonOperator == .equal, case .key(let name) = comparison.lhs.kind,
            case .literal(.string(let text)) = comparison.rhs.kind
        else { return false }
        return name.isSame(as: test.name) && text.isSame(as: test.text)
    }

    private mutating func checkFormat(_ cases: [Case]) {
        let isQuoted = { (test: Case) in
            !test.name.unicodeScalars.allSatisfy { $0 == "_" || $0 == "@" || $0.properties.isXIDContinue }
        }
        check(
            "nspredicate", cases, ["nspredicate"], rejecting: isQuoted,
            fault: { json, test in
                json["format"]?.string.map { Self.isSame($0, test) } == true ? nil : "another name or text"
            })
    }

    private mutating func checkFilters(_ cases: [Case]) {
        func fault(_ json: JSONValue, _ test: Case) -> String? {
            guard case .array(let filters)? = json["filterBy"], filters.count == 1,
                let name = filters[0]["fieldName"]?.string, let text = filters[0]["fieldValue"]?["value"]?.string
            else { return "no single filter" }
            return name.isSame(as: test.name) && text.isSame(as: test.text) ? nil : "another name or text"
        }
        check("cloudkit-json", cases, ["cloudkit-json"], rejecting: { _ in true }, fault: fault)
    }

    // MARK: Shells

    /// The hint to a call that has the file first gives the predicate as a word of a shell.
    private mutating func checkShell(_ cases: [Case], _ shell: String) {
        let start = "for example: predicate "
        var calls: [(line: String, test: Case)] = []
        for test in cases {
            let words = [command, "query", "/", test.predicate, "--error-format", "json"]
            let run = ChildProcess.run(["/bin/sh", "-c", #"exec "$@" 2>&1"#, "sh"] + words)
            guard let line = run.lines.first, let hint = (try? JSONReader.tree(line))?["error"]?["hint"]?.string,
                hint.hasPrefix(start)
            else {
                result.findings.append("\(shell): no hint to \(test.predicate)")
                continue
            }
            calls.append((String(hint.unicodeScalars.dropFirst(start.unicodeScalars.count - "predicate ".count)), test))
        }
        guard let read = ShellPeer.words(calls.map(\.line), shell: shell, folder: folder) else {
            return result.note(missing: shell)
        }
        guard read.count == calls.count else {
            return result.findings.append("\(shell): \(read.count) commands of \(calls.count)")
        }
        for (words, call) in zip(read, calls) {
            result.checks[shell, default: 0] += 1
            if words.count != 3 || !words[1].isSame(as: call.test.predicate) || words[2] != "/" {
                result.findings.append("\(shell): \(call.line): \(words)")
            }
        }
    }
}

extension TranslationCampaign.Result {
    fileprivate mutating func note(missing name: String) {
        if !missing.contains(name) { missing.append(name) }
    }
}

extension JSONValue {
    fileprivate subscript(key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
