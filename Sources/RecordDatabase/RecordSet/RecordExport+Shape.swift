// What a text has of all its records together.

import RecordColumns
package import RecordModel
import RecordStore

extension RecordExport {
    /// What a text has of all its records together: which columns there are, and whether any record has a zone.
    package struct Shape: Sendable {
        /// The fields of each type, in order of first appearance.
        private var schemas: [RecordSchema] = []
        private(set) var hasZones = false
        /// Whether a record may have a parent.
        var hasParents = false

        /// The shape of a text without records.
        init() {}

        /// The shape of the records of a set.
        init(of set: RecordSet) {
            take(zonesOf: set)
            schemas = set.schemas
        }

        /// Takes in more records.
        mutating func take(_ set: RecordSet) {
            take(zonesOf: set)
            for schema in set.schemas { take(schema) }
        }

        /// Takes in fields that records of a type may have.
        mutating func take(_ schema: RecordSchema) {
            guard let index = schemas.firstIndex(where: { $0.recordType == schema.recordType }) else {
                schemas.append(schema)
                return
            }
            for field in schema.fields {
                let known = schemas[index].type(of: field.name)
                let type = known?.joined(with: field.type) ?? field.type
                if type != known { schemas[index].define(FieldDefinition(name: field.name, type: type)) }
            }
        }

        private mutating func take(zonesOf set: RecordSet) {
            for stored in set.segments {
                if !stored.segment.zoneID.isDefault { hasZones = true }
                if stored.segment.column(named: MetadataColumn.parent)?.isReference == true { hasParents = true }
            }
        }

        /// The columns of the text.
        func columns(of set: RecordSet) -> [Column] {
            let isStored = set.source.schema != nil
            var columns: [String: Column] = [:]
            for schema in schemas {
                for field in schema.fields where !isStored || !MetadataColumn.all.contains(field.name) {
                    var column = Column(name: field.name, type: field.type)
                    let declared = set.source.schema?.recordTypes[schema.recordType]?.fields[field.name]?.type
                    if field.type == .list(nil), case .list(let element?)? = declared {
                        column = Column(name: field.name, type: .list(element), emptyElement: element)
                    }
                    if let known = columns[field.name], known.type != column.type {
                        column = Column(
                            name: field.name, type: .any, emptyElement: column.emptyElement ?? known.emptyElement)
                    }
                    columns[field.name] = column
                }
            }
            // In the order of names the text says nothing about the history of a store.
            return isStored ? columns.values.sorted { $0.name < $1.name } : set.fieldNames.compactMap { columns[$0] }
        }
    }
}

extension RecordColumns.Column {
    /// Whether the values are references.
    fileprivate var isReference: Bool { if case .reference = values { true } else { false } }
}

extension FieldType {
    /// The type of the values of two types: what is known of lists without elements comes from others.
    package func joined(with other: FieldType) -> FieldType {
        switch (self, other) {
        case (.list(nil), .list): other
        case (.list, .list(nil)): self
        default: self == other ? self : .any
        }
    }
}
