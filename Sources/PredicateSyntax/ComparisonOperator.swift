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

/// Something for each operator, such as its meaning: a property by the name of its case.
///
/// A layer above writes the property into the operator's own file. So a new operator is its case here and that file;
/// the compiler names the property that is missing.
package protocol OperatorCatalogue {
    associatedtype Entry

    var lessThan: Entry { get }
    var lessThanOrEqual: Entry { get }
    var greaterThan: Entry { get }
    var greaterThanOrEqual: Entry { get }
    var equal: Entry { get }
    var notEqual: Entry { get }
    var matches: Entry { get }
    var like: Entry { get }
    var beginsWith: Entry { get }
    var endsWith: Entry { get }
    var contains: Entry { get }
    var `in`: Entry { get }
    var between: Entry { get }
    var tokenMatches: Entry { get }
    var utiConformsTo: Entry { get }
    var utiEquals: Entry { get }
}

extension ComparisonOperator {
    /// The property of a catalogue that has this operator's name.
    package func entry<Catalogue: OperatorCatalogue>(of catalogue: Catalogue) -> Catalogue.Entry {
        switch self {
        case .lessThan: catalogue.lessThan
        case .lessThanOrEqual: catalogue.lessThanOrEqual
        case .greaterThan: catalogue.greaterThan
        case .greaterThanOrEqual: catalogue.greaterThanOrEqual
        case .equal: catalogue.equal
        case .notEqual: catalogue.notEqual
        case .matches: catalogue.matches
        case .like: catalogue.like
        case .beginsWith: catalogue.beginsWith
        case .endsWith: catalogue.endsWith
        case .contains: catalogue.contains
        case .in: catalogue.in
        case .between: catalogue.between
        case .tokenMatches: catalogue.tokenMatches
        case .utiConformsTo: catalogue.utiConformsTo
        case .utiEquals: catalogue.utiEquals
        }
    }
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
