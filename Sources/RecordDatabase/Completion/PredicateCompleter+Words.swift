// The words of the language as completions, each with what it means.

import PredicateSyntax
import RecordModel

extension PredicateCompleter {
    /// What a predicate may begin with, beside fields.
    static let beginnings: [PredicateCompletion] = [
        PredicateCompletion("NOT", .keyword, "the opposite"),
        PredicateCompletion("ANY", .keyword, "some element of a list"),
        PredicateCompletion("ALL", .keyword, "every element of a list"),
        PredicateCompletion("NONE", .keyword, "no element of a list"),
        PredicateCompletion("allTokens", .keyword, "the words of all texts"),
        PredicateCompletion("SELF", .constant, "the record itself"),
        PredicateCompletion("SUBQUERY(", .keyword, "elements that satisfy a predicate", isWhole: false),
        PredicateCompletion("TRUEPREDICATE", .constant, "every record"),
        PredicateCompletion("FALSEPREDICATE", .constant, "no record"),
    ]

    static let connectives: [PredicateCompletion] = [
        PredicateCompletion("AND", .keyword, "both"), PredicateCompletion("OR", .keyword, "one or both"),
    ]

    static let constants: [PredicateCompletion] = [
        PredicateCompletion("nil", .constant, "no value"), PredicateCompletion("TRUE", .constant),
        PredicateCompletion("FALSE", .constant), PredicateCompletion("SELF", .constant),
    ]

    /// Constants that are worth comparing with a value of a type.
    static func constants(for type: FieldType?) -> [PredicateCompletion] {
        type == .bool || type == nil || type == .any ? constants : Array(constants.prefix(1))
    }

    static let functions: [PredicateCompletion] =
        FunctionName.allCases.map { function in
            let signature = function.rawValue.contains(":") ? function.written + "(" : function.written + "()"
            return PredicateCompletion(signature, .function, "function", isWhole: false)
        } + [
            PredicateCompletion("TERNARY(", .function, "condition, then, else", isWhole: false),
            PredicateCompletion("CAST(", .function, "value, type", isWhole: false),
        ]

    static let collectionOperators: [PredicateCompletion] = ["count", "sum", "avg", "min", "max"].map {
        PredicateCompletion("@" + $0, .function, "of the elements")
    }

    static let options: [PredicateCompletion] = [
        PredicateCompletion("cd]", .option, "ignore case and marks"), PredicateCompletion("c]", .option, "ignore case"),
        PredicateCompletion("d]", .option, "ignore marks"),
        PredicateCompletion("cdl]", .option, "ignore case and marks, by locale"),
        PredicateCompletion("l]", .option, "by locale"), PredicateCompletion("n]", .option, "normalised already"),
    ]

    static let indices: [PredicateCompletion] = [
        PredicateCompletion("FIRST]", .keyword, "first element"),
        PredicateCompletion("LAST]", .keyword, "last element"),
        PredicateCompletion("SIZE]", .keyword, "number of elements"),
    ]

    private static let equality: [PredicateCompletion] = [
        PredicateCompletion("==", .comparison, "equal"), PredicateCompletion("!=", .comparison, "not equal"),
    ]
    private static let order: [PredicateCompletion] = [
        PredicateCompletion("<", .comparison, "less"), PredicateCompletion("<=", .comparison, "at most"),
        PredicateCompletion(">", .comparison, "greater"), PredicateCompletion(">=", .comparison, "at least"),
    ]
    private static let between = PredicateCompletion("BETWEEN {", .comparison, "within two bounds", isWhole: false)
    private static let membership = PredicateCompletion("IN {", .comparison, "one of a list", isWhole: false)
    private static let texts: [PredicateCompletion] = [
        PredicateCompletion("CONTAINS", .comparison, "holds a text"),
        PredicateCompletion("CONTAINS[cd]", .comparison, "ignoring case and marks"),
        PredicateCompletion("BEGINSWITH", .comparison, "begins with a text"),
        PredicateCompletion("BEGINSWITH[cd]", .comparison, "ignoring case and marks"),
        PredicateCompletion("ENDSWITH", .comparison, "ends with a text"),
        PredicateCompletion("ENDSWITH[cd]", .comparison, "ignoring case and marks"),
        PredicateCompletion("==[cd]", .comparison, "equal, ignoring case and marks"),
        PredicateCompletion("LIKE", .comparison, "* any run, ? one character"),
        PredicateCompletion("LIKE[cd]", .comparison, "ignoring case and marks"),
        PredicateCompletion("MATCHES", .comparison, "a regular expression"),
        PredicateCompletion("TOKENMATCHES[cdl]", .comparison, "has all words"),
    ]
    private static let types: [PredicateCompletion] = ["UTI-CONFORMS-TO", "UTI-EQUALS"].map {
        PredicateCompletion($0, .comparison, "type identifiers")
    }

    /// The operators that make sense behind a value of a type, the most used first.
    static func comparisons(for type: FieldType?) -> [PredicateCompletion] {
        let contains = PredicateCompletion("CONTAINS", .comparison, "has an element")
        switch type {
        case .string: return equality + texts + [membership] + order + [between]
        case .int64, .double, .number, .date: return equality + order + [between, membership]
        case .bool: return equality
        case .list:
            return [contains] + equality + texts.filter { $0.text.hasPrefix("TOKEN") } + [membership]
        case .location, .data, .asset, .object: return equality
        case .reference: return equality + [membership]
        case .any, nil: return equality + order + texts + [membership, between] + types
        }
    }
}
