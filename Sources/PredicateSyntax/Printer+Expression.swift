// The canonical text of values: as few parentheses as the tree allows.

extension Printer {
    mutating func print(_ node: ExpressionNode) {
        switch node.kind {
        case .literal(let literal): append(Self.text(of: literal))
        case .key(let key): append(Self.text(ofKey: key))
        case .selfObject: append("SELF")
        case .variable(let name): append("$" + name)
        case .placeholder(let placeholder): append(placeholder.text)
        case .path(let base, let steps): printPath(base, steps)
        case .aggregate(let elements): printList(elements, "{", "}")
        case .unary(let unaryOperator, let operand): printUnary(unaryOperator, operand)
        case .binary(let binaryOperator, let left, let right):
            print(left, inParentheses: Self.precedence(left) < binaryOperator.precedence)
            append(" \(binaryOperator.rawValue) ")
            print(right, inParentheses: Self.precedence(right) <= binaryOperator.precedence)
        case .function(let function, let arguments): printList(arguments, function.spelling + "(", ")")
        case .subquery(let collection, let variable, let predicate):
            append("SUBQUERY(")
            print(collection)
            append(", $\(variable), ")
            print(predicate)
            append(")")
        case .ternary(let condition, let first, let second):
            append("TERNARY(")
            print(condition)
            append(", ")
            printList([first, second], "", ")")
        case .cast(let value, let type): printList([value, type], "CAST(", ")")
        }
    }

    private mutating func print(_ node: ExpressionNode, inParentheses: Bool) {
        if inParentheses { append("(") }
        print(node)
        if inParentheses { append(")") }
    }

    private mutating func printList(_ elements: [ExpressionNode], _ opening: String, _ closing: String) {
        append(opening)
        for (index, element) in elements.enumerated() {
            if index > 0 { append(", ") }
            print(element)
        }
        append(closing)
    }

    private mutating func printUnary(_ unaryOperator: UnaryOperator, _ operand: ExpressionNode) {
        append(unaryOperator.rawValue)
        // `-5` would be read as a literal.
        var isNumber = false
        if case .literal(.integer) = operand.kind { isNumber = true }
        if case .literal(.double) = operand.kind { isNumber = true }
        print(operand, inParentheses: isNumber || Self.precedence(operand) < UnaryOperator.precedence)
    }

    /// How tightly the text of a node holds together: its operator's precedence, or more for what has no operator.
    private static func precedence(_ node: ExpressionNode) -> Int {
        switch node.kind {
        case .binary(let binaryOperator, _, _): binaryOperator.precedence
        case .unary: UnaryOperator.precedence
        case .literal(.integer(let value)): value < 0 ? UnaryOperator.precedence : atomPrecedence
        case .literal(.double(let value)):
            value.isFinite ? value.sign == .minus ? UnaryOperator.precedence : atomPrecedence : 0
        default: atomPrecedence
        }
    }

    private static let atomPrecedence = 10

    // MARK: Paths

    private mutating func printPath(_ base: ExpressionNode, _ steps: [PathStep]) {
        var previous: PathStep.Kind?
        if case .selfObject = base.kind, case .collectionOperator(let first) = steps.first?.kind {
            append("@" + first.rawValue)
            previous = .collectionOperator(first)
        } else {
            var needsParentheses = Self.precedence(base) < Self.atomPrecedence
            if case .literal(.integer) = base.kind { needsParentheses = true }  // `5.x` is no number
            if case .literal(.double) = base.kind { needsParentheses = true }
            print(base, inParentheses: needsParentheses)
        }
        for step in steps.dropFirst(previous == nil ? 0 : 1) {
            print(step, behind: previous)
            previous = step.kind
        }
    }

    private mutating func print(_ step: PathStep, behind previous: PathStep.Kind?) {
        switch step.kind {
        case .key(let key):
            if case .collectionOperator = previous, LanguageWords.isSelf(key) {
                append("." + Self.quoted(key: key))  // `.#self` would mean the elements themselves
            } else {
                append("." + Self.text(ofKey: key))
            }
        case .collectionOperator(let collectionOperator): append(".@" + collectionOperator.rawValue)
        case .selfObject: append(".SELF")
        case .placeholder: append(".%K")
        case .index(let index):
            append("[")
            print(index)
            append("]")
        case .first: append("[FIRST]")
        case .last: append("[LAST]")
        case .size: append("[SIZE]")
        }
    }

    // MARK: Keys and literals

    /// A key as written: bare, `#word` for a word of the language, `@name` for a key that begins so, else quoted.
    static func text(ofKey key: String) -> String {
        if isIdentifier(key) { return LanguageWords.isSpecial(key) ? "#" + key : key }
        if key.hasPrefix("@") {
            let name = String(key.unicodeScalars.dropFirst())
            if isIdentifier(name), CollectionOperator(rawValue: name) == nil { return key }
        }
        return quoted(key: key)
    }

    private static func quoted(key: String) -> String { "#" + quoted(key, with: "'") }

    private static func isIdentifier(_ key: String) -> Bool {
        var isFirst = true
        for scalar in key.unicodeScalars {
            let isPart =
                scalar.isASCII
                ? Lexer.isWordStart(UInt8(scalar.value)) || !isFirst && Lexer.isDigit(UInt8(scalar.value))
                : isFirst ? scalar.properties.isXIDStart : scalar.properties.isXIDContinue
            guard isPart else { return false }
            isFirst = false
        }
        return !isFirst
    }

    /// A literal as written.
    static func text(of literal: Literal) -> String {
        switch literal {
        case .null: "nil"
        case .bool(let value): value ? "TRUE" : "FALSE"
        case .integer(let value): "\(value)"
        case .double(let value):
            value.isFinite ? "\(value)" : value.isNaN ? "0.0 / 0.0" : value < 0 ? "-1.0 / 0.0" : "1.0 / 0.0"
        case .string(let value): quoted(value, with: "\"")
        case .duration(let span): span.text
        }
    }

    /// The text between quotes, with escapes for the quote, the backslash, control characters and ends of lines.
    static func quoted(_ value: String, with quote: Unicode.Scalar) -> String {
        var text = String(quote)
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\\", quote:
                text.unicodeScalars.append("\\")
                text.unicodeScalars.append(scalar)
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\r": text += "\\r"
            case "\0"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                text += "\\x" + (digits.utf8.count < 2 ? "0" : "") + digits
            case "\u{80}"..."\u{9F}", "\u{2028}", "\u{2029}":
                // They end lines for many readers of text.
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text.unicodeScalars.append(quote)
        return text
    }
}
