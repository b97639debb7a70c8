// Conditions in wrappings of programming languages and pipelines: `movies.filter(m => m.year > 1990)`,
// `year > 1990 | head 5`.

import RecordDatabase

/// Reads conditions that code goes around.
enum CodeGuess {
    /// What code says; `nil` where nothing known goes around a condition.
    static func query(of text: String) -> TranslatedQuery? {
        if let query = pipeline(text) { return query }
        guard let inner = unwrapped(text) else { return nil }
        return condition(inner)
    }

    /// A condition of code as a query.
    private static func condition(_ text: String) -> TranslatedQuery? {
        let plain = rewritten(text)
        let query = TranslatedQuery(predicate: plain)
        if query.isSound { return query }
        return ForeignLanguage.inner(plain)
    }

    // MARK: Wrappings

    private static func unwrapped(_ text: String) -> String? {
        if let match = text.wholeMatch(of: #/\$filter=(.+)/#) { return String(match.1) }
        if let match = text.wholeMatch(of: #/\$\[\?\((.+)\)\]/#) { return removing("@", from: match.1) }
        if let match = text.wholeMatch(of: #/\/\/?\w+\[(.+)\]/#) { return removing("@", from: match.1, dot: "") }
        if let match = text.wholeMatch(of: #/\{ ?(\$_\..+?) ?\}/#) { return removing("$_", from: match.1) }
        if text.hasPrefix("$.") { return removing("$", from: text[...]) }
        if text.hasPrefix("$_.") { return removing("$_", from: text[...]) }
        if let match = text.wholeMatch(of: #/lambda (\w+) ?: ?(.+)/#) { return removing(match.1, from: match.2) }
        if let match = text.wholeMatch(of: #/\(?(\w+)\)? ?=> ?(.+)/#) { return removing(match.1, from: match.2) }
        if let match = text.wholeMatch(of: #/\[(\w+) for (\w+) in \w+ if (.+)\]/#), match.1 == match.2 {
            return removing(match.1, from: match.3)
        }
        if let match = text.wholeMatch(of: #/(?:\w+\.)+\w+ ?\{ ?\|(\w+)\| ?(.+?) ?\}/#) {
            return removing(match.1, from: match.2)
        }
        if let match = text.wholeMatch(of: #/(\w+)\[(.+)\]/#), match.2.contains(match.1 + ".") {
            return removing(match.1, from: match.2)
        }
        if let match = text.wholeMatch(
            of: #/(?:\w+\.)*(?:filter|where|Where|find|query|select|Find|filter_by)\((.+)\)/#)
        {
            var inner = String(match.1)
            if let quote = inner.first, quote == "\"" || quote == "'", inner.last == quote, inner.count > 2 {
                inner = String(inner.dropFirst().dropLast())
            }
            // `where(year: 1999)`, `filter_by(year=1999)`
            if let pair = inner.wholeMatch(of: #/(\w+) ?[:=] ?([^=>~].*)/#) { return "\(pair.1) == \(pair.2)" }
            return unwrapped(inner) ?? inner
        }
        return nil
    }

    /// A condition without the name of the record before its fields.
    private static func removing(_ name: Substring, from text: Substring, dot: String = ".") -> String {
        var result = ""
        var rest = text
        var last: Character = " "
        while !rest.isEmpty {
            if rest.hasPrefix(name + dot), !last.isLetter, !last.isNumber, last != "_", last != "." {
                rest = rest.dropFirst(name.count + dot.count)
            }
            guard let next = rest.popFirst() else { break }
            result.append(next)
            last = next
        }
        return result
    }

    /// Operators and calls of code as predicates have them.
    static func rewritten(_ text: String) -> String {
        var text = text.replacing("===", with: "==").replacing("!==", with: "!=")
        for (name, sign) in [("gt", ">"), ("lt", "<"), ("ge", ">="), ("le", "<="), ("eq", "=="), ("ne", "!=")] {
            text = text.replacing(" -\(name) ", with: " \(sign) ")
        }
        text = text.replacing(#/->>?'?(\w+)'?/#) { ".\($0.1)" }
        text = text.replacing(#/\.(\d+)(?=[ \]).]|$)/#) { match in
            // Behind a name: an element; behind a digit: a fraction.
            match.range.lowerBound > text.startIndex && text[text.index(before: match.range.lowerBound)].isLetter
                ? "[\(match.1)]" : String(match.0)
        }
        // A column's functions of texts, as pandas has them.
        text = text.replacing(#/([\w)])\.str\.(?=(?:contains|startswith|endswith|lower|upper)\()/#) { "\($0.1)." }
        let calls: [(names: [String], operation: String)] = [
            (["contains", "includes", "include?"], "CONTAINS"),
            (["startsWith", "startswith", "StartsWith", "starts_with", "start_with?", "hasPrefix"], "BEGINSWITH"),
            (["endsWith", "endswith", "EndsWith", "ends_with", "end_with?", "hasSuffix"], "ENDSWITH"),
            (["Contains"], "CONTAINS"),
        ]
        for (names, operation) in calls {
            for name in names { text = replacing(method: name, in: text) { "\($0) \(operation) \($1)" } }
        }
        for (name, function) in [
            ("toLowerCase", "lowercase"), ("lower", "lowercase"), ("ToLower", "lowercase"), ("downcase", "lowercase"),
            ("lowercased", "lowercase"), ("toUpperCase", "uppercase"), ("upper", "uppercase"), ("ToUpper", "uppercase"),
        ] { text = replacing(method: name, in: text) { field, _ in "\(function)(\(field))" } }
        return text
    }

    /// `field.name(argument)` as something else.
    private static func replacing(
        method name: String, in text: String, _ body: (Substring, Substring) -> String
    ) -> String {
        var text = text
        while let start = text.firstRange(of: ".\(name)("),
            let end = text[start.upperBound...].firstIndex(of: ")")
        {
            let field = text[..<start.lowerBound].reversed().prefix { $0.isLetter || $0.isNumber || "_.".contains($0) }
            let first = text.index(start.lowerBound, offsetBy: -field.count)
            guard !field.isEmpty else { break }
            let replacement = body(text[first..<start.lowerBound], text[start.upperBound..<end])
            text.replaceSubrange(first...end, with: replacement)
        }
        return text
    }

    // MARK: Pipelines

    /// `movies | where year > 1990 | take 5`, `year > 1990 | stats count by genre`
    private static func pipeline(_ text: String) -> TranslatedQuery? {
        let stages = stages(of: text)
        guard stages.count > 1, let first = stages.first, !first.hasPrefix("."), !first.hasPrefix("[") else {
            return nil
        }
        var query = TranslatedQuery()
        if first.wholeMatch(of: #/\w+/#) != nil {
            query.source = first
        } else {
            guard let condition = condition(first), condition.options.isEmpty else { return nil }
            query.predicate = condition.predicate
        }
        for stage in stages.dropFirst() { guard add(stage, to: &query) else { return nil } }
        return query
    }

    /// The parts between single bars outside of quotes.
    private static func stages(of text: String) -> [String] {
        var stages = [""]
        var quote: Character?
        var rest = Substring(text)
        while let next = rest.popFirst() {
            if next == quote {
                quote = nil
            } else if quote == nil, next == "'" || next == "\"" {
                quote = next
            } else if quote == nil, next == "|" {
                if rest.first == "|" {
                    rest.removeFirst()
                    stages[stages.count - 1] += "||"
                } else {
                    stages.append("")
                }
                continue
            }
            stages[stages.count - 1].append(next)
        }
        return stages.map { $0.trimmingWhitespace }
    }

    private static func add(_ stage: String, to query: inout TranslatedQuery) -> Bool {
        if let match = stage.wholeMatch(of: #/(?:where|filter|search) (.+)/#) {
            guard let inner = condition(String(match.1)), inner.options.isEmpty, let part = inner.predicate else {
                return false
            }
            query.predicate = query.predicate.map { "(\($0)) AND (\(part))" } ?? part
        } else if let match = stage.wholeMatch(of: #/(?:take|head|limit|top)(?: -n)? ?-?(\d+)/#) {
            query.options += ["--limit", String(match.1)]
        } else if let match = stage.wholeMatch(of: #/(?:stats|summarize) count(?:\(\))? by (\w[\w.]*)/#) {
            query.options += ["--count-by", String(match.1)]
        } else if stage == "count" || stage == "wc -l" || stage == "stats count" {
            query.options.append("--count")
        } else if let match = stage.wholeMatch(of: #/(?:sort|order)(?: by)? (-?)(\w[\w.]*)(?: (desc|asc))?/#) {
            query.options += ["--sort", match.2 + (match.1 == "-" || match.3 == "desc" ? ":desc" : "")]
        } else if let match = stage.wholeMatch(of: #/(?:project|table|fields|select) (\w[\w., ]*)/#) {
            query.options += [
                "--fields",
                match.1.split(separator: ",").map { String($0).trimmingWhitespace }
                    .joined(separator: ","),
            ]
        } else {
            return false
        }
        return true
    }
}

extension String {
    /// The text without blanks at its ends.
    fileprivate var trimmingWhitespace: String {
        var text = Substring(self)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
