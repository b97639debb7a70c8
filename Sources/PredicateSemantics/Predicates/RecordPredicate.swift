// A predicate as users hold it: text and the values that fill it.

public import PredicateSyntax
public import RecordModel
import Synchronization
public import TextAnalysis

/// A predicate in the NSPredicate format language, with its arguments.
///
///     let rich: RecordPredicate = "country == \(code) AND population > \(1_000_000)"
///     let typed = try RecordPredicate(format: text)
///     let filled = try RecordPredicate(format: "%K BEGINSWITH[cd] %@", "name", prefix)
///     try rich.evaluate(on: record)
///
/// Values are bound, never spliced into the text, so no value can change what a predicate means. A text is parsed once,
/// whoever makes predicates of it; a predicate is prepared once, and copies share the result. Two predicates are equal
/// when their trees and arguments are.
public struct RecordPredicate: Sendable {
    /// The text, with placeholders where the arguments go.
    public let text: String
    /// The values of the placeholders, in order.
    public let arguments: [FieldValue]
    /// The text as it was parsed, shared with other predicates of the same text; or why there is none.
    private let source: Result<PredicateText, RecordPredicateError>
    private let binding: Binding
    /// The fields that the predicate names by properties of Swift types, which are no slips. Predicates that differ
    /// here alone are equal.
    package private(set) var declaredFields: Set<String> = []

    /// What binding came to, once somebody needed it.
    private final class Binding: Sendable {
        final class Bound: Sendable {
            let result: Result<BoundPredicate, RecordPredicateError>
            init(_ result: Result<BoundPredicate, RecordPredicateError>) { self.result = result }
        }

        let known = AtomicLazyReference<Bound>()
    }

    /// Parses and binds; failures wait for the first use.
    package init(lenient text: String, arguments: [FieldValue]) {
        self.init(PredicateText.parsing(text), text: text, arguments: arguments)
    }

    /// A predicate from a tree that a program built; failures wait for the first use.
    ///
    /// The placeholders of the tree are numbered from 0 in the order of its canonical text.
    ///
    /// - Parameter declaredFields: The fields that are named by properties.
    package init(building root: PredicateNode, arguments: [FieldValue], declaredFields: Set<String> = []) {
        let tree = SyntaxTree(root)
        self.init(PredicateText(.success(tree)), text: tree.text, arguments: arguments)
        self.declaredFields = declaredFields
    }

    /// A predicate that could not be built: its first use fails.
    package init(failure error: RecordPredicateError) {
        (text, arguments, source, binding) = (error.text, [], .failure(error), Binding())
    }

    private init(_ source: PredicateText, text: String, arguments: [FieldValue]) {
        (self.text, self.arguments, self.source, binding) = (text, arguments, .success(source), Binding())
    }

    private var parsed: Result<SyntaxTree, RecordPredicateError> {
        switch source {
        case .success(let source): source.parsed.mapError { RecordPredicateError($0, in: text) }
        case .failure(let error): .failure(error)
        }
    }

    /// The predicate bound without a schema.
    var bound: Result<BoundPredicate, RecordPredicateError> {
        if let known = binding.known.load() { return known.result }
        let result: Result<BoundPredicate, RecordPredicateError>
        do throws(RecordPredicateError) { result = .success(try Binder().bind(self)) } catch {
            result = .failure(error)
        }
        return binding.known.storeIfNil(Binding.Bound(result)).result
    }

    /// The predicate bound without a schema, to fields with analyzers.
    func bound(_ analyzers: FieldAnalyzers?) throws(RecordPredicateError) -> BoundPredicate {
        guard let analyzers else { return try bound.get() }
        return try Binder(settings: Binder.Settings(analyzers: analyzers)).bind(self)
    }

    /// Throws what binding without a schema throws, without binding where nothing can be wrong.
    private func checkArguments() throws(RecordPredicateError) {
        let isPlain = (try? source.get())?.shape != nil
        if isPlain, try tree.placeholders.count == arguments.count, !arguments.contains(where: \.isCollection) {
            return
        }
        _ = try bound.get()
    }

    /// The shape, and the values of its slots; `nil` where there is none, or a variable has no value.
    package func shape(
        _ variables: [String: FieldValue] = [:]
    ) -> (shape: PredicateShape, values: [FieldValue])? {
        guard let (shape, slots) = slottedShape else { return nil }
        var values: [FieldValue] = []
        values.reserveCapacity(slots.count)
        for slot in slots {
            guard let value = value(of: slot, variables) else { return nil }
            values.append(value)
        }
        return (shape, values)
    }

    /// The shape, and where the values of its slots come from; `nil` where there is none.
    package var slottedShape: (shape: PredicateShape, slots: [SlotSource])? {
        if case .success(let source) = source { source.shape } else { nil }
    }

    /// The value of a slot; `nil` for a variable or an argument without one.
    package func value(of slot: SlotSource, _ variables: [String: FieldValue]) -> FieldValue? {
        switch slot {
        case .literal(let value): value
        // `nil` alone would be the value `.null`.
        case .argument(let index): index < arguments.count ? Optional.some(arguments[index]) : Optional.none
        case .variable(let name): variables[name]
        }
    }

    /// A predicate from its text and the values of its placeholders.
    ///
    /// - Throws: `RecordPredicateError` for malformed text, for arguments that do not fit the placeholders in number or
    ///   kind, and for a constant pattern that is no regular expression.
    public init(format text: String, arguments: [FieldValue]) throws(RecordPredicateError) {
        self.init(lenient: text, arguments: arguments)
        try checkArguments()
    }

    /// A predicate from its text and the values of its placeholders.
    ///
    /// - Throws: `RecordPredicateError` as `init(format:arguments:)`.
    public init(format text: String, _ arguments: FieldValue...) throws(RecordPredicateError) {
        try self.init(format: text, arguments: arguments)
    }

    /// A predicate from its text and the values of its placeholders, of any types that stand for field values.
    ///
    /// - Throws: `RecordPredicateError` as `init(format:arguments:)`.
    public init(format text: String, _ arguments: any FieldValueConvertible...) throws(RecordPredicateError) {
        try self.init(format: text, arguments: arguments.map(\.fieldValue))
    }

    /// A predicate from a syntax tree and the values of its placeholders.
    ///
    /// - Throws: `RecordPredicateError` as `init(format:arguments:)`.
    public init(_ tree: SyntaxTree, arguments: [FieldValue] = []) throws(RecordPredicateError) {
        self.init(PredicateText(.success(tree)), text: tree.text, arguments: arguments)
        try checkArguments()
    }

    /// The syntax tree.
    ///
    /// - Throws: `RecordPredicateError` when the predicate comes from a malformed string literal.
    public var tree: SyntaxTree {
        get throws(RecordPredicateError) { try parsed.get() }
    }

    /// The predicate itself, when it is well formed and its arguments fit.
    ///
    /// A string literal cannot fail where it is written, so a malformed one fails here or at the first evaluation.
    ///
    /// - Throws: `RecordPredicateError` with the place in the text.
    public func validated() throws(RecordPredicateError) -> RecordPredicate {
        try checkArguments()
        return self
    }

    /// Whether the predicate fits a schema: its fields exist and its operands can be compared.
    ///
    /// - Throws: `RecordPredicateError` with the place in the text, and the name that was probably meant.
    public func validate(for schema: RecordSchema) throws(RecordPredicateError) {
        _ = try Binder(schema: schema).bind(self)
    }
}

// MARK: - Evaluation

extension RecordPredicate {
    /// Whether the predicate holds for a record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - analyzers: The analyzers of its fields, by name; with them the predicate is bound again each time.
    /// - Throws: `RecordPredicateError` when an operand has no meaning for the record, such as text ordered against a
    ///   number.
    /// - Complexity: O(n) in the nodes of the predicate and the elements of the lists it looks at.
    public func evaluate(
        on record: Record, analyzers: [String: TextAnalyzer] = [:]
    ) throws(RecordPredicateError) -> Bool {
        let bound = try bound(FieldAnalyzers(analyzers))
        do {
            return try bound.evaluate(on: record)
        } catch {
            throw RecordPredicateError(error, in: text)
        }
    }

    /// Whether the predicate holds for a value: SELF is the value, and keys are looked up in it.
    ///
    /// - Throws: `RecordPredicateError` when an operand has no meaning for the value.
    public func evaluate(onValue value: FieldValue) throws(RecordPredicateError) -> Bool {
        let bound = try bound.get()
        do {
            return try bound.evaluate(onValue: value)
        } catch {
            throw RecordPredicateError(error, in: text)
        }
    }

    /// The records for which the predicate holds, in order; `now()` is the same instant for all of them.
    ///
    /// - Throws: `RecordPredicateError` at the first record that an operand has no meaning for.
    public func filter(_ records: some Sequence<Record>) throws(RecordPredicateError) -> [Record] {
        let bound = try bound.get()
        let context = EvaluationContext.current()
        var matches: [Record] = []
        do {
            for record in records where try bound.evaluate(on: record, context: context) { matches.append(record) }
        } catch {
            throw RecordPredicateError(error, in: text)
        }
        return matches
    }
}

// MARK: - Combination

extension RecordPredicate {
    /// The predicate that holds where all of them hold; true of an empty list.
    public static func all(_ predicates: [RecordPredicate]) -> RecordPredicate {
        combined(predicates, PredicateNode.Kind.and, of: "TRUEPREDICATE")
    }

    /// The predicate that holds where one of them holds; false of an empty list.
    public static func any(_ predicates: [RecordPredicate]) -> RecordPredicate {
        combined(predicates, PredicateNode.Kind.or, of: "FALSEPREDICATE")
    }

    /// The predicate that holds where this one does not.
    public static prefix func ! (predicate: RecordPredicate) -> RecordPredicate {
        guard let tree = try? predicate.tree else { return predicate }
        let negated = SyntaxTree(PredicateNode(.not(tree.root)))
        var result = RecordPredicate(lenient: negated.text, arguments: predicate.arguments)
        result.declaredFields = predicate.declaredFields
        return result
    }

    private static func combined(
        _ predicates: [RecordPredicate], _ connective: ([PredicateNode]) -> PredicateNode.Kind, of none: String
    ) -> RecordPredicate {
        var rewriter = TreeRewriter(arguments: [])
        var roots: [PredicateNode] = []
        for predicate in predicates {
            // A malformed literal stays malformed inside whatever is made of it.
            guard let tree = try? predicate.tree else { return predicate }
            rewriter.arguments = predicate.arguments
            roots.append(rewriter.rewrite(tree.root))
        }
        guard let first = roots.first else { return RecordPredicate(lenient: none, arguments: []) }
        let root = roots.count == 1 ? first : PredicateNode(connective(roots))
        var result = RecordPredicate(lenient: SyntaxTree(root).text, arguments: rewriter.kept)
        for predicate in predicates { result.declaredFields.formUnion(predicate.declaredFields) }
        return result
    }

    /// The predicate with values in place of `$variables`; variables without a value stay.
    ///
    /// The variable of a SUBQUERY is no such variable, even where a value has its name.
    public func substituting(_ variables: [String: FieldValue]) -> RecordPredicate {
        guard let tree = try? tree else { return self }
        var rewriter = TreeRewriter(arguments: arguments)
        rewriter.variables = variables
        let root = rewriter.rewrite(tree.root)
        var result = RecordPredicate(lenient: SyntaxTree(root).text, arguments: rewriter.kept)
        result.declaredFields = declaredFields
        return result
    }
}

extension RecordPredicate {
    /// The predicate with another name of a field of the record. What lies behind references and in objects keeps its
    /// names.
    package func renamingField(_ field: String, to name: String) -> RecordPredicate {
        guard let tree = try? tree else { return self }
        var rewriter = TreeRewriter(arguments: arguments)
        rewriter.fieldNames = [field: name]
        let root = rewriter.rewrite(tree.root)
        return RecordPredicate(lenient: SyntaxTree(root).text, arguments: rewriter.kept)
    }

    /// The predicate with other names behind the first key of each path.
    ///
    /// - Parameter names: Given the keys of a path from the record, as many others.
    package func renamingPaths(_ names: ([String]) -> [String]) -> RecordPredicate {
        guard let tree = try? tree else { return self }
        return withoutActuallyEscaping(names) { names in
            var rewriter = TreeRewriter(arguments: arguments)
            rewriter.pathNames = names
            let root = rewriter.rewrite(tree.root)
            return RecordPredicate(lenient: SyntaxTree(root).text, arguments: rewriter.kept)
        }
    }
}

// MARK: - Literals

extension RecordPredicate: ExpressibleByStringLiteral {
    /// A predicate without arguments.
    ///
    /// A literal cannot fail where it is written. A malformed one keeps its error, which `validated()` and every
    /// evaluation throw.
    public init(stringLiteral value: String) { self.init(lenient: value, arguments: []) }
}

// MARK: - Value semantics

extension RecordPredicate: Hashable {
    public static func == (a: RecordPredicate, b: RecordPredicate) -> Bool {
        switch (a.parsed, b.parsed) {
        case (.success(let left), .success(let right)): left == right && a.arguments == b.arguments
        case (.failure, .failure): a.text == b.text && a.arguments == b.arguments
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        if case .success(let tree) = parsed { hasher.combine(tree) } else { hasher.combine(text) }
        hasher.combine(arguments)
    }
}

extension RecordPredicate: CustomStringConvertible {
    /// The canonical text with the arguments in their places.
    ///
    /// Dates are written as `CAST(seconds, "NSDate")`. Values that the language has no text for (sets, data,
    /// locations, references, objects) stay placeholders; without them the text parses back to a predicate of the
    /// same meaning.
    public var description: String {
        guard let tree = try? tree else { return text }
        var rewriter = TreeRewriter(arguments: arguments)
        rewriter.writesValues = true
        return SyntaxTree(rewriter.rewrite(tree.root)).text
    }
}

extension RecordPredicate: Codable {
    private enum CodingKeys: String, CodingKey { case format, arguments }

    /// Decodes the canonical text and the arguments, and parses and binds them.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decode(String.self, forKey: .format)
        let arguments = try container.decodeIfPresent([FieldValue].self, forKey: .arguments) ?? []
        do {
            try self.init(format: text, arguments: arguments)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: container.codingPath, debugDescription: error.message, underlyingError: error))
        }
    }

    /// Encodes the text and the arguments. A malformed predicate is encoded as it is and fails when decoded.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode((try? tree)?.description ?? text, forKey: .format)
        if !arguments.isEmpty { try container.encode(arguments, forKey: .arguments) }
    }
}
