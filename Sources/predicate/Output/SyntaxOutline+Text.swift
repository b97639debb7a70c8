// The outline of a syntax tree as the command shows it: coloured lines, or JSON.

import PredicateSyntax
import RecordDatabase

extension SyntaxOutline {
    /// The outline as JSON: `kind`, `value`, `start` and `end` in Unicode scalars, `children`.
    func json(_ offsets: ScalarOffsets) -> JSONValue {
        var members = [JSONValue.Member(key: "kind", value: .string(kind))]
        if let detail { members.append(JSONValue.Member(key: "value", value: .string(detail))) }
        let place = offsets.range(of: span)
        members.append(JSONValue.Member(key: "start", value: .int64(Int64(place.lowerBound))))
        members.append(JSONValue.Member(key: "end", value: .int64(Int64(place.upperBound))))
        if !children.isEmpty {
            members.append(JSONValue.Member(key: "children", value: .array(children.map { $0.json(offsets) })))
        }
        return .object(members)
    }

    /// The drawing, ending in a line break; places are 0-based Unicode scalars.
    func text(of source: String, style: Style) -> String {
        lines(of: source).map { line in
            style.dim(line.branches) + line.label
                + style.dim("  \(line.place.lowerBound)–\(line.place.upperBound)") + "\n"
        }.joined()
    }
}
