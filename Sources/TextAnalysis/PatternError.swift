// Why a regular expression could not be compiled or came to no result.

/// A failure of MATCHES. It carries no text of any record.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    package enum Kind: String, Hashable, Sendable, Codable {
        /// ICU rejects the pattern.
        case invalidPattern
        /// The match took more steps than allowed.
        case timeLimit
        /// The match needed more memory for backtracking than allowed.
        case stackLimit
        /// The pattern is longer than allowed.
        case patternLimit
        /// The pattern has more classes of characters that must be computed than allowed.
        case classLimit
        /// ICU failed otherwise, for want of memory above all.
        case failure
    }

    /// What went wrong.
    package let kind: Kind
    /// ICU's name for it, such as "U_REGEX_MISMATCHED_PAREN"; empty for `patternLimit` and `classLimit`.
    package let icuName: String
    /// Where in the pattern ICU stopped reading, in Unicode scalars from its start; only for `invalidPattern`.
    package let offset: Int?

    /// What happened, in a sentence.
    package var message: String {
        switch kind {
        case .invalidPattern:
            let place = offset.map { " at character \($0)" } ?? ""
            return "not a regular expression\(place): \(PatternError.reason(icuName)) (\(icuName))"
        case .timeLimit: return "the regular expression took too many steps (\(icuName))"
        case .stackLimit: return "the regular expression needed too much memory (\(icuName))"
        case .patternLimit: return "the regular expression is too long"
        case .classLimit: return "the regular expression has too many classes of characters"
        case .failure: return "the regular expression failed (\(icuName))"
        }
    }

    /// How to mend it, where that can be told.
    package var hint: String? {
        switch kind {
        case .invalidPattern: "put a backslash before a character that is meant literally, or use LIKE"
        case .timeLimit, .stackLimit: "avoid nested repetitions such as (a+)+, or use possessive ones such as a++"
        case .patternLimit: "use IN or several comparisons joined by OR"
        case .classLimit: "join classes into one: [\\p{L}\\d], and repeat it with a count: [\\w]{8}"
        case .failure: nil
        }
    }

    package var description: String { message }

    private static func reason(_ name: String) -> String {
        switch name {
        case "U_REGEX_RULE_SYNTAX": "a syntax error"
        case "U_REGEX_BAD_ESCAPE_SEQUENCE": "an unknown backslash sequence"
        case "U_REGEX_PROPERTY_SYNTAX": "an unknown property"
        case "U_REGEX_MISMATCHED_PAREN": "parentheses that do not pair"
        case "U_REGEX_NUMBER_TOO_BIG": "a number that is too big"
        case "U_REGEX_BAD_INTERVAL": "a repetition in braces that is not a number or two"
        case "U_REGEX_MAX_LT_MIN": "a repetition whose maximum is below its minimum"
        case "U_REGEX_INVALID_BACK_REF": "a reference to a group that does not exist"
        case "U_REGEX_INVALID_FLAG": "an unknown flag"
        case "U_REGEX_LOOK_BEHIND_LIMIT": "a look-behind without a bound"
        case "U_REGEX_MISSING_CLOSE_BRACKET": "a bracket that is not closed"
        case "U_REGEX_INVALID_RANGE": "a range whose end is before its start"
        case "U_REGEX_PATTERN_TOO_BIG": "it is too big"
        default: "ICU rejects it"
        }
    }
}
