// Decides one record: the values of operands.

import PredicateSyntax
import RecordModel
import TextAnalysis

extension Evaluator {
    /// The value of an operand.
    mutating func value(_ operand: Operand) throws(EvaluationError) -> FieldValue {
        switch operand.kind {
        case .field(let field):
            let value = source.value(at: field.slot)
            if isRepeating { try spend(value.listCount, operand.span) }
            return value
        case .constant(let value): return value
        case .path(let base, let steps): return try follow(steps[...], from: try value(base), span: operand.span)
        case .binary(let operation, let lhs, let rhs): return try compute(operation, lhs, rhs, operand.span)
        case .element(let depth, _): return elements.indices.contains(depth) ? elements[depth] : .null
        case .selfObject: return try counted(source.wholeValue, operand.span)
        case .allTokens(let options): return try counted(tokens(options), operand.span)
        case .variable(let name): return try variable(name, operand.span)
        case .list(let members):
            var values: [FieldValue] = []
            values.reserveCapacity(members.count)
            for member in members { values.append(try value(member)) }
            return try counted(.list(values), operand.span)
        case .unary(let operation, let base):
            let value = try value(base)
            return try located([base.span], operand.span) { () throws(ValueFault) in
                try Arithmetic.apply(operation, value)
            }
        case .moved(let operation, let base, let length):
            let value = try value(base)
            var isOpen = false
            if case .variable = base.kind { isOpen = true }
            let date = isOpen ? value.readingDates ?? value : value
            return try located([base.span], operand.span) { () throws(ValueFault) in
                try Arithmetic.move(date, operation, length)
            }
        case .function(let name, let arguments): return try call(name, arguments, operand.span)
        case .subquery(let collection, _, let predicate): return try subquery(collection, predicate)
        case .ternary(let condition, let then, let otherwise):
            return try holds(condition) ? try value(then) : try value(otherwise)
        case .cast(let base, let type):
            let (value, name) = (try counted(value(base), operand.span), try value(type))
            return try located([base.span, type.span], operand.span) { () throws(ValueFault) in
                try Casting.cast(value, to: name)
            }
        }
    }

    /// A value that is looked at as a whole: once for every element within SUBQUERY, which counts.
    private mutating func counted(_ value: FieldValue, _ span: SourceSpan) throws(EvaluationError) -> FieldValue {
        if isRepeating { try spend(1 &+ value.steps, span) }
        return value
    }

    private func located(
        _ operands: [SourceSpan], _ whole: SourceSpan, _ body: () throws(ValueFault) -> FieldValue
    ) throws(EvaluationError) -> FieldValue {
        do {
            return try body()
        } catch {
            throw error.located(operands, whole: whole)
        }
    }

    private mutating func compute(
        _ operation: BinaryOperator, _ lhs: Operand, _ rhs: Operand, _ span: SourceSpan
    ) throws(EvaluationError) -> FieldValue {
        let (left, right) = (try value(lhs), try value(rhs))
        if isRepeating { try spend(left.steps &+ right.steps, span) }
        do {
            return try Arithmetic.apply(operation, left, right)
        } catch {
            throw error.located([lhs.span, rhs.span], whole: span)
        }
    }

    private mutating func call(
        _ name: FunctionName, _ arguments: [Operand], _ span: SourceSpan
    ) throws(EvaluationError) -> FieldValue {
        var values: [FieldValue] = []
        values.reserveCapacity(arguments.count)
        for argument in arguments { values.append(try counted(value(argument), span)) }
        do {
            return try Functions(context: context).call(name, values)
        } catch {
            throw error.located(arguments.map(\.span), whole: span)
        }
    }

    private func variable(_ name: String, _ span: SourceSpan) throws(EvaluationError) -> FieldValue {
        if let value = context.variables[name] { return value }
        throw EvaluationError(
            kind: .unboundVariable, span: span, message: "the variable $\(name) has no value",
            hint: "give it one when binding or evaluating")
    }

    private func tokens(_ options: TextOptions) -> FieldValue {
        let tokenizer = Tokenizer(options: options)
        var terms: [FieldValue] = []
        source.forEachText { _, text in
            terms += tokenizer.terms(of: text).map { .string($0) }
            return true
        }
        return .list(terms)
    }

    private mutating func subquery(
        _ collection: Operand, _ predicate: BoundNode
    ) throws(EvaluationError) -> FieldValue {
        let value = try value(collection)
        let candidates: [FieldValue]
        switch value {
        case .null: return .null
        case .list(let members), .set(let members): candidates = members
        default:
            throw EvaluationError(
                kind: .typeMismatch, span: collection.span, message: "SUBQUERY needs a list, not \(value.phrase)")
        }
        var chosen: [FieldValue] = []
        let depth = elements.count
        elements.append(.null)
        defer { elements.removeLast() }
        for candidate in candidates {
            elements[depth] = candidate
            try spend(1, collection.span)
            if try holds(predicate) { chosen.append(candidate) }
        }
        return .list(chosen)
    }

    /// Follows steps from a value.
    private mutating func follow(
        _ steps: ArraySlice<BoundStep>, from start: FieldValue, span: SourceSpan
    ) throws(EvaluationError) -> FieldValue {
        var value = start
        for step in steps {
            switch step.kind {
            case .key(let key): value = try member(of: value, key: key, step.span)
            case .index(let operand):
                let (base, index) = (value, try self.value(operand))
                value = try located([step.span, operand.span], step.span) { () throws(ValueFault) in
                    try KeyPaths.element(of: base, at: index)
                }
            case .collection(let operation, let argument):
                let collection = try counted(follow(argument[...], from: value, span: span), step.span)
                value = try located([step.span], step.span) { () throws(ValueFault) in
                    try KeyPaths.apply(operation, to: collection)
                }
            case .first, .last:
                let base = value
                let isFirst = if case .first = step.kind { true } else { false }
                value = try located([step.span], step.span) { () throws(ValueFault) in
                    try KeyPaths.end(of: base, first: isFirst)
                }
            case .size:
                let base = value
                value = try located([step.span], step.span) { () throws(ValueFault) in
                    try KeyPaths.size(of: base, "[SIZE]")
                }
            }
        }
        return value
    }

    /// The member of a value by key; of a list, through references too, the list of its elements' members.
    ///
    /// Lists of references to records with lists of references become long at every step: each element counts.
    private mutating func member(
        of value: FieldValue, key: String, _ span: SourceSpan
    ) throws(EvaluationError) -> FieldValue {
        switch value {
        case .list(let elements), .set(let elements):
            var members: [FieldValue] = []
            members.reserveCapacity(elements.count)
            for element in elements {
                try spend(1, span)
                members.append(try member(of: element, key: key, span))
            }
            return .list(members)
        default:
            let member = KeyPaths.member(of: value, key: key, source: source)
            try spend(member.listCount, span)
            return member
        }
    }
}
