// Conjunctions of fields and values: what applications ask again and again with other values.

import FoundationEssentials
import RecordModel

extension RandomPredicates {
    /// A few comparisons of a field with a value, most of them of one kind, written into the text or as an argument.
    mutating func plainQuery() -> Query {
        arguments = []
        let terms = (0..<Int.random(in: 1...3, using: &generator)).map { _ in plain() }
        return Query(text: terms.joined(separator: " AND "), arguments: arguments)
    }

    private mutating func plain() -> String {
        let relation = generator.pick(["==", "==", "<", "<=", ">", ">="])
        switch Int.random(in: 0..<7, using: &generator) {
        case 0...2:
            return "\(generator.pick(["whole", "fraction", "mixed", "small", "wide"])) \(relation) \(plainNumber())"
        case 3: return "flag == \(generator.pick(["TRUE", "FALSE", "1", "0"]))"
        case 4: return "\(generator.pick(["date", "later"])) \(relation) \(plainMoment())"
        default:
            let relation = generator.oneIn(3) ? "BEGINSWITH" : relation
            return "\(generator.pick(["text", "few", "unique"])) \(relation)\(options()) \(plainText())"
        }
    }

    private mutating func argument(_ value: FieldValue) -> String {
        arguments.append(
            generator.oneIn(15) ? generator.pick([.null, "x", .int64(1), .bool(true), .list([1])]) : value)
        return "%@"
    }

    private mutating func plainNumber() -> String {
        let whole =
            generator.oneIn(4) ? generator.pick(RandomRecords.wholes) : Int64.random(in: -9...9, using: &generator)
        if generator.oneIn(3) { return "\(Int64.random(in: -9...9, using: &generator))" }
        if generator.oneIn(3) {
            return argument(.double(generator.pick(RandomRecords.fractions + [.nan, .infinity, -.infinity])))
        }
        return argument(.int64(whole))
    }

    private mutating func plainMoment() -> String {
        let seconds = generator.oneIn(12) ? Double.nan : Double(Int.random(in: -1...31, using: &generator)) * 86_400
        return argument(.date(Date(timeIntervalSinceReferenceDate: seconds)))
    }

    private mutating func plainText() -> String {
        generator.oneIn(2) ? string() : argument(.string(generator.pick(RandomRecords.words)))
    }
}
