// What is wrong or odd about a predicate, and how it is shown.

import PredicateSyntax
import RecordDatabase

/// One thing that is wrong or odd about a predicate.
struct Finding {
    /// How much it matters.
    enum Severity: Int, Comparable {
        /// Worth knowing; often as it should be.
        case note
        /// Probably not what was meant.
        case warning
        /// Cannot work.
        case error

        static func < (a: Severity, b: Severity) -> Bool { a.rawValue < b.rawValue }

        /// The severity of a name.
        init?(name: String) {
            guard let severity = [Severity.note, .warning, .error].first(where: { $0.name == name }) else { return nil }
            self = severity
        }

        var name: String {
            switch self {
            case .note: "note"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// What kind of thing: the name by which `--ignore` leaves it out.
    enum Code: String, CaseIterable {
        case syntax
        case unknownField = "unknown-field"
        case unquotedText = "unquoted-text"
        case typeClash = "type-clash"
        case neverEqual = "never-equal"
        case invalidPattern = "invalid-pattern"
        case invalidArgument = "invalid-argument"
        case alwaysTrue = "always-true"
        case alwaysFalse = "always-false"
        case sameSides = "same-sides"
        case repeatedTerm = "repeated-term"
        case noToken = "no-token"
        case unseenToken = "unseen-token"
        case noMatch = "no-match"
        case needsScan = "needs-scan"
        case nilInList = "nil-in-list"
        case quotedPlaceholder = "quoted-placeholder"
        case quotedWord = "quoted-word"
        case reversedBounds = "reversed-bounds"
        case noWildcard = "no-wildcard"
        case idleOptions = "idle-options"
        case unknownKey = "unknown-key"
        case listWithoutAny = "list-without-any"
        case loneValue = "lone-value"
        case dateAsText = "date-as-text"

        var severity: Severity {
            switch self {
            case .syntax, .typeClash, .invalidPattern, .invalidArgument: .error
            case .unknownField, .unquotedText, .neverEqual, .alwaysTrue, .alwaysFalse, .sameSides, .noToken,
                .unseenToken,
                .nilInList,
                .quotedPlaceholder, .quotedWord, .repeatedTerm, .unknownKey, .listWithoutAny, .loneValue, .dateAsText:
                .warning
            case .noMatch, .needsScan, .reversedBounds, .noWildcard, .idleOptions: .note
            }
        }
    }

    var code: Code
    /// The place in the predicate's text, in UTF-8 bytes.
    var span: SourceSpan
    var message: String
    var hint: String?

    /// The finding for people, several lines.
    func text(of line: PredicateLine, style: Style) -> String {
        let severity = "\(code.severity.name)[\(code.rawValue)]: "
        let head = code.severity == .note ? style.cyan(severity) : style.red(severity)
        return (line.place.map { $0 + ": " } ?? "") + head + style.bold(message) + "\n" + place(in: line.text, style)
    }

    /// The finding as a note about a result, several lines.
    func note(of text: String, style: Style) -> String {
        style.cyan("note: ") + message + "\n" + place(in: text, style)
    }

    /// The predicate with a caret under the place, and the hint.
    private func place(in text: String, _ style: Style) -> String {
        var lines = ""
        for line in SourceText(text).caret(span).split(separator: "\n", omittingEmptySubsequences: false) {
            lines += "  \(line)\n"
        }
        if let hint { lines += style.cyan("hint: ") + hint + "\n" }
        return lines
    }

    /// The finding as a JSON object; `offset` and `length` in Unicode scalars.
    func json(of line: PredicateLine) -> JSONValue {
        let place = ScalarOffsets(line.text).range(of: span)
        var members: [JSONValue.Member] = []
        if let file = line.file {
            members.append(JSONValue.Member(key: "file", value: .string(file)))
            members.append(JSONValue.Member(key: "line", value: .int64(Int64(line.line))))
        }
        members += [
            JSONValue.Member(key: "code", value: .string(code.rawValue)),
            JSONValue.Member(key: "severity", value: .string(code.severity.name)),
            JSONValue.Member(key: "offset", value: .int64(Int64(place.lowerBound))),
            JSONValue.Member(key: "length", value: .int64(Int64(place.count))),
            JSONValue.Member(key: "message", value: .string(message)),
        ]
        if let hint { members.append(JSONValue.Member(key: "hint", value: .string(hint))) }
        return .object(members)
    }
}
