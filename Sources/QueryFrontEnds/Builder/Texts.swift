// Conditions on texts.

public import PredicateSyntax
import RecordModel

extension ComparisonOptions {
    /// Ignores case and marks: what people expect of a search, `[cd]`.
    public static let relaxed: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive]
    /// What full-text search uses, `[cdl]`.
    public static let fullText: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive, .localeSensitive]
}

extension ComparedOperand where Value: FieldOperand, Value.Family == TextFamily {
    /// Whether the text begins with another; nothing begins with an empty text.
    public func hasPrefix(_ prefix: String, options: ComparisonOptions = []) -> FieldPredicate {
        compared(.beginsWith, constant: prefix, options)
    }

    /// Whether the text ends with another; nothing ends with an empty text.
    public func hasSuffix(_ suffix: String, options: ComparisonOptions = []) -> FieldPredicate {
        compared(.endsWith, constant: suffix, options)
    }

    /// Whether another text occurs in the text; an empty one never does.
    public func contains(_ text: String, options: ComparisonOptions = []) -> FieldPredicate {
        compared(.contains, constant: text, options)
    }

    /// Whether the text of another field occurs in the text.
    public func contains<Other: FieldOperand>(
        _ other: FieldExpression<Other>, options: ComparisonOptions = []
    ) -> FieldPredicate where Other.Family == TextFamily { compared(.contains, other, options) }

    /// Whether the texts are equal, options considered.
    public func equals(_ text: String, options: ComparisonOptions) -> FieldPredicate {
        compared(.equal, constant: text, options)
    }

    /// Whether the whole text fits a pattern: `*` for any characters, `?` for one, a backslash before them for
    /// themselves.
    public func like(_ pattern: String, options: ComparisonOptions = []) -> FieldPredicate {
        compared(.like, constant: pattern, options)
    }

    /// Whether the whole text matches a regular expression, in ICU's syntax.
    public func matches(_ pattern: String, options: ComparisonOptions = []) -> FieldPredicate {
        compared(.matches, constant: pattern, options)
    }

    /// Whether every word of `text` is a word of the field: `TOKENMATCHES`. A text without words matches nothing.
    public func matchesTokens(_ text: String, options: ComparisonOptions = .fullText) -> FieldPredicate {
        compared(.tokenMatches, constant: text, options)
    }
}

extension FieldExpression where Value: FieldOperand, Value.Family == TextFamily {
    /// Length in UTF-16 code units.
    public var length: FieldExpression<Int> { called(.length) }
    /// The text in lower case.
    public func lowercased() -> FieldExpression<String> { called(.lowercase) }
    /// The text in upper case.
    public func uppercased() -> FieldExpression<String> { called(.uppercase) }
}

extension FieldExpression where Value == [String] {
    /// Whether the elements have every word of `text` between them: `TOKENMATCHES`.
    public func matchesTokens(_ text: String, options: ComparisonOptions = .fullText) -> FieldPredicate {
        compared(.tokenMatches, constant: text, options)
    }
}
