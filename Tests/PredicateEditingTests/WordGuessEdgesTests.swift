// Code, Lucene's queries and plain words in their less usual forms, and the lines that say them at the prompt.

import Testing

@testable import PredicateEditing

@Suite struct WordGuessEdgesTests {
    /// What a text is taken for: the language, the predicate, the options, and the source.
    private func told(_ text: String) -> String? {
        guard let (language, query) = ForeignLanguage.translation(of: text) else { return nil }
        let words = [language.rawValue + ":"] + (query.predicate.map { [$0] } ?? []) + query.options
        return (words + (query.source.map { ["< " + $0] } ?? [])).joined(separator: " ")
    }

    private static let code: [(text: String, told: String?)] = [
        (#"$filter=a ge 1 and b ne 2"#, #"code: a >= 1 AND b != 2"#),
        (#"$[?(@.a > 1 && @.b == 'x')]"#, #"code: a > 1 && b == 'x'"#),
        (#"/movie[@year = 1990]"#, #"code: year = 1990"#),
        (#"(m) => m.year > 1990"#, #"code: year > 1990"#),
        (#"x=>x.a==1"#, #"code: a==1"#),
        (#"[x for x in xs if x.a > 1]"#, #"code: a > 1"#),
        (#"[x for y in xs if x.a > 1]"#, nil),
        (#"records.any.where { |r| r.a == 1 }"#, #"code: a == 1"#),
        (#"df[df.a > 1 & df.b < 2]"#, #"code: a > 1 AND b < 2"#),
        (#"df[a > 1]"#, nil),
        (#"df[df.title.str.contains('x')]"#, #"code: title CONTAINS 'x'"#),
        (#"m => m.meta.str.includes('x')"#, #"code: meta.str CONTAINS 'x'"#),
        (#"df[df.title.str.lower() == 'x']"#, #"code: lowercase(title) == 'x'"#),
        (#"df[df.title.str.startswith('x') & df.str > 1]"#, #"code: title BEGINSWITH 'x' AND str > 1"#),
        (#"xdf[xdf.a > df.b]"#, #"code: a > df.b"#),
        (#"m => my.a > m.b"#, #"code: my.a > b"#),
        (#"m => a.m.b > m.c"#, #"code: a.m.b > c"#),
        (#"db.where(a > 1)"#, #"code: a > 1"#),
        (#"find('a > 1')"#, #"code: a > 1"#),
        (#"filter_by(a=1)"#, #"code: a == 1"#),
        (#"$.a > 1 and $.b < 2"#, #"code: a > 1 and b < 2"#),
        (#"movies.Where(m => m.t.ToLower() == 'x')"#, #"code: lowercase(t) == 'x'"#),
        (#"movies | where a > 1 | where b < 2"#, #"code: (a > 1) AND (b < 2) < movies"#),
        (#"movies | filter a is 1 | count"#, #"code: a == 1 --count < movies"#),
        (#"a > 1 | wc -l"#, #"code: a > 1 --count"#),
        (#"a > 1 | stats count"#, #"code: a > 1 --count"#),
        (#"movies | head -n 5"#, #"code: --limit 5 < movies"#),
        (#"movies | head -5"#, #"code: --limit 5 < movies"#),
        (#"movies | summarize count() by a.b"#, #"code: --count-by a.b < movies"#),
        (#"movies | sort -year"#, #"code: --sort year:desc < movies"#),
        (#"movies | order by year asc"#, #"code: --sort year < movies"#),
        (#"movies | sort year desc"#, #"code: --sort year:desc < movies"#),
        (#"movies | project title , year"#, #"code: --fields title,year < movies"#),
        (#"movies | foo"#, nil),
        (#"movies | where a is 1 limit 2"#, nil),
        (#"a is 1 limit 2 | count"#, nil),
        (#"x = 'a|b' | head 2"#, #"code: x = 'a|b' --limit 2"#),
        (#"x = "a|'b" | head 2"#, #"code: x = "a|'b" --limit 2"#),
        (#"a > 1 || b > 2 | head 3"#, #"code: a > 1 || b > 2 --limit 3"#),
    ]

    private static let lucene: [(text: String, told: String?)] = [
        (#"year:[1990 TO 1999}"#, #"Lucene: year >= 1990 AND year < 1999"#),
        (#"year:{1990 TO 1999]"#, #"Lucene: year > 1990 AND year <= 1999"#),
        (#"year:[* TO 5]"#, #"Lucene: year <= 5"#),
        (#"year:{* TO 5}"#, #"Lucene: year < 5"#),
        (#"year:[* TO *]"#, #"Lucene: year != nil"#),
        (#"d:["2020-01-01" TO "2020-02-01"]"#, #"Lucene: d BETWEEN {'2020-01-01', '2020-02-01'}"#),
        (#"year:[1 TO 2"#, nil),
        (#"year:[1 2]"#, nil),
        (#"year:[ 1 TO 2 ]"#, #"Lucene: year BETWEEN {1, 2}"#),
        (#"rating:<5 rating:>=2"#, #"Lucene: rating < 5 AND rating >= 2"#),
        (#"rating:<= 5"#, #"Lucene: rating <= 5"#),
        (#"rating:>"#, nil),
        (#"a:1 b:2"#, #"Lucene: a == 1 AND b == 2"#),
        (#"a:1 || b:2"#, #"Lucene: a == 1 OR b == 2"#),
        (#"a:1 && b:2"#, #"Lucene: a == 1 AND b == 2"#),
        (#"a:1 OR"#, nil),
        (#"x:1 !a:1"#, #"Lucene: x == 1 AND NOT (a == 1)"#),
        (#"a:1 -b:2 +c:3"#, #"Lucene: a == 1 AND NOT (b == 2) AND c == 3"#),
        (#"a:(1 AND NOT 2)"#, #"Lucene: (a == 1 AND NOT (a == 2))"#),
        (#"a:(1)"#, #"Lucene: a == 1"#),
        (#"(a:1) b:( 2 OR 3 )"#, #"Lucene: a == 1 AND (b == 2 OR b == 3)"#),
        (#"(a:1"#, nil),
        (#"a:1)"#, nil),
        (#"a:(1"#, nil),
        (#"t:/x/ y:1"#, #"Lucene: t MATCHES 'x' AND y == 1"#),
        (#"t:/x"#, nil),
        (#"t:"a" y:1"#, #"Lucene: t TOKENMATCHES[cdl] 'a' AND y == 1"#),
        (#"t:"a"#, nil),
        (#"x:1 AND "star wars""#, #"Lucene: x == 1 AND allTokens TOKENMATCHES[cdp] 'star wars'"#),
        (#"x:1 AND st*"#, #"Lucene: x == 1 AND ANY allTokens BEGINSWITH[cd] 'st'"#),
        (#"x:1 AND st?r"#, nil),
        (#"t:*ar*"#, #"Lucene: t LIKE[cd] '*ar*'"#),
        (#"t:a?b*"#, #"Lucene: t LIKE[cd] 'a?b*'"#),
        (#"d:2020-01-01"#, #"Lucene: d == '2020-01-01'"#),
        (#"x:1 AND 5"#, #"Lucene: x == 1 AND allTokens TOKENMATCHES[cdl] '5'"#),
        (#"x:1 AND true"#, #"Lucene: x == 1 AND allTokens TOKENMATCHES[cdl] 'true'"#),
        (#"x:1 AND 2020-01-01"#, #"Lucene: x == 1 AND allTokens TOKENMATCHES[cdl] '2020-01-01'"#),
        (#"_exists_:a.b"#, #"Lucene: a.b != nil"#),
        (#"x:1 ORx:2"#, #"Lucene: x == 1 AND ORx == 2"#),
        (#"x:1 OR:2"#, #"Lucene: x == 1 AND #OR == 2"#),
        (#"x:1 == 2"#, nil),
        (#"t:~"#, nil),
    ]

    private static let words: [(text: String, told: String?)] = [
        (#"a is 1 and b is not 2 or c is 3"#, #"plain words: a == 1 AND b != 2 OR c == 3"#),
        (#"a is 1 and"#, nil),
        (#"not a is 1"#, #"plain words: NOT (a == 1)"#),
        (#"! a is 1"#, #"plain words: NOT (a == 1)"#),
        (#"a is equal to 1"#, #"plain words: a == 1"#),
        (#"a is not equal to 1"#, #"plain words: a != 1"#),
        (#"a equal to b c"#, #"plain words: a == 'b c'"#),
        (#"a not equal to 1"#, #"plain words: a != 1"#),
        (#"sort by a"#, #"plain words: --sort a"#),
        (#"order by a desc limit 3"#, #"SQL: --sort a:desc --limit 3"#),
        (#"sorted by a desc limit 3"#, #"plain words: --sort a:desc --limit 3"#), (#""#, nil), (#"  "#, nil),
        (#"where a is 1"#, #"plain words: a == 1"#),
        (#"a.b is 1"#, #"plain words: a.b == 1"#),
        (#"a equals to 5"#, #"plain words: a == 5"#),
        (#"a is -5"#, #"plain words: a == -5"#),
        (#"a is nil"#, #"plain words: a == nil"#),
        (#"a is true or a is False"#, #"SQL: a == TRUE OR a == FALSE"#),
        (#"a is x z"#, #"plain words: a == 'x z'"#),
        (#"a is 'and'"#, #"plain words: a == 'and'"#),
        (#"a is "1""#, #"plain words: a == '1'"#),
        (#"a over b"#, #"plain words: a > 'b'"#),
        (#"a is 1e5"#, #"plain words: a == '1e5'"#),
        (#"a is at most 5 and b below 2.5"#, #"plain words: a <= 5 AND b < 2.5"#),
        (#"year > 1990 and < 1999 or > 2000"#, #"plain words: year > 1990 AND year < 1999 OR year > 2000"#),
        (#"t matches /x.z/i"#, #"plain words: t MATCHES[c] '.*x.z.*'"#),
        (#"t matches 'a.c' or a is 1"#, #"plain words: t MATCHES 'a.c' OR a == 1"#),
        // What comes first and how much of it, at the end.
        (#"a is 1 limit 3"#, #"plain words: a == 1 --limit 3"#),
        (#"a is 1 top 3"#, #"plain words: a == 1 --limit 3"#),
        (#"a is 1 sort by"#, #"plain words: a == '1 sort by'"#),
        (#"'not' is 1"#, #"plain words: #not == 1"#),
        (#"a is don’t"#, #"plain words: a == 'don’t'"#),
        (#"a is 1 limit x"#, #"plain words: a == '1 limit x'"#),
        (#"a is 1 sorted by b ascending"#, #"plain words: a == 1 --sort b"#),
        (#"a is 1 ordered by b descending limit 2"#, #"plain words: a == 1 --sort b:desc --limit 2"#),
        (#"a is 1 sort by b desc"#, #"plain words: a == 1 --sort b:desc"#),
        (#"a is 1 order by b"#, #"plain words: a == 1 --sort b"#),
        // Phrases.
        (#"Count"#, #"plain words: --count"#),
        (#"average(a.b)"#, #"plain words: --stats a.b"#),
        (#"top 5 by rating"#, #"plain words: --sort rating:desc --limit 5"#),
        (#"TOP 5 rating"#, #"plain words: --sort rating:desc --limit 5"#),
        (#"has (x)"#, nil),
        (#"is_null(x)"#, #"plain words: x == nil"#),
        (#"x is empty"#, #"plain words: x == nil"#),
        (#"not x"#, #"plain words: x == FALSE"#),
        (#"hasTag"#, #"plain words: hasTag == TRUE"#),
        (#"was_seen"#, #"plain words: was_seen == TRUE"#),
        (#"island"#, nil),
        (#"1.5 < a.b <= 5"#, #"plain words: 1.5 < a.b AND a.b <= 5"#),
        // Some words are looked for in all texts.
        (#"star wars"#, #"plain words: allTokens TOKENMATCHES[cdl] 'star wars'"#),
        (#"don’t a-b 1.5 d e f"#, #"plain words: allTokens TOKENMATCHES[cdl] 'don’t a-b 1.5 d e f'"#),
        (#"a b c d e f g"#, nil),
        (#"1 2 3"#, nil),
        (#"star wars?"#, nil),
    ]

    private static let values: [(text: String, told: String?)] = [
        (#"seen in the last 2 weeks"#, #"plain words: seen > now() - 2w"#),
        (#"seen past 3 hours"#, #"plain words: seen > now() - 3h"#),
        (#"seen within 2 months"#, #"plain words: seen > now() - 60d"#),
        (#"seen in 1 year"#, #"plain words: seen > now() - 365d"#),
        (#"seen within 5 seconds"#, #"plain words: seen > now() - 5s"#),
        (#"seen within 5 minutes"#, #"plain words: seen > now() - 5m"#),
        (#"seen > 2 days ago"#, #"plain words: seen > now() - 2d"#),
        (#"seen < now + 3 hours"#, #"plain words: seen < now() + 3h"#),
        (#"seen > today - 2 weeks"#, #"plain words: seen > now() - 2w"#),
        (#"a > 1,999,000"#, #"plain words: a > 1999000"#),
        (#"a > 8,25"#, #"plain words: a > 8.25"#),
        (#"a < 2 miles"#, #"plain words: a < 3218.7"#),
        (#"a < 10 km"#, #"plain words: a < 10000"#),
        (#"a->b == 'x'"#, #"plain words: a.b == 'x'"#),
        (#"a -ge 5 and b -ne 2"#, #"plain words: a >= 5 and b != 2"#),
        (#"a -le 5 and b -eq 2 and c -lt 3"#, #"plain words: a <= 5 and b == 2 and c < 3"#),
        (#"a.startsWith('x') && b.endsWith('y')"#, #"plain words: a BEGINSWITH 'x' && b ENDSWITH 'y'"#),
        (#"t.downcase() == 'x' and u.upper() == 'X'"#, #"plain words: lowercase(t) == 'x' and uppercase(u) == 'X'"#),
        (#"tags.0 == 'x' and a > 1.5"#, #"plain words: tags[0] == 'x' and a > 1.5"#),
    ]

    @Test(
        "Code, Lucene's queries and plain words are told in the words of predicates",
        arguments: [code, lucene, words, values])
    func queries(_ cases: [(text: String, told: String?)]) {
        for (text, expected) in cases { #expect(told(text) == expected, "\(text)") }
    }

    @Test("Days without quotes get them, with their times, and nothing else does")
    func quotedDates() {
        let cases: [(text: String, quoted: String?)] = [
            ("d > 1999-01-01", "d > '1999-01-01'"), ("(d >=2020-01-01)", "(d >='2020-01-01')"),
            ("d > 2020-01-01 AND e < 2021-01-01", "d > '2020-01-01' AND e < '2021-01-01'"),
            ("d > 2020-01-01T10:00:00Z", "d > '2020-01-01T10:00:00Z'"),
            ("d > 2020-01-01T10:00:00+02:00", "d > '2020-01-01T10:00:00+02:00'"),
            ("d > '2020-01-01'", nil), ("d > 2020-1-1", nil), ("x > 5", nil), ("d > 2020-01-01 AND", nil),
        ]
        for (text, quoted) in cases {
            #expect(ForeignLanguage.withQuotedDates(text)?.predicate == quoted, "\(text)")
        }
    }

    @Test("A search is suggested only where nothing better is known")
    func suggestions() {
        #expect(ForeignLanguage.suggestion(for: "star wars", hint: "a hint") == nil)
        #expect(ForeignLanguage.suggestion(for: "star wars", hint: nil)?.predicate?.hasPrefix("allTokens ") == true)
        #expect(ForeignLanguage.suggestion(for: "a is 1", hint: "a hint")?.predicate == "a == 1")
        #expect(ForeignLanguage.suggestion(for: "x:1", hint: "a hint")?.predicate == "x == 1")
        #expect(ForeignLanguage.suggestion(for: "a =", hint: nil) == nil)
    }

    @Test("A query has its lines for the prompt: what is set first, figures last")
    func lines() {
        let cases: [(options: [String], lines: [String])] = [
            ([], ["TRUEPREDICATE"]), (["--count"], ["TRUEPREDICATE", ".count"]),
            (
                ["--limit", "5", "--sort", "year:desc", "--sort", "a", "--offset", "2"],
                [".limit 5", ".sort year desc", ".sort a", ".offset 2", "TRUEPREDICATE"]
            ),
            (["--count", "--limit", "5"], [".limit 5", "TRUEPREDICATE", ".count"]),
            (["--count-by", "g", "--limit", "5"], [".limit 5", "TRUEPREDICATE", ".count g"]),
            (["--count-by", "g,h", "--stats", "x,y"], ["TRUEPREDICATE", ".stats x y by g h"]),
            (["--stats", "x"], ["TRUEPREDICATE", ".stats x"]),
            (["--distinct", "x"], ["TRUEPREDICATE", ".distinct x"]),
            (["--histogram", "x"], ["TRUEPREDICATE", ".histogram x"]),
        ]
        var query = TranslatedQuery()
        for (options, lines) in cases {
            query.options = options
            #expect(query.lines == lines, "\(options)")
        }
        query.predicate = "a == 1"
        query.options = ["--fields", "a,b"]
        #expect(query.lines == [".fields a,b", "a == 1"] && query.isSound)
        query.predicate = "a =="
        #expect(!query.isSound && query.predicateText == "a ==")
        query.verb = .schema
        #expect(query.lines == [".schema"])
    }

    @Test("Texts are cut into words, numbers, signs and what is between quotes")
    func tokens() {
        let cases: [(text: String, isSQL: Bool, tokens: [String]?)] = [
            ("a<=>b !~ c::d=~e<>f", true, ["a", "<=>", "b", "!~", "c", "::", "d", "=~", "e", "<>", "f"]),
            ("$a @b _c a@b$c_1", true, ["$a", "@b", "_c", "a@b$c_1"]), ("+-(", true, ["+", "-", "("]),
            ("1.5e3 1_000km 2..3", true, ["1.5e3", "1_000km", "2..3"]), ("1٢ ٣٤", true, ["1", "٢", "٣", "٤"]),
            ("'it''s' x", true, ["it's", "x"]), ("'it''s'", false, ["it", "s"]), ("''''", true, ["'"]),
            (#"'a\nb'"#, true, [#"a\nb"#]), (#"'a\nb\tc\'d\x'"#, false, ["a\nb\tc'dx"]), (#"'a\"#, false, nil),
            ("'a", true, nil), ("“a” ‘b’ `c`", true, ["a", "b", "c"]), ("“a\"", true, nil), ("‘a'", false, nil),
            ("  ", true, []),
        ]
        for (text, isSQL, tokens) in cases {
            let found = GuessToken.tokens(of: text, isSQL: isSQL)
            #expect(found?.map(\.text) == tokens, "\(text)")
        }
        let kinds = GuessToken.tokens(of: "a 1 + 'b' \"c\"", isSQL: true)?.map(\.kind)
        #expect(kinds == [.word, .number, .sign, .text("'"), .text("\"")])
        #expect(GuessToken.tokens(of: "a 'b'", isSQL: true)?.map(\.isText) == [false, true])
    }

    @Test("Signs are escaped one by one, with marks and joiners beside them")
    func escaping() {
        let quoted = "a'\u{301}b\u{200D}'".escaping { $0 == "'" ? "\\'" : nil }
        #expect(Array(quoted.unicodeScalars) == Array("a\\'\u{301}b\u{200D}\\'".unicodeScalars))
        #expect("a'\u{301}".contains(scalar: "'") && !"ab".contains(scalar: "'"))
    }
}
