// What PostgreSQL's server sends and is sent: bytes of rows, and conditions that predicates become.

import PostgreSQLStore
import PredicateSemantics
import RecordDatabase
import RecordModel
import RecordPushdown

/// Bytes that a row of the server has for its fields.
enum RowCheck {
    private static let coding = RowCoding(assetFolder: "/assets")

    static func run(_ bytes: [UInt8]) -> FuzzOutcome {
        do throws(DatabaseError) {
            let fields = try coding.fields(bytes)
            let written = try coding.bytes(of: fields)
            let again = try coding.fields(written)
            // Bytes, since numbers that are none are equal to nothing.
            guard again.keys == fields.keys, try coding.bytes(of: again) == written else {
                return .finding("fields are written otherwise than they are: \(fields)")
            }
            return .accepted
        } catch {
            return error.code == .internalError && !error.reason.isEmpty
                ? .rejected : .finding("an error that does not fit: \(error)")
        }
    }

    static func seeds() -> [[UInt8]] {
        var values = RandomValues(seed: 5, isStorable: true)
        let records = values.records(12).map(\.fields)
        let few: [[String: FieldValue]] = [
            [:], ["a": .int64(1)], ["é": .string("\u{301}"), "n": .double(-0.0)],
            ["f": .asset(Asset(path: "/assets/0af3", size: 4)), "g": .list([.asset(Asset(path: "", size: 0))])],
        ]
        return (few + records).compactMap { try? coding.bytes(of: $0) }
    }

    /// Bytes like others: mostly one of them is another, which leaves lengths and kinds whole where it is a value's.
    static func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        guard !bytes.isEmpty else { return [UInt8.random(in: 0...255, using: &generator)] }
        var bytes = bytes
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes.removeSubrange(place..<min(bytes.count, place + 3))
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
        default: bytes[place] ^= generator.pick([1, 2, 4, 8, 1, 2])
        }
        return bytes
    }
}

/// Conditions of predicates, read by the lexical rules of SQL.
enum ConditionCheck {
    private static let types: [String: FieldType] = [
        "whole": .int64, "fraction": .double, "text": .string, "date": .date, "place": .location, "owner": .reference,
        "tags": .list(.string), "numbers": .list(.int64), "friends": .list(.reference), "ä\"b": .string,
    ]
    private static let layout = ColumnLayout(types, table: "r_T")

    static func run(_ bytes: [UInt8]) -> FuzzOutcome {
        let schema = RecordSchema(
            recordType: "T", fields: types.map { FieldDefinition(name: $0.key, type: $0.value) })
        guard let predicate = try? RecordPredicate(String(decoding: bytes, as: UTF8.self), [], dialect: .full),
            let bound = try? Binder(schema: schema).bind(predicate)
        else { return .rejected }
        for knowsTexts in [false, true] {
            let bounds = Lowering(layout, zoneID: .default, types: [layout], knowsTexts: knowsTexts).bounds(bound)
            for condition in [bounds.certain, bounds.possible] {
                if let fault = fault(of: condition) { return .finding("\(predicate): \(fault)") }
                // Not one row more or less: what is turned round twice is the same.
                guard condition.negated.negated.text == condition.text else {
                    return .finding("\(predicate): turned round twice is another condition")
                }
            }
        }
        return .accepted
    }

    /// What is wrong with a condition: it ends early or late, its values are not where its text says.
    private static func fault(of condition: Condition) -> String? {
        let (text, values) = condition.text.printed()
        var places: Set<Int> = []
        var depth = 0
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                while let next = rest.popFirst(), next != byte || rest.first == byte {
                    if next == byte { rest.removeFirst() }
                    if rest.isEmpty { return "a quote is left open: \(text)" }
                }
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth < 0 { return "it is closed before its end: \(text)" }
            case UInt8(ascii: "$"):
                let digits = rest.prefix { (0x30...0x39).contains($0) }
                rest.removeFirst(digits.count)
                guard let number = Int(String(decoding: digits, as: UTF8.self)) else { return "a bare $: \(text)" }
                places.insert(number)
            case UInt8(ascii: ";"): return "it is more than a condition: \(text)"
            case UInt8(ascii: "-") where rest.first == byte: return "a comment: \(text)"
            case 0x80..., 0: return "a name without quotes: \(text)"
            default: break
            }
        }
        if depth != 0 { return "it is not closed: \(text)" }
        let isWhole = places == Set(values.indices.map { $0 + 1 })
        return isWhole ? nil : "\(values.count) values at the places \(places.sorted()): \(text)"
    }

    static let seeds = [
        "whole == 3 AND NOT fraction > 2.5", "text BEGINSWITH[cd] 'a\u{0}b' OR text LIKE '*x?y*'",
        "date > '2024-02-29'",
        "distance(place, 1, 2) < 5", "whole IN {1, 2, NULL} AND tags CONTAINS 'a'",
        "ANY numbers > 3 AND ALL tags LIKE 'é*'", "owner == NULL OR friends[SIZE] > 2", "text MATCHES '(a|b)+\\\\$1'",
        "whole BETWEEN {1, 9} AND text != \"it's; -- ' \\\"\"", "text.lowercase == 'x' OR whole + 1 == fraction",
        "NONE tags BEGINSWITH 'x' OR text ENDSWITH 'y'", "text TOKENMATCHES 'red fox' OR text == ''",
        "#'ä\"b' == 'x'", "date + 3d < now() OR whole == 9223372036854775807", "NOT (whole == 1 OR whole == NULL)",
        "text > 'm' AND text <= 'z' AND tags == {'a', 'b'}", "owner.text == 'x' OR fraction IN {0.5, -0.0}",
    ]
}

extension FuzzTarget {
    static let rows = FuzzTarget(
        name: "rows", summary: "bytes of a server's rows: fields that are written as they are read, or refused",
        run: { RowCheck.run($0) }, seeds: { RowCheck.seeds() }, mutated: { RowCheck.mutated($0, &$1) })

    static let conditions = FuzzTarget(
        name: "conditions", summary: "conditions that predicates become for a server: whole, values in their places",
        run: { ConditionCheck.run($0) }, seeds: { ConditionCheck.seeds.map { Array($0.utf8) } },
        mutated: { bytes, generator in
            var mutator = PredicateMutator(generator)
            _ = generator.next()
            return Array(mutator.mutated(String(decoding: bytes, as: UTF8.self)).utf8)
        })
}
