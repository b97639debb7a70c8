// The text of a predicate, parsed once, and its shape: the predicate without its constants.

package import PredicateSyntax
package import RecordModel

/// A text that was parsed, shared by all predicates that are made of it.
package final class PredicateText: Sendable {
    package let parsed: Result<SyntaxTree, SyntaxError>
    /// The shape and where the values of its slots come from; `nil` when there is more to the predicate than fields and
    /// values, so that the constraints may depend on a value.
    package let shape: (shape: PredicateShape, slots: [SlotSource])?

    /// A text by its bytes: texts that are equal to Swift may be other constants to `[n]` and `length`.
    private struct Key: Hashable, Sendable {
        let text: String

        static func == (a: Key, b: Key) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }
        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    private static let known = BoundedCache<Key, PredicateText>(capacity: 2_048)
    /// Longer texts are hardly met again.
    private static let longest = 2_048

    init(_ parsed: Result<SyntaxTree, SyntaxError>) {
        self.parsed = parsed
        shape = (try? parsed.get()).flatMap(ShapeReader.shape)
    }

    /// The text, parsed. Complexity: O(bytes) the first time, then that of looking it up.
    static func parsing(_ text: String) -> PredicateText {
        func parsed() -> PredicateText {
            do throws(SyntaxError) { return PredicateText(.success(try SyntaxTree(parsing: text))) } catch {
                return PredicateText(.failure(error))
            }
        }
        let kept = text.utf8.count > longest ? nil : known.value(Key(text: text), orElse: parsed)
        return kept ?? parsed()
    }
}

/// Where the value of a slot comes from.
package enum SlotSource: Hashable, Sendable {
    /// A constant of the text.
    case literal(FieldValue)
    /// The argument of that number.
    case argument(Int)
    /// The variable of that name.
    case variable(String)
}

/// A predicate of fields and values, whatever the values: its tree with a slot in place of each.
///
/// Texts that differ in constants alone share one shape, which is what plans are kept under.
package final class PredicateShape: Sendable {
    /// The tree, with a variable for each slot: `$0`, `$1` and so on, in the order of the text.
    package let tree: SyntaxTree
    package let slotCount: Int

    private static let known = BoundedCache<PredicateNode, PredicateShape>(capacity: 2_048)

    private init(_ root: PredicateNode, slotCount: Int) {
        tree = SyntaxTree(root)
        self.slotCount = slotCount
    }

    /// The shape of a tree whose values are slots. Complexity: O(nodes).
    static func of(_ root: PredicateNode, slotCount: Int) -> PredicateShape {
        known.value(root) { PredicateShape(root, slotCount: slotCount) } ?? PredicateShape(root, slotCount: slotCount)
    }

    /// The variable of a slot; no variable of a text begins with a digit.
    package static func variable(_ slot: Int) -> String { String(slot) }
}

/// Puts slots in the places of values.
private struct ShapeReader {
    private var slots: [SlotSource] = []

    static func shape(of tree: SyntaxTree) -> (PredicateShape, [SlotSource])? {
        var reader = ShapeReader()
        guard let root = reader.node(tree.root), !reader.slots.isEmpty else { return nil }
        return (PredicateShape.of(root, slotCount: reader.slots.count), reader.slots)
    }

    private mutating func node(_ node: PredicateNode) -> PredicateNode? {
        switch node.kind {
        case .and(let terms):
            var nodes: [PredicateNode] = []
            for term in terms {
                guard let node = self.node(term) else { return nil }
                nodes.append(node)
            }
            return PredicateNode(.and(nodes))
        case .comparison(let comparison):
            guard comparison.quantifier == nil, case .key = comparison.lhs.kind,
                let value = operand(comparison)
            else { return nil }
            var open = comparison
            open.rhs = ExpressionNode(value)
            return PredicateNode(.comparison(open))
        case .constant, .not, .or: return nil
        }
    }

    /// Operators that the index of a field serves for any value of the field's kind.
    private static let operators: Set<ComparisonOperator> = [
        .equal, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .beginsWith,
    ]

    private mutating func operand(_ comparison: Comparison) -> ExpressionNode.Kind? {
        if Self.operators.contains(comparison.comparisonOperator) { return value(comparison.rhs) }
        // Bounds that are one value may be anything.
        guard comparison.comparisonOperator == .between, case .aggregate(let bounds) = comparison.rhs.kind,
            bounds.count == 2, let first = value(bounds[0]), let second = value(bounds[1])
        else { return nil }
        return .aggregate([ExpressionNode(first), ExpressionNode(second)])
    }

    private mutating func value(_ node: ExpressionNode) -> ExpressionNode.Kind? {
        let source: SlotSource
        switch node.kind {
        case .literal(let literal):
            switch literal {
            case .null, .duration: return nil
            case .bool(let value): source = .literal(.bool(value))
            case .integer(let value): source = .literal(.int64(value))
            case .double(let value): source = .literal(.double(value))
            case .string(let value): source = .literal(.string(value))
            }
        case .placeholder(let placeholder) where placeholder.kind == .value: source = .argument(placeholder.index)
        case .variable(let name): source = .variable(name)
        default: return nil
        }
        slots.append(source)
        return .variable(PredicateShape.variable(slots.count - 1))
    }
}
