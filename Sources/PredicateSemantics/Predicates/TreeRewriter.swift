// Moves values in and out of a tree: placeholders renumbered, variables filled, values written as text.

import FoundationEssentials
import PredicateSyntax
import RecordModel

/// Rebuilds trees with their placeholders numbered in order of the canonical text.
///
/// Rewriting several trees in turn, each with its own `arguments`, numbers them as parts of one.
struct TreeRewriter {
    /// The arguments of the tree being rewritten.
    var arguments: [FieldValue]
    /// Values to put in place of variables.
    var variables: [String: FieldValue] = [:]
    /// New names of the record's own fields; arguments of `%K` are written into the tree then.
    var fieldNames: [String: String] = [:]
    /// Whether arguments that have a text are written into the tree.
    var writesValues = false
    /// The arguments of the placeholders that the rewritten trees still have.
    private(set) var kept: [FieldValue] = []
    /// The variables of the enclosing SUBQUERY expressions.
    private var scopes: [String] = []

    /// A rewriter of a tree with its arguments, behind those kept of earlier trees.
    init(arguments: [FieldValue], kept: [FieldValue] = []) {
        self.arguments = arguments
        self.kept = kept
    }

    mutating func rewrite(_ node: PredicateNode) -> PredicateNode {
        var node = node
        switch node.kind {
        case .constant: break
        case .comparison(var comparison):
            comparison.lhs = rewrite(comparison.lhs)
            comparison.rhs = rewrite(comparison.rhs)
            node.kind = .comparison(comparison)
        case .not(let term): node.kind = .not(rewrite(term))
        case .and(let terms): node.kind = .and(terms.map { rewrite($0) })
        case .or(let terms): node.kind = .or(terms.map { rewrite($0) })
        }
        return node
    }

    mutating func rewrite(_ node: ExpressionNode) -> ExpressionNode {
        var node = node
        switch node.kind {
        case .literal, .selfObject: break
        case .key(let name): node.kind = .key(fieldNames[name] ?? name)
        case .variable(let name):
            if !scopes.contains(name), let value = variables[name] { node.kind = placed(value, "%@", .value) }
        case .placeholder(let placeholder):
            let value = argument(placeholder)
            if writes(placeholder.kind), let written = Self.expression(value, placeholder.kind) {
                return fieldNames.isEmpty ? written : rewrite(written)
            }
            node.kind = placed(value, placeholder.text, placeholder.kind)
        case .path(let base, let steps): return path(rewrite(base), steps, node.span)
        case .aggregate(let elements): node.kind = .aggregate(elements.map { rewrite($0) })
        case .unary(let operation, let operand): node.kind = .unary(operation, rewrite(operand))
        case .binary(let operation, let lhs, let rhs):
            let left = rewrite(lhs)
            node.kind = .binary(operation, left, rewrite(rhs))
        case .function(let name, let arguments): node.kind = .function(name, arguments.map { rewrite($0) })
        case .subquery(let collection, let variable, let predicate):
            let elements = rewrite(collection)
            scopes.append(variable)
            node.kind = .subquery(collection: elements, variable: variable, predicate: rewrite(predicate))
            scopes.removeLast()
        case .ternary(let condition, let then, let otherwise):
            let (condition, first) = (rewrite(condition), rewrite(then))
            node.kind = .ternary(condition, then: first, otherwise: rewrite(otherwise))
        case .cast(let value, let type):
            let operand = rewrite(value)
            node.kind = .cast(operand, type: rewrite(type))
        }
        return node
    }

    private mutating func path(_ base: ExpressionNode, _ steps: [PathStep], _ span: SourceSpan) -> ExpressionNode {
        var base = base
        var result: [PathStep] = []
        if case .path(let inner, let before) = base.kind { (base, result) = (inner, before) }
        for step in steps {
            switch step.kind {
            case .index(let index): result.append(PathStep(.index(rewrite(index)), span: step.span))
            case .placeholder(let placeholder):
                let value = argument(placeholder)
                if writes(.key), let written = Self.expression(value, .key), let keys = Self.steps(written) {
                    result += keys
                } else if case .placeholder(let kept) = placed(value, placeholder.text, .key) {
                    result.append(PathStep(.placeholder(kept), span: step.span))
                }
            default: result.append(step)
            }
        }
        // Behind SELF the first key is a field of the record.
        if case .selfObject = base.kind, let first = result.firstIndex(where: { $0.kind != .selfObject }),
            case .key(let name) = result[first].kind
        {
            result[first].kind = .key(fieldNames[name] ?? name)
        }
        return result.isEmpty ? base : ExpressionNode(.path(base: base, steps: result), span: span)
    }

    private func writes(_ kind: Placeholder.Kind) -> Bool { writesValues || kind == .key && !fieldNames.isEmpty }

    private func argument(_ placeholder: Placeholder) -> FieldValue {
        arguments.indices.contains(placeholder.index) ? arguments[placeholder.index] : .null
    }

    private mutating func placed(
        _ value: FieldValue, _ text: String, _ kind: Placeholder.Kind
    ) -> ExpressionNode.Kind {
        kept.append(value)
        return .placeholder(Placeholder(index: kept.count - 1, kind: kind, text: text))
    }

    /// The steps that a key path amounts to behind another value.
    private static func steps(_ path: ExpressionNode) -> [PathStep]? {
        switch path.kind {
        case .key(let name): [PathStep(.key(name))]
        case .selfObject: []
        case .path(let base, let steps): Self.steps(base).map { $0 + steps }
        default: nil
        }
    }

    /// A value as the language writes it; nil for values it has no text for.
    static func expression(_ value: FieldValue, _ kind: Placeholder.Kind) -> ExpressionNode? {
        if kind == .key {
            guard case .string(let text) = value else { return nil }
            return try? SyntaxTree.parseKeyPath(text)
        }
        switch value {
        case .null: return ExpressionNode(.literal(.null))
        case .bool(let value): return ExpressionNode(.literal(.bool(value)))
        case .int64(let value):
            return ExpressionNode(.literal(kind == .double ? .double(Double(value)) : .integer(value)))
        case .double(let value):
            if kind == .integer, let integer = NumericOrder.integer(value) {
                return ExpressionNode(.literal(.integer(integer)))
            }
            return value.isFinite ? ExpressionNode(.literal(.double(value))) : nil
        case .string(let value): return ExpressionNode(.literal(.string(value)))
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            guard seconds.isFinite else { return nil }
            return ExpressionNode(
                .cast(
                    ExpressionNode(.literal(.double(seconds))), type: ExpressionNode(.literal(.string("NSDate")))))
        case .list(let elements):
            var written: [ExpressionNode] = []
            for element in elements {
                guard let expression = expression(element, .value) else { return nil }
                written.append(expression)
            }
            return ExpressionNode(.aggregate(written))
        case .data, .location, .reference, .asset, .set, .object: return nil
        }
    }
}
