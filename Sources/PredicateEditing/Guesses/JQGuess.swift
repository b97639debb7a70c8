// jq at the place of a predicate: filters with select, and the conditions in them.

import RecordDatabase

/// Reads jq.
struct JQGuess {
    private var reader: GuessReader
    private var query = TranslatedQuery()

    /// What a filter or a condition says; `nil` for what is no jq.
    static func query(of text: String) -> TranslatedQuery? {
        guard let tokens = GuessToken.tokens(of: text, isSQL: false), let first = tokens.first else { return nil }
        let words = ["select", "map", "sort_by", "group_by", "limit", "first", "unique_by", "length", "has", "any"]
        let isAlone = tokens.count == 1 && (first.text == "length" || first.text == "keys")
        guard
            isAlone || first.isSign(".") || first.isSign("[") || first.isSign("{")
                || first.kind == .word && words.contains(first.text)
                    && tokens.dropFirst().first?.isSign("(") == true
        else { return nil }
        var guess = JQGuess(reader: GuessReader(tokens))
        return guess.filter() ? guess.query : nil
    }

    // MARK: Stages

    private mutating func filter() -> Bool {
        if let name = reader.next, reader.peek(1) == nil, name.kind == .word {
            if name.text == "length" { query.options = ["--count"] } else { query.verb = .schema }
            return name.text == "length" || name.text == "keys"
        }
        _ = reader.take(sign: "[")
        repeat {
            guard stage() else { return false }
            _ = reader.take(sign: "]")
        } while reader.take(sign: "|")
        return reader.isAtEnd
    }

    /// A part between bars.
    private mutating func stage() -> Bool {
        guard let token = reader.next else { return false }
        if token.kind == .word, let stage = named(token.text) { return stage }
        if token.isSign("."), reader.peek(1)?.isSign("[") == true {
            _ = reader.take()
            return slice()
        }
        if token.isSign("."), reader.peek(1) == nil || reader.peek(1)?.isSign("|") == true {
            return reader.take(sign: ".")
        }
        if token.isSign("{") || isListOfFields { return fields() }
        guard let condition = condition() else { return false }
        return take(condition)
    }

    private mutating func take(_ condition: String) -> Bool {
        query.predicate = query.predicate.map { "(\($0)) AND (\(condition))" } ?? condition
        return true
    }

    /// A stage that begins with a word; `nil` for other words.
    private mutating func named(_ word: String) -> Bool? {
        switch word {
        case "select":
            _ = reader.take()
            guard reader.take(sign: "("), let condition = condition(), reader.take(sign: ")") else { return false }
            return take(condition)
        case "map":
            _ = reader.take()
            if query.options.first == "--count-by" { return figures() }
            return reader.take(sign: "(") && stage() && reader.take(sign: ")")
        case "sort_by", "group_by", "unique_by":
            _ = reader.take()
            guard reader.take(sign: "("), let path = path(), reader.take(sign: ")") else { return false }
            query.options += [word == "sort_by" ? "--sort" : word == "group_by" ? "--count-by" : "--distinct", path]
            return true
        case "add", "min", "max":
            _ = reader.take()
            guard let fields = query.options.lastIndex(of: "--fields") else { return false }
            query.options[fields] = "--stats"
            return true
        case "reverse":
            _ = reader.take()
            guard let sort = query.options.lastIndex(of: "--sort") else { return false }
            query.options[sort + 1] += ":desc"
            return true
        case "length":
            _ = reader.take()
            query.options.append("--count")
            return true
        case "limit":
            _ = reader.take()
            guard reader.take(sign: "("), let number = reader.take(), Int(number.text) != nil, reader.take(sign: ";")
            else { return false }
            query.options += ["--limit", number.text]
            repeat { guard stage() else { return false } } while reader.take(sign: "|")
            return reader.take(sign: ")")
        case "first":
            _ = reader.take()
            query.options += ["--limit", "1"]
            guard reader.take(sign: "(") else { return true }
            repeat { guard stage() else { return false } } while reader.take(sign: "|")
            return reader.take(sign: ")")
        default: return nil
        }
    }

    /// `[]`, `[:5]`, `[0]`
    private mutating func slice() -> Bool {
        guard reader.take(sign: "[") else { return false }
        if reader.take(sign: "]") { return true }
        if let first = reader.next, first.kind == .number, reader.peek(1)?.isSign(":") == true {
            _ = reader.take()
            _ = reader.take()
            guard let start = Int(first.text), let end = reader.take().flatMap({ Int($0.text) }), end > start else {
                return false
            }
            query.options += ["--limit", "\(end - start)"] + (start > 0 ? ["--offset", "\(start)"] : [])
        } else if reader.take(sign: ":") {
            guard let end = reader.take(), Int(end.text) != nil else { return false }
            query.options += ["--limit", end.text]
        } else if let first = reader.take(), first.text == "0" {
            query.options += ["--limit", "1"]
        } else {
            return false
        }
        return reader.take(sign: "]")
    }

    /// `map({genre: .[0].genre, count: length})` behind `group_by`: the counts that there are.
    private mutating func figures() -> Bool {
        var depth = 0
        var words: Set<String> = []
        repeat {
            guard let token = reader.take() else { return false }
            if token.kind == .word { words.insert(token.text) }
            depth += token.isSign("(") ? 1 : token.isSign(")") ? -1 : 0
        } while depth > 0
        return words.contains("length") && words.isDisjoint(with: ["add", "min", "max", "select", "map"])
    }

    /// Whether fields with commas between them are next, and no condition.
    private var isListOfFields: Bool {
        var ahead = reader
        guard ahead.takePath() != nil else { return false }
        // A path alone shows a field.
        return ahead.isAtEnd || [",", "]", ")"].contains { ahead.next?.isSign($0) == true }
    }

    /// `{a, b}` or `.a, .b`
    private mutating func fields() -> Bool {
        let isObject = reader.take(sign: "{")
        var names: [String] = []
        repeat {
            if reader.next?.isSign(".") == true {
                guard let path = path() else { return false }
                names.append(path)
            } else {
                guard let word = reader.take(), word.kind == .word || word.isText else { return false }
                var name = word.text
                if reader.take(sign: ":") {
                    guard let path = path() else { return false }
                    name = path
                }
                names.append(name)
            }
        } while reader.take(sign: ",")
        query.options += ["--fields", names.joined(separator: ",")]
        return !isObject || reader.take(sign: "}")
    }

    private mutating func path() -> String? { reader.takePath() }

    // MARK: Conditions

    private mutating func condition() -> String? {
        guard var text = conjunction() else { return nil }
        while reader.take(words: "OR") {
            guard let right = conjunction() else { return nil }
            text += " OR " + right
        }
        if reader.next?.isSign("|") == true, reader.peek(1)?.isWord("NOT") == true {
            _ = reader.take()
            _ = reader.take()
            text = "NOT (\(text))"
        }
        return text
    }

    private mutating func conjunction() -> String? {
        guard var text = comparison() else { return nil }
        while reader.take(words: "AND") {
            guard let right = comparison() else { return nil }
            text += " AND " + right
        }
        return text
    }

    private mutating func comparison() -> String? {
        if reader.take(sign: "(") {
            guard let inner = condition(), reader.take(sign: ")") else { return nil }
            // `(.a | length) > 3` is a value in parentheses.
            return reader.next?.kind == .sign && Self.signs.contains(reader.next?.text ?? "")
                ? compared(inner) : inner.contains(" ") && !inner.hasPrefix("length(") ? "(\(inner))" : inner
        }
        if reader.take(words: "ANY"), reader.take(sign: "(") {
            // `any(.tags[]; . == "x")`
            guard let path = path(), reader.take(sign: "["), reader.take(sign: "]"), reader.take(sign: ";"),
                reader.take(sign: "."), let text = compared("ANY " + PredicatePart.key(path)), reader.take(sign: ")")
            else { return nil }
            return text
        }
        if reader.take(words: "HAS") {
            guard reader.take(sign: "("), let name = reader.take(), name.isText, reader.take(sign: ")") else {
                return nil
            }
            return PredicatePart.key(name.text) + " != nil"
        }
        guard let path = path() else { return nil }
        let key = PredicatePart.key(path)
        if reader.take(sign: "|") { return piped(key) }
        if reader.take(sign: "[") {
            // `.tags[] == "x"`: one of the elements.
            guard reader.take(sign: "]") else { return nil }
            return compared("ANY " + key)
        }
        return compared(key)
    }

    private static let signs = ["==", "!=", "<", "<=", ">", ">="]

    private mutating func compared(_ left: String) -> String? {
        guard let sign = reader.next, sign.kind == .sign, Self.signs.contains(sign.text) else {
            return left.hasPrefix("length(") ? left : left + " == TRUE"
        }
        _ = reader.take()
        guard let right = value() else { return nil }
        return "\(left) \(sign.text) \(right)"
    }

    private mutating func value() -> String? {
        if reader.next?.isSign(".") == true { return path().map(PredicatePart.key) }
        if reader.take(sign: "-") { return reader.take().map { "-" + $0.text } }
        guard let token = reader.take() else { return nil }
        return token.isText ? PredicatePart.text(token.text) : PredicatePart.value(token.text)
    }

    /// What follows `.field |`.
    private mutating func piped(_ key: String) -> String? {
        guard let function = reader.take(), function.kind == .word else { return nil }
        if function.text == "tonumber" || function.text == "tostring" { return compared(key) }
        if function.text == "IN", reader.take(sign: "(") {
            var values: [String] = []
            repeat {
                guard let value = value() else { return nil }
                values.append(value)
            } while reader.take(sign: ",")
            return reader.take(sign: ")") ? "\(key) IN {\(values.joined(separator: ", "))}" : nil
        }
        if function.text == "length" { return compared("length(\(key))") }
        if function.text == "not" { return "NOT (\(key) == TRUE)" }
        if function.text == "ascii_downcase" || function.text == "ascii_upcase" {
            let name = function.text == "ascii_downcase" ? "lowercase" : "uppercase"
            return reader.take(sign: "|") ? piped("\(name)(\(key))") : compared("\(name)(\(key))")
        }
        guard reader.take(sign: "(") else { return nil }
        var text: String?
        if function.text == "any", reader.take(sign: ".") {
            text = compared("ANY " + key)
        } else if let argument = reader.take() {
            let literal = argument.isText ? PredicatePart.text(argument.text) : argument.text
            switch function.text {
            case "contains": text = "\(key) CONTAINS \(literal)"
            case "startswith": text = "\(key) BEGINSWITH \(literal)"
            case "endswith": text = "\(key) ENDSWITH \(literal)"
            case "index": text = "\(key) CONTAINS \(literal)"
            case "has": text = "\(key).\(PredicatePart.key(argument.text)) != nil"
            case "test", "match":
                var flags = ""
                if reader.take(sign: ";"), let letters = reader.take() { flags = letters.text }
                text = PredicatePart.search(key, argument.text, ignoresCase: flags.contains("i"))
            default: return nil
            }
        }
        guard let text, reader.take(sign: ")") else { return nil }
        return text
    }
}

extension GuessReader {
    /// Takes `.a.b`, `."a b"` or `.a?`; the names with dots between them.
    fileprivate mutating func takePath() -> String? {
        var names: [String] = []
        while next?.isSign(".") == true, let name = peek(1), name.kind == .word || name.isText {
            names.append(name.text)
            _ = take()
            _ = take()
            _ = take(sign: "?")
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }
}
