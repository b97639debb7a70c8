// Values that may tell two predicates apart: the constants they compare with, and what lies just beside them.

import FoundationEssentials
import PredicateSyntax
import RecordDatabase

/// The values worth trying for each field that predicates read.
struct CandidateValues {
    /// A field, with the keys behind it where predicates step into it.
    typealias Path = [String]

    /// What is tried for one field; nil is always tried.
    struct Candidates {
        var values: [FieldValue] = []
        /// Values that are tried as they are, without what lies beside them.
        var exact: [FieldValue] = []
        /// What years, months and days of the field are compared with, where predicates take it for a date.
        var parts: DateParts?
        /// Whether predicates take the field for a list.
        var isList = false
        /// Whether predicates take it for one value.
        var isSingle = false
    }

    /// The fields, in order of first use.
    private(set) var paths: [Path] = []
    private(set) var candidates: [Path: Candidates] = [:]
    /// Numbers met anywhere: radii of distances among them.
    private var numbers: [Double] = []
    private let now: Date

    /// Gathers the candidates of predicates.
    /// - Parameters:
    ///   - wholeFields: Fields that hold whole numbers only.
    ///   - now: What `now()` gives.
    init(_ predicates: [BoundPredicate], wholeFields: Set<String> = [], now: Date) {
        self.now = now
        for predicate in predicates { collect(predicate.root) }
        for path in paths {
            guard var found = candidates[path] else { continue }
            var values: [FieldValue] = []
            for value in found.values { values += Self.neighbours(of: value, radii: numbers) }
            values += found.exact + (found.parts?.dates ?? [])
            if values.isEmpty { values = [0, 1, "", "a"] }
            var seen: Set<FieldValue> = []
            values = values.filter { seen.insert($0).inserted }
            if path.count == 1, wholeFields.contains(path[0]) { values.removeAll(where: \.isFraction) }
            found.values = found.isSingle || !found.isList ? values : []
            if found.isList { found.values += Self.lists(of: values) }
            candidates[path] = found
        }
        // A field that another field steps into is made by its parts.
        paths.removeAll { path in
            candidates.keys.contains { $0.count > path.count && Array($0.prefix(path.count)) == path }
        }
    }

    // MARK: Gathering

    private mutating func collect(_ node: BoundNode) {
        switch node {
        case .constant: break
        case .not(let term): collect(term)
        case .and(let terms), .or(let terms): for term in terms { collect(term) }
        case .comparison(let comparison):
            var found = Parts()
            found.visit(comparison.lhs)
            found.visit(comparison.rhs)
            for predicate in found.conditions { collect(predicate) }
            let mayBeContainer =
                [.contains, .in].contains(comparison.comparisonOperator)
                && !found.constants.contains { if case .list = $0 { true } else { false } }
            for (path, isCollection, reading) in found.fields {
                if candidates[path] == nil { paths.append(path) }
                var known = candidates[path] ?? Candidates()
                let isList = comparison.quantifier != nil || isCollection
                take(found, as: reading, in: &known)
                known.isList = known.isList || isList || mayBeContainer
                known.isSingle = known.isSingle || !isList
                candidates[path] = known
            }
            numbers += found.constants.compactMap { $0.double }
        }
    }

    /// Takes in what a comparison has for a field.
    private func take(_ found: Parts, as reading: Reading, in known: inout Candidates) {
        switch reading {
        case .value: known.values += found.constants
        case .date(let part):
            var parts = known.parts ?? DateParts()
            parts.insert(found.constants, as: part)
            known.parts = parts
            known.values += Self.dates(among: found.constants)
        case .place:
            let places = found.constants.filter { if case .location = $0 { true } else { false } }
            known.values += places.isEmpty ? [.location(Location(latitude: 0, longitude: 0))] : places
            known.exact += found.corners
            return
        }
        if found.readsNow { known.exact += Self.moments(around: now, found.lengths) }
    }

    /// What a predicate takes a field for: an argument of a function of dates, of places, or anything.
    private enum Reading {
        case value
        case date(FunctionName)
        case place
    }

    /// What the operands of a comparison consist of.
    private struct Parts {
        var fields: [(path: Path, isCollection: Bool, reading: Reading)] = []
        var constants: [FieldValue] = []
        /// Places at the corners of areas.
        var corners: [FieldValue] = []
        var readsNow = false
        /// The lengths of time by which dates are moved, in seconds.
        var lengths: [Double] = []
        /// Predicates within, about the record.
        var conditions: [BoundNode] = []
        /// The keys behind the elements of the enclosing SUBQUERY that are read.
        var elementKeys: [[String]] = []

        mutating func visit(_ operand: Operand) {
            switch operand.kind {
            case .constant(let value): constants.append(value)
            case .field(let field): fields.append(([field.name], false, .value))
            case .allTokens, .selfObject: fields.append((["text"], false, .value))
            case .element: elementKeys.append([])
            case .variable: break
            case .path(let base, let steps): visit(base, steps)
            case .list(let operands): for operand in operands { visit(operand) }
            case .function(let name, let arguments): visit(name, arguments)
            case .unary(_, let operand), .cast(let operand, _): visit(operand)
            case .moved(_, let operand, let length):
                lengths.append(length.seconds)
                visit(operand, as: .date(.date))
            case .binary(_, let lhs, let rhs):
                visit(lhs)
                visit(rhs)
            case .subquery(let collection, _, let predicate):
                visit(collection)
                if let last = fields.indices.last { fields[last].isCollection = true }
                visitElements(predicate)
            case .ternary(let condition, let then, let otherwise):
                conditions.append(condition)
                visit(then)
                visit(otherwise)
            }
        }

        private mutating func visit(_ name: FunctionName, _ arguments: [Operand]) {
            if name == .now { readsNow = true }
            for (index, argument) in arguments.enumerated() {
                switch name {
                case .year, .month, .day, .date: visit(argument, as: .date(name))
                case .distanceToLocation: visit(argument, as: .place)
                case .inBox where index == 0, .inPolygon where index == 0: visit(argument, as: .place)
                default: visit(argument)
                }
            }
            guard name == .inBox || name == .inPolygon else { return }
            corners += CandidateValues.corners(ofArea: arguments.dropFirst().compactMap(\.constant))
        }

        private mutating func visit(_ operand: Operand, as reading: Reading) {
            let known = fields.count
            visit(operand)
            for index in fields.indices.dropFirst(known) { fields[index].reading = reading }
        }

        /// What the predicate of a SUBQUERY compares elements with, as elements.
        private mutating func visitElements(_ node: BoundNode) {
            switch node {
            case .constant: break
            case .not(let term): visitElements(term)
            case .and(let terms), .or(let terms): for term in terms { visitElements(term) }
            case .comparison(let comparison):
                var inner = Parts()
                inner.visit(comparison.lhs)
                inner.visit(comparison.rhs)
                let values = inner.constants.flatMap { CandidateValues.neighbours(of: $0, radii: []) }
                for keys in inner.elementKeys {
                    constants += values.map { keys.reversed().reduce($0) { .object([$1: $0]) } }
                }
                fields += inner.fields
            }
        }

        private mutating func visit(_ base: Operand, _ steps: [BoundStep]) {
            if case .element = base.kind {
                elementKeys.append(steps.compactMap { if case .key(let key) = $0.kind { key } else { nil } })
                return
            }
            guard case .field(let field) = base.kind else { return visit(base) }
            var path = [field.name]
            for step in steps {
                guard case .key(let key) = step.kind else {
                    fields.append((path, true, .value))
                    return
                }
                path.append(key)
            }
            fields.append((path, false, .value))
        }
    }

    // MARK: Values

    /// A value, and values that lie just beside it or differ in what options ignore.
    fileprivate static func neighbours(of value: FieldValue, radii: [Double]) -> [FieldValue] {
        switch value {
        case .null, .data, .reference, .asset, .object: return [value]
        case .bool: return [.bool(true), .bool(false)]
        case .int64(let number):
            return [
                value, .int64(number &- 1), .int64(number &+ 1), .double(Double(number) + 0.5),
                .double(Double(number) - 0.5),
            ]
        case .double(let number):
            return [value, .double(number.nextUp), .double(number.nextDown), .double(number + 1), .double(number - 1)]
        case .date(let date):
            return [value] + [-86_400, -1, 1, 86_400].map { .date(date.addingTimeInterval($0)) }
        case .string(let text): return texts(beside: text).map { .string($0) }
        case .location(let place): return places(around: place, radii: radii)
        case .list(let elements), .set(let elements): return elements.flatMap { neighbours(of: $0, radii: radii) }
        }
    }

    private static func texts(beside text: String) -> [String] {
        var texts = [text, "", text.uppercased(), text.lowercased(), text + "x", "x" + text, "x" + text + "x"]
        texts += [String(text.dropLast()), String(text.dropFirst()), text + "\u{301}"]
        if let first = text.first { texts.append("\(first)\u{301}\(text.dropFirst())") }
        let words = text.split(separator: " ").map(String.init)
        if words.count > 1 {
            texts += [words.reversed().joined(separator: " "), words.joined(separator: " x "), words[0]]
        }
        // A pattern's texts: wildcards of nothing, of one letter, of several.
        if text.contains(where: { $0 == "*" || $0 == "?" }) {
            for (run, one) in [("", "x"), ("x", "y"), ("xyz", ""), ("", "")] {
                texts.append(text.map { $0 == "*" ? run : $0 == "?" ? one : String($0) }.joined())
            }
        }
        return texts
    }

    /// The place itself, and places a little nearer and a little farther than each radius, in two directions.
    private static func places(around place: Location, radii: [Double]) -> [FieldValue] {
        var places = [
            place,
            Location(
                latitude: -place.latitude,
                longitude: place.longitude > 0 ? place.longitude - 180 : place.longitude + 180),
        ]
        for radius in radii where radius > 0 && radius < 2e7 {
            for share in [0.5, 0.98, 1.02, 1.5] {
                let degrees = radius * share / 111_320
                let latitude = place.latitude + (place.latitude > 0 ? -degrees : degrees)
                if abs(latitude) <= 90 { places.append(Location(latitude: latitude, longitude: place.longitude)) }
            }
        }
        return places.map { .location($0) }
    }

    private static func lists(of values: [FieldValue]) -> [FieldValue] {
        let values = values.filter { !$0.isNull }
        var lists: [FieldValue] = [.list([])]
        for (index, value) in values.enumerated() {
            lists.append(.list([value]))
            lists.append(.list([value, values[(index + 1) % values.count]]))
        }
        lists.append(.list(Array(values.prefix(3))))
        return lists
    }
}

extension FieldValue {
    fileprivate var double: Double? {
        switch self {
        case .int64(let value): Double(value)
        case .double(let value): value
        default: nil
        }
    }

    /// Whether the value is a number that is not whole.
    fileprivate var isFraction: Bool {
        if case .double(let value) = self { value != value.rounded() } else { false }
    }
}
