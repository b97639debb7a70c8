// What a comparison that goes through a reference requires of the record behind it.

package import PredicateSyntax
package import RecordModel

extension BoundComparison {
    /// Tells comparisons of one bound predicate apart, as long as it lives.
    package var identity: ObjectIdentifier { ObjectIdentifier(parts) }

    /// The one field that the comparison reads, each time for the sake of a key of the record that it leads to; `nil`
    /// when it reads anything else.
    package var leadingField: FieldReference? {
        var field: FieldReference?
        return lhs.reads(only: &field, \.leadingField) && rhs.reads(only: &field, \.leadingField) ? field : nil
    }

    /// Whether the left side is nothing but keys behind a field, and the right side is known.
    package var isPathWithConstant: Bool {
        guard case .path(_, let steps) = lhs.kind, rhs.constant != nil else { return false }
        return steps.allSatisfy { if case .key = $0.kind { true } else { false } }
    }

    /// The same comparison with another quantifier.
    package func quantified(by quantifier: Quantifier?) -> BoundComparison { with(quantifier, lhs, rhs) }

    private func with(_ quantifier: Quantifier?, _ lhs: Operand, _ rhs: Operand) -> BoundComparison {
        var form = form
        (form.quantifier, form.lhs, form.rhs) = (quantifier, lhs, rhs)
        return BoundComparison(parts: Parts(form, test: parts.test))
    }

    /// The comparison in terms of the records behind the leading field.
    ///
    /// - Parameters:
    ///   - schema: The fields of those records. A name that is none of them is nil.
    ///   - systemFields: Names beyond the schema's that those records have values for.
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
    /// The field of a path that leads to another record.
    fileprivate var leadingField: FieldReference? {
        // The identifier is the reference's own, whether or not there is such a record.
        guard case .path(let base, let steps) = kind, case .field(let field) = base.kind,
            case .key(let key) = steps.first?.kind, key != "recordID", key != "recordName",
            steps.allSatisfy(\.isPlain)
        else { return nil }
        return field
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
        case .moved(let operation, let base, let length): kind = .moved(operation, try self.operand(base), length)
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
