// What a database campaign is about: users, zones and types, and random records and questions.

import Geospatial
import PredicateSemantics
import RecordDatabase
import RecordModel

/// A small world, so that clients meet often.
enum DatabaseScene {
    static let users = ["_a11ce", "_b0b"]
    static let zones = [RecordZone.ID.default, RecordZone.ID("Home"), RecordZone.ID("Work")]
    static let names = (0..<18).map { "r\($0)" }
    /// Types that differ in who may read and write them in the public database.
    static let types = ["Note", "Wiki", "Diary"]

    static let fields: [String: FieldType] = [
        "a": .int64, "b": .string, "n": .double, "tags": .list(.string), "of": .reference, "owners": .list(.reference),
        "at": .location,
    ]

    static let schema: ContainerSchema = {
        let fields = DatabaseScene.fields.mapValues { ContainerSchema.Field($0) }
        let grants: [String: [String: Set<ContainerSchema.Permission>]] = [
            "Note": ContainerSchema.RecordType.defaultGrants,
            "Wiki": [ContainerSchema.worldRole: [.read], ContainerSchema.userRole: [.create, .write]],
            "Diary": [ContainerSchema.userRole: [.create], ContainerSchema.creatorRole: [.read, .write]],
        ]
        return ContainerSchema(
            recordTypes: grants.mapValues { ContainerSchema.RecordType(fields: fields, grants: $0) })
    }()

    static let words = ["red fox", "green sea", "red", "blue", "Blue Fox", ""]
    static let places = [
        Location(latitude: 50.45, longitude: 30.52), Location(latitude: 50.5, longitude: 30.5),
        Location(latitude: -17.7, longitude: 179.99),
    ]
}

/// Random records and questions of the scene.
struct DatabaseChoices {
    var generator: SeededGenerator
    /// Whether a call that changes something is about one zone, as on several servers: there a commit is on one of them,
    /// and calls about more are made in parts.
    var staysInZone = false

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func oneIn(_ count: Int) -> Bool { generator.oneIn(count) }
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { generator.pick(choices) }

    /// A zone of a database, now and then one that is never there.
    mutating func zone(_ scope: DatabaseScope) -> RecordZone.ID {
        if oneIn(40) { return RecordZone.ID("Nowhere") }
        return scope == .public ? .default : pick(DatabaseScene.zones)
    }

    /// The zones that a query is about: mostly one.
    mutating func zones(_ zone: RecordZone.ID) -> QueryZones { oneIn(4) ? .all : .zone(zone) }

    /// The zone of a record beside others: mostly the same.
    mutating func zone(beside zone: RecordZone.ID, _ scope: DatabaseScope, oneIn count: Int) -> RecordZone.ID {
        oneIn(count) && !staysInZone ? self.zone(scope) : zone
    }

    mutating func id(in zone: RecordZone.ID) -> Record.ID { Record.ID(pick(DatabaseScene.names), zoneID: zone) }

    /// The type that most records of a name have.
    func usualType(of name: String) -> String {
        DatabaseScene.types[name.utf8.reduce(0) { $0 + Int($1) } % DatabaseScene.types.count]
    }

    /// Sets some fields to new values, most of which fit.
    mutating func change(_ record: inout Record) {
        for _ in 0..<number(1...4) {
            let field = pick(["a", "a", "b", "n", "tags", "of", "of", "owners", "at"])
            record[field] = oneIn(6) ? FieldValue.null : value(of: field, in: record.id.zoneID)
        }
        if oneIn(8) { record.setParent(oneIn(3) ? nil : id(in: oneIn(12) ? .default : record.id.zoneID)) }
        // At most one value that does not fit, so that the error does not depend on which is found first.
        switch number(0...60) {
        case 0: record["a"] = FieldValue.string("a word")
        case 1: record["n"] = FieldValue.double(.nan)
        case 2:
            record["of"] = FieldValue.reference(
                RecordReference(recordID: Record.ID("r1", zoneID: RecordZone.ID("Far"))))
        default: break
        }
    }

    private mutating func value(of field: String, in zone: RecordZone.ID) -> FieldValue {
        switch field {
        case "a": oneIn(5) ? .double(Double(number(0...5))) : oneIn(5) ? .bool(oneIn(2)) : .int64(Int64(number(0...5)))
        case "b": .string(pick(DatabaseScene.words))
        case "n": oneIn(2) ? .double(Double(number(0...20)) / 4) : .int64(Int64(number(0...5)))
        case "tags": .list((0..<number(1...3)).map { _ in .string(pick(DatabaseScene.words)) })
        case "of": .reference(reference(in: zone))
        case "owners": .list((0..<number(1...2)).map { _ in .reference(reference(in: zone)) })
        default: .location(pick(DatabaseScene.places))
        }
    }

    private mutating func reference(in zone: RecordZone.ID) -> RecordReference {
        RecordReference(recordID: id(in: zone), action: oneIn(2) ? .deleteSelf : .none)
    }

    // MARK: Questions

    mutating func predicate(in zone: RecordZone.ID) -> RecordPredicate {
        let (number, word) = (Int64(number(0...5)), pick(DatabaseScene.words))
        switch self.number(0...17) {
        case 0: return "a > \(number)"
        case 1: return "a == \(number) OR b == \(word)"
        case 2: return "b BEGINSWITH 'red'"
        case 3: return "tags CONTAINS \(word)"
        case 4: return "ANY tags == \(word) AND NOT (a == \(number))"
        case 5: return "b TOKENMATCHES[cd] 'fox'"
        case 6: return "a == nil"
        case 7: return "of.a > \(number)"
        case 8: return "n BETWEEN {0.5, \(Double(number))}"
        case 9: return "of == \(id(in: zone)) OR owners CONTAINS \(id(in: zone))"
        case 10: return "distanceToLocation:fromLocation:(at, \(pick(DatabaseScene.places))) < 20000"
        case 11: return "creatorUserRecordID == \(Record.ID(pick(DatabaseScene.users)))"
        case 12: return "lastModifiedUserRecordID != \(Record.ID(pick(DatabaseScene.users))) AND a < 4"
        case 13: return "recordID IN \([id(in: zone), id(in: zone)]) OR parent == \(id(in: zone))"
        case 14: return "of.creatorUserRecordID == \(Record.ID(pick(DatabaseScene.users)))"
        case 15: return "self CONTAINS 'red' AND n != nil"
        default: return "TRUEPREDICATE"
        }
    }

    mutating func query(in zone: RecordZone.ID) -> Query {
        var keys: [SortKey] = []
        for field in ["a", "b", "n"] where oneIn(4) {
            keys.append(oneIn(2) ? .ascending(field) : .descending(field))
        }
        return Query(pick(DatabaseScene.types), predicate(in: zone), sortedBy: keys)
    }

    /// A subscription, one of a few names; `nil` when the scene's own names do not make one.
    mutating func subscription(_ scope: DatabaseScope) -> Subscription? {
        let id = "s\(number(0...7))"
        let zone = zone(scope)
        switch number(0...9) {
        case 0: return try? Subscription(databaseWithRecordType: oneIn(2) ? nil : pick(DatabaseScene.types), id: id)
        case 1, 2:
            return try? Subscription(zoneID: zone, recordType: oneIn(2) ? nil : pick(DatabaseScene.types), id: id)
        default:
            var options: Subscription.Options = oneIn(2) ? .all : Subscription.Options(rawValue: UInt(number(1...7)))
            let isInZone = oneIn(2)
            // One that fires once, and is of all zones, may do so once more on another server.
            if oneIn(5), isInZone || !staysInZone { options.insert(.firesOnce) }
            var info: Subscription.NotificationInfo?
            if oneIn(2) {
                info = Subscription.NotificationInfo()
                info?.desiredKeys = ["a", "b"]
            }
            return try? Subscription(
                recordType: pick(DatabaseScene.types), predicate: predicate(in: zone), id: id,
                zoneID: isInZone ? zone : nil, options: options, notificationInfo: info)
        }
    }
}
