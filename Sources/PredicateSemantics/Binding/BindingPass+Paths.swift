// Binds names: fields against the schema, and the steps behind them.

import PredicateSyntax
import RecordModel

extension BindingPass {
    /// A field, or the tokens of the record where the schema has no field `allTokens`.
    mutating func field(_ name: String, _ span: SourceSpan) throws(BindingError) -> Operand {
        let type = schema?.type(of: name)
        if type == nil, name == "allTokens" {
            return Operand(.allTokens(tokenOptions), type: .list(.string), span: span)
        }
        if let schema, type == nil, settings.systemFields[name] == nil {
            guard undeclared != nil else {
                let near = Binder(schema: schema, settings: settings).suggestion(forField: name)
                throw BindingError(
                    kind: .unknownField, span: span,
                    message: schema.recordType.isEmpty
                        ? "no record has a field \(name)" : "\(schema.recordType) has no field \(name)",
                    hint: near.map { "did you mean \($0)?" })
            }
            if slots[name] == nil { undeclared?.append(UndeclaredField(name: name, span: span)) }
        }
        let declaredType: FieldType = type ?? settings.systemFields[name] ?? FieldType.any
        let fieldType: FieldType? = schema == nil ? nil : declaredType
        let reference = FieldReference(slot: slot(name), name: name, type: fieldType)
        return Operand(.field(reference), type: fieldType.map { OperandType($0) } ?? .any, span: span)
    }

    private mutating func slot(_ name: String) -> Int {
        if let slot = slots[name] { return slot }
        slots[name] = fieldNames.count
        fieldNames.append(name)
        return fieldNames.count - 1
    }

    /// A base with steps behind it; `SELF.name` is the field `name`.
    mutating func path(
        _ base: ExpressionNode, _ steps: [PathStep], _ span: SourceSpan
    ) throws(BindingError) -> Operand {
        var (base, steps) = (base, steps)
        if case .placeholder(let placeholder) = base.kind, placeholder.kind == .key {
            // The argument's steps and those behind it are one path.
            let keySpan = place(base.span)
            let argument = try keyPath(placeholder, keySpan)
            base = ExpressionNode(argument.kind, span: keySpan)
            if case .path(let inner, let before) = argument.kind {
                base = ExpressionNode(inner.kind, span: keySpan)
                steps = before.map { PathStep($0.kind, span: keySpan) } + steps
            }
        }
        return try extend(try bind(base), try bind(try resolved(steps), span), span)
    }

    /// The steps with `%K` arguments in their place and without `SELF`, which changes nothing.
    private func resolved(_ steps: [PathStep]) throws(BindingError) -> [PathStep] {
        var result: [PathStep] = []
        for step in steps {
            switch step.kind {
            case .selfObject: continue
            case .placeholder(let placeholder):
                let span = place(step.span)
                let path = try keyPath(placeholder, span)
                switch path.kind {
                case .key(let name): result.append(PathStep(.key(name), span: span))
                case .path(let base, let inner):
                    if case .key(let name) = base.kind { result.append(PathStep(.key(name), span: span)) }
                    result += try resolved(inner).map { PathStep($0.kind, span: span) }
                default: continue
                }
            default: result.append(PathStep(step.kind, span: place(step.span)))
            }
        }
        return result
    }

    /// Bound steps; the keys behind a collection operator are its argument.
    private mutating func bind(_ steps: [PathStep], _ span: SourceSpan) throws(BindingError) -> [BoundStep] {
        var result: [BoundStep] = []
        var index = 0
        while index < steps.count {
            let step = steps[index]
            index += 1
            let kind: BoundStep.Kind
            switch step.kind {
            case .key(let name): kind = .key(name)
            case .index(let expression): kind = .index(try bind(expression))
            case .first: kind = .first
            case .last: kind = .last
            case .size: kind = .size
            case .selfObject, .placeholder: continue
            case .collectionOperator(let operation):
                var argument: [BoundStep] = []
                while operation != .count, index < steps.count, case .key(let name) = steps[index].kind {
                    argument.append(BoundStep(kind: .key(name), span: steps[index].span))
                    index += 1
                }
                kind = .collection(operation, argument: argument)
            }
            result.append(BoundStep(kind: kind, span: step.span))
        }
        return result
    }

    /// An operand with steps behind it.
    mutating func extend(_ base: Operand, _ steps: [BoundStep], _ span: SourceSpan) throws(BindingError) -> Operand {
        guard let first = steps.first else { return base }
        if case .selfObject = base.kind, case .key(let name) = first.kind {
            return try extend(try field(name, first.span), Array(steps.dropFirst()), span)
        }
        var type = base.type
        for step in steps { type = try self.type(after: step, type) }
        var (root, allSteps) = (base, steps)
        if case .path(let inner, let before) = base.kind { (root, allSteps) = (inner, before + steps) }
        let operand = Operand(.path(base: root, steps: allSteps), type: type, span: span)
        // Behind a reference is a record, which is not known yet.
        var isConstant = base.constant.map { !$0.holdsReference || steps.allSatisfy(\.isOfReference) } ?? false
        for case .index(let index) in steps.map(\.kind) { isConstant = isConstant && index.constant != nil }
        return isConstant ? folded(operand, []) : operand
    }

    /// The kind of value behind a step.
    private func type(after step: BoundStep, _ type: OperandType) throws(BindingError) -> OperandType {
        switch step.kind {
        case .key(let key): return try member(key, of: type, step.span)
        case .first, .last, .index: return try element(of: type, step)
        case .size:
            _ = try element(of: type, step)
            return .number
        case .collection(let operation, let argument):
            var collection = type
            for step in argument { collection = try self.type(after: step, collection) }
            guard let element = collection.element else {
                if schema == nil { return .any }
                throw mismatch("@\(operation.rawValue) needs a list, not \(collection.phrase)", step.span, collection)
            }
            switch operation {
            case .count, .sum, .avg: return .number
            case .min, .max: return element.flattened
            case .unionOfObjects, .distinctUnionOfObjects: return .list(element)
            case .unionOfArrays, .distinctUnionOfArrays: return .list(element.element ?? .any)
            case .unionOfSets, .distinctUnionOfSets: return .set(element.element ?? .any)
            }
        }
    }

    private func element(of type: OperandType, _ step: BoundStep) throws(BindingError) -> OperandType {
        if let element = type.element { return element }
        if schema == nil { return .any }
        throw mismatch("\(type.phrase) cannot be indexed", step.span, type)
    }

    private func member(_ key: String, of type: OperandType, _ span: SourceSpan) throws(BindingError) -> OperandType {
        switch (type, key) {
        case (.any, _), (.object, _): return .any
        case (.null, _): return .null
        case (.list(let element), _), (.set(let element), _): return .list(try member(key, of: element, span))
        case (.string, "length"), (.data, "length"), (.location, "latitude"), (.location, "longitude"): return .number
        case (.reference, "recordName"): return .string
        case (.reference, "recordID"): return .reference
        case (.reference, _): return .any
        default:
            if schema == nil { return .null }
            throw mismatch("\(type.phrase) has no key \(key)", span, type)
        }
    }

    private func mismatch(_ message: String, _ span: SourceSpan, _ type: OperandType) -> BindingError {
        BindingError(
            kind: .typeMismatch, span: span, message: message, hint: type == .string ? "write .length" : nil)
    }
}

extension BoundStep {
    /// Whether a reference itself tells what the step leads to.
    fileprivate var isOfReference: Bool {
        switch kind {
        case .key(let name): name == "recordName" || name == "recordID"
        case .index, .first, .last, .size: true
        case .collection(_, let argument): argument.allSatisfy(\.isOfReference)
        }
    }
}
