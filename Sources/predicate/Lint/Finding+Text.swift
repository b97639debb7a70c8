// How findings about predicates are shown.

import PredicateEditing
import PredicateSyntax
import RecordDatabase

extension Finding {
    /// The finding for people, several lines.
    func text(of line: PredicateLine, style: Style) -> String {
        let severity = "\(code.severity.name)[\(code.rawValue)]: "
        let head = code.severity == .note ? style.cyan(severity) : style.red(severity)
        return (line.place.map { $0 + ": " } ?? "") + head + style.bold(message) + "\n" + place(in: line.text, style)
    }

    /// The finding as a note about a result, several lines.
    func note(of text: String, style: Style) -> String {
        style.cyan("note: ") + message + "\n" + place(in: text, style)
    }

    /// The predicate with a caret under the place, and the hint.
    private func place(in text: String, _ style: Style) -> String {
        var lines = ""
        for line in SourceText(text).caret(span).split(separator: "\n", omittingEmptySubsequences: false) {
            lines += "  \(line)\n"
        }
        if let hint { lines += style.cyan("hint: ") + hint + "\n" }
        return lines
    }

    /// The finding as a JSON object; `offset` and `length` in Unicode scalars.
    func json(of line: PredicateLine) -> JSONValue {
        let place = ScalarOffsets(line.text).range(of: span)
        var members: [JSONValue.Member] = []
        if let file = line.file {
            members.append(JSONValue.Member(key: "file", value: .string(file)))
            members.append(JSONValue.Member(key: "line", value: .int64(Int64(line.line))))
        }
        members += [
            JSONValue.Member(key: "code", value: .string(code.rawValue)),
            JSONValue.Member(key: "severity", value: .string(code.severity.name)),
            JSONValue.Member(key: "offset", value: .int64(Int64(place.lowerBound))),
            JSONValue.Member(key: "length", value: .int64(Int64(place.count))),
            JSONValue.Member(key: "message", value: .string(message)),
        ]
        if let hint { members.append(JSONValue.Member(key: "hint", value: .string(hint))) }
        return .object(members)
    }
}
