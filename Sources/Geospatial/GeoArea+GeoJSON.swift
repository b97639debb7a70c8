// Areas as GeoJSON.

import FoundationEssentials

extension GeoArea {
    /// The area of a GeoJSON `Polygon` or `MultiPolygon` (RFC 7946).
    ///
    /// Two positions are joined the short way where their longitudes as written differ by more than 180 and less than
    /// 360 degrees: across the antimeridian. Longitudes may also run on beyond ±180, up to ±360. A ring around a pole
    /// runs along its latitude: … `[180, 60], [180, 90], [-180, 90], [-180, 60]` … Altitudes are of no account.
    ///
    /// - Throws: `GeoAreaError` for what is no such text: another type, a ring that is not closed or has fewer than
    ///   four positions, a coordinate out of range.
    /// - Complexity: O(length).
    public init(geoJSON: String) throws(GeoAreaError) {
        let geometry: Geometry
        do {
            geometry = try JSONDecoder().decode(Geometry.self, from: Data(geoJSON.utf8))
        } catch let error as GeoAreaError {
            throw error
        } catch let error as DecodingError {
            throw GeoAreaError(error)
        } catch {
            throw GeoAreaError("", "the text is no JSON")
        }
        try self.init(polygons: geometry.polygons, isMultiple: geometry.isMultiple)
    }

    /// The area as GeoJSON: a `Polygon`, or a `MultiPolygon` of several. Read again it contains the same places.
    public var geoJSON: String {
        let polygons: [[[[Double]]]] =
            switch shape {
            case .box(let box): [[box.ring]]
            case .polygons(let polygons):
                polygons.map { polygon in
                    ([polygon.exterior] + polygon.holes).map { ring in ring.corners.map { [$0.longitude, $0.latitude] }
                    }
                }
            }
        guard polygons.count == 1 else { return #"{"type":"MultiPolygon","coordinates":\#(Self.text(polygons))}"# }
        return #"{"type":"Polygon","coordinates":\#(Self.text(polygons[0]))}"#
    }

    private static func text(_ value: Any) -> String {
        guard let list = value as? [Any] else { return "\(value)" }
        return "[\(list.map(text).joined(separator: ","))]"
    }

    /// Whether a GeoJSON type has one polygon or several.
    ///
    /// - Throws: `GeoAreaError` for other types.
    package static func isMultiple(type: String) throws(GeoAreaError) -> Bool {
        switch type {
        case "Polygon": return false
        case "MultiPolygon": return true
        case "Feature":
            throw GeoAreaError("type", "a Feature is no area", hint: "give the Polygon that is its geometry")
        default:
            throw GeoAreaError("type", "\(type) is no area", hint: "an area is a Polygon or a MultiPolygon")
        }
    }

    private struct Geometry: Decodable {
        let isMultiple: Bool
        let polygons: [[[[Double]]]]

        private enum CodingKeys: String, CodingKey { case type, coordinates }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            isMultiple = try GeoArea.isMultiple(type: try members.decode(String.self, forKey: .type))
            polygons =
                isMultiple
                ? try members.decode([[[[Double]]]].self, forKey: .coordinates)
                : [try members.decode([[[Double]]].self, forKey: .coordinates)]
        }
    }
}

extension GeoAreaError {
    fileprivate init(_ error: DecodingError) {
        let hint = #"{"type":"Polygon","coordinates":[[[8,47],[9,47],[9,48],[8,47]]]}"#
        switch error {
        case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
            let expected = type == Double.self ? "a number" : type == String.self ? "text" : "a list or an object"
            self.init(Self.place(context.codingPath), "\(expected) is expected", hint: "write \(hint)")
        case .keyNotFound(let key, _): self.init("", "\(key.stringValue) is missing", hint: "write \(hint)")
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            self.init(Self.place(context.codingPath), "the number is out of range")
        default: self.init("", "the text is no JSON", hint: "write \(hint)")
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}
