// Random calls, the same for two containers.

import Foundation
import RecordDatabase
import RecordModel
import _TestSupport

/// A random call, the same for both.
enum Call {
    case modify(saves: [(name: String, fields: [String: FieldValue], parent: String?)], deletes: [String])
    case fetch([String])
    case page(Query, all: Bool, next: Bool)
    case count(Query, all: Bool)
    case write([Change], fails: Bool)
    case changes
    case zoneList
    case zones(save: [String], delete: [String], isPurging: Bool)
    case subscriptions(save: [Subscription], delete: [Subscription.ID])
}

/// A part of a transaction.
enum Change {
    case save(String, field: String, FieldValue)
    case delete(String)
    case updateAll(RecordPredicate, Int64)
    case deleteAll(RecordPredicate)
    case find(RecordPredicate)
    case count(RecordPredicate)
}

struct Step {
    var call: Call
    var client: Int
    var isPublic: Bool
    var zone: RecordZone.ID
    var policy: SavePolicy
    var isAtomic: Bool
    var isKnown: Bool
    var limit: Int
    var token: Data?
}

struct StepGenerator {
    var random: SplitMix64

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    mutating func oneIn(_ count: Int) -> Bool { number(1...count) == 1 }
    mutating func name() -> String { "r\(number(0...9))" }

    private static let predicates: [RecordPredicate] = [
        "TRUEPREDICATE", "a > 3", "s BEGINSWITH 'b'", "s CONTAINS[cd] 'A'", "NOT (a == 1)", "of.a > 2",
        "ANY l == 'x'", "a + d > 3", "s MATCHES 'b.*'", "a == nil OR d < 0.5", "a / a > 0 OR s == 'bé'",
        "recordName IN {'r1', 'r2', 'r3'}", "creatorUserRecordID.recordName == '_b0b'",
    ]

    /// How rare each word is decides, and so do records that have neither.
    static let ranked = Query(
        "T", "s TOKENMATCHES[cd] 'a' OR s TOKENMATCHES[cd] 'b'", sortedBy: [.relevance])

    mutating func value(_ zone: RecordZone.ID) -> (String, FieldValue) {
        switch number(0...7) {
        case 0, 1: return ("a", .int64(Int64(number(0...6))))
        case 2: return ("d", .double(Double(number(-4...4)) / 4))
        case 3, 4: return ("s", .string(["b", "bé", "A", "aa", "", "Б", "a b a", "b c a d"][number(0...7)]))
        case 5:
            return ("l", .list((0...number(0...2)).map { .string(["x", "y", "z"][$0]) }))
        case 6: return ("a", oneIn(3) ? .string("no number") : .null)
        default:
            let target = RecordReference(
                recordID: Record.ID(name(), zoneID: zone), action: oneIn(2) ? .deleteSelf : .none)
            return ("of", .reference(target))
        }
    }

    mutating func predicate() -> RecordPredicate { Self.predicates[number(0...Self.predicates.count - 1)] }

    private mutating func subscriptions(_ zone: RecordZone.ID) -> [Subscription] {
        (0...number(0...1)).compactMap { _ in
            let (id, zoneID) = ("s\(number(0...5))", oneIn(2) ? zone : nil)
            var info = Subscription.NotificationInfo()
            info.desiredKeys = [[], ["a"], ["s", "d"], ["l"]][number(0...3)]
            switch number(0...5) {
            case 0: return try? Subscription(zoneID: zone, recordType: oneIn(2) ? "T" : nil, id: id)
            case 1: return try? Subscription(databaseWithRecordType: oneIn(2) ? "T" : nil, id: id)
            default:
                let options: Subscription.Options = oneIn(4) ? [.all, .firesOnce] : .all
                return try? Subscription(
                    recordType: "T", predicate: predicate(), id: id, zoneID: zoneID, options: options,
                    notificationInfo: info.desiredKeys.isEmpty ? nil : info)
            }
        }
    }

    private mutating func change(_ zone: RecordZone.ID) -> Change {
        switch number(0...8) {
        case 0...2:
            let (field, value) = value(zone)
            return .save(name(), field: field, value)
        case 3: return .delete(name())
        case 4, 5: return .updateAll(predicate(), Int64(number(0...6)))
        case 6: return oneIn(3) ? .deleteAll(predicate()) : .find(predicate())
        case 7: return .count(predicate())
        default: return .find(predicate())
        }
    }

    mutating func step() -> Step {
        let isPublic = oneIn(4)
        let zones: [RecordZone.ID] = isPublic ? [.default] : [.default, RecordZone.ID("Z"), RecordZone.ID("Y")]
        let zone = zones[number(0...zones.count - 1)]
        var step = Step(
            call: .changes, client: number(0...1), isPublic: isPublic, zone: zone,
            policy: [.ifServerRecordUnchanged, .changedKeys, .allKeys][number(0...2)], isAtomic: oneIn(2),
            isKnown: !oneIn(4), limit: number(1...5), token: oneIn(3) ? Data([UInt8(number(0...2))]) : nil)
        switch number(0...21) {
        case 0...6:
            var saves: [(name: String, fields: [String: FieldValue], parent: String?)] = []
            for name in Set((0..<number(0...4)).map { _ in name() }).sorted() {
                let values = (0..<number(0...3)).map { _ in value(zone) }
                saves.append((name, Dictionary(values) { $1 }, oneIn(6) ? self.name() : nil))
            }
            let deletes = (0..<number(0...2)).map { _ in name() }.filter { name in !saves.contains { $0.name == name } }
            step.call = .modify(saves: saves, deletes: deletes)
        case 7: step.call = .fetch((0...number(0...4)).map { _ in name() })
        case 8...10:
            let order: [SortKey] = [[], [.ascending("a")], [.descending("s")], [.ascending("d"), .descending("a")]][
                number(0...3)]
            let query = Query("T", predicate(), sortedBy: order)
            step.call = .page(oneIn(5) ? Self.ranked : query, all: oneIn(3), next: oneIn(3))
        case 11, 12: step.call = .changes
        case 13: step.call = .zoneList
        case 14: step.call = .count(Query("T", predicate()), all: oneIn(3))
        case 15, 16: step.call = .write((0...number(0...4)).map { _ in change(zone) }, fails: oneIn(6))
        case 17...19:
            step.call = .subscriptions(save: subscriptions(zone), delete: oneIn(3) ? ["s\(number(0...5))"] : [])
        default:
            let isSaving = !oneIn(3)
            step.call = .zones(
                save: isSaving ? [["Z", "Y"][number(0...1)]] : [], delete: isSaving ? [] : [["Z", "Y"][number(0...1)]],
                isPurging: oneIn(3))
        }
        return step
    }
}
