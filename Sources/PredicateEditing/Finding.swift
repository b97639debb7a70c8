// What is wrong or odd about a predicate.

package import PredicateSyntax

/// One thing that is wrong or odd about a predicate.
package struct Finding: Sendable {
    /// How much it matters.
    package enum Severity: Int, Comparable, Sendable {
        /// Worth knowing; often as it should be.
        case note
        /// Probably not what was meant.
        case warning
        /// Cannot work.
        case error

        package static func < (a: Severity, b: Severity) -> Bool { a.rawValue < b.rawValue }

        /// The severity of a name.
        package init?(name: String) {
            guard let severity = [Severity.note, .warning, .error].first(where: { $0.name == name }) else { return nil }
            self = severity
        }

        /// The name that people and other programs see.
        package var name: String {
            switch self {
            case .note: "note"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    /// What kind of thing: the name by which `--ignore` leaves it out.
    package enum Code: String, CaseIterable, Sendable {
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

        /// How much it matters.
        package var severity: Severity {
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

    package var code: Code
    /// The place in the predicate's text, in UTF-8 bytes.
    package var span: SourceSpan
    package var message: String
    package var hint: String?
}
