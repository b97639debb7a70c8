// Predicates as string literals: interpolated values are bound, never spliced.

public import PredicateSemantics
import PredicateSyntax
public import RecordModel

/// `"age < \(30) AND name BEGINSWITH[cd] \(prefix)"`.
///
/// The literal's own segments are format text, in which `%` begins a placeholder as anywhere else. An interpolated
/// value becomes the argument of a `%@`, so its text is never read as part of the predicate; `\(key: name)` becomes
/// the argument of a `%K`. Values are not quoted: between quotes a placeholder is ordinary text.
///
/// As other literals it cannot fail at its place: see `RecordPredicate.init(stringLiteral:)`.
extension RecordPredicate: ExpressibleByStringInterpolation {
    public init(stringInterpolation: StringInterpolation) {
        if let failure = stringInterpolation.failure {
            self.init(failure: failure)
        } else {
            self.init(lenient: stringInterpolation.text, arguments: stringInterpolation.arguments)
        }
    }

    /// Collects the format text and the arguments.
    public struct StringInterpolation: StringInterpolationProtocol {
        var text = ""
        var arguments: [FieldValue] = []
        /// Why a part could not be interpolated: the first that could not.
        var failure: RecordPredicateError?

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 2 * interpolationCount)
            arguments.reserveCapacity(interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// A value.
        public mutating func appendInterpolation(_ value: some FieldValueConvertible) {
            text += "%@"
            arguments.append(value.fieldValue)
        }

        /// A value, or nil.
        public mutating func appendInterpolation(_ value: (some FieldValueConvertible)?) {
            appendInterpolation(value?.fieldValue ?? .null)
        }

        /// A field value, written with a leading dot: `\(.location(place))`.
        public mutating func appendInterpolation(_ value: FieldValue) {
            text += "%@"
            arguments.append(value)
        }

        /// The raw value of an enumeration's case.
        @_disfavoredOverload
        public mutating func appendInterpolation<Value: RawRepresentable>(_ value: Value)
        where Value.RawValue: FieldValueConvertible {
            appendInterpolation(value.rawValue.fieldValue)
        }

        /// The bounds of a range, behind `BETWEEN`.
        public mutating func appendInterpolation<Bound: FieldValueConvertible>(_ range: ClosedRange<Bound>) {
            appendInterpolation(.list([range.lowerBound.fieldValue, range.upperBound.fieldValue]))
        }

        /// Another predicate with its values, as if in parentheses. Its variables stay variables.
        public mutating func appendInterpolation(_ predicate: RecordPredicate) {
            do throws(RecordPredicateError) {
                text += "(\(try predicate.tree.text))"
                arguments += predicate.arguments
            } catch {
                fail(error)
            }
        }

        /// Makes the whole predicate one that fails at its first use.
        package mutating func fail(_ error: RecordPredicateError) { failure = failure ?? error }

        /// A key path.
        public mutating func appendInterpolation(key: String) {
            text += "%K"
            arguments.append(.string(key))
        }
    }
}
