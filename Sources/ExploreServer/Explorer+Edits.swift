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
        do {
            var editing = try ClauseEditing(query.text)
            for edit in edits { try apply(edit, to: &editing, records) }
            let text = editing.text
            return .of(["text": .string(text), "cursor": .count(text.utf16.count)])
        } catch let error as SyntaxError {
            return .of(["message": .string(error.message)])
        } catch let error as RequestError {
            throw error
        } catch {
            throw RequestError(message: "\(error)")
        }
    }

    private func apply(_ edit: JSONValue, to editing: inout ClauseEditing, _ records: RecordSet) throws {
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
        case "circle": try applyCircle(value, to: &editing, records)
        default: throw RequestError(message: "there is no edit '\(member.key)'")
        }
    }

    private func applyCircle(_ value: JSONValue, to editing: inout ClauseEditing, _ records: RecordSet) throws {
        let (field, _) = try self.field(value, records)
        guard let latitude = value["latitude"]?.double, let longitude = value["longitude"]?.double,
            let radius = value["radius"]?.double, radius > 0
        else { throw RequestError(message: "a circle has a place and a radius in metres") }
        let place = Location(latitude: latitude, longitude: longitude)
        guard place.isValid else { throw RequestError(message: "the place of a circle is on the Earth") }
        try editing.put(LanguageTexts.circle(field, around: place, radius: radius))
    }

    private func field(_ json: JSONValue, _ records: RecordSet) throws(RequestError) -> (String, FieldType?) {
        guard let field = try json.text("field"), !field.isEmpty else {
            throw RequestError(message: "'field' is needed")
        }
        return (field, records.fields.type(of: field))
    }
}
