// Edits of a predicate: what clicks, brushes and circles mean.

import Geospatial
import PredicateSyntax
import RecordDatabase

extension Explorer {
    /// The text after some edits, which leave the rest of it as it was typed.
    func edited(_ json: JSONValue) throws(RequestError) -> JSONValue {
        let query = try PageQuery(json)
        guard case .array(let edits)? = json["edits"], edits.count <= 100 else {
            throw RequestError(message: "'edits' is a list")
        }
        let records = current.records(for: query)
        var variables = json["variables"] ?? .object([])
        do {
            var editing = try ClauseEditing(query.text)
            for edit in edits { try apply(edit, to: &editing, &variables, records) }
            let text = editing.text
            return .of([
                "text": .string(text), "variables": variables, "cursor": .count(text.utf16.count),
            ])
        } catch let error as SyntaxError {
            return .of(["message": .string(error.message)])
        } catch let error as RequestError {
            throw error
        } catch {
            throw RequestError(message: "\(error)")
        }
    }

    private func apply(
        _ edit: JSONValue, to editing: inout ClauseEditing, _ variables: inout JSONValue, _ records: RecordSet
    ) throws {
        guard case .object(let members) = edit, members.count == 1, let member = members.first else {
            throw RequestError(message: "an edit is an object of one member")
        }
        let value = member.value
        switch member.key {
        case "join":
            guard case .string(let text) = value else { throw RequestError(message: "'join' is a text") }
            try editing.append(text)
        case "remove":
            guard case .int64(let index) = value, editing.clauses.indices.contains(Int(index)) else {
                throw RequestError(message: "'remove' is the number of a condition")
            }
            try editing.removeClause(at: Int(index))
        case "toggle":
            let (field, type) = try self.field(value, records)
            guard let expression = try value.text("value") else {
                throw RequestError(message: "'value' is an expression")
            }
            try editing.toggle(
                value["isNot"] == .bool(true) ? .notEqual : .equal, LanguageTexts.path(field, type), expression,
                isList: type?.isList ?? false)
        case "range":
            let (field, type) = try self.field(value, records)
            guard let from = value["from"]?.double, let to = value["to"]?.double else {
                throw RequestError(message: "'from' and 'to' are numbers")
            }
            let areDates = type == .date || value["isDate"] == .bool(true)
            try editing.put(LanguageTexts.range(field, min(from, to), max(from, to), areDates: areDates))
        case "circle": try applyCircle(value, to: &editing, &variables, records)
        default: throw RequestError(message: "there is no edit '\(member.key)'")
        }
    }

    private func applyCircle(
        _ value: JSONValue, to editing: inout ClauseEditing, _ variables: inout JSONValue, _ records: RecordSet
    ) throws {
        let (field, _) = try self.field(value, records)
        guard let latitude = value["latitude"]?.double, let longitude = value["longitude"]?.double,
            let radius = value["radius"]?.double, radius > 0,
            Location(latitude: latitude, longitude: longitude).isValid
        else { throw RequestError(message: "a circle has a place on the Earth and a radius in metres") }
        try editing.put(LanguageTexts.circle(field, variable: "place", radius: radius))
        var writer = JSONWriter()
        writer.write(.location(Location(latitude: latitude, longitude: longitude)))
        let place = try JSONReader.tree(writer.bytes)
        var members = if case .object(let members) = variables { members } else { [JSONValue.Member]() }
        members.removeAll { $0.key == "place" }
        members.append(JSONValue.Member(key: "place", value: place))
        variables = .object(members)
    }

    private func field(_ json: JSONValue, _ records: RecordSet) throws(RequestError) -> (String, FieldType?) {
        guard let field = try json.text("field"), !field.isEmpty else {
            throw RequestError(message: "'field' is needed")
        }
        return (field, records.fields.type(of: field))
    }
}
