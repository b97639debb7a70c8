// Random values of every kind, with those at the ends of their kinds among them.

import FoundationEssentials
import Geospatial
import RecordModel

/// Records whose fields have one kind of values each, as random as the kind allows.
struct RandomValues {
    private var generator: SeededGenerator
    private let isStorable: Bool

    /// - Parameter isStorable: Whether values are such as a database stores: no truth values, objects, mixtures,
    ///   numbers that are not finite.
    init(seed: UInt64, isStorable: Bool) {
        generator = SeededGenerator(seed: seed)
        self.isStorable = isStorable
    }

    /// So many records in two types and two zones. The type of a field goes by its name and that of the record.
    mutating func records(_ count: Int) -> [Record] {
        let kinds = isStorable ? Self.storable : Self.storable + Self.others
        let zones = [RecordZone.ID.default, RecordZone.ID("Zone-2")]
        return (0..<count).map { number in
            let (type, zone) = (generator.pick(["City", "Port"]), generator.pick(zones))
            var fields: [String: FieldValue] = [:]
            for (index, kind) in kinds.enumerated() where !generator.oneIn(4) {
                fields["f\(index)"] = value(kind, zone)
                if kind != .object, !generator.oneIn(3) { fields["l\(index)"] = list(kind, zone) }
            }
            // One name for values of two types, and one without any value in it.
            fields["both"] = type == "City" ? value(.string, zone) : value(.int64, zone)
            fields["none"] = isStorable ? nil : .list([])
            return Record(type: type, id: Record.ID(name(number), zoneID: zone), fields: fields)
        }
    }

    private static let storable: [FieldValue.Kind] = [
        .string, .int64, .double, .date, .data, .location, .reference, .asset,
    ]
    private static let others: [FieldValue.Kind] = [.bool, .object, .list]

    private mutating func name(_ number: Int) -> String {
        generator.pick(["r\(number)", "\(number)", "a,\"b\" \(number)", "true\(number)", " \(number) ", "[\(number)]"])
            + (isStorable ? "" : generator.pick(["", "é", "\r\n", "\u{0}"]))
    }

    private mutating func list(_ kind: FieldValue.Kind, _ zone: RecordZone.ID) -> FieldValue {
        let count = generator.pick([0, 1, 2, 5])
        return .list(
            (0..<count).map { _ in !isStorable && generator.oneIn(6) ? .null : value(kind, zone) })
    }

    private mutating func value(_ kind: FieldValue.Kind, _ zone: RecordZone.ID) -> FieldValue {
        switch kind {
        case .string: .string(text())
        case .int64: .int64(generator.pick([0, -1, .min, .max, Int64(truncatingIfNeeded: generator.next())]))
        case .double:
            !isStorable && generator.oneIn(4) ? .int64(Int64.random(in: -9...9, using: &generator)) : .double(number())
        case .date: .date(date())
        case .data:
            .data(
                Data((0..<generator.pick([0, 1, 2, 3, 40])).map { _ in UInt8.random(in: 0...255, using: &generator) }))
        case .location: .location(location())
        case .reference:
            .reference(
                RecordReference(
                    recordID: Record.ID(isStorable ? "r\(generator.next() % 9)" : text() + "x", zoneID: zone),
                    action: .none))
        case .asset:
            .asset(Asset(path: generator.pick(["a/b", "/x y", "é\""]), size: generator.pick([nil, 0, .max])))
        case .bool: .bool(generator.oneIn(2))
        case .object: .object(members(depth: 2))
        case .list: list(.date, zone)
        case .null, .set: .null
        }
    }

    private mutating func members(depth: Int) -> [String: FieldValue] {
        var members: [String: FieldValue] = [:]
        let keys = [
            "$date", "$object", "$list", "of", "latitude", "longitude", "details", "reference", "a", "", "é", "since",
        ]
        for _ in 0..<generator.pick([0, 1, 2, 3]) {
            members[generator.pick(keys)] =
                depth > 0 && generator.oneIn(3)
                ? .object(self.members(depth: depth - 1))
                : value(generator.pick(Self.storable + [.bool]), .default)
        }
        return members
    }

    /// Texts that look like something else among them.
    private mutating func text() -> String {
        if generator.oneIn(2) {
            return generator.pick([
                "", "12", "-0", "1e5", "007", "true", "FALSE", "null", "NaN", "2025-07-04T12:00:00Z", "[]",
                "{\"$date\":1}",
                "a,b", "\"", "\"\"", "a\r\nb", "\n", "\r", ",", " ", "\u{FEFF}", "\u{0}", "e\u{301}", "é", "😀",
                "\\u0041", "name:STRING",
            ])
        }
        let scalars = (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 0...(generator.oneIn(2) ? 0x7F : 0x2FFF), using: &generator))
        }
        return String(String.UnicodeScalarView(scalars))
    }

    private mutating func number() -> Double {
        let number = Double(bitPattern: generator.next())
        let choices = [
            0, -0.0, 2, 0.1, 1e21, .leastNonzeroMagnitude, -.greatestFiniteMagnitude, number.isFinite ? number : 1.5,
        ]
        return generator.pick(isStorable ? choices : choices + [.nan, .infinity, -.infinity])
    }

    private mutating func date() -> Date {
        let seconds = Double.random(in: -1e9...1e9, using: &generator)
        return Date(
            timeIntervalSinceReferenceDate: generator.pick([
                0, seconds, seconds.rounded(), (seconds * 1000).rounded() / 1000, seconds / 1e6, -1e-20, 1e13, -7e10,
                0.1 + 0.2,
            ]))
    }

    private mutating func location() -> Location {
        var location = Location(
            latitude: generator.pick([0, -90, 90, -0.0, Double.random(in: -90...90, using: &generator)]),
            longitude: generator.pick([0, -180, 180, Double.random(in: -180...180, using: &generator)]))
        if generator.oneIn(2) { return location }
        func some<Value>(_ value: Value) -> Value? { generator.oneIn(2) ? value : nil }
        location.details = Location.Details(
            altitude: some(number()), horizontalAccuracy: some(number()), verticalAccuracy: some(-1),
            course: some(number()), speed: some(number()), timestamp: some(date()))
        return location
    }
}
