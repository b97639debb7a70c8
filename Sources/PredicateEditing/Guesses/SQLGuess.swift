// SQL at the place of a predicate: statements, and conditions in its spelling.

import RecordDatabase

/// Reads SQL.
struct SQLGuess {
    var reader: GuessReader
    private var query = TranslatedQuery()
    /// What the statement calls its table.
    private var alias: String?
    /// The columns of figures by the names that the statement gives them.
    private var titles: [String: String] = [:]

    /// What a statement or a condition says; `nil` for what is no SQL.
    static func query(of text: String) -> TranslatedQuery? {
        guard var tokens = GuessToken.tokens(of: text, isSQL: true), !tokens.isEmpty else { return nil }
        if tokens.last?.isSign(";") == true { tokens.removeLast() }
        var guess = SQLGuess(reader: GuessReader(tokens))
        return guess.statement()
    }

    private static let clauses = [
        "FROM", "WHERE", "GROUP", "ORDER", "LIMIT", "OFFSET", "HAVING", "SET", "FETCH", "SELECT",
    ]

    private mutating func statement() -> TranslatedQuery? {
        if isAboutFields { return TranslatedQuery(verb: .schema) }
        takeAlias()
        if reader.take(words: "SELECT") {
            guard columns() else { return nil }
        } else if reader.take(words: "DELETE") {
            query.verb = .delete
        } else if reader.take(words: "UPDATE") {
            guard let name = reader.take()?.text, settings(after: name) else { return nil }
        }
        if reader.take(words: "FROM") {
            guard let source = reader.take() else { return nil }
            var name = source.text
            // 'movies.csv' without quotes is a word, a dot and a word.
            while reader.next?.isSign(".") == true, let word = reader.peek(1) {
                name += "." + word.text
                _ = reader.take()
                _ = reader.take()
            }
            query.source = name
            if alias != nil {
                _ = reader.take(words: "AS")
                _ = reader.take()
            }
            // DuckDB takes the clauses in this order, too.
            if query.options.isEmpty, reader.take(words: "SELECT") {
                guard columns() else { return nil }
            }
        }
        if reader.take(words: "WHERE") || !reader.isAtEnd && !isClause {
            guard let condition = condition() else { return nil }
            query.predicate = condition
        }
        while !reader.isAtEnd { guard tail() else { return nil } }
        return query
    }

    /// `SHOW TABLES`, `DESCRIBE movies`
    private var isAboutFields: Bool {
        guard let first = reader.next, reader.peek(2) == nil else { return false }
        let isShown =
            first.isWord("SHOW") && ["TABLES", "COLUMNS", "FIELDS"].contains { reader.peek(1)?.isWord($0) == true }
        return isShown || (first.isWord("DESCRIBE") || first.isWord("DESC")) && reader.peek(1)?.kind == .word
    }

    /// The name behind that of the table: `FROM movies m`.
    private mutating func takeAlias() {
        var ahead = reader
        guard ahead.next?.isWord("SELECT") == true || ahead.next?.isWord("FROM") == true else { return }
        while let token = ahead.next, !token.isWord("FROM") { _ = ahead.take() }
        guard ahead.take(words: "FROM"), let table = ahead.take(), table.kind == .word || table.isText,
            ahead.next?.isSign(".") != true
        else { return }
        let isMarked = ahead.take(words: "AS")
        guard let name = ahead.next, name.kind == .word,
            isMarked || ahead.peek(1).map({ token in Self.clauses.contains { token.isWord($0) } }) == true,
            !Self.clauses.contains(where: { name.isWord($0) })
        else { return }
        alias = name.text
    }

    var isClause: Bool { reader.next.map { token in Self.clauses.contains { token.isWord($0) } } ?? false }

    // MARK: Clauses

    /// What is between SELECT and FROM.
    private mutating func columns() -> Bool {
        if reader.take(words: "DISTINCT") {
            guard let name = name() else { return false }
            query.options += ["--distinct", name]
            return isClause || reader.isAtEnd
        }
        var fields: [String] = []
        var statistics: [String] = []
        var isCounted = false
        if reader.take(words: "TOP") {
            guard let number = reader.take(), Int(number.text) != nil else { return false }
            query.options += ["--limit", number.text]
        }
        repeat {
            if reader.take(sign: "*") { continue }
            var column = ""
            guard let word = reader.next else { return false }
            let function = word.text.uppercased()
            if ["COUNT", "SUM", "AVG", "MIN", "MAX"].contains(function), reader.peek(1)?.isSign("(") == true {
                _ = reader.take()
                _ = reader.take()
                let isDistinct = function == "COUNT" && reader.take(words: "DISTINCT")
                column = function == "COUNT" ? "count" : function == "AVG" ? "average" : function.lowercased()
                if reader.take(sign: "*") {
                    isCounted = true
                } else if let name = name() {
                    if function == "COUNT", !isDistinct {
                        isCounted = true
                    } else if !statistics.contains(name) {
                        statistics.append(name)
                    }
                } else {
                    return false
                }
                guard reader.take(sign: ")") else { return false }
            } else if let name = name() {
                fields.append(name)
            } else {
                return false
            }
            if reader.take(words: "AS"), let title = reader.take(), !column.isEmpty { titles[title.text] = column }
        } while reader.take(sign: ",")
        if !statistics.isEmpty, !fields.isEmpty {
            query.options += [
                "--count-by", fields.joined(separator: ","), "--stats", statistics.joined(separator: ","),
            ]
        } else if !statistics.isEmpty {
            query.options += ["--stats", statistics.joined(separator: ",")]
        } else if isCounted {
            query.options += fields.isEmpty ? ["--count"] : ["--count-by", fields.joined(separator: ",")]
        } else if !fields.isEmpty {
            query.options += ["--fields", fields.joined(separator: ",")]
        }
        return true
    }

    private mutating func settings(after name: String) -> Bool {
        query.source = name
        guard reader.take(words: "SET") else { return false }
        var settings: [String] = []
        repeat {
            guard let field = self.name(), reader.take(sign: "="), let value = reader.take() else { return false }
            settings.append("\(field)=\(value.text)")
        } while reader.take(sign: ",")
        query.verb = .update(settings)
        return true
    }

    private mutating func tail() -> Bool {
        if reader.take(words: "ORDER", "BY") || reader.take(words: "SORT", "BY") {
            repeat {
                guard let name = sortKey() else { return false }
                let isDescending = reader.take(words: "DESC")
                if !isDescending { _ = reader.take(words: "ASC") }
                query.options += ["--sort", name + (isDescending ? ":desc" : "")]
            } while reader.take(sign: ",")
            return true
        }
        if reader.take(words: "GROUP", "BY") {
            var names: [String] = []
            repeat {
                guard let name = name() else { return false }
                names.append(name)
            } while reader.take(sign: ",")
            if !query.options.contains("--count-by") {
                // Statistics without the field that they are by.
                let statistics = query.options.firstIndex(of: "--stats").map { Array(query.options[$0...($0 + 1)]) }
                query.options = ["--count-by", names.joined(separator: ",")] + (statistics ?? [])
            }
            return true
        }
        if reader.take(words: "FETCH") {
            guard reader.take(words: "FIRST") || reader.take(words: "NEXT"), let number = reader.take(),
                Int(number.text) != nil, reader.take(words: "ROWS") || reader.take(words: "ROW"),
                reader.take(words: "ONLY")
            else { return false }
            query.options += ["--limit", number.text]
            return true
        }
        for (word, option) in [("LIMIT", "--limit"), ("OFFSET", "--offset")] where reader.take(words: word) {
            guard let number = reader.take(), Int(number.text) != nil else { return false }
            query.options += [option, number.text]
            return true
        }
        return false
    }

    /// A name, that of a column of figures, or `COUNT(*)`.
    private mutating func sortKey() -> String? {
        if reader.peek(1)?.isSign("(") == true, let function = reader.take()?.text.uppercased() {
            _ = reader.take()
            guard reader.take(sign: "*") || name() != nil, reader.take(sign: ")") else { return nil }
            return function == "COUNT" ? "count" : function == "AVG" ? "average" : function.lowercased()
        }
        return name().map { titles[$0] ?? $0 }
    }

    /// A name, perhaps of several parts or between double quotes.
    mutating func name() -> String? {
        guard let token = reader.next, token.kind == .word || token.kind == .text("\"") || token.kind == .text("`"),
            !isClause
        else { return nil }
        _ = reader.take()
        var name = token.text
        while reader.next?.isSign(".") == true, reader.peek(1)?.kind == .word, let part = reader.peek(1)?.text {
            name = name == alias ? part : name + "." + part
            _ = reader.take()
            _ = reader.take()
        }
        return name
    }
}
