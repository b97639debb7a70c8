// Sets that know the fields of records that a server has, without the records.

import RecordModel
import RecordStore

extension RecordSet {
    /// The fields of the records of a container, without the records.
    ///
    /// Predicates and orders are bound to it, and what could be typed is told from it.
    ///
    /// - Parameter type: Only records of this type are meant; `nil` for all.
    package init(outlining schema: ContainerSchema, type: String?) {
        let types = schema.recordTypes.filter { $0.key != ContainerSchema.userRecordType }.sorted { $0.key < $1.key }
        self.init(
            outlining: types.map { RecordSchema(recordType: $0.key, fields: $0.value.outlinedFields) }, type: type,
            source: Source(schema: schema))
    }

    /// The fields of a table, without its rows.
    package init(outlining table: RecordTable) {
        self.init(
            outlining: [RecordSchema(recordType: table.name, fields: table.fields)], type: table.name,
            source: Source(hasNames: false, hasTypes: false))
    }

    private init(outlining schemas: [RecordSchema], type: String?, source: Source) {
        self.init(
            Snapshot(version: 0, segments: [], schemas: schemas, isSealed: true), recordType: type, source: source)
        isOutline = true
    }
}

extension ContainerSchema.RecordType {
    /// The fields that predicates may name, in the order of their names, and what the database writes about records.
    fileprivate var outlinedFields: [FieldDefinition] {
        // Encrypted values are no fields that predicates could name.
        let own = fields.filter { !$0.value.traits.contains(.encrypted) }.sorted { $0.key < $1.key }
        let written: [(String, FieldType)] = [
            (MetadataColumn.creationDate, .date), (MetadataColumn.creator, .reference),
            (MetadataColumn.modificationDate, .date), (MetadataColumn.lastModifier, .reference),
            (MetadataColumn.changeTag, .int64), (MetadataColumn.parent, .reference), (MetadataColumn.share, .reference),
        ]
        return own.map { FieldDefinition(name: $0.key, type: $0.value.type) }
            + written.map { FieldDefinition(name: $0.0, type: $0.1) }
    }
}
