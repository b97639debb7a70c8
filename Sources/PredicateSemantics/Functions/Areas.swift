// The areas that arguments describe.

import Geospatial
import PredicateSyntax
import RecordModel

/// The areas of `inBox:south:west:north:east:` and `inPolygon:geoJSON:`.
enum Areas {
    /// The area that a call's arguments describe, behind the place.
    ///
    /// - Throws: `ValueFault` for what is no area; the operand is the argument's position.
    static func area(_ name: FunctionName, _ arguments: [FieldValue]) throws(ValueFault) -> GeoArea {
        let sides = name == .inBox ? try sides(name, arguments) : []
        do throws(GeoAreaError) {
            guard name == .inPolygon else { return try box(sides) }
            switch arguments[1] {
            case .string(let text): return try polygon(text)
            case .object(let members): return try polygon(members)
            default: break
            }
        } catch {
            let operand = name == .inPolygon ? 1 : (sideNames.firstIndex(of: error.place) ?? 0) + 1
            throw ValueFault(.invalidArgument, "\(error)", hint: error.hint, operand: operand)
        }
        throw ValueFault(
            .typeMismatch, "\(name.rawValue) needs GeoJSON, not \(arguments[1].phrase)", hint: example, operand: 1)
    }

    private static let example = "an area is text, or an object with type and coordinates"

    // MARK: Boxes

    private static let sideNames = ["south", "west", "north", "east"]

    private static func sides(_ name: FunctionName, _ arguments: [FieldValue]) throws(ValueFault) -> [Double] {
        var sides: [Double] = []
        for (operand, value) in arguments.enumerated().dropFirst() {
            guard let number = value.number else {
                throw ValueFault(
                    .typeMismatch, "\(name.rawValue) needs degrees, not \(value.phrase)", operand: operand)
            }
            sides.append(number.asDouble)
        }
        return sides
    }

    private static func box(_ sides: [Double]) throws(GeoAreaError) -> GeoArea {
        try GeoArea(south: sides[0], west: sides[1], north: sides[2], east: sides[3])
    }

    // MARK: Polygons

    /// Areas read before: the evaluator may meet one text with every record.
    private static let known = BoundedCache<String, GeoArea>(capacity: 16)

    private static func polygon(_ text: String) throws(GeoAreaError) -> GeoArea {
        if let area = known.value(text, orElse: { try? GeoArea(geoJSON: text) }) { return area }
        return try GeoArea(geoJSON: text)
    }

    private static func polygon(_ members: [String: FieldValue]) throws(GeoAreaError) -> GeoArea {
        guard case .string(let type) = members["type"] ?? .null else { throw GeoAreaError("type", "text is expected") }
        let isMultiple = try GeoArea.isMultiple(type: type)
        let coordinates = members["coordinates"] ?? .null
        let place = "coordinates"
        let polygons =
            isMultiple ? try list(coordinates, place, polygon) : [try polygon(coordinates, place)]
        return try GeoArea(polygons: polygons, isMultiple: isMultiple)
    }

    private static func polygon(_ value: FieldValue, _ place: String) throws(GeoAreaError) -> [[[Double]]] {
        try list(value, place, ring)
    }

    private static func ring(_ value: FieldValue, _ place: String) throws(GeoAreaError) -> [[Double]] {
        try list(value, place, position)
    }

    private static func position(_ value: FieldValue, _ place: String) throws(GeoAreaError) -> [Double] {
        try list(value, place, degrees)
    }

    private static func degrees(_ value: FieldValue, _ place: String) throws(GeoAreaError) -> Double {
        guard let number = value.number else { throw GeoAreaError(place, "a number is expected, not \(value.phrase)") }
        return number.asDouble
    }

    private static func list<Element>(
        _ value: FieldValue, _ place: String,
        _ element: (FieldValue, String) throws(GeoAreaError) -> Element
    ) throws(GeoAreaError) -> [Element] {
        guard case .list(let values) = value else {
            throw GeoAreaError(place, "a list is expected, not \(value.phrase)")
        }
        var elements: [Element] = []
        elements.reserveCapacity(values.count)
        for (index, value) in values.enumerated() { elements.append(try element(value, "\(place)[\(index)]")) }
        return elements
    }
}
