// SQL at the place of a predicate: statements, and conditions in its spelling.

import RecordDatabase

/// Reads SQL.
struct SQLGuess {
    private var reader: GuessReader
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
        if isQuestionAboutFields { return TranslatedQuery(verb: .schema) }
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
    private var isQuestionAboutFields: Bool {
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

    private var isClause: Bool { reader.next.map { token in Self.clauses.contains { token.isWord($0) } } ?? false }

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
    private mutating func name() -> String? {
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

    // MARK: Conditions

    /// A condition up to the next clause.
    private mutating func condition() -> String? {
        var parts: [String] = []
        var depth = 0
        while let token = reader.next, depth > 0 || !isClause {
            if token.isSign("(") {
                _ = reader.take()
                depth += 1
                parts.append("(")
            } else if token.isSign(")") {
                guard depth > 0 else { return nil }
                _ = reader.take()
                depth -= 1
                parts.append(")")
            } else if reader.take(words: "AND") || reader.take(sign: "&&") {
                parts.append("AND")
            } else if reader.take(words: "OR") || reader.take(sign: "||") {
                parts.append("OR")
            } else if reader.take(words: "NOT") || reader.take(sign: "!") {
                parts.append("NOT")
            } else {
                guard let comparison = comparison() else { return nil }
                parts.append(comparison)
            }
        }
        guard depth == 0, !parts.isEmpty else { return nil }
        return parts.joined(separator: " ").replacing("( ", with: "(").replacing(" )", with: ")")
    }

    private mutating func comparison() -> String? {
        guard let left = operand(isLeft: true) else { return nil }
        // A function that is a condition by itself.
        if left.contains(" CONTAINS ") || left.contains(" BEGINSWITH ") || left.contains(" ENDSWITH ") { return left }
        if reader.take(words: "IS") {
            let isNegated = reader.take(words: "NOT")
            guard let word = reader.next, ["NULL", "TRUE", "FALSE"].contains(word.text.uppercased()),
                let value = operand(isLeft: false)
            else { return nil }
            return "\(left) \(isNegated ? "!=" : "==") \(value)"
        }
        let isNegated = reader.take(words: "NOT")
        guard let comparison = comparison(behind: left) else { return nil }
        return isNegated ? "NOT (\(comparison))" : comparison
    }

    private mutating func comparison(behind left: String) -> String? {
        if reader.take(words: "IN") {
            if let range = range() { return "\(left) BETWEEN \(range)" }
            guard ["(", "{", "["].contains(where: { reader.take(sign: $0) }) else { return nil }
            var values: [String] = []
            repeat {
                guard let value = operand(isLeft: false) else { return nil }
                values.append(value)
            } while reader.take(sign: ",")
            guard [")", "}", "]"].contains(where: { reader.take(sign: $0) }) else { return nil }
            return "\(left) IN {\(values.joined(separator: ", "))}"
        }
        if reader.take(words: "BETWEEN") {
            if let range = range() { return "\(left) BETWEEN \(range)" }
            let isBraced = ["(", "{", "["].contains { reader.take(sign: $0) }
            guard let low = operand(isLeft: false), reader.take(words: "AND") || reader.take(sign: ","),
                let high = operand(isLeft: false),
                !isBraced || [")", "}", "]"].contains(where: { reader.take(sign: $0) })
            else { return nil }
            return "\(left) BETWEEN {\(low), \(high)}"
        }
        for (word, options) in [("LIKE", ""), ("ILIKE", "[c]")] where reader.take(words: word) {
            guard let pattern = reader.take(), pattern.isText else { return nil }
            return Self.like(left, pattern.text, options)
        }
        for word in ["REGEXP", "RLIKE", "REGEX"] where reader.take(words: word) {
            return search(left, ignoresCase: false)
        }
        if reader.take(sign: "~") { return search(left, ignoresCase: reader.take(sign: "*")) }
        if reader.take(sign: "=~") { return search(left, ignoresCase: false) }
        if reader.next?.isSign("=") == true, reader.peek(1)?.isWord("ANY") == true, reader.peek(2)?.isSign("(") == true
        {
            for _ in 0..<3 { _ = reader.take() }
            guard let list = name(), reader.take(sign: ")") else { return nil }
            return "ANY \(PredicatePart.key(list)) == \(left)"
        }
        let words = ["CONTAINS", "BEGINSWITH", "ENDSWITH", "MATCHES", "TOKENMATCHES"]
        guard let sign = reader.take(),
            ["=", "==", "!=", "<>", "<", "<=", ">", ">="].contains(sign.text) || words.contains(sign.text.uppercased()),
            let right = operand(isLeft: false)
        else { return nil }
        let name = sign.text == "=" ? "==" : sign.text == "<>" ? "!=" : sign.text.uppercased()
        // strftime gives texts, the parts of a date are numbers.
        if left.hasPrefix("year(") || left.hasPrefix("month(") || left.hasPrefix("day("),
            let number = Int(right.filter { $0 != "'" })
        {
            return "\(left) \(name) \(number)"
        }
        return "\(left) \(name) \(right)"
    }

    /// `8..9`, `1990...1999`
    private mutating func range() -> String? {
        guard let token = reader.next, token.kind == .number, token.text.contains("..") else { return nil }
        let ends = token.text.split(separator: ".", omittingEmptySubsequences: false).filter { !$0.isEmpty }
        guard ends.count == 2, ends.allSatisfy({ PredicatePart.isNumber(String($0)) }) else { return nil }
        _ = reader.take()
        return "{\(ends[0]), \(ends[1])}"
    }

    private mutating func search(_ left: String, ignoresCase: Bool) -> String? {
        guard let pattern = reader.take(), pattern.isText else { return nil }
        return PredicatePart.search(left, pattern.text, ignoresCase: ignoresCase)
    }

    /// LIKE with the wildcards of predicates, or the plainer operator that says the same.
    static func like(_ left: String, _ pattern: String, _ options: String) -> String {
        let inner = pattern.trimming("%")
        if !inner.isEmpty, !inner.contains(where: { "%_*?\\".contains($0) }) {
            let (begins, ends) = (!pattern.hasPrefix("%"), !pattern.hasSuffix("%"))
            let name = begins && ends ? "==" : begins ? "BEGINSWITH" : ends ? "ENDSWITH" : "CONTAINS"
            return "\(left) \(name)\(options) \(PredicatePart.text(inner))"
        }
        let translated = pattern.escaping { scalar in
            switch scalar {
            case "%": "*"
            case "_": "?"
            case "*", "?": "\\\(scalar)"
            default: nil
            }
        }
        return "\(left) LIKE\(options) \(PredicatePart.text(translated))"
    }

    /// A value or a field, with arithmetic between.
    private mutating func operand(isLeft: Bool) -> String? {
        guard var text = term(isLeft: isLeft) else { return nil }
        while let sign = reader.next,
            sign.kind == .sign && ["+", "-", "*", "/", "%"].contains(sign.text) || sign.isWord("MOD")
        {
            _ = reader.take()
            if reader.take(words: "INTERVAL") {
                guard let length = interval() else { return nil }
                text += " \(sign.text) \(length)"
                continue
            }
            guard let right = term(isLeft: isLeft) else { return nil }
            text =
                sign.text == "%" || sign.isWord("MOD")
                ? "modulus:by:(\(text), \(right))" : "\(text) \(sign.text) \(right)"
        }
        return text
    }

    /// `'7 days'`, `7 DAY`
    private mutating func interval() -> String? {
        guard let first = reader.take() else { return nil }
        var words = first.text.split(separator: " ").map(String.init)
        if words.count == 1, let unit = reader.take()?.text { words.append(unit) }
        guard words.count == 2, let count = Int(words[0]) else { return nil }
        let units = ["second": "s", "minute": "m", "hour": "h", "day": "d", "week": "w"]
        guard let unit = units.first(where: { words[1].lowercased().hasPrefix($0.key) }) else { return nil }
        return "\(count)\(unit.value)"
    }

    private static let functions = [
        "LOWER": "lowercase", "UPPER": "uppercase", "LENGTH": "length", "LEN": "length", "YEAR": "year",
        "MONTH": "month", "DAY": "day", "ABS": "abs", "FLOOR": "floor", "CEIL": "ceiling", "SQRT": "sqrt",
        "DATE": "date", "NOW": "now", "SIZE": "count", "CARDINALITY": "count", "ARRAY_LENGTH": "count",
        "COUNT": "count",
    ]

    private mutating func term(isLeft: Bool) -> String? {
        if reader.take(sign: "-") { return term(isLeft: isLeft).map { "-" + $0 } }
        guard let token = reader.next else { return nil }
        switch token.kind {
        case .number, .pattern:
            _ = reader.take()
            return token.text
        case .text(let quote):
            // A name where a name is expected, or where texts have the other quotes.
            if isLeft, quote != "'" { return name().map(PredicatePart.key) }
            _ = reader.take()
            return quote == "`" ? PredicatePart.key(token.text) : PredicatePart.text(token.text)
        case .sign: return nil
        // A parameter, or a name of another language.
        case .word where token.text.hasPrefix("$"): return nil
        case .word: return word(token, atLeft: isLeft)
        }
    }

    private mutating func word(_ token: GuessToken, atLeft: Bool) -> String? {
        let word = token.text.uppercased()
        if reader.peek(1)?.isSign("(") == true { return call(word) }
        if ["NONE", "NIL", "UNDEFINED"].contains(word), reader.peek(1)?.isSign(".") != true, !atLeft {
            _ = reader.take()
            return "nil"
        }
        if ["NULL", "TRUE", "FALSE", "CURRENT_DATE", "CURRENT_TIMESTAMP"].contains(word) {
            _ = reader.take()
            return word == "NULL" ? "nil" : word.hasPrefix("CURRENT") ? "now()" : word
        }
        if ["DATE", "TIMESTAMP"].contains(word), let text = reader.peek(1), text.isText {
            _ = reader.take()
            _ = reader.take()
            return PredicatePart.text(text.text)
        }
        return name().map(PredicatePart.key)
    }

    private mutating func call(_ word: String) -> String? {
        _ = reader.take()
        _ = reader.take()
        if word == "EXTRACT" {
            guard let part = reader.take()?.text.uppercased(), ["YEAR", "MONTH", "DAY"].contains(part),
                reader.take(words: "FROM"), let inner = operand(isLeft: true), reader.take(sign: ")")
            else { return nil }
            return "\(part.lowercased())(\(inner))"
        }
        if word == "MOD" {
            guard let a = operand(isLeft: true), reader.take(sign: ","), let b = operand(isLeft: true),
                reader.take(sign: ")")
            else { return nil }
            return "modulus:by:(\(a), \(b))"
        }
        if ["ARRAY_CONTAINS", "LIST_CONTAINS", "JSON_CONTAINS", "CONTAINS", "STARTSWITH", "ENDSWITH"].contains(word) {
            guard let list = operand(isLeft: true), reader.take(sign: ","), let value = operand(isLeft: false),
                reader.take(sign: ")")
            else { return nil }
            let name = word == "STARTSWITH" ? "BEGINSWITH" : word == "ENDSWITH" ? word : "CONTAINS"
            return "\(list) \(name) \(value)"
        }
        if word == "STRFTIME", let form = reader.take(), form.isText, reader.take(sign: ","),
            let part = ["%Y": "year", "%m": "month", "%d": "day"][form.text], let date = operand(isLeft: true),
            reader.take(sign: ")")
        {
            return "\(part)(\(date))"
        }
        guard let function = Self.functions[word] else { return nil }
        if reader.take(sign: ")") { return function + "()" }
        guard let inner = operand(isLeft: true), reader.take(sign: ")") else { return nil }
        return "\(function)(\(inner))"
    }
}

extension String {
    /// The text without a character at its ends.
    fileprivate func trimming(_ character: Character) -> String {
        var text = Substring(self)
        while text.first == character { text.removeFirst() }
        while text.last == character { text.removeLast() }
        return String(text)
    }
}
