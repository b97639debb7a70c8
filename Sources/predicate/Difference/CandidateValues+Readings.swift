// Dates and places that tell predicates apart: the edges of years, months, days and areas.

import FoundationEssentials
import PredicateSyntax
import RecordDatabase

/// The numbers that the years, months and days of a field are compared with, and those beside them.
struct DateParts {
    private var numbers: [FunctionName: Set<Int>] = [:]

    /// Takes in the whole numbers that a part is compared with.
    mutating func insert(_ values: [FieldValue], as part: FunctionName) {
        for value in values {
            if case .list(let elements) = value { insert(elements, as: part) }
            guard let number = value.number.flatMap({ Int(exactly: $0.asDouble) }), (0...10_000).contains(number) else {
                continue
            }
            numbers[part, default: []].formUnion([number - 1, number, number + 1])
        }
    }

    /// The beginnings of the days of these numbers, and the seconds before them.
    var dates: [FieldValue] {
        var dates: [FieldValue] = []
        for year in sorted(.year, within: 1...9999, else: [2024]) {
            for month in sorted(.month, within: 1...12, else: [1, 12]) {
                for day in sorted(.day, within: 1...31, else: [1, 15]) {
                    let digits = [10_000 + year, 100 + month, 100 + day].map { "\($0)".dropFirst() }
                    guard let date = RFC3339.date(digits.joined(separator: "-")) else { continue }
                    dates += [.date(date), .date(date.addingTimeInterval(-1))]
                }
            }
        }
        // Lists of many numbers would leave other fields no turn.
        return Array(dates.prefix(2_000))
    }

    private func sorted(_ part: FunctionName, within range: ClosedRange<Int>, else usual: [Int]) -> [Int] {
        let found = (numbers[part] ?? []).filter { range.contains($0) }.sorted()
        return found.isEmpty ? usual : found
    }
}

extension CandidateValues {
    /// The dates among constants, and those that texts among them spell.
    static func dates(among values: [FieldValue]) -> [FieldValue] {
        values.flatMap { value -> [FieldValue] in
            switch value {
            case .date: [value]
            case .string(let text): RFC3339.date(text).map { [FieldValue.date($0)] } ?? []
            case .list(let elements): dates(among: elements)
            default: []
            }
        }
    }

    /// The present moment, also moved by lengths of time, and the seconds beside.
    static func moments(around now: Date, _ lengths: [Double]) -> [FieldValue] {
        let moves: [Double] = [0] + lengths.flatMap { [-$0, $0] }
        return moves.flatMap { move in
            [-1.0, 0, 1].map { FieldValue.date(now.addingTimeInterval(move + $0)) }
        }
    }

    /// Places at the corners of a box or a polygon and a little inside and outside, and one in the middle.
    /// - Parameter constants: The sides of the box, from the south eastward, or GeoJSON.
    static func corners(ofArea constants: [FieldValue]) -> [FieldValue] {
        let sides = constants.compactMap { $0.number?.asDouble }
        var corners: [Location] = []
        if sides.count == 4 {
            for latitude in [sides[0], sides[2]] {
                for longitude in [sides[1], sides[3]] {
                    corners.append(Location(latitude: latitude, longitude: longitude))
                }
            }
        } else {
            for constant in constants {
                let text = if case .string(let text) = constant { text } else { constant.json }
                guard let area = try? JSONReader.tree(text), let coordinates = area["coordinates"] else { continue }
                corners += positions(in: coordinates)
            }
        }
        let shown = Array(corners.prefix(50))
        guard let first = shown.first else { return [] }
        var middle = first
        middle.latitude = shown.reduce(0) { $0 + $1.latitude } / Double(shown.count)
        middle.longitude = shown.reduce(0) { $0 + $1.longitude } / Double(shown.count)
        var places = shown + [middle]
        for corner in shown {
            for (north, east) in [(1.0, 1.0), (1, -1), (-1, 1), (-1, -1)] {
                places.append(
                    Location(latitude: corner.latitude + north / 1024, longitude: corner.longitude + east / 1024))
            }
        }
        return places.filter(\.isValid).map { .location($0) }
    }

    /// The positions in the nested lists of GeoJSON.
    private static func positions(in coordinates: JSONValue) -> [Location] {
        guard case .array(let elements) = coordinates else { return [] }
        let degrees = elements.compactMap(\.degrees)
        guard degrees.count > 1 else { return elements.flatMap { positions(in: $0) } }
        return [Location(latitude: degrees[1], longitude: degrees[0])]
    }
}

extension JSONValue {
    fileprivate var degrees: Double? {
        switch self {
        case .int64(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }
}
