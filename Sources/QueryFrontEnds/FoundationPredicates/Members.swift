// Foundation's variables, constants and key paths.

import FoundationEssentials
import Geospatial
import PredicateSyntax
import RecordModel

extension PredicateExpressions.Value: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        .value(try translation.constant(value))
    }
}

extension PredicateExpressions.Variable: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        switch translation.bindings[key] {
        case .element(let name): return .value(ExpressionNode(.variable(name)))
        case .unwrapped(let expression): return .value(try translation.value(of: expression))
        case .record, nil:
            throw UntranslatableExpression(
                expression: "PredicateExpressions.Variable", message: "a record as a whole is no value",
                hint: "compare its recordID")
        }
    }
}

/// A variable, or members of one: its value is nil where something on the way to it is.
protocol MemberExpression {
    var isPath: Bool { get }
}

extension PredicateExpressions.Variable: MemberExpression {
    var isPath: Bool { true }
}

extension PredicateExpressions.KeyPath: MemberExpression {
    var isPath: Bool { kind == nil && (root as? any MemberExpression)?.isPath == true }
}

extension PredicateExpressions.KeyPath: TranslatableExpression {
    func translated(_ translation: inout PredicateTranslation) throws(UntranslatableExpression) -> TranslatedExpression
    {
        if let kind { return try property(kind, &translation) }
        let base = try base(&translation)
        if let type = Root.Output.self as? any FieldNamed.Type {
            return .value(try member(of: type, base, &translation))
        }
        guard let name = Self.names[keyPath] else { throw unknown("no field holds its value") }
        return .value(TreeAssembly.node(base, [PathStep(.key(name))]))
    }

    /// The value before the member; nil for the record.
    private func base(
        _ translation: inout PredicateTranslation
    ) throws(UntranslatableExpression) -> ExpressionNode? {
        if let variable = root as? PredicateExpressions.Variable<Root.Output>,
            case .record? = translation.bindings[variable.key]
        {
            return nil
        }
        return try translation.value(of: root)
    }

    private func member<Owner: FieldNamed>(
        of _: Owner.Type, _ base: ExpressionNode?, _ translation: inout PredicateTranslation
    ) throws(UntranslatableExpression) -> ExpressionNode {
        guard let keyPath = keyPath as AnyKeyPath as? PartialKeyPath<Owner> else { throw unknown("its type differs") }
        do throws(UnknownKeyPath) {
            return TreeAssembly.node(base, try Owner.path(of: keyPath).map { PathStep(.key($0)) })
        } catch {
            throw UntranslatableExpression(expression: error.keyPath, message: error.reason, hint: error.hint)
        }
    }

    /// Members of values that are no records.
    private static var names: [AnyKeyPath: String] {
        [
            \Location.latitude: "latitude", \Location.longitude: "longitude", \Record.ID.recordName: "recordName",
            \RecordReference.recordID: "recordID",
        ]
    }

    /// Properties of collections.
    private func property(
        _ kind: CommonKeyPathKind, _ translation: inout PredicateTranslation
    ) throws(UntranslatableExpression) -> TranslatedExpression {
        let isText = Root.Output.self is any StringProtocol.Type
        if isText, kind != .collectionIsEmpty {
            throw UntranslatableExpression(
                expression: "String.\(Self.name(of: kind))", message: "the language counts no characters",
                hint: "use isEmpty, or write length(field) in text")
        }
        let base = try translation.value(of: root)
        switch kind {
        case .collectionCount: return .value(TreeAssembly.node(base, [PathStep(.collectionOperator(.count))]))
        case .collectionIsEmpty:
            if isText { return .truth(.comparison(base, .equal, ExpressionNode(.literal(.string(""))))) }
            let count = TreeAssembly.node(base, [PathStep(.collectionOperator(.count))])
            return .truth(.comparison(count, .equal, ExpressionNode(.literal(.integer(0)))))
        case .collectionFirst: return .value(TreeAssembly.node(base, [PathStep(.first)]))
        case .bidirectionalCollectionLast: return .value(TreeAssembly.node(base, [PathStep(.last)]))
        @unknown default: throw unknown("the property is not known")
        }
    }

    private static func name(of kind: CommonKeyPathKind) -> String {
        switch kind {
        case .collectionCount: "count"
        case .collectionIsEmpty: "isEmpty"
        case .collectionFirst: "first"
        case .bidirectionalCollectionLast: "last"
        @unknown default: "\(kind)"
        }
    }

    private func unknown(_ message: String) -> UntranslatableExpression {
        UntranslatableExpression(expression: "\(keyPath)", message: message)
    }
}
