// Rows as others name them whose zones they are not.

package import RecordModel

extension RecordZone.ID {
    /// A zone of a user as others call it.
    package func named(inZonesOf owner: String) -> RecordZone.ID {
        ownerName == Self.currentUserName ? RecordZone.ID(zoneName, ownerName: owner) : self
    }
}

extension Segment {
    /// The same rows as users other than their owner name them: their zone, and those that they refer to.
    ///
    /// - Parameter kept: Fields whose references stay as they are.
    /// - Complexity: O(distinct references), and O(values) for lists and objects with references.
    package func named(inZonesOf owner: String, keeping kept: Set<String>) -> Segment {
        let named = zip(schema.fields, columns).map { field, column in
            kept.contains(field.name) ? column : column.named(inZonesOf: owner)
        }
        return Segment(
            schema: schema, zoneID: zoneID.named(inZonesOf: owner), columns: named, names: names, home: self)
    }
}

extension Column {
    fileprivate func named(inZonesOf owner: String) -> Column {
        switch values {
        case .reference(let references):
            Column(values: .reference(references.named(inZonesOf: owner)), presence: presence, count: count)
        case .list(let lists):
            switch lists.elements.values {
            case .reference, .list, .any:
                Column(
                    values: .list(
                        ListColumn(offsets: lists.offsets, elements: lists.elements.named(inZonesOf: owner))),
                    presence: presence, count: count)
            default: self
            }
        case .any(let values):
            Column(values: .any(values.map { $0.named(inZonesOf: owner) }), presence: presence, count: count)
        default: self
        }
    }
}

extension ReferenceColumn {
    fileprivate func named(inZonesOf owner: String) -> ReferenceColumn {
        let own = zones ?? Array(repeating: .default, count: names.count)
        return ReferenceColumn(
            codes: codes, names: names, zones: own.map { $0.named(inZonesOf: owner) }, deletesSelf: deletesSelf)
    }
}

extension FieldValue {
    /// The value with its references as users other than the owner of the record name them.
    package func named(inZonesOf owner: String) -> FieldValue {
        switch self {
        case .reference(let reference):
            .reference(
                RecordReference(
                    recordID: Record.ID(
                        reference.recordID.recordName, zoneID: reference.recordID.zoneID.named(inZonesOf: owner)),
                    action: reference.action))
        case .list(let elements): .list(elements.map { $0.named(inZonesOf: owner) })
        case .object(let members): .object(members.mapValues { $0.named(inZonesOf: owner) })
        default: self
        }
    }
}
