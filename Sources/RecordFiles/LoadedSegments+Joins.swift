// Fields that name other records by a key become references.

package import RecordColumns
package import RecordModel

/// A field whose values are those of a key of another type's records.
package struct KeyJoin: Hashable, Sendable {
    /// The field that becomes a reference.
    package var field: String
    /// The type of the records that it leads to.
    package var type: String
    /// Their field with the values; the name of a record may be one.
    package var key: String

    package init(field: String, type: String, key: String) {
        (self.field, self.type, self.key) = (field, type, key)
    }
}

/// What fields held before they became references.
package struct JoinedKeys: Hashable, Sendable {
    /// Fields whose values were texts; those of others were whole numbers.
    fileprivate(set) var textFields: Set<String> = []
    /// By field, the keys of records that have other names.
    fileprivate(set) var keys: [String: [Record.ID: String]] = [:]

    package init() {}

    /// What a file said where a reference is now; other values are as they are.
    package func key(_ value: FieldValue, of field: String) -> FieldValue {
        switch value {
        case .reference(let reference):
            let text = keys[field]?[reference.recordID] ?? reference.recordID.recordName
            return textFields.contains(field) ? .string(text) : Int64(text).map { .int64($0) } ?? .string(text)
        case .list(let elements): return .list(elements.map { key($0, of: field) })
        default: return value
        }
    }
}

extension LoadedSegments {
    /// The same records with references in place of the values of fields, so that paths lead to the other records.
    ///
    /// Records of the other type that have no names of their own are named by the key. A value without a record
    /// becomes a reference to nothing.
    /// - Returns: The records, and what the fields held.
    /// - Throws: `FileError` of kind `value` for a type or a field that is missing, and for a key that is no text or
    ///   whole number or not unique.
    /// - Complexity: O(records).
    package func joined(_ joins: [KeyJoin]) throws(FileError) -> (records: LoadedSegments, keys: JoinedKeys) {
        var result = self
        var keys = JoinedKeys()
        keys.textFields = textFields(of: joins)
        for join in joins { result = try result.joined(join, &keys) }
        return (result, keys)
    }

    private func textFields(of joins: [KeyJoin]) -> Set<String> {
        Set(
            joins.map(\.field).filter { field in
                schemas.contains { schema in
                    switch schema.type(of: field) {
                    case .string, .list(.string): true
                    default: false
                    }
                }
            })
    }

    private func joined(_ join: KeyJoin, _ said: inout JoinedKeys) throws(FileError) -> LoadedSegments {
        let option = "\(join.field)=\(join.type).\(join.key)"
        guard segments.contains(where: { $0.recordType == join.type }) else {
            throw FileError(
                kind: .value, message: "no record is of type '\(join.type)', which '\(option)' names",
                hint: "the types are " + schemas.map(\.recordType).joined(separator: ", "))
        }
        guard schemas.contains(where: { $0.position(of: join.field) != nil }) else {
            throw FileError(
                kind: .value, message: "no record has a field '\(join.field)', which '\(option)' names")
        }
        var targets: [String: Record.ID] = [:]
        var changed = segments
        var renamed: Set<Int> = []
        for (index, segment) in segments.enumerated() where segment.recordType == join.type {
            let isName = join.key == keys.id
            guard isName || segment.column(named: join.key) != nil else {
                throw FileError(
                    kind: .value, message: "no '\(join.type)' has a field '\(join.key)', which '\(option)' names",
                    hint: "the fields are " + segment.schema.fields.map(\.name).joined(separator: ", "))
            }
            let texts: [String?] = try (0..<segment.count).map { row throws(FileError) in
                if isName { return segment.names.string(row) }
                return try keyText(segment.value(of: join.key, row: row), join.key)
            }
            let isRenamed = !isName && !namedSegments.contains(index)
            for (row, text) in texts.enumerated() {
                guard let text else { continue }
                let id = isRenamed ? Record.ID(text, zoneID: segment.zoneID) : segment.recordID(row)
                if targets.updateValue(id, forKey: text) != nil {
                    throw FileError(
                        kind: .duplicate, field: join.key,
                        message: "two records of '\(join.type)' have one value, and '\(option)' finds one by it",
                        hint: "the key of a join is unique")
                }
            }
            if isRenamed {
                renamed.insert(index)
                changed[index] = segment.renamed(
                    texts.enumerated().map { row, text in text ?? segment.names.string(row) })
            }
        }
        for (text, id) in targets where id.recordName != text { said.keys[join.field, default: [:]][id] = text }
        let (result, schemas) = try replacing(changed, join, targets)
        return with(segments: result, schemas: schemas, renamed: renamed)
    }

    private func keyText(_ value: FieldValue, _ field: String) throws(FileError) -> String? {
        switch value {
        case .null: return nil
        case .string(let text): return text
        case .int64(let number): return String(number)
        case .reference(let reference): return reference.recordID.recordName
        default:
            throw FileError(
                kind: .value, field: field, message: "the key of a join is a text or a whole number",
                hint: "--reference FIELD=TYPE.KEY names two fields of these kinds")
        }
    }

    private func replacing(
        _ segments: [Segment], _ join: KeyJoin, _ targets: [String: Record.ID]
    ) throws(FileError) -> ([Segment], [RecordSchema]) {
        var schemas = schemas
        var result: [Segment] = []
        // A key that no record has is no record's name either.
        let zones = Set(segments.map(\.zoneID.zoneName))
        var name = "unmatched"
        while zones.contains(name) { name += "_" }
        let zoneID = RecordZone.ID(name)
        for segment in segments {
            guard segment.column(named: join.field) != nil else {
                result.append(segment)
                continue
            }
            let values = try (0..<segment.count).map { row throws(FileError) in
                try reference(segment.value(of: join.field, row: row), join.field, targets, zoneID)
            }
            let replaced: Segment
            do throws(ColumnError) { replaced = try segment.replacing(join.field, with: values) } catch {
                throw FileError(error)
            }
            // The type's schema has the fields of all of its zones.
            if let known = schemas.firstIndex(where: { $0.recordType == segment.recordType }),
                let type = replaced.schema.type(of: join.field)
            {
                // Where there are no values, those of another zone tell.
                let before = schemas[known].type(of: join.field)
                let isKnown = before == .reference || before == .list(.reference)
                if type != .any || !isKnown { schemas[known].define(FieldDefinition(name: join.field, type: type)) }
            }
            result.append(replaced)
        }
        return (result, schemas)
    }

    private func reference(
        _ value: FieldValue, _ field: String, _ targets: [String: Record.ID], _ zoneID: RecordZone.ID
    ) throws(FileError) -> FieldValue {
        if case .list(let elements) = value {
            var references: [FieldValue] = []
            for element in elements { references.append(try reference(element, field, targets, zoneID)) }
            return .list(references)
        }
        guard let text = try keyText(value, field) else { return .null }
        return .reference(RecordReference(recordID: targets[text] ?? Record.ID(text, zoneID: zoneID)))
    }
}
