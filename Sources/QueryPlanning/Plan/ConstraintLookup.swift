// What the indexes and columns of a segment make of one constraint.

import Geospatial
import Indexing
import OrdinalSets
import PredicateSemantics
import RecordColumns
package import RecordModel
import TextAnalysis

/// Looks up constraints in the indexes and columns of a segment.
struct ConstraintLookup {
    let planner: SegmentPlanner
    /// The comparison, or comparisons, that the constraint stands for; `nil` where they are not at hand: then what has
    /// to decide by them is no way.
    let comparison: BoundNode?

    var rowCount: Int { planner.rowCount }

    /// The ways to the rows that meet the requirement, negation aside; `nil` when only the evaluator knows.
    func access(_ constraint: FieldConstraint) -> Access? {
        guard planner.usage != .none, constraint.subject.keys.isEmpty else { return nil }
        guard let field = constraint.subject.field else {
            return tokens(constraint.requirement, column: nil, "allTokens")
        }
        guard let position = planner.segment.schema.position(of: field.name) else {
            return planner.keys.isPartOfRecord(field.name)
                ? recordName(constraint, field.name) : missing(constraint.requirement)
        }
        let column = planner.segment.columns[position]
        if case .missing = column.values { return missing(constraint.requirement) }
        if let access = tokens(constraint.requirement, column: position, field.name) { return access }
        guard column.isList == constraint.subject.isElementwise else { return nil }
        let name = Self.name(field.name, constraint.requirement)
        switch constraint.requirement {
        case .presence(let isWanted): return presence(column, isWanted, name)
        case .equal(let value, let options):
            guard value.hasOneSpelling else {
                return [value].withSpellings.flatMap { values in
                    index(position, options).flatMap { membership($0, values, name) }
                }
            }
            return index(position, options).flatMap { equality($0, value, name) }
                ?? scan(column, value) ?? texts(position, [value], options)
        case .membership(let values, let options):
            guard let values = values.withSpellings else { return nil }
            return index(position, options).flatMap { membership($0, values, name) } ?? texts(position, values, options)
        case .range(let lower, let upper, let options):
            return range(position, Interval(lower: lower, upper: upper), options, name)
        case .prefix(let text, let options):
            guard let index = index(position, options) else {
                return self.text(.beginsWith(PreparedNeedle(text, options: options)), position)
            }
            guard case .text = index.family else { return nil }
            return .lookup(prefix(index, text, name, "prefix", kind: OrderedIndex.kind))
        case .distance(let center, let range):
            return place(position, .distance(DistanceTest(center: center, range: range)), name, "distance")
        case .area(let area): return place(position, .area(area), name, "area")
        case .suffix(let text, let options):
            return filtered(self.text(.endsWith(PreparedNeedle(text, options: options)), position), position, name)
        case .substring(let text, let options):
            return substring(PreparedNeedle(text, options: options), position, name)
        case .pattern(.like(let pattern), let options):
            return like(LikePattern(pattern, options: options), position, name)
        case .pattern(.regularExpression(let pattern), let options):
            guard let expression = try? RegularExpression(pattern, options: options) else { return nil }
            return filtered(text(.matches(expression), position), position, name)
        case .tokens, .analyzed, .tokenPrefix: return nil
        }
    }

    func index(_ column: Int, _ options: TextOptions) -> OrderedIndex? {
        planner.usage.building(OrderedIndex.kind, of: planner.segment.schema.fields[column].name).flatMap {
            planner.indexes.ordered(column: column, options: options, building: $0)
        }
    }

    private static func name(_ field: String, _ requirement: FieldConstraint.Requirement) -> String {
        let options: TextOptions =
            switch requirement {
            case .equal(_, let options), .membership(_, let options), .range(_, _, let options),
                .prefix(_, let options), .suffix(_, let options), .pattern(_, let options),
                .substring(_, let options):
                options
            default: []
            }
        let letters = options.letters
        return letters.isEmpty ? field : "\(field)[\(letters)]"
    }

    // MARK: Fields without an index

    /// The name of the record, seen as a field.
    private func recordName(_ constraint: FieldConstraint, _ name: String) -> Access? {
        guard name == planner.keys.id || name == "recordName",
            case .equal(.string(let text), let options) = constraint.requirement, options.isEmpty,
            let spellings = TextSpelling.all(of: text)
        else { return nil }
        let use = IndexUse(field: name, kind: "record name", request: "==")
        let rows = spellings.compactMap { planner.segment.row(named: $0) }.map(UInt32.init).sorted()
        return .lookup(rows.isEmpty ? .none : .rows(rows, use))
    }

    /// No row has a value.
    private func missing(_ requirement: FieldConstraint.Requirement) -> Access {
        if case .presence(false) = requirement { .lookup(.all) } else { .lookup(.none) }
    }

    private func presence(_ column: Column, _ isWanted: Bool, _ name: String) -> Access {
        guard let presence = column.presence else { return .lookup(isWanted ? .all : .none) }
        let use = IndexUse(field: name, kind: "presence", request: "!= nil")
        let node = PlanNode.bitmap(presence, cardinality: presence.cardinality, use)
        return .lookup(isWanted ? node : .complement(node))
    }

    // MARK: Ordered indexes

    private func equality(_ index: OrderedIndex, _ value: FieldValue, _ name: String) -> Access? {
        guard let distinct = index.distinct(equalTo: value) else { return .lookup(.none) }
        return run(index, distinct..<distinct + 1, name, "==").map { .lookup($0) }
    }

    /// Equality with a number or truth value, checked in the column itself.
    private func scan(_ column: Column, _ value: FieldValue) -> Access? {
        if case .bool(let bits) = column.values {
            guard let number = value.number?.asInteger, number == 0 || number == 1 else {
                return value.isNull ? nil : .lookup(.none)
            }
            let present = column.presence ?? Bitmap(count: column.count, repeating: true)
            var members = bits
            if number == 0 { members.formComplement() }
            _ = members.formIntersection(present)
            return .test(PlannedTest(.member(members, cardinality: members.cardinality)))
        }
        guard value.number != nil else { return nil }
        let bound = FieldConstraint.Bound(value, isInclusive: true)
        return columnTest(column, Interval(lower: bound, upper: bound), estimate: nil)
    }

    private func membership(_ index: OrderedIndex, _ values: [FieldValue], _ name: String) -> Access? {
        var distinct: Set<Int> = []
        for value in values {
            if let found = index.distinct(equalTo: value) { distinct.insert(found) }
        }
        let runs = distinct.sorted().map { index.run(ofDistinct: $0..<$0 + 1) }
        let total = runs.reduce(0) { $0 + $1.count }
        let use = IndexUse(field: name, kind: OrderedIndex.kind, request: "IN")
        if total == 0 { return .lookup(.none) }
        if total <= 4096 {
            var rows: [UInt32] = []
            rows.reserveCapacity(total)
            for run in runs { unsafe run.withRows { unsafe rows.append(contentsOf: $0) } }
            if runs.count > 1 {
                rows.sort()
                rows.removeRepetitions()
            }
            return .lookup(.rows(rows, use))
        }
        return .lookup(.union(distinct.sorted().compactMap { run(index, $0..<$0 + 1, name, "IN") }))
    }

    private func range(_ position: Int, _ range: Interval, _ options: TextOptions, _ name: String) -> Access? {
        let column = planner.segment.columns[position]
        guard let index = index(position, options) else { return columnTest(column, range, estimate: nil) }
        for bound in range.bounds where !index.family.includes(bound.value) { return nil }
        let distinct = index.distinct(from: range.lower.map(KeyBound.init), to: range.upper.map(KeyBound.init))
        guard let node = run(index, distinct, name, "range") else { return nil }
        if case .none = node { return .lookup(.none) }
        let test = column.isList ? nil : columnTest(column, range, estimate: node.estimate(rowCount: rowCount))
        guard case .test(let test) = test, case .run(let run, let use) = node else { return .lookup(node) }
        return .either(.scanIfLong(run, test.test, use), test.test)
    }

    /// The rows of a range of distinct values.
    func run(
        _ index: OrderedIndex, _ distinct: Range<Int>, _ name: String, _ request: String,
        kind: IndexKind = OrderedIndex.kind
    ) -> PlanNode? {
        guard !distinct.isEmpty else { return PlanNode.none }
        let use = IndexUse(field: name, kind: kind, request: request)
        let run = index.run(ofDistinct: distinct)
        // Beyond a thirty-second of the rows a bitmap is the smaller and faster form.
        if distinct.count == 1, run.count > rowCount / 32, run.count > 64 {
            let bitmap = index.bitmap(ofDistinct: distinct.lowerBound)
            return .bitmap(bitmap, cardinality: run.count, use)
        }
        return .run(run, use)
    }

    // MARK: Places

    private func place(_ position: Int, _ test: PlaceTest, _ name: String, _ request: String) -> Access? {
        let column = planner.segment.columns[position]
        guard case .location(let locations) = column.values else { return nil }
        let nearTest = RowTest.near(locations, presence: column.presence, test)
        guard let building = planner.usage.building(SpatialIndex.kind, of: name),
            let tree = planner.indexes.spatial(column: position, building: building)
        else { return .test(PlannedTest(nearTest)) }
        let use = IndexUse(field: name, kind: SpatialIndex.kind, request: request)
        return .either(.near(tree, locations, test, use), nearTest)
    }

    // MARK: Columns

    /// A comparison of a column with bounds, for kinds that have a kernel.
    private func columnTest(_ column: Column, _ range: Interval, estimate: Int?) -> Access? {
        switch column.values {
        case .int64(let numbers):
            guard range.bounds.allSatisfy({ $0.value.number != nil }) else { return nil }
            guard let bounds = IntBounds(range) else { return .lookup(.none) }
            // Rows without a value hold a zero.
            let presence = bounds.low <= 0 && bounds.high >= 0 ? column.presence : nil
            return .test(
                PlannedTest(
                    .int(numbers, presence: presence, low: bounds.low, high: bounds.high, estimate: estimate)))
        case .double(let numbers):
            guard range.bounds.allSatisfy({ $0.value.number != nil }) else { return nil }
            return double(column, numbers, range, estimate)
        case .date(let seconds):
            guard range.bounds.allSatisfy({ $0.value.kind == .date }) else { return nil }
            return double(column, seconds, range, estimate)
        default: return nil
        }
    }

    private func double(
        _ column: Column, _ numbers: ColumnBuffer<Double>, _ range: Interval, _ estimate: Int?
    ) -> Access? {
        guard !column.holdsNaN, let bounds = DoubleBounds(range) else { return nil }
        // Rows without a value hold a zero.
        let presence = bounds.low <= 0 && bounds.high >= 0 ? column.presence : nil
        return .test(
            PlannedTest(
                .double(numbers, presence: presence, low: bounds.low, high: bounds.high, estimate: estimate)))
    }
}

extension KeyBound {
    init(_ bound: FieldConstraint.Bound) { self.init(bound.value, isInclusive: bound.isInclusive) }
}

extension Column {
    fileprivate var isList: Bool { if case .list = values { true } else { false } }
}

extension FieldValue {
    /// Whether an index has the value in one form only: names of records are equal that are written in another way.
    package var hasOneSpelling: Bool {
        if case .reference(let reference) = self {
            TextSpelling.all(of: reference.recordID.recordName)?.count == 1
        } else {
            true
        }
    }
}

extension [FieldValue] {
    /// The values, references by each way to write the name of their record; `nil` where those are not known.
    fileprivate var withSpellings: [FieldValue]? {
        guard contains(where: { $0.kind == .reference }) else { return self }
        var spellings: [FieldValue] = []
        for value in self {
            guard case .reference(let reference) = value else {
                spellings.append(value)
                continue
            }
            let (zoneID, action) = (reference.recordID.zoneID, reference.action)
            guard let names = TextSpelling.all(of: reference.recordID.recordName) else { return nil }
            spellings += names.map {
                .reference(RecordReference(recordID: Record.ID($0, zoneID: zoneID), action: action))
            }
        }
        return spellings
    }
}

extension [UInt32] {
    /// Drops repetitions of an ascending list.
    mutating func removeRepetitions() {
        var kept = 0
        for index in indices where index == 0 || self[index] != self[kept - 1] {
            self[kept] = self[index]
            kept += 1
        }
        removeLast(count - kept)
    }
}
