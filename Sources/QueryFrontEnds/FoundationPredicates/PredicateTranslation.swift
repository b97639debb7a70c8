// The walk over the expressions of a Foundation predicate.

import FoundationEssentials
import PredicateSyntax
import RecordModel

/// An expression of Foundation that has a counterpart.
protocol TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
}

/// What an expression becomes: the language tells values and predicates apart, Swift does not.
enum TranslatedExpression {
    case value(ExpressionNode)
    case truth(PredicateNode)
}

/// The state of a walk: the tree's arguments, and what variables stand for.
///
/// An expression is walked again wherever its value is needed, since every placeholder appears once in a tree.
struct PredicateTranslation {
    /// What a variable stands for.
    enum Binding {
        /// The record that the predicate is about.
        case record
        /// The elements of a list, by the name of a variable of the language.
        case element(String)
        /// The value of another expression, which is not nil.
        case unwrapped(any PredicateExpression)
    }

    var assembly = TreeAssembly()
    var bindings: [PredicateExpressions.VariableID: Binding] = [:]

    private mutating func translate(
        _ expression: any PredicateExpression
    ) throws(UntranslatableExpression) -> TranslatedExpression {
        guard let translatable = expression as? any TranslatableExpression else {
            throw UntranslatableExpression(
                expression: Self.name(of: expression), message: "the predicate language has no such expression")
        }
        return try translatable.translated(&self)
    }

    /// The expression as a predicate; a value is compared with TRUE.
    mutating func truth(of expression: any PredicateExpression) throws(UntranslatableExpression) -> PredicateNode {
        switch try translate(expression) {
        case .truth(let node): return node
        case .value(let node):
            if case .literal(.bool(let value)) = node.kind { return PredicateNode(.constant(value)) }
            return .comparison(node, .equal, ExpressionNode(.literal(.bool(true))))
        }
    }

    /// The expression as a value; a predicate becomes TRUE or FALSE.
    mutating func value(of expression: any PredicateExpression) throws(UntranslatableExpression) -> ExpressionNode {
        switch try translate(expression) {
        case .value(let node): return node
        case .truth(let node):
            return ExpressionNode(
                .ternary(
                    node, then: ExpressionNode(.literal(.bool(true))), otherwise: ExpressionNode(.literal(.bool(false)))
                ))
        }
    }

    /// The node of a constant.
    mutating func constant(_ value: Any) throws(UntranslatableExpression) -> ExpressionNode {
        if let value = value as? any FieldValueConvertible { return assembly.node(value.fieldValue) }
        if let character = value as? Character { return assembly.node(.string(String(character))) }
        if let value = value as? any Encodable, let field = try? FieldEncoder.value(of: value) {
            return assembly.node(field)
        }
        throw UntranslatableExpression(
            expression: "\(type(of: value))", message: "no field holds values of this type",
            hint: "make the type Codable or FieldValueConvertible")
    }

    /// The value of `expression` if `test` is not nil, else nil.
    mutating func value(
        unlessNil test: any PredicateExpression,
        _ body: (inout PredicateTranslation) throws(UntranslatableExpression) -> ExpressionNode,
        otherwise: (inout PredicateTranslation) throws(UntranslatableExpression) -> ExpressionNode
    ) throws(UntranslatableExpression) -> ExpressionNode {
        let null = ExpressionNode(.literal(.null))
        let isPresent = PredicateNode.comparison(try value(of: test), .notEqual, null)
        let present = try body(&self)
        return ExpressionNode(.ternary(isPresent, then: present, otherwise: try otherwise(&self)))
    }

    /// Binds a variable to the elements of a list for the time of `body`.
    mutating func withElement<Result>(
        _ variable: PredicateExpressions.VariableID,
        _ body: (inout PredicateTranslation, String) throws(UntranslatableExpression) -> Result
    ) throws(UntranslatableExpression) -> Result {
        let name = assembly.newVariable()
        bindings[variable] = .element(name)
        defer { bindings[variable] = nil }
        return try body(&self, name)
    }

    /// Whether a list has an element for which a test holds, or does not.
    mutating func exists(
        in list: any PredicateExpression, _ variable: PredicateExpressions.VariableID,
        where test: any PredicateExpression, isNegated: Bool = false
    ) throws(UntranslatableExpression) -> PredicateNode {
        let list = try value(of: list)
        return try withElement(variable) { (translation, name) throws(UntranslatableExpression) in
            let test = try translation.truth(of: test)
            return .exists(name, in: list, where: isNegated ? PredicateNode(.not(test)) : test)
        }
    }

    /// The name of an expression's type, without its arguments: `PredicateExpressions.TypeCheck`.
    static func name(of expression: any PredicateExpression) -> String {
        let name = String("\(type(of: expression))".prefix { $0 != "<" })
        return name.contains(".") ? name : "PredicateExpressions." + name
    }
}
