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
    /// Other names for the keys of a path from the record, as many of them: those behind the first are of other records
    /// or objects. Arguments of `%K` are written into the tree then.
    var pathNames: (([String]) -> [String])?
    /// Whether arguments that have a text are written into the tree.
    var writesValues = false
    /// The arguments of the placeholders that the rewritten trees still have.
    private(set) var kept: [FieldValue] = []
    /// The variables of the enclosing SUBQUERY expressions, with the keys that lead to what they stand for; `nil` where
    /// that is no path.
    private var scopes: [(name: String, keys: [String]?)] = []

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
            if !scopes.contains(where: { $0.name == name }), let value = variables[name] {
                node.kind = placed(value, "%@", .value)
            }
        case .placeholder(let placeholder):
            let value = argument(placeholder)
            if writes(placeholder.kind), let written = Self.expression(value, placeholder.kind) {
                return renames ? rewrite(written) : written
            }
            node.kind = placed(value, placeholder.text, placeholder.kind)
        case .path(let base, let steps): return path(rewrite(base), steps, keys(of: base), node.span)
        case .aggregate(let elements): node.kind = .aggregate(elements.map { rewrite($0) })
        case .unary(let operation, let operand): node.kind = .unary(operation, rewrite(operand))
        case .binary(let operation, let lhs, let rhs):
            let left = rewrite(lhs)
            node.kind = .binary(operation, left, rewrite(rhs))
        case .function(let name, let arguments): node.kind = .function(name, arguments.map { rewrite($0) })
        case .subquery(let collection, let variable, let predicate):
            let elements = rewrite(collection)
            scopes.append((variable, keys(of: collection)))
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

    /// - Parameter keys: The keys that lead to the base; `nil` where it is no path.
    private mutating func path(
        _ base: ExpressionNode, _ steps: [PathStep], _ keys: [String]?, _ span: SourceSpan
    ) -> ExpressionNode {
        var base = base
        var result: [PathStep] = []
        if case .path(let inner, let before) = base.kind { (base, result) = (inner, before) }
        let start = result.count
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
        // Behind SELF the first key is a field of the record, also where an operator takes it: `@max.items.price`.
        if case .selfObject = base.kind, let first = result.firstIndex(where: { !$0.keepsItsPlace }),
            case .key(let name) = result[first].kind
        {
            result[first].kind = .key(fieldNames[name] ?? name)
        }
        rename(&result[start...], behind: keys)
        return result.isEmpty ? base : ExpressionNode(.path(base: base, steps: result), span: span)
    }

    /// Gives the keys of steps, but the first of all, the names that `pathNames` has for them.
    private func rename(_ steps: inout ArraySlice<PathStep>, behind keys: [String]?) {
        guard let pathNames, let keys else { return }
        let places = steps.indices.filter { if case .key = steps[$0].kind { true } else { false } }
        let names = pathNames(
            keys + places.compactMap { if case .key(let name) = steps[$0].kind { name } else { nil } })
        for (place, name) in zip(places, names.dropFirst(keys.count)).dropFirst(keys.isEmpty ? 1 : 0) {
            steps[place].kind = .key(name)
        }
    }

    /// The keys that lead from the record to a value, by their old names; `nil` for what is no path.
    private func keys(of node: ExpressionNode) -> [String]? {
        switch node.kind {
        case .key(let name): return [name]
        case .selfObject: return []
        case .variable(let name): return scopes.last { $0.name == name }.flatMap(\.keys)
        case .placeholder(let placeholder) where placeholder.kind == .key:
            return Self.expression(argument(placeholder), .key).flatMap(keys(of:))
        case .path(let base, let steps):
            guard var keys = keys(of: base) else { return nil }
            for step in steps {
                switch step.kind {
                case .key(let name): keys.append(name)
                case .placeholder(let placeholder):
                    guard let path = Self.expression(argument(placeholder), .key),
                        let inner = self.keys(of: path)
                    else { return nil }
                    keys += inner
                default: break
                }
            }
            return keys
        case .subquery(let collection, _, _): return keys(of: collection)
        default: return nil
        }
    }

    /// Whether fields get other names.
    private var renames: Bool { !fieldNames.isEmpty || pathNames != nil }

    private func writes(_ kind: Placeholder.Kind) -> Bool { writesValues || kind == .key && renames }

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

extension PathStep {
    /// Whether a key behind the step is looked for where the step itself was.
    fileprivate var keepsItsPlace: Bool {
        switch kind {
        case .selfObject: true
        case .collectionOperator(let operation): operation != .count
        default: false
        }
    }
}
