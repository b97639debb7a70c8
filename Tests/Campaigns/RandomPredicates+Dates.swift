// Dates and places as people write them: texts beside dates, lengths of time, parts of the calendar.

import FoundationEssentials
import RecordModel

extension RandomPredicates {
    /// A comparison of dates with texts, on either side, in lists and as bounds; most of the texts are dates.
    mutating func writtenDates(_ relation: String) -> String {
        let field = generator.pick(["date", "date", "later", "mixed", "absent"])
        switch Int.random(in: 0..<11, using: &generator) {
        case 0: return "\(moment()) \(relation) \(field)"
        case 1: return "\(field) BETWEEN {\(moment()), \(moment())}"
        case 2: return "\(field) IN {\(moment()), \(moment()), \(string())}"
        case 3: return "NOT (\(field) IN {\(moment()), later})"
        case 4: return "\(field) \(relation) date(\(moment())) \(generator.pick(["+", "-"])) \(length())"
        case 5: return "\(field) \(generator.pick(["+", "-"])) \(length()) \(relation) \(moment())"
        case 6:
            let part = generator.pick(["year", "month", "day"])
            return "\(part)(\(field)) \(relation) \(generator.pick(["2001", "1", "2", "12", "31"]))"
        case 7: return "date(\(generator.pick(["text", "few", "date"]))) \(relation) \(moment())"
        case 8:
            let (latitude, longitude) = (
                Int.random(in: -90...90, using: &generator), generator.pick(["8.5", "-170", "0"])
            )
            return "distance(place, \(latitude), \(longitude)) \(relation) \(generator.pick(["1000", "5e6", "2e7"]))"
        case 9: return "\(generator.pick(["ANY", "NONE"])) {\(moment()), \(moment())} \(relation) \(field)"
        default: return "\(field) \(relation) \(moment())"
        }
    }

    /// A day or a moment near those of the records, rarely no date.
    private mutating func moment() -> String {
        let day = Int.random(in: 1...31, using: &generator)
        let text =
            "2001-01-\(day < 10 ? "0" : "")\(day)" + generator.pick(["", "", "", "T00:00:00Z", "T12:30:00+01:00"])
        if generator.oneIn(12) { return string() }
        if generator.oneIn(3) {
            arguments.append(.string(text))
            return "%@"
        }
        return "'\(text)'"
    }

    private mutating func length() -> String {
        "\(Int.random(in: 0...40, using: &generator))\(generator.pick(["s", "m", "h", "d", "w"]))"
    }
}
