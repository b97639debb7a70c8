// MongoDB's query documents at the place of a predicate, alone or within calls of its shell.

import RecordDatabase

/// Reads query documents.
struct MongoGuess {
    /// A value of a document.
    private indirect enum Value {
        case text(String)
        case pattern(String, flags: String)
        case other(String)
        case list([Value])
        case document([(key: String, value: Value)])
    }

    private var reader: GuessReader
    private var query = TranslatedQuery()
    /// The columns of figures by the names that a call gives them.
    private var titles: [String: String] = [:]

    /// What a document or a call says; `nil` for what is neither.
    static func query(of text: String) -> TranslatedQuery? {
        guard text.hasPrefix("{") || text.hasPrefix("db."),
            let tokens = GuessToken.tokens(of: quotingPatterns(text), isSQL: false)
        else { return nil }
        var guess = MongoGuess(reader: GuessReader(tokens))
        return guess.call() ? guess.query : nil
    }

    /// Patterns between slashes as texts that say so: `/x/i` is `$pattern:"i:x"`.
    private static func quotingPatterns(_ text: String) -> String {
        var result = ""
        var rest = Substring(text)
        var last: Character = " "
        while let next = rest.popFirst() {
            if next == "/", ":,[( ".contains(last), let end = rest.firstIndex(of: "/") {
                let pattern = rest[..<end]
                rest = rest[rest.index(after: end)...]
                let flags = rest.prefix { "imsx".contains($0) }
                rest = rest.dropFirst(flags.count)
                result += JSONValue.string("\u{0}" + flags + "\u{0}" + pattern).text.replacing("\\u0000", with: "\u{0}")
                last = "\""
            } else {
                result.append(next)
                if !next.isWhitespace { last = next }
            }
        }
        return result
    }

    // MARK: Calls

    private mutating func call() -> Bool {
        guard reader.take(words: "DB") else { return takeFilter() && reader.isAtEnd }
        guard reader.take(sign: "."), let source = reader.take(), source.kind == .word else { return false }
        query.source = source.text
        while reader.take(sign: ".") {
            guard let name = reader.take(), reader.take(sign: "("), takeArguments(of: name.text), reader.take(sign: ")")
            else { return false }
        }
        return reader.isAtEnd
    }

    private mutating func takeArguments(of name: String) -> Bool {
        switch name {
        case "find", "findOne", "countDocuments", "deleteMany", "remove", "count":
            if name == "findOne" { query.options += ["--limit", "1"] }
            if name == "countDocuments" || name == "count" { query.options.append("--count") }
            if name == "deleteMany" || name == "remove" { query.verb = .delete }
            if reader.next?.isSign(")") == true { return true }
            guard takeFilter() else { return false }
            return !reader.take(sign: ",") || takeProjection()
        case "sort":
            guard case .document(let members) = value() else { return false }
            for (key, value) in members {
                guard case .other(let direction) = value else { return false }
                query.options += ["--sort", key + (direction == "-1" ? ":desc" : "")]
            }
            return true
        case "limit", "skip":
            guard let number = reader.take(), Int(number.text) != nil else { return false }
            query.options += [name == "limit" ? "--limit" : "--offset", number.text]
            return true
        case "aggregate":
            guard case .list(let stages)? = value() else { return false }
            return stages.allSatisfy { add(stage: $0) }
        case "updateMany":
            guard takeFilter(), reader.take(sign: ","), case .document(let changes)? = value(), changes.count == 1,
                changes[0].key == "$set", case .document(let members) = changes[0].value
            else { return false }
            var settings: [String] = []
            for (key, value) in members {
                guard case .text(let text) = Self.plain(value) else { return false }
                settings.append("\(key)=\(text)")
            }
            query.verb = .update(settings)
            return true
        case "distinct":
            guard let field = reader.take(), field.isText else { return false }
            query.options += ["--distinct", field.text]
            return !reader.take(sign: ",") || takeFilter()
        default: return false
        }
    }

    /// The text of a value of one word.
    private static func plain(_ value: Value) -> Value {
        if case .other(let word) = value { .text(word) } else { value }
    }

    /// A stage of `aggregate`.
    private mutating func add(stage: Value) -> Bool {
        guard case .document(let members) = stage, members.count == 1 else { return false }
        switch (members[0].key, members[0].value) {
        case ("$match", .document(let filter)):
            guard let text = Self.condition(filter) else { return false }
            query.predicate = query.predicate.map { "(\($0)) AND (\(text))" } ?? text
            return true
        case ("$sort", .document(let keys)):
            for (key, value) in keys {
                guard case .other(let direction) = value else { return false }
                query.options += ["--sort", (titles[key] ?? key) + (direction == "-1" ? ":desc" : "")]
            }
            return true
        case ("$limit", .other(let number)): query.options += ["--limit", number]
        case ("$skip", .other(let number)): query.options += ["--offset", number]
        case ("$count", _): query.options.append("--count")
        case ("$group", .document(let group)): return add(group: group)
        default: return false
        }
        return true
    }

    /// `{_id: "$genre", n: {$sum: 1}, best: {$max: "$rating"}}`
    private mutating func add(group: [(key: String, value: Value)]) -> Bool {
        guard let id = group.first(where: { $0.key == "_id" })?.value else { return false }
        var statistics: [String] = []
        for (key, value) in group where key != "_id" {
            guard case .document(let sums) = value, sums.count == 1 else { return false }
            let names = ["$sum": "sum", "$avg": "average", "$min": "min", "$max": "max"]
            switch (sums[0].key, sums[0].value) {
            case ("$sum", .other("1")), ("$count", _): titles[key] = "count"
            case (let function, .text(let field)):
                guard let name = names[function], field.hasPrefix("$") else { return false }
                if !statistics.contains(String(field.dropFirst())) { statistics.append(String(field.dropFirst())) }
                titles[key] = name
            default: return false
            }
        }
        if case .text(let field) = id, field.hasPrefix("$") {
            titles["_id"] = String(field.dropFirst())
            query.options += ["--count-by", String(field.dropFirst())]
        } else if case .other("null") = id {
            if statistics.isEmpty { query.options.append("--count") }
        } else {
            return false
        }
        if !statistics.isEmpty { query.options += ["--stats", statistics.joined(separator: ",")] }
        return true
    }

    private mutating func takeProjection() -> Bool {
        guard case .document(let members) = value() else { return false }
        let names = members.compactMap { key, value -> String? in
            if case .other("1") = value { key } else { nil }
        }
        if !names.isEmpty { query.options += ["--fields", names.joined(separator: ",")] }
        return true
    }

    private mutating func takeFilter() -> Bool {
        guard case .document(let members) = value() else { return false }
        if members.isEmpty { return true }
        guard let text = Self.condition(members) else { return false }
        query.predicate = text
        return true
    }

    // MARK: Values

    private mutating func value() -> Value? {
        if reader.take(sign: "{") {
            var members: [(key: String, value: Value)] = []
            while !reader.take(sign: "}") {
                guard var key = reader.take(), key.kind == .word || key.isText else { return nil }
                while reader.next?.isSign(".") == true, let part = reader.peek(1) {
                    key.text += "." + part.text
                    _ = reader.take()
                    _ = reader.take()
                }
                guard reader.take(sign: ":"), let value = value() else { return nil }
                members.append((key.text, value))
                if !reader.take(sign: ","), reader.next?.isSign("}") != true { return nil }
            }
            return .document(members)
        }
        if reader.take(sign: "[") {
            var elements: [Value] = []
            while !reader.take(sign: "]") {
                guard let value = value() else { return nil }
                elements.append(value)
                if !reader.take(sign: ","), reader.next?.isSign("]") != true { return nil }
            }
            return .list(elements)
        }
        return scalar()
    }

    private mutating func scalar() -> Value? {
        if reader.take(sign: "-") { return reader.take().map { .other("-" + $0.text) } }
        if reader.take(words: "NEW") { return scalar() }
        guard let token = reader.take() else { return nil }
        if token.isText {
            let parts = token.text.split(separator: "\u{0}", omittingEmptySubsequences: false)
            return parts.count == 3 ? .pattern(String(parts[2]), flags: String(parts[1])) : .text(token.text)
        }
        // ISODate("2026-01-01") is its text.
        if token.kind == .word, reader.take(sign: "(") {
            guard let inner = scalar(), reader.take(sign: ")") else { return nil }
            return inner
        }
        return .other(token.text)
    }

    private static func text(_ value: Value) -> String? {
        switch value {
        case .text(let text): PredicatePart.text(text)
        case .other(let word): PredicatePart.value(word)
        case .list(let elements):
            elements.allSatisfy { text($0) != nil }
                ? "{" + elements.compactMap(text).joined(separator: ", ") + "}" : nil
        case .pattern, .document: nil
        }
    }

    // MARK: Conditions

    /// - Parameter owner: What the fields are of, as a path begins with it.
    private static func condition(_ members: [(key: String, value: Value)], of owner: String = "") -> String? {
        let terms = members.map { condition($0.key, $0.value, of: owner) }
        guard terms.allSatisfy({ $0 != nil }) else { return nil }
        let texts = terms.compactMap { $0 }
        return texts.count == 1
            ? texts[0] : texts.map { $0.contains(" OR ") ? "(\($0))" : $0 }.joined(separator: " AND ")
    }

    private static func condition(_ key: String, _ value: Value, of owner: String = "") -> String? {
        if key.hasPrefix("$") {
            guard case .list(let parts) = value else { return nil }
            let terms = parts.map { part -> String? in
                guard case .document(let members) = part else { return nil }
                let text = condition(members, of: owner)
                return members.count > 1 && key != "$and" ? text.map { "(\($0))" } : text
            }
            guard terms.allSatisfy({ $0 != nil }), !terms.isEmpty else { return nil }
            let texts = terms.compactMap { $0 }
            switch key {
            case "$or": return texts.joined(separator: " OR ")
            case "$and": return texts.map { $0.contains(" OR ") ? "(\($0))" : $0 }.joined(separator: " AND ")
            case "$nor": return "NOT (\(texts.joined(separator: " OR ")))"
            default: return nil
            }
        }
        return condition(field: owner + PredicatePart.key(key), value)
    }

    /// - Parameter field: The path as it is written.
    private static func condition(field: String, _ value: Value) -> String? {
        switch value {
        case .pattern(let pattern, let flags):
            return PredicatePart.search(field, pattern, ignoresCase: flags.contains("i"))
        case .document(let members) where members.first?.key.hasPrefix("$") == true:
            var options = ""
            if case .text(let letters)? = members.first(where: { $0.key == "$options" })?.value { options = letters }
            let terms = members.filter { $0.key != "$options" }.map { operation($0.key, field, $0.value, options) }
            guard terms.allSatisfy({ $0 != nil }) else { return nil }
            return terms.compactMap { $0 }.joined(separator: " AND ")
        default: return text(value).map { "\(field) == \($0)" }
        }
    }

    private static let signs = ["$gt": ">", "$gte": ">=", "$lt": "<", "$lte": "<=", "$eq": "==", "$ne": "!="]

    private static func operation(_ name: String, _ field: String, _ value: Value, _ options: String) -> String? {
        if let sign = signs[name] { return text(value).map { "\(field) \(sign) \($0)" } }
        switch (name, value) {
        case ("$in", .list): return text(value).map { "\(field) IN \($0)" }
        case ("$nin", .list): return text(value).map { "NOT (\(field) IN \($0))" }
        case ("$all", .list(let elements)):
            return elements.compactMap(text).map { "\(field) CONTAINS \($0)" }.joined(separator: " AND ")
        case ("$mod", .list(let numbers)):
            let texts = numbers.compactMap(text)
            return texts.count == 2 ? "modulus:by:(\(field), \(texts[0])) == \(texts[1])" : nil
        case ("$exists", .other(let flag)): return "\(field) \(flag == "true" || flag == "1" ? "!=" : "==") nil"
        case ("$size", .other(let count)): return "\(field).@count == \(count)"
        case ("$regex", .text(let pattern)):
            return PredicatePart.search(field, pattern, ignoresCase: options.contains("i"))
        case ("$regex", .pattern(let pattern, let flags)):
            return PredicatePart.search(field, pattern, ignoresCase: (flags + options).contains("i"))
        case ("$not", .document), ("$not", .pattern): return condition(field: field, value).map { "NOT (\($0))" }
        case ("$elemMatch", .document(let members)):
            guard members.first?.key.hasPrefix("$") != true,
                let inner = condition(members, of: "$x.")
            else { return nil }
            return "SUBQUERY(\(field), $x, \(inner)).@count > 0"
        default: return nil
        }
    }
}
