// Queries of other languages in their less usual forms, and texts that are none of them after all.

import PredicateEditing
import Testing

@Suite struct GuessEdgesTests {
    /// What a text is taken for: the language, what is done, the predicate, the options, and the source.
    private func told(_ text: String) -> String? {
        guard let (language, query) = ForeignLanguage.translation(of: text) else { return nil }
        var words = [language.rawValue + ":"]
        switch query.verb {
        case .query: break
        case .delete: words.append("delete")
        case .schema: words.append("schema")
        case .update(let settings): words += ["update"] + settings
        }
        if let predicate = query.predicate { words.append(predicate) }
        words += query.options
        if let source = query.source { words.append("< " + source) }
        return words.joined(separator: " ")
    }

    private static let statements: [(text: String, told: String?)] = [
        (#"SELECT DISTINCT genre"#, #"SQL: --distinct genre"#),
        (#"SELECT DISTINCT genre, year, * FROM m"#, nil),
        (#"SELECT TOP 3 title FROM m"#, #"SQL: --limit 3 --fields title < m"#),
        (#"SELECT TOP x * FROM m"#, nil),
        (#"SELECT COUNT(DISTINCT genre) FROM m"#, #"SQL: --stats genre < m"#),
        (#"SELECT COUNT(title) FROM m"#, #"SQL: --count < m"#),
        (#"SELECT AVG(rating), MAX(rating), SUM(votes) FROM m"#, #"SQL: --stats rating,votes < m"#),
        (
            #"SELECT genre, AVG(rating) AS mean FROM m GROUP BY genre ORDER BY mean DESC"#,
            #"SQL: --count-by genre --stats rating --sort average:desc < m"#
        ),
        (
            #"SELECT genre, year, COUNT(*) AS n FROM m GROUP BY genre, year ORDER BY n"#,
            #"SQL: --count-by genre,year --sort count < m"#
        ),
        (#"SELECT AVG(rating) FROM m GROUP BY genre"#, #"SQL: --count-by genre --stats rating < m"#),
        (#"SELECT title FROM m GROUP BY genre, year"#, #"SQL: --count-by genre,year < m"#),
        (
            #"SELECT genre, COUNT(*) FROM m GROUP BY genre ORDER BY AVG(rating) DESC, MIN(year)"#,
            #"SQL: --count-by genre --sort average:desc --sort min < m"#
        ),
        (#"SELECT * FROM m ORDER BY title ASC, year DESC"#, #"SQL: --sort title --sort year:desc < m"#),
        (#"SELECT * FROM m SORT BY year"#, nil),
        (#"SELECT * FROM m FETCH FIRST 5 ROWS ONLY"#, #"SQL: --limit 5 < m"#),
        (#"SELECT * FROM m FETCH NEXT 1 ROW ONLY"#, #"SQL: --limit 1 < m"#),
        (#"SELECT * FROM m FETCH 5 ROWS ONLY"#, nil),
        (#"SELECT * FROM m FETCH FIRST x ROWS ONLY"#, nil),
        (#"SELECT * FROM m FETCH FIRST 5 ROWS"#, nil),
        (#"SELECT * FROM m LIMIT x"#, nil),
        (#"SELECT * FROM m HAVING x"#, nil),
        (#"SELECT title AS t, year FROM m"#, #"SQL: --fields title,year < m"#),
        (#"SELECT m.title FROM movies m WHERE m.year > 1990"#, #"SQL: year > 1990 --fields title < movies"#),
        (#"SELECT a.title FROM movies AS a"#, #"SQL: --fields title < movies"#),
        (#"SELECT x.y FROM movies"#, #"SQL: --fields x.y < movies"#),
        (#"FROM movies SELECT title"#, #"SQL: --fields title < movies"#),
        (#"FROM movies m SELECT m.title WHERE m.year > 1"#, #"SQL: year > 1 --fields title < movies"#),
        (#"SELECT * FROM 'movies.csv'"#, #"SQL: < movies.csv"#),
        (#"SELECT * FROM a.b.csv WHERE x = 1"#, #"SQL: x == 1 < a.b.csv"#),
        (#"UPDATE movies SET a = 1, b = 'x' WHERE c = 2"#, #"SQL: update a=1 b=x c == 2 < movies"#),
        (#"UPDATE movies a = 1"#, nil),
        (#"DELETE FROM movies"#, #"SQL: delete < movies"#),
        (#"SHOW COLUMNS"#, #"SQL: schema"#),
        (#"SHOW FIELDS"#, #"SQL: schema"#),
        (#"DESC movies"#, #"SQL: schema"#),
        (#"DESCRIBE 5"#, #"plain words: allTokens TOKENMATCHES[cdl] 'DESCRIBE 5'"#),
    ]

    private static let conditions: [(text: String, told: String?)] = [
        (#"a = 1 && b = 2 || !c = 3"#, #"SQL: a == 1 AND b == 2 OR NOT c == 3"#),
        (#"(a = 1 OR (b = 2)) AND c = 3"#, #"SQL: (a == 1 OR (b == 2)) AND c == 3"#),
        (#"a = 1)"#, nil),
        (#"(a = 1"#, nil),
        (#"x IN [1, 2]"#, #"SQL: x IN {1, 2}"#),
        (#"x IN (1, 2"#, nil),
        (#"x BETWEEN [1, 2]"#, #"SQL: x BETWEEN {1, 2}"#),
        (#"x BETWEEN (1, 2"#, nil),
        (#"x IN 1...5"#, #"SQL: x BETWEEN {1, 5}"#),

        (#"t LIKE '%'"#, #"SQL: t LIKE '*'"#),
        (#"t LIKE 'a*b'"#, #"SQL: t LIKE 'a\\*b'"#),
        (#"t LIKE 'a?%'"#, #"SQL: t LIKE 'a\\?*'"#),
        (#"t LIKE 'abc'"#, #"SQL: t == 'abc'"#),
        (#"t NOT ILIKE 'a%'"#, #"SQL: NOT (t BEGINSWITH[c] 'a')"#),
        (#"t RLIKE 'a.c'"#, #"SQL: t MATCHES '.*a.c.*'"#),
        (#"t REGEX 'abc$'"#, #"SQL: t ENDSWITH 'abc'"#),
        (#"t =~ '^abc$'"#, #"SQL: t == 'abc'"#),
        (#"t ~ '^a.c'"#, #"SQL: t MATCHES 'a.c.*'"#),
        (#"t ~ 'a.c$'"#, #"SQL: t MATCHES '.*a.c'"#),
        (#"t ~* '^a'"#, #"SQL: t BEGINSWITH[c] 'a'"#),
        (#"t ~ '^$'"#, #"SQL: t MATCHES ''"#),
        (#"t ~ '^'"#, #"SQL: t MATCHES '.*'"#),
        (#"t ~ 'a\$'"#, #"SQL: t MATCHES '.*a\\$.*'"#),
        (#"t ~ 5"#, nil),
        (#"'x' = ANY(tags)"#, #"SQL: ANY tags == 'x'"#),
        (#"'x' = ANY(tags"#, nil),
        (#"LEN(t) > 3"#, #"SQL: length(t) > 3"#),
        (#"CEIL(x) = 2"#, #"SQL: ceiling(x) == 2"#),
        (#"CARDINALITY(tags) = 2"#, #"SQL: count(tags) == 2"#),
        (#"NOW() > released"#, #"SQL: now() > released"#),
        (#"FOO(x) = 1"#, nil),
        (#"EXTRACT(MONTH FROM d) = 5"#, #"SQL: month(d) == 5"#),
        (#"EXTRACT(HOUR FROM d) = 5"#, nil),
        (#"strftime('%Y', d) = '1999'"#, #"SQL: year(d) == 1999"#),
        (#"strftime('%m', d) = '05'"#, #"SQL: month(d) == 5"#),
        (#"strftime('%d', d) > '3'"#, #"SQL: day(d) > 3"#),
        (#"strftime('%H', d) = '3'"#, nil),
        (#"DAY(d) <> 3"#, #"SQL: day(d) != 3"#),
        (#"array_contains(tags, 'x') AND y = 1"#, #"SQL: tags CONTAINS 'x' AND y == 1"#),
        (#"startswith(t, 'x')"#, #"SQL: t BEGINSWITH 'x'"#),
        (#"endswith(t, 'x')"#, #"SQL: t ENDSWITH 'x'"#),
        (#"contains(t 'x')"#, nil),
        (#"a - b * 2 / c = -x"#, #"SQL: a - b * 2 / c == -x"#),
        (#"MOD(x 2) = 1"#, nil),
        (#"d > NOW() - INTERVAL '2 weeks'"#, #"SQL: d > now() - 2w"#),
        (#"d > NOW() + INTERVAL 3 HOUR"#, #"SQL: d > now() + 3h"#),
        (#"d > NOW() - INTERVAL 1 MONTH"#, nil),
        (#"d > CURRENT_TIMESTAMP"#, #"SQL: d > now()"#),
        (#"d > TIMESTAMP '2020-01-01'"#, #"SQL: d > '2020-01-01'"#),
        (#"x = "y""#, #"SQL: x == 'y'"#),
        (#"x = `y`"#, #"SQL: x == y"#),
        (#"x = NONE"#, #"SQL: x == nil"#),
        (#"x = UNDEFINED AND y = 1"#, #"SQL: x == nil AND y == 1"#),
    ]

    private static let filters: [(text: String, told: String?)] = [
        (#"."#, #"jq:"#),
        (#". | length"#, #"jq: --count"#),
        (#".[0]"#, #"jq: --limit 1"#),
        (#".[3]"#, nil),
        (#".[2:5]"#, #"jq: --limit 3 --offset 2"#),
        (#".[0:5]"#, #"jq: --limit 5"#),
        (#".[5:5]"#, nil),
        (#".[:x]"#, nil),
        (#"map(.title)"#, #"jq: --fields title"#),
        (#"map(.a.b?)"#, #"jq: --fields a.b"#),
        (#"map(select(.a > 1)) | map(.title, .year)"#, #"jq: a > 1 --fields title,year"#),
        (#"first(.[] | .title)"#, #"jq: --limit 1 --fields title"#),
        (#"map({title, year: .released})"#, #"jq: --fields title,released"#),
        (#"{title"#, nil),
        (#"[.a, .b.c]"#, #"jq: --fields a,b.c"#),
        (#"[.[] | .year] | min"#, #"jq: --stats year"#),
        (#"[.[] | .year] | max"#, #"jq: --stats year"#),
        (#".[] | add"#, nil),
        (#"group_by(.genre) | map(length)"#, #"jq: --count-by genre"#),
        (#"group_by(.genre) | map({n: length, m: max})"#, nil),
        (#"group_by(.genre) | map(.x)"#, nil),
        (#".[] | first"#, #"jq: --limit 1"#),
        (#"first(.[] | {title})"#, #"jq: --limit 1 --fields title"#),
        (#"limit(2; .[] | select(.a > 1))"#, #"jq: a > 1 --limit 2"#),
        (#"limit(2; .[]"#, nil),
        (#"limit(x; .[])"#, nil),
        (#".[] | reverse"#, nil),
        (#"sort_by(.a) | sort_by(.b) | reverse"#, #"jq: --sort a --sort b:desc"#),
        (#"sort_by(a)"#, nil),
        (#"select(.a == 1) | select(.b == 2)"#, #"jq: (a == 1) AND (b == 2)"#),
        (#"select(.a and .b)"#, #"jq: a == TRUE AND b == TRUE"#),
        (#"select((.a | length) > 3)"#, #"jq: length(a) > 3"#),
        (#"select((.a) and .b == 1)"#, #"jq: (a == TRUE) AND b == 1"#),
        (#"select((.a | length))"#, nil),
        (#"select(.a == .b or .c > -1)"#, #"jq: a == b OR c > -1"#),
        (#"select(.a == 1 or .b == 2 | not)"#, #"jq: NOT (a == 1 OR b == 2)"#),
        (#"select(.a | tostring == "1")"#, #"jq: a == '1'"#),
        (#"select(.a | IN(1, null))"#, #"jq: a IN {1, nil}"#),
        (#"select(.a | IN(1, 2)"#, nil),
        (#"select(.a | not)"#, #"jq: NOT (a == TRUE)"#),
        (#"select(.a | ascii_upcase == "X")"#, #"jq: uppercase(a) == 'X'"#),
        (#"select(.a | has("b"))"#, #"jq: a.b != nil"#),
        (#"select(has(a))"#, #"code: a != nil"#),
        (#"select(.a | match("x"))"#, #"jq: a CONTAINS 'x'"#),
        (#"select(.a | test("^a$"; "gi"))"#, #"jq: a ==[c] 'a'"#),
        (#"select(.a | test("x"; "g"))"#, #"jq: a CONTAINS 'x'"#),
        (#"select(.a | contains(5))"#, #"jq: a CONTAINS 5"#),
        (#"select(.a | foo("x"))"#, nil),
        (#"select(.a? == true)"#, #"jq: a == TRUE"#),
        (#"select(any(.tags[]; . > 3))"#, #"jq: ANY tags > 3"#),
        (#"select(.tags[ == 3)"#, nil),
        (#".[] | .a == 1"#, #"jq: a == 1"#),
        (#"keys"#, #"jq: schema"#),
        (#"length"#, #"jq: --count"#),
        (#"length x"#, #"plain words: allTokens TOKENMATCHES[cdl] 'length x'"#),
    ]

    private static let documents: [(text: String, told: String?)] = [
        (#"db.m.find()"#, #"MongoDB: < m"#),
        (#"db.m.remove({a: 1})"#, #"MongoDB: delete a == 1 < m"#),
        (#"db.m.count()"#, #"MongoDB: --count < m"#),
        (#"db.m.findOne()"#, #"MongoDB: --limit 1 < m"#),
        (#"db.m.find({}, {a: 1, b: 0, c: 1})"#, #"MongoDB: --fields a,c < m"#),
        (#"db.m.find({}, {b: 0})"#, #"MongoDB: < m"#),
        (#"db.m.find().sort({a: 1, b: -1})"#, #"MongoDB: --sort a --sort b:desc < m"#),
        (#"db.m.find().sort({a: 'x'})"#, nil),
        (#"db.m.find().limit(x)"#, nil),
        (#"db.m.find().foo()"#, nil),
        (#"db.m.find("#, nil),
        (#"db.m.updateMany({a: 1}, {$set: {b: 'x', c: 2}})"#, #"MongoDB: update b=x c=2 a == 1 < m"#),
        (#"db.m.updateMany({a: 1}, {$set: {b: 1}, $inc: {c: 1}})"#, nil),
        (#"db.m.updateMany({a: 1}, {$inc: {c: 1}})"#, nil),
        (#"db.m.updateMany({a: 1}, {$set: {b: [1]}})"#, nil),
        (#"db.m.distinct(genre)"#, nil),
        (#"db.m.aggregate([{$match: {a: 1}}, {$match: {b: 2}}])"#, #"MongoDB: (a == 1) AND (b == 2) < m"#),
        (
            #"db.m.aggregate([{$skip: 2}, {$limit: 3}, {$count: 'n'}])"#,
            #"MongoDB: --offset 2 --limit 3 --count < m"#
        ),
        (#"db.m.aggregate([{$group: {_id: null, n: {$sum: 1}}}])"#, #"MongoDB: --count < m"#),
        (#"db.m.aggregate([{$group: {_id: null, s: {$sum: '$x'}}}])"#, #"MongoDB: --stats x < m"#),
        (
            #"db.m.aggregate([{$group: {_id: '$g', a: {$avg: '$x'}, b: {$min: '$x'}, c: {$min: '$y'}}}, {$sort: {a: 1}}])"#,
            #"MongoDB: --count-by g --stats x,y --sort average < m"#
        ),
        (
            #"db.m.aggregate([{$group: {_id: '$g', n: {$sum: 1}}}, {$sort: {n: -1, _id: 1}}])"#,
            #"MongoDB: --count-by g --sort count:desc --sort g < m"#
        ),
        (#"db.m.aggregate([{$group: {_id: 5, n: {$sum: 1}}}])"#, nil),
        (#"db.m.aggregate([{$group: {n: {$sum: 1}}}])"#, nil),
        (#"db.m.aggregate([{$group: {_id: '$g', n: {$sum: 'x'}}}])"#, nil),
        (#"db.m.aggregate([{$group: {_id: '$g', n: {$push: '$x'}}}])"#, nil),
        (#"db.m.aggregate([{$match: {a: 1}, $limit: 2}])"#, nil),
        (#"db.m.aggregate([{$project: {a: 1}}])"#, nil),
    ]

    private static let members: [(text: String, told: String?)] = [
        (#"{a: {$eq: 1}, b: {$lte: -2}}"#, #"MongoDB: a == 1 AND b <= -2"#),
        (#"{a: {$exists: 1}}"#, #"MongoDB: a != nil"#),
        (#"{a: {$exists: 0}}"#, #"MongoDB: a == nil"#),
        (#"{a: {$in: [-1, 'x', null]}}"#, #"MongoDB: a IN {-1, 'x', nil}"#),
        (#"{a: {$nin: 5}}"#, nil),
        (#"{$and: [{a: 1}, {$or: [{b: 1}, {c: 2}]}]}"#, #"MongoDB: a == 1 AND (b == 1 OR c == 2)"#),
        (#"{$or: [{a: 1, b: 2}, {c: 3}]}"#, #"MongoDB: (a == 1 AND b == 2) OR c == 3"#),
        (#"{$and: [{a: 1, b: 2}, {c: 3}]}"#, #"MongoDB: a == 1 AND b == 2 AND c == 3"#),
        (#"{$or: []}"#, nil),
        (#"{$foo: [{a: 1}]}"#, nil),
        (#"{$or: 5}"#, nil),
        (#"{a: {$mod: [2]}}"#, nil),
        (#"{a: {$not: /x/}}"#, #"MongoDB: NOT (a CONTAINS 'x')"#),
        (#"{a: {$regex: /x/, $options: 'i'}}"#, #"MongoDB: a CONTAINS[c] 'x'"#),
        (#"{a: {$regex: 'x', $options: 's'}}"#, #"MongoDB: a CONTAINS 'x'"#),
        (#"{a: /b c/ix}"#, #"MongoDB: a CONTAINS[c] 'b c'"#),
        (#"{a: {$elemMatch: {$gt: 1}}}"#, nil),
        (#"{a: {b: 1}}"#, nil),
        (#"{a.b: 1,}"#, #"MongoDB: a.b == 1"#),
        (#"{a: 1 b: 2}"#, nil),
        (#"{a: {$in: [1 2]}}"#, nil),
        (#"{a: 1} x"#, nil),
        (#"{a: '/x/y/'}"#, #"MongoDB: a == '/x/y/'"#),
        (#"{a: "x\ty"}"#, #"MongoDB: a == 'x\ty'"#),
        (#"{a: ISODate('2020-01-01', 5)}"#, nil),
    ]

    @Test(
        "Queries of SQL, jq and MongoDB are told in the words of predicates",
        arguments: [statements, conditions, filters, documents, members])
    func queries(_ cases: [(text: String, told: String?)]) {
        for (text, expected) in cases { #expect(told(text) == expected, "\(text)") }
    }
}
