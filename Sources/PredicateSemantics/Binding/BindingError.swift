// What can go wrong when a predicate meets its arguments and a schema.

package import PredicateSyntax

/// A predicate does not fit its arguments or the schema it is bound to.
package struct BindingError: Error, Hashable, Sendable, Codable {
    /// What went wrong.
    package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Fewer or more arguments than placeholders.
        case argumentCount
        /// An argument of a kind that its placeholder does not take.
        case argumentType
        /// A `%K` argument that is no key path.
        case invalidKeyPath
        /// A field that the schema does not have.
        case unknownField
        /// Operands that the operator or function can never take.
        case typeMismatch
        /// A constant pattern that is no regular expression.
        case invalidPattern
        /// A constant argument of a function that has no meaning: an unknown CAST type, an option letter, a place
        /// outside the globe.
        case invalidArgument
        /// A tree or value nested too deeply.
        case limit
    }

    package var kind: Kind
    /// The placeholder, operand or literal at fault, in the predicate's text.
    package var span: SourceSpan
    package var message: String
    /// What to write instead, where there is a usual remedy.
    package var hint: String?

    /// An error at a place.
    package init(kind: Kind, span: SourceSpan, message: String, hint: String? = nil) {
        self.kind = kind
        self.span = span
        self.message = message
        self.hint = hint
    }
}

extension BindingError: CustomStringConvertible {
    package var description: String { hint.map { "\(message) (\($0))" } ?? message }
}
