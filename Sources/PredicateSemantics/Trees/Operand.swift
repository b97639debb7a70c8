// The bound tree: values. What is left and right of an operator, with fields, constants and kinds resolved.

package import PredicateSyntax
package import RecordModel
package import TextAnalysis

/// A value-denoting node of a bound predicate.
package struct Operand: Sendable {
    /// What the operand denotes.
    package indirect enum Kind: Sendable {
        /// A value known at binding: a literal, an argument, a variable's value, or a folded expression.
        case constant(FieldValue)
        /// A field of the record.
        case field(FieldReference)
        /// The evaluated object.
        case selfObject
        /// The tokens of all texts of the record, folded by the options.
        case allTokens(TextOptions)
        /// The element of the enclosing SUBQUERY at this depth, 0 for the outermost.
        case element(depth: Int, name: String)
        /// A variable without a value at binding; the evaluation context may have one.
        case variable(String)
        /// Steps from a value: keys, indexes, collection operators.
        case path(base: Operand, steps: [BoundStep])
        /// `{a, b}` with an element that is no constant.
        case list([Operand])
        /// `-x`, `~x`
        case unary(UnaryOperator, Operand)
        /// `a + b`; the functions that operators stand for (`add:to:`) are bound to this form too.
        case binary(BinaryOperator, Operand, Operand)
        /// `d + 7d`, `d - 7d`: a date moved by a length of time.
        case moved(BinaryOperator, Operand, TimeSpan)
        /// A function call.
        case function(FunctionName, [Operand])
        /// The elements of a collection for which a predicate holds.
        case subquery(collection: Operand, variable: String, predicate: BoundNode)
        /// One of two values, by a predicate.
        case ternary(BoundNode, then: Operand, otherwise: Operand)
        /// A conversion to the type that the second operand names.
        case cast(Operand, type: Operand)
    }

    /// What the operand denotes.
    package var kind: Kind
    /// The kind of its value, as far as known.
    package var type: OperandType
    /// Its place in the predicate's text.
    package var span: SourceSpan

    init(_ kind: Kind, type: OperandType, span: SourceSpan) {
        self.kind = kind
        self.type = type
        self.span = span
    }

    /// A constant.
    init(constant value: FieldValue, span: SourceSpan) {
        self.init(.constant(value), type: OperandType(of: value), span: span)
    }

    /// The value of a constant operand.
    package var constant: FieldValue? { if case .constant(let value) = kind { value } else { nil } }
}

/// A field of the record that a predicate reads.
package struct FieldReference: Hashable, Sendable {
    /// The field's position in `BoundPredicate.fieldNames`.
    package var slot: Int
    package var name: String
    /// The field's type, when the predicate is bound to a schema that has the field.
    package var type: FieldType?
}

/// One step of a bound path.
package struct BoundStep: Sendable {
    /// What the step does with the value before it.
    package enum Kind: Sendable {
        /// The member of that name, of every element where the value is a list.
        case key(String)
        /// An operator over the collection that the argument steps lead to from here.
        case collection(CollectionOperator, argument: [BoundStep])
        /// The element at a position, or the member of a computed name.
        case index(Operand)
        case first
        case last
        case size
    }

    package var kind: Kind
    package var span: SourceSpan
}
