// Further rows of a result, single records, values of a field.

import HTTPServing
import PredicateEditing
import PredicateSyntax
import QueryExecution
import RecordDatabase

extension Explorer {
    /// Help with typing a query.
    func assistant(for query: PageQuery, _ state: ExploredState) -> PredicateAssistant {
        var assistant = PredicateAssistant(records: state.records(for: query))
        assistant.variables = query.variables
        return assistant
    }

    /// What finds slips in a query.
    func linter(for query: PageQuery, _ records: RecordSet) -> Linter {
        Linter(records: records, dialect: .full, variables: query.variables)
    }

    // MARK: Rows

    func sendRows(_ json: JSONValue, _ reply: HTTPReply) throws(RequestError) {
        guard let id = try json.text("result"), let from = try json.number("from", in: 0...Int(Int32.max)) else {
            throw RequestError(message: "'result' and 'from' are needed")
        }
        let count = try json.number("count", in: 1...500) ?? 100
        let fields = try json.texts("fields")
        guard let (found, state) = result(id) else { return reply.reject(410, "the result is gone: run it again") }
        var result = found
        let records = state.records(for: result.query)
        if !result.query.sort.isEmpty, from + count > result.ordinals.count, result.ordinals.count < result.rows.count {
            do throws(RecordPredicateError) {
                let all = try records.select(
                    result.query.predicate(), variables: result.query.variables, sortedBy: result.query.sort)
                result.ordinals = all.ordinals.map { UInt32(truncatingIfNeeded: $0) }
                complete(id, result.ordinals)
            } catch {
                return reply.reject(410, error.message)
            }
        }
        let start = min(from, result.ordinals.count)
        let rows = result.ordinals[start..<min(start + count, result.ordinals.count)]
        var writer = RowsWriter(records, fields)
        writer.begin("{\"version\":\(state.version),\"from\":\(start),\"rows\":[")
        writer.write(rows.map { Int($0) })
        reply.send(json: writer.finished("]}"))
    }

    // MARK: Values

    /// The most frequent values of a field, without the conditions on it, so that the alternatives stay visible.
    ///
    /// - Parameter rows: What the query as it is has found.
    func counts(
        of field: String, _ query: PageQuery, _ state: ExploredState, among rows: MatchingRows, limit: Int
    ) throws(RecordPredicateError) -> [(String, JSONValue)] {
        let records = state.records(for: query)
        var counted = rows
        if let wider = query.without(conditionsOn: field) {
            counted = try records.matchingRows(of: wider.predicate(), variables: wider.variables)
        }
        let facets = try records.facets(field, at: counted, limit: limit)
        let type = records.fields.type(of: field)
        let path = LanguageTexts.path(field, type)
        let editing = try? ClauseEditing(query.text)
        let values = facets.values.map { value -> JSONValue in
            let expression = LanguageTexts.expression(value.value)
            let isChosen =
                expression.map { editing?.contains(path, $0, isList: type?.isList ?? false) ?? false } ?? false
            return .array([
                value.value.json, .count(value.count), expression.map { .string($0) } ?? .null, .bool(isChosen),
            ])
        }
        return [
            ("field", .string(field)), ("values", .array(values)), ("distinct", .count(facets.distinctCount)),
            ("missing", .count(facets.missingCount)),
        ]
    }

    func sendValues(_ json: JSONValue, _ reply: HTTPReply) throws(RequestError) {
        let query = try PageQuery(json)
        guard let field = try json.text("field") else { throw RequestError(message: "'field' is needed") }
        let limit = try json.number("limit", in: 1...1000) ?? 100
        let state = current
        do throws(RecordPredicateError) {
            let rows = try state.records(for: query).matchingRows(
                of: query.predicate(), variables: query.variables)
            let counts = try counts(of: field, query, state, among: rows, limit: limit)
            reply.send(.object(counts.map { JSONValue.Member(key: $0.0, value: $0.1) }))
        } catch {
            reply.reject(422, error.message)
        }
    }

    // MARK: Records

    func sendRecord(_ json: JSONValue, _ reply: HTTPReply) throws(RequestError) {
        let state = current
        var record: Record?
        let version = try json.number("version", in: 0...Int(Int32.max))
        if let ordinal = try json.number("ordinal", in: 0...Int(Int32.max)), version == state.version {
            record = state.records.record(at: ordinal)
        } else if let id = try json.text("id") {
            record = state.records.record(named: id)
        }
        guard let record else { return reply.reject(404, "the record is not there any more") }
        reply.send(json: self.json(of: record, in: state))
    }

    private func json(of record: Record, in state: ExploredState) -> [UInt8] {
        var writer = JSONWriter()
        func write(_ text: String) { writer.bytes += Array(text.utf8) }
        write("{\"id\":")
        writer.write(record.id.recordName)
        write(",\"type\":")
        writer.write(record.type)
        write(",\"zone\":")
        writer.write(record.id.zoneID.zoneName)
        write(",\"fields\":[")
        for (index, field) in record.fields.sorted(by: { $0.key < $1.key }).enumerated() {
            write(index > 0 ? ",[" : "[")
            writer.write(field.key)
            write(",")
            writer.write(field.value)
            write("]")
        }
        write("],\"references\":")
        writer.write(.array(references(from: record, in: state.records)))
        write(",\"referrers\":")
        writer.write(.array(referrers(to: record, in: state.records)))
        write("}")
        return writer.bytes
    }

    private func references(from record: Record, in records: RecordSet) -> [JSONValue] {
        record.fields.sorted { $0.key < $1.key }.flatMap { field in
            field.value.references.map { reference in
                let target = records.record(named: reference.recordID.recordName)
                return JSONValue.of([
                    "path": .string(field.key), "id": .string(reference.recordID.recordName),
                    "type": target.map { .string($0.type) } ?? .null, "found": .bool(target != nil),
                ])
            }
        }
    }

    /// Which records refer to one: by their types and fields, with a condition that lists them.
    private func referrers(to record: Record, in records: RecordSet) -> [JSONValue] {
        var found: [JSONValue] = []
        for schema in records.schemas {
            for field in schema.fields {
                let isList = field.type == .list(.reference)
                guard field.type == .reference || isList else { continue }
                let text =
                    (isList ? "ANY " : "") + LanguageTexts.path(field.name, field.type) + " == "
                    + CanonicalText.string(record.id.recordName)
                guard let predicate = try? RecordPredicate(text, [], dialect: .full),
                    let count = try? records.ofType(schema.recordType).count(matching: predicate), count > 0
                else { continue }
                found.append(
                    .of([
                        "type": .string(schema.recordType), "field": .string(field.name), "count": .count(count),
                        "text": .string(text),
                    ]))
            }
        }
        return found
    }
}

extension FieldValue {
    /// The value in the forms of files of records.
    fileprivate var json: JSONValue {
        var writer = JSONWriter()
        writer.write(self)
        return (try? JSONReader.tree(writer.bytes)) ?? .null
    }

    /// The references in the value.
    fileprivate var references: [RecordReference] {
        switch self {
        case .reference(let reference): [reference]
        case .list(let elements), .set(let elements): elements.flatMap(\.references)
        case .object(let members): members.sorted { $0.key < $1.key }.flatMap(\.value.references)
        default: []
        }
    }
}
