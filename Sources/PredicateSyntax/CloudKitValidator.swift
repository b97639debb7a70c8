// What CloudKit documents about the predicates of its queries, as a check of a tree.

/// Rejects what lies outside CloudKit's query predicates, with the place and the reason.
struct CloudKitValidator {
    /// The text that the spans refer to.
    let text: String
    let stringFields: Set<String>
    let dateFields: Set<String>

    func check(_ node: PredicateNode) throws(SyntaxError) {
        switch node.kind {
        case .constant: break
        case .comparison(let comparison): try check(comparison)
        case .and(let terms): for term in terms { try check(term) }
        case .or(let terms):
            throw rejection(
                connective(of: terms) ?? node.span, "OR is not in the CKQuery operator list",
                hint: "run one query for each alternative and merge the results")
        case .not(let negated):
            if let reason = obstacle(toNegating: negated) { throw rejection(node.span, reason) }
            try check(negated)
        }
    }

    private func rejection(_ span: SourceSpan, _ message: String, hint: String? = nil) -> SyntaxError {
        SyntaxError(.dialect, span: span, message: message, hint: hint)
    }

    /// Place of the first OR between terms, which the tree does not keep.
    private func connective(of terms: [PredicateNode]) -> SourceSpan? {
        guard let first = terms.first, first.span.upperBound >= 0, Int(first.span.upperBound) <= text.utf8.count else {
            return nil
        }
        var lexer = Lexer(text)
        lexer.restart(at: Int(first.span.upperBound))
        while lexer.token == .rightParenthesis { lexer.advance() }
        return lexer.token == .or ? lexer.span : nil
    }

    private func obstacle(toNegating node: PredicateNode) -> String? {
        switch node.kind {
        case .and: return "NOT cannot negate AND"
        case .comparison(let comparison):
            if isTokenSearch(comparison) { return "NOT with tokenized query" }
            if isDistance(comparison.lhs) || isDistance(comparison.rhs) { return "NOT with distance function" }
            if comparison.comparisonOperator == .between { return "NOT with BETWEEN" }
            return nil
        case .constant, .not, .or: return nil
        }
    }

    // MARK: Comparisons

    private func isTokenSearch(_ comparison: Comparison) -> Bool {
        if comparison.comparisonOperator == .tokenMatches { return true }
        if case .function(.tokenize, _) = comparison.lhs.kind { return true }
        if case .selfObject = comparison.lhs.kind { return comparison.comparisonOperator == .contains }
        return false
    }

    private func isDistance(_ node: ExpressionNode) -> Bool {
        if case .function(.distanceToLocation, _) = node.kind { return true }
        return false
    }

    private func check(_ comparison: Comparison) throws(SyntaxError) {
        try checkQuantifier(comparison)
        let isTokenSearch = isTokenSearch(comparison)
        if case .selfObject = comparison.lhs.kind, isTokenSearch {
            // `self CONTAINS 'word'` is the search in all fields.
        } else {
            try check(comparison.lhs)
        }
        try checkOperator(comparison, isTokenSearch: isTokenSearch)
        try check(comparison.rhs)
        if case .literal(.null) = comparison.rhs.kind { throw nilRejection(comparison.rhs) }
        if case .literal(.null) = comparison.lhs.kind { throw nilRejection(comparison.lhs) }
        try checkDates(comparison)
        if isField(comparison.lhs), isField(comparison.rhs) {
            throw rejection(comparison.rhs.span, "a field can be compared only with a constant")
        }
    }

    /// A text beside a field of dates is none there.
    private func checkDates(_ comparison: Comparison) throws(SyntaxError) {
        for (field, other) in [(comparison.lhs, comparison.rhs), (comparison.rhs, comparison.lhs)] {
            guard case .key(let key) = field.kind, dateFields.contains(key) else { continue }
            var values = [other]
            if case .aggregate(let elements) = other.kind { values = elements }
            for case let value in values {
                guard case .literal(.string) = value.kind else { continue }
                throw rejection(
                    value.span, "a text is not read as a date there", hint: "pass the date as an argument: \(key) == %@"
                )
            }
        }
    }

    private func nilRejection(_ node: ExpressionNode) -> SyntaxError {
        rejection(node.span, "comparison with nil not supported", hint: "store a value that stands for a missing one")
    }

    private func isField(_ node: ExpressionNode) -> Bool {
        if case .key = node.kind { return true }
        return false
    }

    private func checkQuantifier(_ comparison: Comparison) throws(SyntaxError) {
        guard let quantifier = comparison.quantifier, quantifier != .any else { return }
        // `ALL tokenize(…) IN allTokens` requires every token, the one use of ALL.
        if quantifier == .all, comparison.comparisonOperator == .in, case .function(.tokenize, _) = comparison.lhs.kind
        {
            return
        }
        throw rejection(comparison.quantifierSpan, "\(quantifier.rawValue) qualifier not supported")
    }

    private func checkOperator(_ comparison: Comparison, isTokenSearch: Bool) throws(SyntaxError) {
        guard comparison.comparisonOperator.syntax.isInCloudKit else {
            throw rejection(
                comparison.operatorSpan, "\(comparison.comparisonOperator.rawValue) not supported",
                hint: "text can be searched by BEGINSWITH and by tokens: self CONTAINS 'word'")
        }
        switch comparison.comparisonOperator {
        case .contains where !isTokenSearch: try checkMembership(comparison, in: comparison.lhs)
        case .in: try checkMembership(comparison, in: comparison.rhs)
        default: break
        }
        // Behind the operator a distance that is greater than the radius would pass: it comes first.
        let isUpper = comparison.comparisonOperator == .lessThan || comparison.comparisonOperator == .lessThanOrEqual
        if isDistance(comparison.rhs) || isDistance(comparison.lhs) && !isUpper {
            throw rejection(
                comparison.operatorSpan, "distance must test inside the circle", hint: "use < with a radius")
        }
        if comparison.options.contains(.phrase) {
            throw rejection(
                comparison.operatorSpan, "phrases not supported",
                hint: "leave out the option p: then all words must be there, in any order")
        }
        if !comparison.options.isEmpty, !isTokenSearch {
            throw rejection(comparison.operatorSpan, "options not supported", hint: "only TOKENMATCHES takes options")
        }
    }

    /// CONTAINS and IN test lists; on a string they would search for a substring.
    private func checkMembership(_ comparison: Comparison, in collection: ExpressionNode) throws(SyntaxError) {
        let isString: Bool
        switch collection.kind {
        case .key(let key): isString = stringFields.contains(key)
        case .literal(.string): isString = true
        default: isString = false
        }
        if isString {
            throw rejection(
                comparison.operatorSpan, "substring \(comparison.comparisonOperator.rawValue) not supported",
                hint: "text can be searched by BEGINSWITH and by tokens: self CONTAINS 'word'")
        }
    }

    // MARK: Values

    private func check(_ node: ExpressionNode) throws(SyntaxError) {
        switch node.kind {
        case .literal(.duration): throw rejection(node.span, "durations not supported", hint: Self.dateHint)
        case .literal, .placeholder: break
        case .key(let key): try checkName(key, at: node.span)
        case .aggregate(let elements): for element in elements { try check(element) }
        case .selfObject: throw rejection(node.span, "SELF is allowed only before CONTAINS with search words")
        case .variable: throw rejection(node.span, "variables must be substituted first")
        case .path(let base, let steps): try checkPath(base, steps, at: node.span)
        case .binary(_, _, let right) where right.isDuration:
            throw rejection(node.span, "durations not supported", hint: Self.dateHint)
        case .unary, .binary: throw rejection(node.span, "expression kind not supported")
        case .subquery: throw rejection(node.span, "SUBQUERY not supported")
        case .ternary: throw rejection(node.span, "TERNARY not supported")
        case .cast: throw rejection(node.span, "CAST not supported")
        case .function(let function, let arguments):
            guard function == .distanceToLocation || function == .now || function == .tokenize else {
                throw rejection(node.span, "function not supported", hint: Self.hint(insteadOf: function))
            }
            for argument in arguments { try check(argument) }
        }
    }

    private static let dateHint = "compute the date first and pass it as an argument: %@"

    /// What the vendor's spelling is.
    private static func hint(insteadOf function: FunctionName) -> String {
        switch function {
        case .distance: "write distanceToLocation:fromLocation:(field, %@), with the place as argument"
        case .location: "pass the place as an argument: %@"
        case .date: "pass the date as an argument: %@"
        case .year, .month, .day: "compare with the first and the last moment: field >= %@ AND field < %@"
        default: "the functions are distanceToLocation:fromLocation:, tokenize:using: and now"
        }
    }

    private func checkPath(_ base: ExpressionNode, _ steps: [PathStep], at span: SourceSpan) throws(SyntaxError) {
        switch base.kind {
        case .key, .selfObject, .placeholder, .variable: break
        default: try check(base)
        }
        throw rejection(
            steps.first?.span ?? span, "key paths not supported",
            hint: "fetch the other record's ID first and compare the reference with it")
    }

    /// A CloudKit field key: an ASCII letter, then letters, digits and underscores.
    private func checkName(_ key: String, at span: SourceSpan) throws(SyntaxError) {
        let bytes = Array(key.utf8)
        guard let first = bytes.first, Lexer.isWordStart(first), first != 0x5F, bytes.allSatisfy(Lexer.isWordPart)
        else {
            throw rejection(
                span, "no CloudKit field has such a name", hint: "a key is a letter, then letters, digits, _")
        }
    }
}
