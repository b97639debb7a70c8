// Names of values on the command line: fields, nested fields, and distances, for sorting and for columns.

import PredicateEditing
import RecordDatabase

/// A value of a record that the command line names.
struct FieldSelector {
    var criterion: SortKey.Criterion

    /// Reads `name`, `name.nested`, `distance(field,LAT,LON)` or `relevance`; `#relevance` is a field of that name.
    /// - Throws: `CommandError` of status `usage`.
    init(_ text: String) throws(CommandError) {
        guard text.hasPrefix("distance("), text.hasSuffix(")") else {
            if text.isEmpty { throw CommandError(.usage, "a field name is empty") }
            criterion = text == "relevance" ? .relevance : .field(text == "#relevance" ? "relevance" : text)
            return
        }
        let parts = text.dropFirst(9).dropLast().split(separator: ",", omittingEmptySubsequences: false)
            .map { String($0).trimmed }
        guard parts.count == 3, !parts[0].isEmpty, let place = Location(degrees: parts[1], parts[2]) else {
            throw CommandError(
                .usage, "'\(text)' is not a distance", hint: "for example: distance(location,48.8566,2.3522)")
        }
        criterion = .distance(parts[0], from: place)
    }

    /// The column's title.
    var title: String {
        switch criterion {
        case .field(let name): name
        case .distance: "distance"
        case .recordName: "recordName"
        case .relevance: "relevance"
        }
    }

    /// Reads a list of names separated by commas.
    /// - Throws: `CommandError` of status `usage`.
    static func list(_ text: String) throws(CommandError) -> [FieldSelector] {
        var selectors: [FieldSelector] = []
        for part in split(text, at: [","]) { selectors.append(try FieldSelector(part.trimmed)) }
        return selectors
    }

    /// The words of a line, separated by spaces or commas.
    static func words(_ text: String) -> [String] {
        split(text, at: [",", " "]).filter { !$0.isEmpty }
    }

    /// Splits at separators outside parentheses.
    private static func split(_ text: String, at separators: [Character]) -> [String] {
        var parts = [""]
        var depth = 0
        for character in text {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth == 0, separators.contains(character) {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }

    /// Reads sort keys separated by spaces or commas; `desc` and `asc` may follow a key as a word, too.
    /// - Throws: `CommandError` of status `usage`.
    static func sortKeys(_ text: String) throws(CommandError) -> [SortKey] { try collatedKeys(text).keys }

    /// The same, and the locales of keys that name one.
    /// - Throws: `CommandError` of status `usage`.
    static func collatedKeys(
        _ text: String
    ) throws(CommandError) -> (keys: [SortKey], locales: [SortKey: String]) {
        var keys: [String] = []
        for word in words(text) {
            if ["asc", "desc", "ascending", "descending"].contains(word.lowercased()), let key = keys.last,
                !key.contains(":") || key.contains(":locale=")
            {
                keys[keys.count - 1] += ":" + word
            } else {
                keys.append(word)
            }
        }
        var sort: [SortKey] = []
        var locales: [SortKey: String] = [:]
        for text in keys {
            let (key, locale) = try collatedKey(text)
            sort.append(key)
            if let locale { locales[key] = locale }
        }
        return (sort, locales)
    }

    /// The options that say what a text with blanks or commas between its keys was meant to: `--sort a:desc --sort b`;
    /// `nil` for a text of one key.
    private static func sortForm(of text: String) -> String? {
        guard text.contains(scalar: " ") || text.contains(scalar: ","), let keys = try? sortKeys(text) else {
            return nil
        }
        let words = keys.compactMap { key -> String? in
            guard case .field(let name) = key.criterion else { return nil }
            return "--sort " + ShellWord.quoted(name + (key.isAscending ? "" : ":desc"))
        }
        return words.isEmpty || words.count < keys.count ? nil : words.joined(separator: " ")
    }

    /// Checks that records have the fields that an order names.
    /// - Throws: `CommandError` of status `usage`, with the key that was meant.
    static func check(_ keys: [SortKey], in set: RecordSet) throws(CommandError) {
        guard let field = set.unknownFields(among: keys.map(\.criterion)).first else { return }
        // A name with a blank may be two: 'x desc' as SQL writes it.
        let hint = field.hint ?? sortForm(of: field.name).map { "write \($0)" }
        throw CommandError(.usage, "no record has a field '\(field.name)' to sort by", hint: hint)
    }

    /// Checks that records have the fields that columns show.
    /// - Throws: `CommandError` of status `usage`, with the field that was meant.
    static func check(_ selectors: [FieldSelector], in set: RecordSet) throws(CommandError) {
        guard let field = set.unknownFields(among: selectors.map(\.criterion)).first else { return }
        throw CommandError(.usage, "no record has a field '\(field.name)' to show", hint: field.hint)
    }

    /// Reads a sort key: a selector, perhaps with `:asc` or `:desc` behind it.
    /// - Throws: `CommandError` of status `usage`.
    static func sortKey(_ text: String) throws(CommandError) -> SortKey {
        if text.hasPrefix("-"), text.utf8.count > 1 {
            throw CommandError(.usage, "'\(text)' is not a sort key", hint: "write \(text.dropFirst()):desc")
        }
        var name = text
        var direction: Bool?
        if let colon = text.lastIndex(of: ":") {
            switch text[text.index(after: colon)...].utf8.map({ $0 | 0x20 }) {
            case Array("asc".utf8), Array("ascending".utf8): direction = true
            case Array("desc".utf8), Array("descending".utf8): direction = false
            default:
                throw CommandError(
                    .usage, "'\(text)' is not a sort key",
                    hint: sortForm(of: text).map { "write \($0)" }
                        ?? "write KEY, KEY:asc or KEY:desc; KEY may be distance(FIELD,LAT,LON)")
            }
            name = String(text[..<colon])
        }
        let criterion = try FieldSelector(name.trimmed).criterion
        // The best result comes first, as the smallest value of a field does.
        return SortKey(criterion, isAscending: direction ?? (criterion != .relevance))
    }
}

extension Location {
    /// A place from two texts in degrees; `nil` when they are not numbers or not on the Earth.
    init?(degrees latitude: String, _ longitude: String) {
        guard let latitude = Double(latitude), let longitude = Double(longitude) else { return nil }
        self.init(latitude: latitude, longitude: longitude)
        if !isValid { return nil }
    }

    /// A place from `LAT,LON`.
    /// - Throws: `CommandError` of status `usage`.
    init(text: String) throws(CommandError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0).trimmed }
        guard parts.count == 2, let place = Location(degrees: parts[0], parts[1]) else {
            throw CommandError(
                .usage, "'\(text)' is not a place: LAT,LON in degrees were expected",
                hint: "latitude is in -90 … 90, longitude in -180 … 180: 48.8566,2.3522")
        }
        self = place
    }
}

extension String {
    /// The text without blanks and line ends at both ends.
    var trimmed: String {
        var text = Substring(self)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
