// The languages that predicates are translated to, each read by its own parser.

import CSQLite
import FoundationEssentials
import Glibc

/// SQLite, asked what it takes a condition for.
enum SQLitePeer {
    /// What is wrong with `"name" = 'text'`; `nil` where it means just that.
    static func fault(_ sql: String, name: String, text: String) -> String? {
        guard let database = unsafe csqlite_open() else { return "SQLite does not open" }
        defer { unsafe csqlite_close(database) }
        let split = sql.utf8.count - literal(of: sql).utf8.count
        let bytes = Array(sql.utf8)
        let column = String(decoding: bytes.prefix(max(0, split - 3)), as: UTF8.self)
        let value = String(decoding: bytes.suffix(bytes.count - split), as: UTF8.self)
        guard unsafe csqlite_execute(database, "CREATE TABLE t (\(column), mark INTEGER)") == 0 else {
            return "no column"
        }
        // The table has the row of the text, and those of others.
        for (number, row) in [text, text + "x", "", nil].enumerated() where number != 2 || !text.isEmpty {
            guard let insert = unsafe csqlite_prepare(database, "INSERT INTO t VALUES (?1, \(number))") else {
                return "no row"
            }
            if let row {
                unsafe csqlite_bind_text(insert, 1, row, row.utf8.count)
            } else {
                unsafe csqlite_bind_null(insert, 1)
            }
            let code = unsafe csqlite_run(insert)
            unsafe csqlite_finalize(insert)
            if code != 0 { return "no row" }
        }
        guard unsafe rows("SELECT * FROM t LIMIT 1", database)?.names.first?.isSame(as: name) == true else {
            return "another name"
        }
        guard unsafe rows("SELECT mark FROM t WHERE (\(sql))", database)?.rows == [["0"]] else { return "other rows" }
        guard let row = unsafe rows("SELECT \(value), 'end'", database)?.rows.first, row.count == 2, row[1] == "end",
            row[0].isSame(as: text)
        else { return "another text" }
        return nil
    }

    /// What is wrong with `SELECT * FROM "name" WHERE …`.
    static func fault(_ sql: String, table: String) -> String? {
        var scanner = SQLScanner(sql)
        guard scanner.skip("SELECT * FROM "), scanner.quoted(by: 0x22)?.isSame(as: table) == true else {
            return "another table"
        }
        guard let database = unsafe csqlite_open() else { return "SQLite does not open" }
        defer { unsafe csqlite_close(database) }
        let quoted = sql.utf8.dropFirst(14).dropLast(" WHERE \"a\" = 'x'".utf8.count)
        guard unsafe csqlite_execute(database, "CREATE TABLE \(String(Substring(quoted))) (a)") == 0 else {
            return "no table"
        }
        let found = unsafe rows("SELECT name FROM sqlite_master", database)?.rows.first?.first
        guard found?.isSame(as: table) == true else { return "another table" }
        return unsafe rows(sql, database)?.rows == [] ? nil : "no query"
    }

    /// The literal behind the name.
    private static func literal(of sql: String) -> String {
        var scanner = SQLScanner(sql)
        guard scanner.quoted(by: 0x22) != nil, scanner.skip(" = ") else { return "" }
        return scanner.remainder
    }

    /// The names of the columns, and the rows; `nil` for what is no single statement.
    private static func rows(_ sql: String, _ database: OpaquePointer) -> (names: [String], rows: [[String]])? {
        guard let statement = unsafe csqlite_prepare_single(database, sql) else { return nil }
        defer { unsafe csqlite_finalize(statement) }
        let count = unsafe csqlite_column_count(statement)
        var names: [String] = []
        for column in 0..<count {
            names.append(unsafe csqlite_column_name(statement, column).map { unsafe String(cString: $0) } ?? "")
        }
        var rows: [[String]] = []
        while unsafe csqlite_step(statement) == 1 {
            var row: [String] = []
            for column in 0..<count {
                var length = 0
                // SAFETY: the bytes are copied before the next step.
                let bytes = unsafe csqlite_column_text(statement, column, &length).map {
                    unsafe UnsafeRawBufferPointer(start: $0, count: length).map { $0 }
                }
                row.append(String(decoding: bytes ?? [], as: UTF8.self))
            }
            rows.append(row)
        }
        return (names, rows)
    }
}

/// The Swift compiler: calls of the builder are compiled against types that print what they are called with.
enum SwiftPeer {
    private static let types = """
        struct RecordPredicate: ExpressibleByStringLiteral {
            var name = "", text = "", whole = ""
            init(_ name: String, _ text: String) { (self.name, self.text) = (name, text) }
            init(stringLiteral text: String) { whole = text }
        }
        struct Member {
            let name: String
            static func == (a: Member, b: String) -> RecordPredicate { RecordPredicate(a.name, b) }
        }
        @dynamicMemberLookup struct Row { subscript(dynamicMember name: String) -> Member { Member(name: name) } }
        func show(_ text: String) {
            print("<" + text.utf8.map { String($0, radix: 16) }.joined(separator: " "), terminator: ">")
        }
        enum Record {
            static func `where`(_ body: (Row) -> RecordPredicate) {
                let found = body(Row())
                show(found.name); show(found.text); show(found.whole)
                print()
            }
        }

        """

    /// A call as it was compiled.
    struct Call {
        /// The field and the text that it is compared with; empty for a predicate as text.
        var name: String
        var text: String
        /// The predicate that stayed text.
        var whole: String
    }

    /// What the calls are called with; `nil` without a compiler, empty where it refuses them.
    static func calls(_ lines: [String], folder: String) -> [Call]? {
        let (source, program) = ("\(folder)/main.swift", "\(folder)/calls")
        let text = types + lines.joined(separator: "\n")
        guard FileManager.default.createFile(atPath: source, contents: Data(text.utf8)) else { return [] }
        let compiled = ChildProcess.run(["/usr/bin/env", "swiftc", "-Onone", source, "-o", program])
        // What `env` and the shell answer for a program that is not there.
        if compiled.status < 0 || compiled.status >> 8 == 127 { return nil }
        guard compiled.status == 0 else { return [] }
        return ChildProcess.run([program]).lines.map { line in
            let parts = line.split(separator: ">").map { part -> String in
                let digits = part.dropFirst().split(separator: " ")
                return String(decoding: digits.compactMap { UInt8($0, radix: 16) }, as: UTF8.self)
            }
            guard parts.count == 3 else { return Call(name: "", text: "", whole: "") }
            return Call(name: parts[0], text: parts[1], whole: parts[2])
        }
    }
}

/// Shells: what they make of the words of a command.
enum ShellPeer {
    /// The words of each command line, behind `predicate`, as a shell splits them.
    static func words(_ lines: [String], shell: String, folder: String) -> [[String]]? {
        let script = "\(folder)/words.sh"
        let begin = #"predicate() { for word in "$@"; do printf '%s\000' "$word"; done; printf 'end\000'; }"#
        let text = ([begin] + lines).joined(separator: "\n") + "\n"
        guard FileManager.default.createFile(atPath: script, contents: Data(text.utf8)) else { return nil }
        let run = ChildProcess.run(["/usr/bin/env", shell, script])
        if run.status < 0 || run.status >> 8 == 127 { return nil }
        var calls: [[String]] = [[]]
        for word in run.output.split(separator: 0, omittingEmptySubsequences: false).dropLast() {
            let word = String(decoding: word, as: UTF8.self)
            if word == "end" { calls.append([]) } else { calls[calls.count - 1].append(word) }
        }
        return calls.dropLast()
    }
}

/// A server of PostgreSQL, where `PGHOST` names one: it is asked by `psql`.
enum PostgresPeer {
    /// Whether a server is named.
    static var isThere: Bool { ProcessInfo.processInfo.environment["PGHOST"] != nil }

    /// What each `"name" = 'text'` is taken for; `nil` where the server refuses one.
    static func comparisons(_ conditions: [String], folder: String) -> [(name: String, text: String)]? {
        var script = ""
        for condition in conditions {
            var scanner = SQLScanner(condition)
            guard scanner.quoted(by: 0x22) != nil else { return nil }
            let column = String(decoding: condition.utf8.dropLast(scanner.remainder.utf8.count), as: UTF8.self)
            guard scanner.skip(" = ") else { return nil }
            script +=
                "SELECT encode(convert_to(k, 'UTF8'), 'hex') || '-' "
                + "|| encode(convert_to(\(scanner.remainder), 'UTF8'), 'hex') || '-' || (SELECT count(*) FROM (VALUES ('\u{1}'), (NULL)) AS t(\(column)) WHERE \(condition)) "
                + "FROM jsonb_object_keys((SELECT to_jsonb(t) FROM (VALUES (1)) AS t(\(column)))) AS k;\n"
        }
        let path = "\(folder)/conditions.sql"
        guard FileManager.default.createFile(atPath: path, contents: Data(script.utf8)) else { return nil }
        let run = ChildProcess.run(
            ["/usr/bin/env", "psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-f", path],
            environment: ["PGCLIENTENCODING": "UTF8"])
        guard run.status == 0, run.lines.count == conditions.count else { return nil }
        return run.lines.map { line in
            let parts = line.split(separator: "-", omittingEmptySubsequences: false).map(Self.text)
            return parts.count == 3 && line.hasSuffix("-0") ? (parts[0], parts[1]) : ("", "other rows")
        }
    }

    private static func text(_ hexadecimal: Substring) -> String {
        let digits = Array(hexadecimal.utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
