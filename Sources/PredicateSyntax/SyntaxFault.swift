// What the parser missed at a token: the words of syntax errors.

/// Why a token cannot appear at its place.
enum SyntaxFault {
    case expressionExpected
    case comparisonExpected
    /// Behind a whole predicate.
    case unexpectedToken
    /// A bracket or a comma.
    case signExpected(String)
    case keyExpected
    case optionExpected
    case optionsNotTaken
    /// The letter `p` behind another operator than TOKENMATCHES.
    case phraseNotTaken
    case iteratorExpected

    var message: String {
        switch self {
        case .expressionExpected: "expression expected"
        case .comparisonExpected: "comparison operator expected"
        case .unexpectedToken: "unexpected token"
        case .signExpected(let sign): "expected '\(sign)'"
        case .keyExpected: "key expected after ."
        case .optionExpected: "option letters expected"
        case .optionsNotTaken: "operator takes no options"
        case .phraseNotTaken: "only TOKENMATCHES takes the option p"
        case .iteratorExpected: "iterator variable expected"
        }
    }

    var expected: [String] {
        switch self {
        case .expressionExpected: ["key", "number", "string", "%@", "$variable", "{", "(", "function"]
        case .comparisonExpected: ComparisonOperator.allCases.map(\.rawValue)
        case .unexpectedToken: ["AND", "OR", "end of text"]
        case .signExpected(let sign): ["'\(sign)'"]
        case .keyExpected: ["key", "@operator", "%K"]
        case .optionExpected, .phraseNotTaken: OperatorSyntax().options.letters.map { String($0) }
        case .optionsNotTaken: []
        case .iteratorExpected: ["$variable"]
        }
    }
}
