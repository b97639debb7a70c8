// SQL at the place of a predicate: statements, and conditions in its spelling.

import RecordDatabase

/// Reads SQL.
struct SQLGuess {
    private var reader: GuessReader
    private var query = TranslatedQuery()

    /// What a statement or a condition says; `nil` for what is no SQL.
    static func query(of text: String) -> TranslatedQuery? {
        guard var tokens = GuessToken.tokens(of: text, isSQL: true), !tokens.isEmpty else { return nil }
        if tokens.last?.isSign(";") == true { tokens.removeLast() }
        var guess = SQLGuess(reader: GuessReader(tokens))
        return guess.statement()
    }

    private static let clauses = ["FROM", "WHERE", "GROUP", "ORDER", "LIMIT", "OFFSET", "HAVING", "SET"]

    private mutating func statement() -> TranslatedQuery? {
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
        }
        if reader.take(words: "WHERE") || !reader.isAtEnd && !isClause {
            guard let condition = condition() else { return nil }
            query.predicate = condition
        }
        while !reader.isAtEnd { guard tail() else { return nil } }
        return query
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
        repeat {
            if reader.take(sign: "*") { continue }
            guard let word = reader.next else { return false }
            let function = word.text.uppercased()
            if ["COUNT", "SUM", "AVG", "MIN", "MAX"].contains(function), reader.peek(1)?.isSign("(") == true {
                _ = reader.take()
                _ = reader.take()
                if reader.take(sign: "*") {
                    isCounted = true
                } else if let name = name() {
                    if function == "COUNT" {
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
            if reader.take(words: "AS") { _ = reader.take() }
        } while reader.take(sign: ",")
        if !statistics.isEmpty {
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
                guard let name = name() else { return false }
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
                query.options.removeAll()
                query.options += ["--count-by", names.joined(separator: ",")]
            }
            return true
        }
        for (word, option) in [("LIMIT", "--limit"), ("OFFSET", "--offset")] where reader.take(words: word) {
            guard let number = reader.take(), Int(number.text) != nil else { return false }
            query.options += [option, number.text]
            return true
        }
        return false
    }

    /// A name, perhaps of several parts or between double quotes.
    private mutating func name() -> String? {
        guard let token = reader.next, token.kind == .word || token.kind == .text("\"") || token.kind == .text("`"),
            !isClause
        else { return nil }
        _ = reader.take()
        var name = token.text
        while reader.next?.isSign(".") == true, reader.peek(1)?.kind == .word, let part = reader.peek(1)?.text {
            name += "." + part
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
            guard reader.take(sign: "(") || reader.take(sign: "{") else { return nil }
            var values: [String] = []
            repeat {
                guard let value = operand(isLeft: false) else { return nil }
                values.append(value)
            } while reader.take(sign: ",")
            guard reader.take(sign: ")") || reader.take(sign: "}") else { return nil }
            return "\(left) IN {\(values.joined(separator: ", "))}"
        }
        if reader.take(words: "BETWEEN") {
            let isBraced = reader.take(sign: "{")
            guard let low = operand(isLeft: false), reader.take(words: "AND") || reader.take(sign: ","),
                let high = operand(isLeft: false), !isBraced || reader.take(sign: "}")
            else { return nil }
            return "\(left) BETWEEN {\(low), \(high)}"
        }
        for (word, options) in [("LIKE", ""), ("ILIKE", "[c]")] where reader.take(words: word) {
            guard let pattern = reader.take(), pattern.isText else { return nil }
            return Self.like(left, pattern.text, options)
        }
        for word in ["REGEXP", "RLIKE"] where reader.take(words: word) { return search(left, ignoresCase: false) }
        if reader.take(sign: "~") { return search(left, ignoresCase: reader.take(sign: "*")) }
        if reader.take(sign: "=~") { return search(left, ignoresCase: false) }
        let words = ["CONTAINS", "BEGINSWITH", "ENDSWITH", "MATCHES", "TOKENMATCHES"]
        guard let sign = reader.take(),
            ["=", "==", "!=", "<>", "<", "<=", ">", ">="].contains(sign.text) || words.contains(sign.text.uppercased()),
            let right = operand(isLeft: false)
        else { return nil }
        let name = sign.text == "=" ? "==" : sign.text == "<>" ? "!=" : sign.text.uppercased()
        return "\(left) \(name) \(right)"
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
        while let sign = reader.next, sign.kind == .sign, ["+", "-", "*", "/", "%"].contains(sign.text) {
            _ = reader.take()
            if reader.take(words: "INTERVAL") {
                guard let length = interval() else { return nil }
                text += " \(sign.text) \(length)"
                continue
            }
            guard let right = term(isLeft: isLeft) else { return nil }
            text = sign.text == "%" ? "modulus:by:(\(text), \(right))" : "\(text) \(sign.text) \(right)"
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
        "DATE": "date", "NOW": "now",
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
        case .word: return word(token)
        }
    }

    private mutating func word(_ token: GuessToken) -> String? {
        let word = token.text.uppercased()
        if reader.peek(1)?.isSign("(") == true { return call(word) }
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
