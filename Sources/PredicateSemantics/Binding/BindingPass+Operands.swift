// Binds expressions: literals, arguments, variables, operators, functions.

import FoundationEssentials
import Geospatial
import PredicateSyntax
import RecordModel
import TextAnalysis

extension BindingPass {
    mutating func bind(_ expression: ExpressionNode) throws(BindingError) -> Operand {
        try enter(expression.span)
        defer { depth -= 1 }
        let span = place(expression.span)
        switch expression.kind {
        case .literal(.duration(let length)):
            throw BindingError(
                kind: .invalidArgument, span: span,
                message: "a length of time is only added to a date or taken from one, as in now() - \(length.text)",
                hint: "a number of seconds is \(length.secondsText)")
        case .literal(let literal): return Operand(constant: FieldValue(literal), span: span)
        case .key(let name): return try field(name, span)
        case .selfObject: return Operand(.selfObject, type: .any, span: span)
        case .variable(let name): return variable(name, span)
        case .placeholder(let placeholder): return try argument(placeholder, span)
        case .path(let base, let steps): return try path(base, steps, span)
        case .aggregate(let elements): return try aggregate(elements, span)
        case .unary(let operation, let base):
            return try apply(operation, try bind(base), span)
        case .binary(let operation, let lhs, let rhs): return try binary(operation, lhs, rhs, span)
        case .function(let name, let arguments): return try call(name, arguments, span)
        case .subquery(let collection, let variable, let predicate):
            return try subquery(collection, variable, predicate, span)
        case .ternary(let condition, let then, let otherwise):
            let (condition, first, second) = (try bind(condition), try bind(then), try bind(otherwise))
            if case .constant(let value) = condition { return value ? first : second }
            let type = first.type == second.type ? first.type : .any
            return Operand(.ternary(condition, then: first, otherwise: second), type: type, span: span)
        case .cast(let value, let type): return try cast(try bind(value), try bind(type), span)
        }
    }

    /// A date moved by a length of time.
    func moved(
        _ operation: BinaryOperator, _ base: Operand, _ length: TimeSpan, _ span: SourceSpan
    ) throws(BindingError) -> Operand {
        let base = try dated(base)
        try require(.date, base, length.text)
        return folded(Operand(.moved(operation, base, length), type: .date, span: span), [base])
    }

    /// An operand that is to be a date: a constant text is the date that it spells.
    private func dated(_ operand: Operand) throws(BindingError) -> Operand {
        guard case .string(let text) = operand.constant else { return operand }
        guard let date = operand.readingDates else {
            throw BindingError(
                kind: .invalidArgument, span: operand.span, message: "'\(text)' is no date", hint: DateReading.forms)
        }
        return date
    }

    // MARK: - Values from outside

    private mutating func variable(_ name: String, _ span: SourceSpan) -> Operand {
        if let depth = scopes.lastIndex(where: { $0.name == name }) {
            return Operand(.element(depth: depth, name: name), type: scopes[depth].type, span: span)
        }
        if let value = variables[name] { return Operand(constant: value, span: span) }
        if seenVariables.insert(name).inserted { openVariables.append(name) }
        usesContext = true
        return Operand(.variable(name), type: .any, span: span)
    }

    private mutating func argument(_ placeholder: Placeholder, _ span: SourceSpan) throws(BindingError) -> Operand {
        if placeholder.kind == .key {
            let path = try keyPath(placeholder, span)
            let outer = placeholderSpan
            placeholderSpan = span
            defer { placeholderSpan = outer }
            return try bind(path)
        }
        if settings.leavesArgumentsOpen, !arguments.indices.contains(placeholder.index) {
            return variable("%\(placeholder.index + 1)", span)
        }
        let value = try argumentValue(placeholder, span)
        switch placeholder.kind {
        case .value, .key: return Operand(constant: value, span: span)
        case .integer:
            guard let integer = value.number?.asInteger else { throw argumentType("a whole number", value, span) }
            return Operand(constant: .int64(integer), span: span)
        case .double:
            guard let double = value.number?.asDouble else { throw argumentType("a number", value, span) }
            return Operand(constant: .double(double), span: span)
        }
    }

    private func argumentValue(_ placeholder: Placeholder, _ span: SourceSpan) throws(BindingError) -> FieldValue {
        guard arguments.indices.contains(placeholder.index) else {
            throw BindingError(
                kind: .argumentCount, span: span,
                message: "the placeholder has no argument; \(arguments.count) were given")
        }
        return arguments[placeholder.index]
    }

    private func argumentType(_ expected: String, _ value: FieldValue, _ span: SourceSpan) -> BindingError {
        BindingError(
            kind: .argumentType, span: span, message: "the placeholder takes \(expected), not \(value.phrase)",
            hint: "%@ takes any value")
    }

    /// The key path that a `%K` argument spells.
    func keyPath(_ placeholder: Placeholder, _ span: SourceSpan) throws(BindingError) -> ExpressionNode {
        let value = try argumentValue(placeholder, span)
        guard case .string(let text) = value else {
            throw BindingError(
                kind: .argumentType, span: span, message: "%K takes a key path as text, not \(value.phrase)",
                hint: "%@ takes any value")
        }
        do {
            return try SyntaxTree.parseKeyPath(text)
        } catch {
            throw BindingError(
                kind: .invalidKeyPath, span: span, message: "the argument is no key path: \(error.message)",
                hint: error.hint)
        }
    }

    // MARK: - Compound values

    private mutating func aggregate(_ elements: [ExpressionNode], _ span: SourceSpan) throws(BindingError) -> Operand {
        var operands: [Operand] = []
        operands.reserveCapacity(elements.count)
        for element in elements { operands.append(try bind(element)) }
        return list(operands, span)
    }

    /// A list, a constant one where all its members are.
    func list(_ operands: [Operand], _ span: SourceSpan) -> Operand {
        var constants: [FieldValue] = []
        constants.reserveCapacity(operands.count)
        for operand in operands { if let value = operand.constant { constants.append(value) } }
        if constants.count == operands.count { return Operand(constant: .list(constants), span: span) }
        let first = operands[0].type
        let element = operands.allSatisfy { $0.type == first } ? first : OperandType.any
        return Operand(.list(operands), type: .list(element), span: span)
    }

    func apply(
        _ operation: UnaryOperator, _ operand: Operand, _ span: SourceSpan
    ) throws(BindingError) -> Operand {
        try require(.number, operand, operation.rawValue)
        return folded(Operand(.unary(operation, operand), type: .number, span: span), [operand])
    }

    private mutating func binary(
        _ operation: BinaryOperator, _ lhs: ExpressionNode, _ rhs: ExpressionNode, _ span: SourceSpan
    ) throws(BindingError) -> Operand {
        switch (operation, lhs.kind, rhs.kind) {
        case (.add, _, .literal(.duration(let length))), (.subtract, _, .literal(.duration(let length))):
            return try moved(operation, try bind(lhs), length, span)
        case (.add, .literal(.duration(let length)), _): return try moved(.add, try bind(rhs), length, span)
        default: return try combine(operation, try bind(lhs), try bind(rhs), span)
        }
    }

    func combine(
        _ operation: BinaryOperator, _ lhs: Operand, _ rhs: Operand, _ span: SourceSpan
    ) throws(BindingError) -> Operand {
        var type = OperandType.number
        switch operation {
        case .union, .intersect, .minus:
            try requireCollection(lhs, operation.rawValue)
            try requireCollection(rhs, operation.rawValue)
            type = .set(lhs.type.element == rhs.type.element ? lhs.type.element ?? .any : .any)
        default:
            try require(.number, lhs, operation.rawValue)
            try require(.number, rhs, operation.rawValue)
        }
        return folded(Operand(.binary(operation, lhs, rhs), type: type, span: span), [lhs, rhs])
    }

    private mutating func subquery(
        _ collection: ExpressionNode, _ variable: String, _ predicate: PredicateNode, _ span: SourceSpan
    ) throws(BindingError) -> Operand {
        let operand = try bind(collection)
        try requireCollection(operand, "SUBQUERY")
        let element = operand.type.element ?? .any
        scopes.append((variable, element))
        defer { scopes.removeLast() }
        let bound = try bind(predicate)
        return Operand(
            .subquery(collection: operand, variable: variable, predicate: bound), type: .list(element), span: span)
    }

    func cast(_ value: Operand, _ type: Operand, _ span: SourceSpan) throws(BindingError) -> Operand {
        var result = value.type == .null ? OperandType.null : .any
        if let name = type.constant, !name.isNull {
            guard case .string(let text) = name, let target = Casting.Target(rawValue: text) else {
                throw BindingError(
                    kind: .invalidArgument, span: type.span, message: "CAST knows no such type",
                    hint: "CAST converts to \(Casting.targets)")
            }
            result =
                switch target {
                case .string: .string
                case .number, .decimalNumber: .number
                case .date: .date
                }
        }
        return folded(Operand(.cast(value, type: type), type: result, span: span), [value, type])
    }

    // MARK: - Functions

    private mutating func call(
        _ name: FunctionName, _ expressions: [ExpressionNode], _ span: SourceSpan
    ) throws(BindingError) -> Operand {
        guard name.argumentCounts.contains(expressions.count) else {
            throw BindingError(
                kind: .invalidArgument, span: span,
                message: "\(name.rawValue) does not take \(expressions.count) arguments")
        }
        var operands: [Operand] = []
        for expression in expressions { operands.append(try bind(expression)) }
        switch name {
        case .addTo: return try combine(.add, operands[0], operands[1], span)
        case .fromSubtract: return try combine(.subtract, operands[0], operands[1], span)
        case .multiplyBy: return try combine(.multiply, operands[0], operands[1], span)
        case .divideBy: return try combine(.divide, operands[0], operands[1], span)
        case .raiseToPower: return try combine(.power, operands[0], operands[1], span)
        case .bitwiseAnd: return try combine(.bitAnd, operands[0], operands[1], span)
        case .bitwiseOr: return try combine(.bitOr, operands[0], operands[1], span)
        case .bitwiseXor: return try combine(.bitXor, operands[0], operands[1], span)
        case .leftshift: return try combine(.shiftLeft, operands[0], operands[1], span)
        case .rightshift: return try combine(.shiftRight, operands[0], operands[1], span)
        case .onesComplement:
            try require(.number, operands[0], name.rawValue)
            return folded(Operand(.unary(.onesComplement, operands[0]), type: .number, span: span), operands)
        case .castObject: return try cast(operands[0], operands[1], span)
        case .objectFrom, .indexedBy:
            return try extend(operands[0], [BoundStep(kind: .index(operands[1]), span: span)], span)
        case .distance:
            let place = try call(.location, on: Array(operands[1...]), operands[1].span.union(operands[2].span))
            return try call(.distanceToLocation, on: [operands[0], place], span)
        case .noindex: return operands[0]
        case .now where settings.now != nil:
            return Operand(constant: settings.now.map { .date($0) } ?? .null, span: span)
        default: break
        }
        if !name.isPure { usesContext = true }
        return try call(name, on: operands, span)
    }

    /// A call that no operator stands for.
    func call(_ name: FunctionName, on operands: [Operand], _ span: SourceSpan) throws(BindingError) -> Operand {
        var operands = operands
        switch name {
        case .year, .month, .day, .date: operands[0] = try dated(operands[0])
        default: break
        }
        try check(name, operands)
        return folded(Operand(.function(name, operands), type: Self.result(name, operands), span: span), operands)
    }

    /// The kind of a function's result.
    private static func result(_ name: FunctionName, _ operands: [Operand]) -> OperandType {
        switch name {
        case .now, .date: .date
        case .location: .location
        case .uppercase, .lowercase: .string
        case .tokenize: .list(.string)
        case .mode, .distinct: .list(.any)
        case .min, .max: .any
        default: .number
        }
    }

    /// Arguments that a function can never take: constants without a meaning always, kinds under a schema.
    private func check(_ name: FunctionName, _ operands: [Operand]) throws(BindingError) {
        switch name {
        case .sqrt, .exp, .ln, .log, .floor, .ceiling, .abs, .trunc, .modulusBy, .randomn:
            for operand in operands { try require(.number, operand, name.rawValue) }
        case .uppercase, .lowercase, .length: try require(.string, operands[0], name.rawValue)
        case .year, .month, .day: try require(.date, operands[0], name.rawValue)
        case .location:
            for operand in operands { try require(.number, operand, name.rawValue) }
            let degrees = operands.compactMap { $0.constant?.number?.asDouble }
            guard degrees.count == 2, !Location(latitude: degrees[0], longitude: degrees[1]).isValid else { return }
            throw Self.outside(operands[0].span.union(operands[1].span))
        case .distanceToLocation:
            for operand in operands { try requirePlace(operand, name) }
        case .inBox, .inPolygon:
            try requirePlace(operands[0], name)
            if name == .inBox { for side in operands.dropFirst() { try require(.number, side, name.rawValue) } }
            let area = operands.dropFirst().compactMap(\.constant)
            guard area.count == operands.count - 1, !area.contains(where: \.isNull) else { return }
            do {
                _ = try Areas.area(name, [.null] + area)
            } catch {
                throw BindingError(
                    kind: error.kind == .typeMismatch ? .typeMismatch : .invalidArgument,
                    span: operands[error.operand ?? 1].span, message: error.message, hint: error.hint)
            }
        case .tokenize:
            guard let letters = operands[1].constant, !letters.isNull else { return }
            do {
                _ = try Functions.options(letters)
            } catch {
                throw BindingError(
                    kind: .invalidArgument, span: operands[1].span, message: error.message, hint: error.hint)
            }
        default: return
        }
    }

    /// Rejects an operand that can never be a place on the globe.
    private func requirePlace(_ operand: Operand, _ name: FunctionName) throws(BindingError) {
        try require(.location, operand, name.rawValue)
        guard case .location(let location) = operand.constant, !location.isValid else { return }
        throw Self.outside(operand.span)
    }

    private static func outside(_ span: SourceSpan) -> BindingError {
        BindingError(
            kind: .invalidArgument, span: span, message: "the location is outside the globe",
            hint: "latitude is −90 … 90 degrees, longitude −180 … 180")
    }

    // MARK: - Kinds and folding

    /// Rejects an operand that can never be of the kind, under a schema.
    func require(_ type: OperandType, _ operand: Operand, _ name: String) throws(BindingError) {
        guard schema != nil, !operand.type.fits(type) else { return }
        throw BindingError(
            kind: .typeMismatch, span: operand.span,
            message: "\(name) needs \(type.phrase), not \(operand.type.phrase)",
            hint: Self.conversionHint(from: operand, to: type))
    }

    /// How what was written becomes what is needed.
    private static func conversionHint(from operand: Operand, to type: OperandType) -> String? {
        switch type {
        case .number where operand.type == .date:
            "a date is moved by a length of time, as in now() - 7d (s m h d w); CAST(date, 'NSNumber') is its seconds "
                + "since 2001"
        case .date where operand.type == .string: "date(text) reads a text as a date"
        case .location where operand.constant != nil:
            "write location(47.45, 8.56); or write %@, and give the place as its argument"
        default: nil
        }
    }

    /// Rejects an operand that can never be a collection, under a schema.
    func requireCollection(_ operand: Operand, _ name: String) throws(BindingError) {
        guard schema != nil, operand.type.element == nil else { return }
        throw BindingError(
            kind: .typeMismatch, span: operand.span, message: "\(name) needs a list, not \(operand.type.phrase)",
            hint: operand.type == .string ? "the length of text is .length" : nil)
    }

    /// The operand as a constant when its parts are constants, and it has a value.
    func folded(_ operand: Operand, _ parts: [Operand]) -> Operand {
        guard parts.allSatisfy({ $0.constant != nil }) else { return operand }
        if case .function(let name, _) = operand.kind, !name.isPure { return operand }
        var evaluator = Evaluator(source: PlainValue.none, context: .unused)
        guard let value = try? evaluator.value(operand) else { return operand }
        return Operand(constant: value, span: operand.span)
    }
}

extension FieldValue {
    /// The value of a literal; a length of time in seconds.
    init(_ literal: Literal) {
        switch literal {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .int64(value)
        case .double(let value): self = .double(value)
        case .string(let value): self = .string(value)
        case .duration(let length): self = .double(length.seconds)
        }
    }
}
