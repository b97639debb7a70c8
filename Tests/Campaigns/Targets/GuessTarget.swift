// Queries of other languages from strangers: what they are taken for is a predicate.

import PredicateEditing
import PredicateSyntax

/// Takes a text for a query of another language, as the command does with what is no predicate.
enum GuessCheck {
    static func run(_ bytes: [UInt8]) -> FuzzOutcome {
        let text = String(decoding: bytes, as: UTF8.self)
        if let dated = ForeignLanguage.withQuotedDates(text), let fault = fault(of: dated) {
            return .finding("days between quotes: \(fault)")
        }
        guard let (language, query) = ForeignLanguage.translation(of: text) else {
            guard ForeignLanguage.suggestion(for: text, hint: nil) == nil else {
                return .finding("suggested, and not translated")
            }
            return .rejected
        }
        if let fault = fault(of: query) { return .finding("\(language.rawValue): \(fault)") }
        guard ForeignLanguage.suggestion(for: text, hint: nil) == query else {
            return .finding("\(language.rawValue): suggested is another query than the translation")
        }
        return .accepted
    }

    /// What is wrong with a query: its predicate parses, an option has its value, the prompt's lines are lines.
    private static func fault(of query: TranslatedQuery) -> String? {
        guard (try? SyntaxTree(parsing: query.predicateText)) != nil else {
            return "no predicate: \(query.predicateText)"
        }
        var place = 0
        while place < query.options.count {
            let option = query.options[place]
            guard option.hasPrefix("--") else { return "no option: \(option)" }
            place += option == "--count" ? 1 : 2
        }
        guard place == query.options.count else { return "an option without its value: \(query.options)" }
        // Texts between quotes may hold ends of lines; nothing else may.
        let commands = query.lines.filter { $0.hasPrefix(".") && $0 != query.predicateText }
        return commands.first { $0.utf8.contains(0x0A) }.map { "more than a line: \($0)" }
    }

    static let seeds = [
        "SELECT * FROM movies WHERE year > 1977 AND genre = 'space' ORDER BY rating DESC LIMIT 5",
        "select title, count(*) from movies where title like '%star%' and not year in (1977, 1979) group by genre",
        "SELECT COUNT(*) FROM m WHERE released BETWEEN '1977-01-01' AND '1979-12-31' OR rating IS NOT NULL;",
        "select avg(rating) from movies where genre <> 'horror' group by genre",
        "DELETE FROM movies WHERE year < 1950", "UPDATE movies SET rating = 9, genre = 'x' WHERE id = 'a'",
        ".[] | select(.year > 1977 and .genre == \"space\") | .title", "jq '.movies[] | select(.a.b | test(\"x\"))'",
        "[.[] | select(.tags | index(\"x\"))] | length", "map(select(.year >= 1977)) | sort_by(.rating) | .[0:5]",
        "db.movies.find({year: {$gt: 1977}, genre: {$in: [\"space\", 'horror']}}).sort({rating: -1}).limit(5)",
        "{ \"$or\": [ { \"year\": 1977 }, { \"rating\": { \"$gte\": 8.5, \"$ne\": null } } ] }",
        "db.m.countDocuments({title: /^star/i, tags: {$exists: true}, $not: {a: {$size: 2}}})",
        "title:star AND year:[1977 TO 1979] -genre:horror", "title:\"star wars\"~2 OR rating:>8 AND (a:b c:d*)",
        "movies.filter(m => m.year > 1977 && m.genre === 'space')", "[m for m in movies if m['year'] > 1977]",
        "records.where { |r| r.year == 1977 || !r.flag }", "movies.filter { $0.year > 1977 && $0.title != nil }",
        "movies from 1977 with a rating over 8", "year is greater than 1977 and genre is space", "star wars",
        "released > 1977-05-25", "year = 1977, genre = space", "title contains star sorted by year",
    ]

    private static let pieces = [
        "SELECT", "*", "FROM t", "WHERE", "AND", "OR", "NOT", "IN", "LIKE", "'%a%'", "IS NULL", "ORDER BY a", "DESC",
        "LIMIT 5", "GROUP BY b", "COUNT(*)", "(", ")", "[", "]", "{", "}", ",", ";", ":", "$gt", "$in", "$or", "$regex",
        "'", "\"", "/x/i", "|", "select", ".a", ".[]", "=>", "==", "=", "<>", "!=", "&&", "||", "!", "-", "+", "~2",
        "TO", "a", "b.c", "1", "-2.5e3", "1e400", "null", "true", "2024-02-29", "é", "\u{0}", "\n", "--", "/*", "\\",
        "--count", ".count", "BETWEEN 1 AND 2", "filter", "map", "limit", "sort",
    ]

    /// A text like another one: words and signs taken out, repeated or put in.
    static func mutated(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var words = String(decoding: bytes, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
            .map { String($0) }
        for _ in 0..<Int.random(in: 1...3, using: &generator) where !words.isEmpty {
            let place = Int.random(in: 0..<words.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: words.remove(at: place)
            case 1: words.insert(words[place], at: place)
            case 2: words.insert(generator.pick(pieces), at: place)
            case 3: words[place] = generator.pick(pieces)
            case 4: words.swapAt(place, Int.random(in: 0..<words.count, using: &generator))
            default:
                var word = Array(words[place].utf8)
                if word.isEmpty { break }
                word[Int.random(in: 0..<word.count, using: &generator)] = UInt8.random(in: 32...126, using: &generator)
                words[place] = String(decoding: word, as: UTF8.self)
            }
        }
        return Array(words.joined(separator: " ").utf8)
    }
}

extension FuzzTarget {
    static let guesses = FuzzTarget(
        name: "guesses", summary: "queries of other languages: what they are taken for is a predicate",
        run: { GuessCheck.run($0) }, seeds: { GuessCheck.seeds.map { Array($0.utf8) } },
        mutated: { GuessCheck.mutated($0, &$1) }, byteLimit: 1024)
}
