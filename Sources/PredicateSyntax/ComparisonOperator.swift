// The comparison operators, and what the parser, the printer and the dialects know of each.

/// A comparison operator.
public enum ComparisonOperator: String, Hashable, Sendable, Codable, CaseIterable {
    case lessThan = "<"
    case lessThanOrEqual = "<="
    case greaterThan = ">"
    case greaterThanOrEqual = ">="
    case equal = "=="
    case notEqual = "!="
    case matches = "MATCHES"
    case like = "LIKE"
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    case contains = "CONTAINS"
    case `in` = "IN"
    case between = "BETWEEN"
    case tokenMatches = "TOKENMATCHES"
    case utiConformsTo = "UTI-CONFORMS-TO"
    case utiEquals = "UTI-EQUALS"
}

/// The form of an operator, apart from its canonical spelling.
struct OperatorSyntax {
    /// Other spellings.
    var synonyms: [String] = []
    /// The letters that may appear in brackets behind it.
    var options: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive, .normalized, .localeSensitive]
    /// Whether CloudKit's queries have it.
    var isInCloudKit = false
}

extension ComparisonOperator {
    /// The form of the operator. One that has no line here has no synonym, and CloudKit does not have it.
    var syntax: OperatorSyntax {
        switch self {
        case .lessThan, .greaterThan, .beginsWith, .contains, .in: OperatorSyntax(isInCloudKit: true)
        case .lessThanOrEqual: OperatorSyntax(synonyms: ["=<"], isInCloudKit: true)
        case .greaterThanOrEqual: OperatorSyntax(synonyms: ["=>"], isInCloudKit: true)
        case .equal: OperatorSyntax(synonyms: ["="], isInCloudKit: true)
        case .notEqual: OperatorSyntax(synonyms: ["<>"], isInCloudKit: true)
        case .between: OperatorSyntax(options: [], isInCloudKit: true)
        case .tokenMatches: OperatorSyntax(options: OperatorSyntax().options.union(.phrase), isInCloudKit: true)
        default: OperatorSyntax()
        }
    }

    /// Whether the operator is spelled as one word of letters.
    var isWord: Bool { rawValue.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 } }
}
