// The comparison operators, and what the parser, the printer and the dialects know of each.

/// A comparison operator.
public enum ComparisonOperator: String, Hashable, Sendable, Codable, CaseIterable {
    /// `<`: numbers, texts or dates in order; false with nil.
    case lessThan = "<"
    /// `<=`, also `=<`; false between nil and a value, true between nil and nil.
    case lessThanOrEqual = "<="
    /// `>`: numbers, texts or dates in order; false with nil.
    case greaterThan = ">"
    /// `>=`, also `=>`; false between nil and a value, true between nil and nil.
    case greaterThanOrEqual = ">="
    /// `==`, also `=`: equal values, of numbers by value; nil equals nil alone.
    case equal = "=="
    /// `!=`, also `<>`: the exact negation of `==`.
    case notEqual = "!="
    /// `MATCHES`: an ICU regular expression matches the whole text.
    case matches = "MATCHES"
    /// `LIKE`: a pattern matches the whole text; `*` for any run, `?` for one scalar, `\` escapes.
    case like = "LIKE"
    /// `BEGINSWITH`: a text that is not empty is the beginning of the text.
    case beginsWith = "BEGINSWITH"
    /// `ENDSWITH`: a text that is not empty is the end of the text.
    case endsWith = "ENDSWITH"
    /// `CONTAINS`: `IN` with its sides exchanged; on a record, any of its words.
    case contains = "CONTAINS"
    /// `IN`: the value is an element of a list, or the text a part of a text.
    case `in` = "IN"
    /// `BETWEEN`: within two bounds, which belong to the range and may be given in either order.
    case between = "BETWEEN"
    /// `TOKENMATCHES`: every word of the right side is a word of the left side; with `[p]` side by side and in order.
    case tokenMatches = "TOKENMATCHES"
    /// `UTI-CONFORMS-TO`: a uniform type identifier conforms to another.
    case utiConformsTo = "UTI-CONFORMS-TO"
    /// `UTI-EQUALS`: two uniform type identifiers are equal.
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
