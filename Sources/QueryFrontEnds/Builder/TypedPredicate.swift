// Predicates on the records of one Swift type.

public import PredicateSemantics

extension RecordPredicate {
    /// A predicate on the records of a Swift type: what `City.where { … }` gives.
    ///
    /// Calls that know the type take no predicate of another one. A literal is one of the type that the call expects;
    /// the names in it are checked when it is used.
    public struct Of<Root: RecordConvertible>: Hashable, Sendable {
        /// The predicate for calls that do not know the Swift type.
        public let untyped: RecordPredicate

        /// A predicate that was made in another way, taken for one on records of the type.
        public init(_ untyped: RecordPredicate) { self.untyped = untyped }

        /// A predicate checked by the compiler, where the type is known: `matching: .where { $0.population > 5 }`.
        public static func `where`(_ body: (RecordFields<Root>) -> some PredicateConvertible) -> Self {
            Root.where(body)
        }

        /// The predicate that holds for all records of the type.
        public static var all: Self { Self("TRUEPREDICATE") }

        /// The predicate that holds where both hold.
        public static func && (a: Self, b: Self) -> Self { Self(a.untyped && b.untyped) }
        /// The predicate that holds where one of them holds.
        public static func || (a: Self, b: Self) -> Self { Self(a.untyped || b.untyped) }
        /// The predicate that holds where this one does not.
        public static prefix func ! (predicate: Self) -> Self { Self(!predicate.untyped) }
    }

    /// The predicate that holds where both hold.
    public static func && (a: RecordPredicate, b: RecordPredicate) -> RecordPredicate { .all([a, b]) }
    /// The predicate that holds where one of them holds.
    public static func || (a: RecordPredicate, b: RecordPredicate) -> RecordPredicate { .any([a, b]) }
}

extension RecordPredicate.Of: PredicateConvertible {
    /// The predicate as a part of a built one.
    public var fieldPredicate: FieldPredicate { untyped.fieldPredicate }
}

extension RecordPredicate.Of: ExpressibleByStringInterpolation {
    public init(stringLiteral value: String) { self.init(RecordPredicate(stringLiteral: value)) }
    public init(stringInterpolation: RecordPredicate.StringInterpolation) {
        self.init(RecordPredicate(stringInterpolation: stringInterpolation))
    }
}

extension RecordPredicate.Of: CustomStringConvertible {
    /// The canonical text, as that of `untyped`.
    public var description: String { untyped.description }
}

extension RecordPredicate.StringInterpolation {
    /// Another predicate with its values, as if in parentheses.
    public mutating func appendInterpolation<Root>(_ predicate: RecordPredicate.Of<Root>) {
        appendInterpolation(predicate.untyped)
    }
}
