// What is told of patterns that ICU rejects: each of its names has a reason in words.

import Testing

@testable import TextAnalysis

@Suite struct PatternReasonTests {
    static let reasons: [(name: String, reason: String)] = [
        ("U_REGEX_RULE_SYNTAX", "a syntax error"), ("U_REGEX_BAD_ESCAPE_SEQUENCE", "an unknown backslash sequence"),
        ("U_REGEX_PROPERTY_SYNTAX", "an unknown property"),
        ("U_REGEX_MISMATCHED_PAREN", "parentheses that do not pair"),
        ("U_REGEX_BAD_INTERVAL", "a repetition in braces that is not a number or two"),
        ("U_REGEX_MAX_LT_MIN", "a repetition whose maximum is below its minimum"),
        ("U_REGEX_INVALID_BACK_REF", "a reference to a group that does not exist"),
        ("U_REGEX_INVALID_FLAG", "an unknown flag"),
        ("U_REGEX_LOOK_BEHIND_LIMIT", "a look-behind without a bound"),
        ("U_REGEX_MISSING_CLOSE_BRACKET", "a bracket that is not closed"),
        ("U_REGEX_INVALID_RANGE", "a range whose end is before its start"),
        ("U_REGEX_PATTERN_TOO_BIG", "it is too big"), ("U_REGEX_SOMETHING_NEW", "ICU rejects it"),
    ]

    @Test(arguments: reasons) func ofNames(name: String, reason: String) {
        let error = PatternError(kind: .invalidPattern, icuName: name, offset: 3)
        #expect(error.message == "not a regular expression at character 3: \(reason) (\(name))")
    }

    @Test func theEmptyPatternNeverFails() throws {
        let empty = try RegularExpression("", options: [])
        #expect(try empty.cannotThrow && empty.matchesWhole("") && !empty.matchesWhole("a"))
    }

    /// The name that ICU has for each of these patterns, with its reason.
    @Test func ofPatterns() {
        let cases: [(pattern: String, reason: String)] = [
            ("[z-a]", "a range whose end is before its start"), ("[a", "a bracket that is not closed"),
            ("a{2,1}", "a repetition whose maximum is below its minimum"), ("*a", "a syntax error"),
            ("\\p{Nothing}", "an unknown property"),
        ]
        for (pattern, reason) in cases {
            let error = #expect(throws: PatternError.self) { try RegularExpression(pattern, options: []) }
            #expect(error?.message.contains(": \(reason) (") == true, "\(pattern)")
        }
    }
}
