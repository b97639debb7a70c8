// Predicates from format strings: Foundation on Linux has the class NSPredicate without its language.

public import Foundation
public import RecordDatabase

/// Passed to a predicate's evaluation to get its tree: the predicate leaves it here.
///
/// Foundation's class has no room for a tree, and its other predicates are closed. So the closure of a predicate that
/// has a tree knows this class.
private final class PredicateProbe {
    var predicate: RecordPredicate?
}

extension NSPredicate {
    /// A predicate in the format language of predicates, with values for its placeholders.
    ///
    ///     NSPredicate(format: "age > %d AND name BEGINSWITH %@", 30, "A")
    ///
    /// Malformed text, and arguments that do not fit it, make a predicate that holds for nothing; a query of it fails
    /// with `invalidArguments`. `recordPredicate.validated()` tells the error at once, with its place.
    public convenience init(format: String, _ arguments: Any?...) {
        self.init(format: format, argumentArray: arguments)
    }

    /// As `init(format:_:)`, with the arguments in an array.
    public convenience init(format: String, argumentArray: [Any?]?) {
        self.init(RecordPredicate(compat: format, argumentArray ?? []))
    }

    /// A predicate of `RecordDatabase`.
    ///
    /// It is evaluated on records, dictionaries with string keys, and values that fields can hold; it does not hold for
    /// any other object, nor where an operand has no meaning.
    public convenience init(_ predicate: RecordPredicate) {
        self.init { object, variables in
            if let probe = object as? PredicateProbe {
                probe.predicate = predicate
                return false
            }
            let values = (variables ?? [:]).compactMapValues { FieldValue(compat: $0) }
            let predicate = values.isEmpty ? predicate : predicate.substituting(values)
            if let record = object as? CKRecord { return (try? predicate.evaluate(on: record.record)) ?? false }
            guard let value = FieldValue(compat: object) else { return false }
            return (try? predicate.evaluate(onValue: value)) ?? false
        }
    }

    /// The predicate in the terms of `RecordDatabase`, with its syntax tree and canonical text.
    ///
    /// Made of a format, `NSPredicate(value:)`, or a compound of such; any other, such as one of a block, gives a
    /// predicate that fails when it is used.
    public var recordPredicate: RecordPredicate {
        if let compound = self as? NSCompoundPredicate {
            let parts = compound.subpredicates.map(\.recordPredicate)
            switch compound.compoundPredicateType {
            case .and: return .all(parts)
            case .or: return .any(parts)
            case .not: return parts.first.map { !$0 } ?? .opaque
            @unknown default: return .opaque
            }
        }
        if self == NSPredicate(value: true) { return "TRUEPREDICATE" }
        if self == NSPredicate(value: false) { return "FALSEPREDICATE" }
        let probe = PredicateProbe()
        _ = evaluate(with: probe)
        return probe.predicate ?? .opaque
    }
}

extension RecordPredicate {
    /// What a predicate without a tree becomes.
    fileprivate static let opaque = RecordPredicate(
        failure: RecordPredicateError(
            .binding, "", SourceSpan(0, 0), message: "a database cannot run a predicate of a block",
            hint: "NSPredicate(format:)"))

    /// A predicate of arguments of any types; failures wait for its use.
    fileprivate init(compat format: String, _ arguments: [Any?]) {
        var values: [FieldValue] = []
        for (index, argument) in arguments.enumerated() {
            // A text, as the object of Foundation is compared.
            let argument = (argument as? UUID)?.uuidString ?? argument
            guard let value = FieldValue(compat: argument) else {
                self.init(
                    failure: RecordPredicateError(
                        .binding, format, SourceSpan(0, format.utf8.count),
                        message: "argument \(index + 1) is of a type that no field has", hint: nil))
                return
            }
            values.append(value)
        }
        do throws(RecordPredicateError) {
            try self.init(format: format, arguments: values)
        } catch {
            self.init(failure: error)
        }
    }
}

extension FieldValue {
    /// The value of an argument or object: `nil` is `.null`; fails for types that no field can hold.
    init?(compat object: Any?) {
        switch object {
        case nil, is NSNull: self = .null
        case let value as any FieldValueConvertible: self = value.fieldValue
        case let value as any CKRecordValueProtocol: self = value.recordFieldValue
        case let record as CKRecord: self = record.record.id.fieldValue
        case let id as CKRecord.ID: self = id.record.fieldValue
        case let values as [Any?]:
            guard let elements = Self.elements(values) else { return nil }
            self = .list(elements)
        case let values as [String: Any]:
            var members: [String: FieldValue] = [:]
            for (key, value) in values {
                guard let member = FieldValue(compat: value) else { return nil }
                members[key] = member
            }
            self = .object(members)
        case let values as Set<AnyHashable>:
            guard let elements = Self.elements(values.map(\.base)) else { return nil }
            self = .set(elements)
        default: return nil
        }
    }

    private static func elements(_ objects: [Any?]) -> [FieldValue]? {
        var elements: [FieldValue] = []
        for object in objects {
            guard let element = FieldValue(compat: object) else { return nil }
            elements.append(element)
        }
        return elements
    }
}
