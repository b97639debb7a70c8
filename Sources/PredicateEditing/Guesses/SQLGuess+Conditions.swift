// Conditions of SQL, as predicates have them.

import RecordDatabase

extension SQLGuess {
    /// A condition up to the next clause.
    mutating func condition() -> String? {
        var text = ""
        var depth = 0
        func append(_ part: String) {
            text += text.isEmpty || text.hasSuffix("(") || part == ")" ? part : " " + part
        }
        while let token = reader.next, depth > 0 || !isClause {
            if token.isSign("(") {
                _ = reader.take()
                depth += 1
                append("(")
            } else if token.isSign(")") {
                guard depth > 0 else { return nil }
                _ = reader.take()
                depth -= 1
                append(")")
            } else if reader.take(words: "AND") || reader.take(sign: "&&") {
                append("AND")
            } else if reader.take(words: "OR") || reader.take(sign: "||") {
                append("OR")
            } else if reader.take(words: "NOT") || reader.take(sign: "!") {
                append("NOT")
            } else {
                guard let comparison = comparison() else { return nil }
                append(comparison)
            }
        }
        return depth == 0 && !text.isEmpty ? text : nil
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
