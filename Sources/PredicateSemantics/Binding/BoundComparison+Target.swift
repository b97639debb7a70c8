// What a comparison that goes through a reference asks of the record behind it.

package import PredicateSyntax
package import RecordModel

extension BoundComparison {
    /// Tells comparisons of one bound predicate apart, as long as it lives.
    package var identity: ObjectIdentifier { ObjectIdentifier(parts) }

    /// The one field that the comparison reads, each time for the sake of a key of the record that it leads to; `nil`
    /// when it reads anything else.
    package var leadingField: FieldReference? {
        var field: FieldReference?
        return lhs.leads(through: &field) && rhs.leads(through: &field) ? field : nil
    }

    /// Whether the left side is nothing but keys behind a field, and the right side is known.
    package var isPathWithConstant: Bool {
        guard case .path(_, let steps) = lhs.kind, rhs.constant != nil else { return false }
        return steps.allSatisfy { if case .key = $0.kind { true } else { false } }
    }

    /// The same question with another quantifier.
    package func quantified(by quantifier: Quantifier?) -> BoundComparison { with(quantifier, lhs, rhs) }

    private func with(_ quantifier: Quantifier?, _ lhs: Operand, _ rhs: Operand) -> BoundComparison {
        BoundComparison(
            parts: Parts(
                quantifier: quantifier, lhs: lhs, comparisonOperator: comparisonOperator, text: text, rhs: rhs,
                span: span, operatorSpan: operatorSpan, test: parts.test, shortcut: nil))
    }

    /// The comparison as it is asked of the records behind the leading field.
    ///
    /// - Parameters:
    ///   - schema: The fields of those records. A name that is none of them is nil.
    ///   - systemFields: Names beyond the schema's that those records answer to.
    /// - Returns: The comparison with the names of its fields by slot; `nil` when it does not fit the schema.
    package func behindReference(
        _ schema: RecordSchema, systemFields: [String: FieldType]
    ) -> (comparison: BoundComparison, names: [String])? {
        guard let leadingField else { return nil }
        var settings = Binder.Settings()
        settings.systemFields = systemFields
        var step = ReferenceStep(
            slot: leadingField.slot,
            pass: BindingPass(arguments: [], variables: [:], schema: schema, settings: settings))
        guard let lhs = try? step.operand(lhs), let rhs = try? step.operand(rhs) else { return nil }
        return (with(quantifier, lhs, rhs), step.pass.fieldNames)
    }
}

extension Operand {
    /// Whether everything read is behind one field, which is set to the first one met.
    fileprivate func leads(through field: inout FieldReference?) -> Bool {
        switch kind {
        case .constant: return true
        case .path(let base, let steps):
            // The identifier is the reference's own, whether or not there is such a record.
            guard case .field(let found) = base.kind, case .key(let key) = steps.first?.kind,
                key != "recordID", key != "recordName", steps.allSatisfy(\.isPlain)
            else { return false }
            if let field { return field.slot == found.slot }
            field = found
            return true
        case .list(let operands), .function(_, let operands):
            for operand in operands where !operand.leads(through: &field) { return false }
            return true
        case .unary(_, let operand): return operand.leads(through: &field)
        case .binary(_, let lhs, let rhs): return lhs.leads(through: &field) && rhs.leads(through: &field)
        case .cast(let operand, let type): return operand.leads(through: &field) && type.leads(through: &field)
        case .field, .selfObject, .allTokens, .element, .variable, .subquery, .ternary: return false
        }
    }
}

extension BoundStep {
    /// Whether the step reads nothing of its own.
    fileprivate var isPlain: Bool { if case .index(let index) = kind { index.constant != nil } else { true } }
}

/// One step through a reference, for all operands of a comparison.
private struct ReferenceStep {
    let slot: Int
    var pass: BindingPass

    mutating func operand(_ operand: Operand) throws(BindingError) -> Operand {
        let kind: Operand.Kind
        switch operand.kind {
        case .path(let base, let steps):
            guard case .field(let field) = base.kind, field.slot == slot, let first = steps.first,
                case .key(let key) = first.kind
            else { return operand }
            return try pass.extend(try self.field(key, first.span), Array(steps.dropFirst()), operand.span)
        case .list(let operands): kind = .list(try self.operands(operands))
        case .function(let name, let operands): kind = .function(name, try self.operands(operands))
        case .unary(let operation, let base): kind = .unary(operation, try self.operand(base))
        case .binary(let operation, let lhs, let rhs):
            kind = .binary(operation, try self.operand(lhs), try self.operand(rhs))
        case .cast(let base, let type): kind = .cast(try self.operand(base), type: try self.operand(type))
        default: return operand
        }
        return Operand(kind, type: operand.type, span: operand.span)
    }

    private mutating func operands(_ operands: [Operand]) throws(BindingError) -> [Operand] {
        var result: [Operand] = []
        for operand in operands { result.append(try self.operand(operand)) }
        return result
    }

    /// A name that is no field's and none of the record's own is nil.
    private mutating func field(_ name: String, _ span: SourceSpan) throws(BindingError) -> Operand {
        guard pass.schema?.type(of: name) != nil || pass.settings.systemFields[name] != nil else {
            return Operand(constant: .null, span: span)
        }
        return try pass.field(name, span)
    }
}
