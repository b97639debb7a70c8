// Which spellings call which function of the table, and with how many arguments.

extension FunctionName {
    /// Number of arguments the function takes.
    package var argumentCounts: ClosedRange<Int> {
        switch self {
        case .sum, .count, .min, .max, .average, .median, .mode, .stddev: 1...Int.max
        default: parts...parts
        }
    }

    /// Number of arguments that the selector names: its colons.
    fileprivate var parts: Int { rawValue.utf8.count { $0 == 0x3A } }

    /// The word that alone also calls the function, although its selector has several parts.
    fileprivate var shortSpelling: String? {
        switch self {
        case .tokenize, .inBox, .inPolygon, .distance: String(rawValue.prefix { $0 != ":" })
        case .location: "location"
        default: nil
        }
    }

    /// The selector's first word, without its colon.
    fileprivate var firstWord: String { shortSpelling ?? String(rawValue.prefix { $0 != ":" }) }

    /// The canonical spelling before `(`: without the colon of a selector of one part.
    var spelling: String { parts == 1 || self == .distance || self == .location ? firstWord : rawValue }
}

/// Resolves written selectors. `f(x)` and `f:(x)` are the selector `f:`, `f()` is `f`, a selector of several parts is
/// written in full. Only `tokenize:using:`, places and areas also have a short spelling, `tokenize(x, 'cdl')`.
enum FunctionTable {
    private static let byName: [String: FunctionName] = {
        var table: [String: FunctionName] = [:]
        for function in FunctionName.allCases {
            table[function.rawValue] = function
            if function.parts < 2 || function.shortSpelling != nil { table[function.firstWord] = function }
        }
        return table
    }()

    /// The function that an unknown selector may mean, as written before `(`: the one with the same first word, else
    /// the one nearest in spelling as a whole, else by its first word.
    static func closest(to selector: String) -> String? {
        let spellings = FunctionName.allCases.map { (word: $0.firstWord, whole: $0.spelling) }
        let firstWord = String(selector.prefix { $0 != ":" })
        if let same = spellings.first(where: { $0.word == firstWord }) { return same.whole }
        if let whole = EditDistance.closest(to: selector, in: spellings.map(\.whole)) { return whole }
        let closest = EditDistance.closest(to: firstWord, in: spellings.map(\.word))
        return spellings.first { $0.word == closest }?.whole
    }

    static func knows(_ selector: String) -> Bool { byName[selector] != nil }

    /// The function that a selector and a number of arguments call.
    static func function(_ selector: String, argumentCount: Int) -> FunctionName? {
        guard let function = byName[selector], function.argumentCounts.contains(argumentCount) else { return nil }
        return function
    }

    /// How many arguments a known selector takes, in words.
    static func argumentCounts(of selector: String) -> String {
        guard let counts = byName[selector]?.argumentCounts else { return "no arguments" }
        if counts.upperBound == .max { return "a list or several values" }
        return counts.lowerBound == 1 ? "1 argument" : "\(counts.lowerBound) arguments"
    }

    // MARK: FUNCTION(receiver, 'selector', …)

    /// Messages with a meaning here, beside the selectors of the table.
    private static let aliases: [String: FunctionName] = [
        "uppercaseString": .uppercase, "lowercaseString": .lowercase, "length": .length, "count": .count,
        "distanceFromLocation:": .distanceToLocation, "objectAtIndex:": .objectFrom, "objectForKey:": .objectFrom,
        "valueForKey:": .objectFrom,
    ]

    /// Messages that move a date, and their unit in seconds.
    private static let dateOffsets: [String: Int64] = [
        "dateByAddingTimeInterval:": 1, "dateByAddingMinutes:": 60, "dateByAddingHours:": 3600,
        "dateByAddingDays:": 86400,
    ]

    static let messages: [String] = (Array(aliases.keys) + Array(dateOffsets.keys)).sorted()

    /// The expression that a message to a receiver stands for, `nil` for a message without meaning here.
    static func message(
        _ selector: String, to receiver: ExpressionNode, _ arguments: [ExpressionNode], span: SourceSpan
    ) -> ExpressionNode? {
        if let unit = dateOffsets[selector] {
            return arguments.count == 1 ? date(receiver, plus: arguments[0], timesSeconds: unit, span: span) : nil
        }
        let all = [receiver] + arguments
        guard let function = aliases[selector] ?? byName[selector], function.argumentCounts.contains(all.count) else {
            return nil
        }
        return ExpressionNode(.function(function, all), span: span)
    }

    /// A moved date, in terms of casts: seconds since 2001, plus the offset, as a date again.
    private static func date(
        _ date: ExpressionNode, plus offset: ExpressionNode, timesSeconds unit: Int64, span: SourceSpan
    ) -> ExpressionNode {
        func node(_ kind: ExpressionNode.Kind) -> ExpressionNode { ExpressionNode(kind, span: span) }
        let seconds = node(.cast(date, type: node(.literal(.string("NSNumber")))))
        let scaled = unit == 1 ? offset : node(.binary(.multiply, offset, node(.literal(.integer(unit)))))
        return node(.cast(node(.binary(.add, seconds, scaled)), type: node(.literal(.string("NSDate")))))
    }
}
