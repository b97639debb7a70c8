// The values of the cases as records of a container on servers, and why those of some cases cannot be.

import Campaigns
import FoundationEssentials
import PostgreSQLStore
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

/// Why a case is not asked.
enum CaseObstacle: String, CaseIterable {
    /// What is wrong with the text is found before anybody asks.
    case text
    /// Queries of databases have no variables.
    case variables
    /// It names what a database writes about each record, such as the record's name.
    case metadata
    /// It names a field that cannot be called so.
    case name
    /// It names a field whose value no field holds, or which cannot be queried: lists of lists, lists with missing or
    /// with different values, sets, bytes; or whose values are of different types.
    case value
    /// It is about all texts of a record, of which some cannot be stored.
    case texts
}

/// Cases, and the records that they are about.
struct ServedCases {
    /// A case that is asked.
    struct Question {
        let one: ConformanceCase
        let predicate: RecordPredicate
        /// The number of the records that it is about.
        let group: Int
    }

    /// Records that are alone of their type in their database.
    private struct Group {
        let records: [[String: FieldValue]]
        /// The types of the fields, those that only predicates name among them.
        var types: [String: FieldType]
    }

    private(set) var questions: [Question] = []
    private(set) var obstacles: [CaseObstacle: Int] = [:]
    private var groups: [Group] = []
    private var known: [[UInt8]: [Int]] = [:]

    init(_ cases: [ConformanceStore.TestQuery]) throws {
        for query in cases {
            if let obstacle = try note(query) { obstacles[obstacle, default: 0] += 1 }
        }
    }

    // MARK: Records of cases

    private mutating func note(_ query: ConformanceStore.TestQuery) throws -> CaseObstacle? {
        let one = query.one
        if !query.variables.isEmpty { return .variables }
        guard let predicate = try? RecordPredicate(format: one.predicate, arguments: query.arguments),
            let tree = try? predicate.tree, (try? tree.validate(for: one.isCloudKit ? .cloudKit : .full)) != nil
        else { return .text }
        let records = query.values.compactMap(Self.fields(of:))
        var types: [String: FieldType] = [:]
        var misfits: [String: CaseObstacle] = [:]
        for (name, value) in records.flatMap({ $0 }) { Self.add(value, name, &types, &misfits) }
        let bound = try? Binder().bind(predicate)
        let names = bound?.fieldNames ?? []
        for name in names {
            if Binder.Settings.recordFields[name] != nil { return .metadata }
            if let misfit = misfits[name] ?? Self.misfit(ofName: name) { return misfit }
            if let type = types[name], !Self.canBeQueried(type) { return .value }
        }
        if let bound, !misfits.isEmpty, bound.uses.contains(where: { $0.name == nil }) { return .texts }
        for name in misfits.keys { types[name] = nil }
        Self.decide(names, &types, predicate)
        let kept = records.map { $0.filter { types[$0.key] != nil } }
        questions.append(Question(one: one, predicate: predicate, group: try group(kept, types)))
        return nil
    }

    /// Takes in the type that a value gives its field; or why the field cannot have it.
    private static func add(
        _ value: FieldValue, _ name: String, _ types: inout [String: FieldType],
        _ misfits: inout [String: CaseObstacle]
    ) {
        if let misfit = misfit(ofName: name) { misfits[name] = misfit }
        if case .list([]) = value {
            if types[name] == nil { types[name] = .list(nil) }
            return
        }
        guard let type = try? ValueCheck(zoneID: .default, userName: nil).type(of: value) else {
            misfits[name] = .value
            return
        }
        switch (types[name], type) {
        case (nil, _), (.list(nil), .list), (.int64, .double): types[name] = type
        case (.double, .int64): break
        case (let known, _): if known != type { misfits[name] = .value }
        }
    }

    private static func misfit(ofName name: String) -> CaseObstacle? {
        (try? NameRules.check(key: name)) == nil ? .name : nil
    }

    private static func canBeQueried(_ type: FieldType) -> Bool {
        type == .list(nil) || IndexMarks.all(for: type).contains(.queryable)
    }

    /// Gives fields that have no type the first one that the predicate suits: nothing tells it of a field that no
    /// record has, and of one that has only empty lists.
    private static func decide(_ names: [String], _ types: inout [String: FieldType], _ predicate: RecordPredicate) {
        let single: [FieldType] = [.string, .int64, .double, .date, .location, .reference, .object]
        let lists: [FieldType] = [.list(.string), .list(.int64), .list(.date), .list(.location), .list(.reference)]
        for name in Set(names).union(types.keys).sorted() where types[name].map({ $0 == .list(nil) }) ?? true {
            let possible = types[name] == nil ? single + lists : lists
            let suited = possible.first { type in
                var fields = types.mapValues { $0 == .list(nil) ? .any : $0 }
                for other in names where fields[other] == nil { fields[other] = .any }
                fields[name] = type
                let definitions = fields.map { FieldDefinition(name: $0.key, type: $0.value) }
                let binder = Binder(schema: RecordSchema(recordType: "T", fields: definitions))
                return (try? binder.bind(predicate)).map { $0.kindClash == nil } ?? false
            }
            types[name] = suited ?? possible.first
        }
    }

    private static func fields(of value: FieldValue) -> [String: FieldValue]? {
        guard case .object(let fields) = value else { return nil }
        return fields.filter { !$0.value.isNull }.mapValues(plain)
    }

    /// A value whose references need not lead anywhere.
    private static func plain(_ value: FieldValue) -> FieldValue {
        switch value {
        case .reference(let reference): .reference(RecordReference(recordID: reference.recordID))
        case .list(let elements): .list(elements.map(plain))
        case .object(let members): .object(members.mapValues(plain))
        default: value
        }
    }

    /// The number of such records, which those of another case may be.
    private mutating func group(_ records: [[String: FieldValue]], _ types: [String: FieldType]) throws -> Int {
        let bytes = try FieldValue.list(records.map { .object($0) }).binary()
        for number in known[bytes] ?? [] {
            guard let united = Self.united(groups[number].types, types) else { continue }
            groups[number].types = united
            return number
        }
        known[bytes, default: []].append(groups.count)
        groups.append(Group(records: records, types: types))
        return groups.count - 1
    }

    private static func united(_ a: [String: FieldType], _ b: [String: FieldType]) -> [String: FieldType]? {
        for (name, type) in b where (a[name] ?? type) != type { return nil }
        return a.merging(b) { known, _ in known }
    }

    // MARK: On servers

    /// Where the records of a group are: in the default zone of a user, which is spread over the nodes, and the only
    /// ones of their type there.
    fileprivate struct Place {
        let user: Int
        let type: Int
    }

    /// A container with the records of all cases.
    struct Served {
        fileprivate let places: [Place]
        /// As each user sees it.
        fileprivate let containers: [Container]

        fileprivate static func name(_ type: Int) -> String { "T\(type)" }

        func close() { for container in containers.prefix(1) { container.close() } }

        /// Which values of a case match, and how many are counted; `nil` where nobody counts.
        func ask(_ question: Question, counts: Bool) throws(DatabaseError) -> (matches: [Int], count: Int?) {
            let place = places[question.group]
            let database = containers[place.user].privateDatabase
            let query = Query(Self.name(place.type), question.predicate)
            let found = try database.find(query, in: .zone(.default), limit: 100).matches
            let numbers = found.compactMap { $0.0.recordName.split(separator: "-").last.flatMap { Int($0) } }
            return (numbers.sorted(), counts ? try database.countNow(query, in: .zone(.default)) : nil)
        }
    }

    /// Groups of one type, each in a database of its own.
    private static let groupsPerType = 40

    /// Saves the records in a new container.
    ///
    /// - Parameter marks: The indexes of all fields; `nil` for those that suit their types.
    func served(on nodes: PostgreSQLNodes, marks: IndexMarks?) throws -> Served {
        var types: [(fields: [String: FieldType], count: Int)] = []
        var places: [Place] = []
        for group in groups {
            let suited = types.firstIndex {
                $0.count < Self.groupsPerType && Self.united($0.fields, group.types) != nil
            }
            if suited == nil { types.append(([:], 0)) }
            let type = suited ?? types.count - 1
            places.append(Place(user: types[type].count, type: type))
            types[type] = (Self.united(types[type].fields, group.types) ?? [:], types[type].count + 1)
        }
        var schema = ContainerSchema()
        for (number, type) in types.enumerated() {
            schema.recordTypes[Served.name(number)] = ContainerSchema.RecordType(
                fields: type.fields.mapValues { ContainerSchema.Field($0, indexes: marks) })
        }
        let identifier = "cases \(UUID().uuidString)"
        try nodes.makeContainer(identifier)
        let control = try #require(nodes.servers.first)
        let server = try NodeContainer.open(
            identifier: identifier, connectingTo: control.address, connectionCount: 4)
        let first = try Container(
            identifier: identifier, on: server, account: .user("u0"), configuration: Configuration())
        try first.setSchema(schema)
        let others = try (1..<Self.groupsPerType).map { try Container(sharing: first, account: .user("u\($0)")) }
        let served = Served(places: places, containers: [first] + others)
        try save(served)
        return served
    }

    private func save(_ served: Served) throws {
        let numbers = Dictionary(grouping: groups.indices) { served.places[$0].user }
        _ = try SideBySide.run(Array(numbers)) { user, numbers throws(DatabaseError) in
            var request = ModifyRequest()
            request.isLimited = false
            for number in numbers {
                let type = Served.name(served.places[number].type)
                for (record, fields) in groups[number].records.enumerated() {
                    request.saves.append(Record(type: type, id: Record.ID("\(type)-\(record)"), fields: fields))
                }
            }
            let made = try served.containers[user].privateDatabase.modify(request)
            for (_, outcome) in made.saves { _ = try outcome.get() }
        }
    }
}
