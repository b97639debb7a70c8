// Values and predicates that the compiler checks: what `City.where { … }` is written with.

public import FoundationEssentials
public import PredicateSemantics
public import PredicateSyntax
public import RecordModel

/// A value in a predicate: a field of a record, something computed from fields, or an element of a list.
///
/// Members of nested objects, of the targets of references and of the elements of lists are reached by their
/// properties: `$0.address.city`, `$0.owner.name`, `$0.items.price`. Where something on the way is nil, the value is
/// nil.
@dynamicMemberLookup
public struct FieldExpression<Value> {
    let assemble: (inout TreeAssembly) -> ExpressionNode

    init(_ assemble: @escaping (inout TreeAssembly) -> ExpressionNode) { self.assemble = assemble }

    /// The value of a constant.
    init(constant: some FieldValueConvertible) { self.init { $0.node(constant.fieldValue) } }

    /// The value behind some steps.
    func with<Member>(_ steps: PathStep.Kind...) -> FieldExpression<Member> {
        FieldExpression<Member> { TreeAssembly.node(assemble(&$0), steps.map { PathStep($0) }) }
    }

    func called<Result>(_ function: FunctionName) -> FieldExpression<Result> {
        FieldExpression<Result> { ExpressionNode(.function(function, [assemble(&$0)])) }
    }

    private func member<Root: FieldNamed, Member>(_ keyPath: PartialKeyPath<Root>) -> FieldExpression<Member> {
        let path = FieldPath(keyPath)
        return FieldExpression<Member> { assembly in
            let base = assemble(&assembly)
            return assembly.node(base, path)
        }
    }

    /// A member of a nested object.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Value, Member>) -> FieldExpression<Member>
    where Value: FieldNamed { member(keyPath) }

    /// A member of a nested object that may be missing.
    public subscript<Object: FieldNamed, Member>(
        dynamicMember keyPath: KeyPath<Object, Member>
    ) -> FieldExpression<Member> where Value == Object? { member(keyPath) }

    /// A field of the record that a reference leads to.
    public subscript<Target, Member>(dynamicMember keyPath: KeyPath<Target, Member>) -> FieldExpression<Member>
    where Value == RecordReference.To<Target> { member(keyPath) }

    /// A field of the record that a reference leads to, if there is one.
    public subscript<Target, Member>(dynamicMember keyPath: KeyPath<Target, Member>) -> FieldExpression<Member>
    where Value == RecordReference.To<Target>? { member(keyPath) }

    /// That member of every element.
    public subscript<Object: FieldNamed, Member>(
        dynamicMember keyPath: KeyPath<Object, Member>
    ) -> FieldExpression<[Member]> where Value: ListOperand, Value.Element == Object { member(keyPath) }

    /// That field of every record that the references lead to.
    public subscript<Target, Member>(dynamicMember keyPath: KeyPath<Target, Member>) -> FieldExpression<[Member]>
    where Value: ListOperand, Value.Element == RecordReference.To<Target> { member(keyPath) }
}

/// The fields of a record of a type, by its properties.
@dynamicMemberLookup
public struct RecordFields<Root: RecordConvertible> {
    /// A field.
    public subscript<Member>(dynamicMember keyPath: KeyPath<Root, Member>) -> FieldExpression<Member> {
        let path = FieldPath(keyPath)
        return FieldExpression { $0.node(nil, path) }
    }

    private func named<Member>(_ name: String) -> FieldExpression<Member> {
        FieldExpression { _ in ExpressionNode(.key(name)) }
    }

    /// The record's identifier.
    public var recordID: FieldExpression<Record.ID> { named("recordID") }
    /// The record's name.
    public var recordName: FieldExpression<String> { named("recordName") }
    /// When the record was first saved.
    public var creationDate: FieldExpression<Date?> { named("creationDate") }
    /// When the record was last saved.
    public var modificationDate: FieldExpression<Date?> { named("modificationDate") }
    /// Who saved the record first.
    public var creatorUserRecordID: FieldExpression<Record.ID?> { named("creatorUserRecordID") }
    /// Who saved the record last.
    public var lastModifiedUserRecordID: FieldExpression<Record.ID?> { named("lastModifiedUserRecordID") }
    /// The words of all text fields.
    public var allTokens: FieldExpression<[String]> { named("allTokens") }

    /// Whether the record's text fields have every word of a text between them: `allTokens TOKENMATCHES[cdl]`.
    public func matchesTokens(
        _ text: String, options: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive, .localeSensitive]
    ) -> FieldPredicate { allTokens.matchesTokens(text, options: options) }
}

extension RecordConvertible {
    /// A predicate on records of the type, checked by the compiler.
    ///
    ///     let big = City.where { $0.population > 1_000_000 && $0.location.distance(to: kyiv) < .kilometers(50) }
    ///
    /// It cannot fail where it is written. A property whose field is not known (see `FieldNamed`) makes it a predicate
    /// whose first use fails, as a malformed string literal is.
    public static func `where`(
        _ body: (RecordFields<Self>) -> some PredicateConvertible
    ) -> RecordPredicate.Of<Self> {
        var assembly = TreeAssembly()
        let root = body(RecordFields()).fieldPredicate.assemble(&assembly)
        return RecordPredicate.Of(assembly.predicate(root))
    }
}

// MARK: Predicates

/// What is true or false of a record: comparisons, fields that are truth values, predicates.
public protocol PredicateConvertible {
    /// The condition as a part of a built predicate.
    var fieldPredicate: FieldPredicate { get }
}

/// A comparison of fields, or several joined by `&&`, `||` and `!`.
public struct FieldPredicate: PredicateConvertible {
    let assemble: (inout TreeAssembly) -> PredicateNode

    init(_ assemble: @escaping (inout TreeAssembly) -> PredicateNode) { self.assemble = assemble }

    /// Itself.
    public var fieldPredicate: FieldPredicate { self }
}

/// A field that is a truth value stands for its being true.
extension FieldExpression: PredicateConvertible where Value == Bool {
    /// The comparison of the field with true.
    public var fieldPredicate: FieldPredicate { self == true }
}

/// Predicates made in another way may be parts of a built one.
extension RecordPredicate: PredicateConvertible {
    /// The predicate as a part of a built one.
    public var fieldPredicate: FieldPredicate { FieldPredicate { $0.node(self) } }
}

extension PredicateConvertible {
    /// Whether both hold. Complexity: O(1); the tree is built when the predicate is made.
    public static func && (a: Self, b: some PredicateConvertible) -> FieldPredicate {
        FieldPredicate { [a = a.fieldPredicate, b = b.fieldPredicate] assembly in
            let first = a.assemble(&assembly)
            return .all([first, b.assemble(&assembly)])
        }
    }

    /// Whether one of the two holds. Complexity: O(1); the tree is built when the predicate is made.
    public static func || (a: Self, b: some PredicateConvertible) -> FieldPredicate {
        FieldPredicate { [a = a.fieldPredicate, b = b.fieldPredicate] assembly in
            let first = a.assemble(&assembly)
            return .any([first, b.assemble(&assembly)])
        }
    }
}

/// The predicate that holds where this one does not.
public prefix func ! (predicate: FieldPredicate) -> FieldPredicate {
    FieldPredicate { PredicateNode(.not(predicate.assemble(&$0))) }
}

/// Holds where the field is not true: where it is false or missing.
public prefix func ! (field: FieldExpression<Bool>) -> FieldPredicate { !field.fieldPredicate }
