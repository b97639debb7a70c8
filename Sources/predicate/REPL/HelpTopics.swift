// What '.help TOPIC' tells of the language.

import RecordDatabase

/// A page about a part of the language.
struct HelpTopic {
    let name: String
    /// Words that lead here, beside the name.
    let words: Set<String>
    let text: String

    /// The topics, in the order of their list.
    static let all: [HelpTopic] = [
        HelpTopic(
            name: "operators",
            words: [
                "operator", "==", "!=", "<", ">", "<=", ">=", "between", "in", "contains", "beginswith", "endswith",
                "like", "matches", "[c]", "[cd]", "options", "and", "or", "not",
            ],
            text: """
                a == 1   a != 1   a < 1   a >= 1      numbers with numbers, texts with texts, dates with dates
                a BETWEEN {1, 5}                      both bounds belong to it
                a IN {'x', 'y'}                       one of a list
                a CONTAINS 'x'   BEGINSWITH   ENDSWITH
                a LIKE '*x?'                          * any run, ? one character; the whole text
                a MATCHES '.*[0-9]+'                  a regular expression for the whole text
                ==[cd]  CONTAINS[c]  …                c ignores letter case, d marks on letters
                AND binds tighter than OR; NOT (…)
                """),
        HelpTopic(
            name: "functions",
            words: [
                "function", "length", "lowercase", "uppercase", "abs", "sum", "max", "min", "count", "cast", "ternary",
            ],
            text: """
                length(text)  lowercase(text)  uppercase(text)
                abs(n)  floor(n)  ceiling(n)  trunc(n)  sqrt(n)  ln(n)  log(n)  modulus:by:(a, b)
                sum(list)  count(list)  min(list)  max(list)  average(list)  median(list)
                now()  date(text)  year(date)  month(date)  day(date)
                location(LAT, LON)  distance(field, LAT, LON)  inBox(field, S, W, N, E)
                CAST(text, 'NSNumber')   TERNARY(predicate, a, b)
                A function looks at one record; .count, .stats and .histogram look at all that match.
                """),
        HelpTopic(
            name: "dates", words: ["date", "now", "year", "month", "day", "time", "duration"],
            text: """
                ts >= '2026-01-31'                    a day is its start, by --time-zone (UTC)
                ts < '2026-01-31T12:00:00+01:00'
                ts BETWEEN {'2026-01-01', '2026-02-01'}
                ts > now() - 7d                       s m h d w: seconds, minutes, hours, days, weeks
                year(ts) == 2026 AND month(ts) == 2
                date(field) > '2026-01-01'            a field of texts read as dates
                """),
        HelpTopic(
            name: "words", words: ["word", "search", "tokenmatches", "alltokens", "text", "relevance", "phrase"],
            text: """
                allTokens TOKENMATCHES[cdl] 'new york'   both words, anywhere in the record
                title TOKENMATCHES[cdp] 'new york'       the phrase, in one field
                ANY allTokens BEGINSWITH[cd] 'mar'       words that begin so
                .sort relevance                          the best first; .snippets on shows where
                """),
        HelpTopic(
            name: "places", words: ["place", "distance", "location", "inbox", "inpolygon"],
            text: """
                distance(location, 47.37, 8.54) < 30000  metres
                inBox(location, 46.9, 8.3, 47.7, 9) == TRUE
                .sort distance(location,47.37,8.54)      the nearest first
                """),
        HelpTopic(
            name: "lists", words: ["list", "any", "all", "none", "subquery", "@count", "nested"],
            text: """
                ANY tags == 'new'   ALL tags != 'old'   NONE tags == 'x'   tags CONTAINS 'new'
                tags.@count > 2     items.@sum.price < 100     tags[0] == 'a'
                address.city == 'Rome'                   into an object, or to the record behind a reference
                SUBQUERY(items, $x, $x.price > 5 AND $x.quantity < 2).@count > 0
                """),
        HelpTopic(
            name: "nil", words: ["null", "missing", "empty"],
            text: """
                a == nil                                 records without a
                a != 3                                   is true for records without a, too
                a != nil AND a != 3
                """),
    ]

    /// The topic of a word, in any letter case; `nil` for other words.
    static func of(_ word: String) -> HelpTopic? {
        let word = word.lowercased()
        return all.first { $0.name == word } ?? all.first { $0.words.contains(word) }
    }
}
