// What sort keys compare of a row.

import Geospatial
package import PredicateSemantics
package import RecordColumns
package import RecordModel
package import RecordStore

extension RowView {
    /// The value of a field, of a part of the record, of a nested value (`a.b`), or a distance in metres; `.null` when
    /// the record has none. References lead to records of `snapshot`.
    package func value(of criterion: SortKey.Criterion, in snapshot: Snapshot) -> FieldValue {
        switch criterion {
        case .field(let name): return value(of: name, in: snapshot)
        case .recordName: return .string(segment.names.string(row))
        // Only a query's result gives a record a score.
        case .relevance: return .null
        case .distance(let name, let place):
            guard case .location(let location) = value(of: name, in: snapshot) else { return .null }
            return .double(Geodesic.distance(from: location, to: place))
        }
    }

    private func value(of name: String, in snapshot: Snapshot) -> FieldValue {
        let value = self[name]
        if !value.isNull || keys.areForeign && segment.column(named: name) != nil { return value }
        switch name {
        case "id", "recordName": return .string(segment.names.string(row))
        case "type", "recordType": return .string(segment.recordType)
        default: break
        }
        guard let dot = name.firstIndex(of: ".") else { return .null }
        return Self.nested(self[String(name[..<dot])], name[name.index(after: dot)...], in: snapshot)
    }

    /// Walks nested objects, places and references along a path.
    private static func nested(
        _ value: FieldValue, _ path: Substring, in snapshot: Snapshot
    ) -> FieldValue {
        let parts = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        switch value {
        case .object(let members):
            guard let member = members[parts[0]] else { return .null }
            return parts.count == 1 ? member : nested(member, Substring(parts[1]), in: snapshot)
        case .location(let place) where parts == ["latitude"]: return .double(place.latitude)
        case .location(let place) where parts == ["longitude"]: return .double(place.longitude)
        case .reference(let reference):
            guard let (segment, row) = snapshot.find(reference.recordID) else { return .null }
            return RowView(segment: segment, row: row, keys: snapshot.keys).value(of: String(path), in: snapshot)
        default: return .null
        }
    }
}
