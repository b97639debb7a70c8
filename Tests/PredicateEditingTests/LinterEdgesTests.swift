// Findings about predicates where one thing more or less decides: what is told, where, and what would help.

import PredicateSyntax
import RecordDatabase
import Testing

@testable import PredicateEditing

enum Towns {
    static let records = Result {
        try RecordSet(
            bytes: Array(
                """
                {"id":"1","name":"Bern","country":"CH","population":130000,"tags":["old","capital"],\
                "founded":"1.6.1191","visited":"2020-05-01","seen":"2020-05-01T10:00:00Z",\
                "mayor":{"name":"Alec","terms":[1,2],"seats":[1,2]},"half":"2020-01-01","most":"2020-01-01"}
                {"id":"2","name":"Paris","country":"FR","population":2100000,"tags":["capital"],\
                "founded":"15.8.0250","visited":"2021-07-14","seen":"2021-07-14T10:00:00Z",\
                "mayor":{"name":"Anne","terms":[3],"seats":3},"half":"abc","most":"abc"}
                {"id":"3","name":"Lyon","country":"FR","population":520000,"tags":["old"],\
                "founded":"9.10.0043","visited":"2022-03-03","seen":"2022-03-03T10:00:00Z",\
                "mayor":{"name":"Grégory","terms":[1]},"most":"2021-01-01"}

                """.utf8), name: "towns.ndjson")
    }

    static func linter() throws -> Linter { Linter(records: try records.get(), dialect: .full) }
}

@Suite struct LinterEdgesTests {
    private func told(_ finding: Finding, _ text: String) -> String {
        let bytes = Array(text.utf8)[finding.span.range]
        let place = String(decoding: bytes, as: UTF8.self)
        return "\(finding.code.rawValue) \(place)" + (finding.hint.map { " → " + $0 } ?? "")
    }

    private static let quotes = "leave the quotes out: "
    private static let brackets = "leave the brackets out"

    private static let texts: [(predicate: String, findings: [String])] = [
        ("population == population", ["same-sides population == population"]),
        ("name == '%d' OR name == 'Bern'", ["quoted-placeholder '%d' → \(quotes)%d"]),
        ("name != '%d%d'", []), ("name != '%'", []), ("name != '$'", []), ("name != '$a1'", []),
        ("name IN {'$x', 'Bern'}", []),
        ("name != 'TRUE'", ["quoted-word 'TRUE' → \(quotes)true"]),
        ("name CONTAINS 'nil'", ["no-match name CONTAINS 'nil'"]),
        (
            "name LIKE 'Be%'",
            ["no-match name LIKE 'Be%'", "no-wildcard 'Be%' → the wildcards are * and ?: name BEGINSWITH 'Be'"]
        ),
        (
            "name LIKE[c] '%er%'",
            [
                "no-match name LIKE[c] '%er%'",
                "no-wildcard '%er%' → the wildcards are * and ?: name CONTAINS[c] 'er'",
            ]
        ),
        ("name LIKE 'B?rn'", []), ("name LIKE 'B*'", []), ("name MATCHES 'B.rn'", []),
        ("name MATCHES 'Bern'", ["no-wildcard 'Bern' → write CONTAINS, or put .* around it"]),
        ("population BETWEEN {130000, 130000}", []), ("population BETWEEN {2e6, 3}", ["reversed-bounds {2e6, 3}"]),
        ("name == '$a_b'", ["quoted-placeholder '$a_b' → \(quotes)$a_b"]),
        ("name ==[n] 'Bern'", []), ("name ==[cn] 'Bern'", ["idle-options ==[cn] → leave them out"]),
        ("population >[c] 3", ["idle-options >[c] → \(brackets)"]),
        ("name !=[c] nil", ["idle-options !=[c] → \(brackets)"]),
    ]

    private static let year = "the year of a date: year(seen) "
    private static let written = "a date is written '2026-01-31' or '2026-01-31T12:00:00Z'"
    private static let truth = "yes, no, true and false are texts between quotes only"

    private static let kinds: [(predicate: String, findings: [String])] = [
        ("seen == 1000", ["never-equal 1000 → \(year)== 1000"]),
        ("seen != 2999", ["never-equal 2999 → \(year)!= 2999"]),
        ("seen == 999", ["never-equal 999 → \(written)"]), ("seen == 3000", ["never-equal 3000 → \(written)"]),
        // 1998 as a number, and no year as it is written.
        ("seen == 2000-1-1", ["never-equal 2000-1-1 → \(written)"]),
        ("2020 == seen", ["never-equal 2020 → \(year)== 2020"]),
        ("name == 5", ["never-equal 5 → numbers in it are texts: name == '5'"]),
        ("name != 5", ["never-equal 5 → numbers in it are texts: name != '5'"]), ("ANY tags == 5", ["never-equal 5"]),
        ("tags == 5", ["never-equal 5 → for one of its elements: ANY tags == 5"]),
        ("tags != 'old'", ["never-equal 'old' → for one of its elements: NONE tags == \"old\""]),
        ("tags.length == 2", ["never-equal 2 → the number of its elements: tags.@count == 2"]),
        ("name == TRUE", ["never-equal TRUE → \(truth)"]), ("name == NO", ["never-equal NO → \(truth)"]),
        ("name IN {1, 2}", ["never-equal {1, 2} → numbers in it are texts: name IN {'1', '2'}"]),
        ("name IN {1, 'Bern'}", []), ("name IN {1.5, 'Bern'}", []),
        ("tags IN {'old'}", ["never-equal {'old'} → for one of its elements: ANY tags IN {\"old\"}"]),
        ("ANY tags IN {'old'}", []),
    ]

    private static let list = "for one of its elements: ANY mayor.terms "
    private static let alone = "a predicate looks at one record at a time: "

    private static let values: [(predicate: String, findings: [String])] = [
        ("mayor.nam == 'Alec'", ["unknown-key nam → did you mean mayor.name == \"Alec\"?"]),
        ("mayor.terms == 1", ["list-without-any mayor.terms → \(list)== 1"]),
        ("mayor.terms > 1", ["list-without-any mayor.terms → \(list)> 1"]),
        ("mayor.terms CONTAINS 'x'", ["list-without-any mayor.terms → \(list)CONTAINS \"x\""]),
        // A list in the first record, and one value in the second.
        ("mayor.seats == 3", []),
        ("mayor.nam.x == 'x'", ["unknown-key nam → did you mean mayor.name.x == \"x\"?"]),
        ("tags.@count == 2 AND country == 'CH'", []), ("mayor.terms BETWEEN {1, 2}", []),
        ("ANY mayor.terms == 1", []), ("mayor.terms != nil", []), ("mayor.name == 'Alec'", []),
        ("sum(population) > 3", ["lone-value sum(population) → \(alone)sum(list) is of a list that the record has"]),
        (
            "3 < average(population)",
            ["lone-value average(population) → \(alone)average(list) is of a list that the record has"]
        ),
        (
            "max(population) > 3",
            [
                "lone-value max(population) → the record with the largest: TRUEPREDICATE with "
                    + "--sort population:desc --limit 1 (.sort population:desc and .limit 1 between predicates)"
            ]
        ),
        (
            "min(population) > 3",
            [
                "lone-value min(population) → the record with the smallest: TRUEPREDICATE with "
                    + "--sort population --limit 1 (.sort population and .limit 1 between predicates)"
            ]
        ),
        (
            "count(name) > 0",
            ["lone-value count(name) → --count (.mode count between predicates) counts the records that match"]
        ),
        ("count(tags) > 0 AND country == 'FR'", []), ("lowercase(name) == 'bern' AND country == 'CH'", []),
        ("max(nope) > 3", ["unknown-field nope"]), ("population * $x > 3", []),
        // Dates of the order of days are compared as they should be, and half of the values makes no field of dates.
        ("visited > '2021-01-01'", []), ("half > '1.1.2021'", []), ("name > '1.1.1500'", []),
        ("founded == '1.6.1191'", []),
    ]

    private static let wholes: [(predicate: String, findings: [String])] = [
        ("1 == 1", ["always-true 1 == 1"]),
        (
            "population > 3 AND (population < 1 OR name == 'x' AND name == 'y')",
            [
                "always-false population > 3 AND (population < 1 OR name == 'x' AND name == 'y')",
                "always-false name == 'x' AND name == 'y'",
            ]
        ),
        (
            "NOT (population == nil) AND country IN {}",
            ["always-false NOT (population == nil) AND country IN {}", "always-false country IN {}"]
        ),
        (
            "population == 130000 OR population == 130000",
            ["repeated-term population == 130000 → leave one of them out"]
        ),
        (
            "country == 'fr'",
            ["no-match country == 'fr' → ignoring case and marks, 2 records match: country ==[cd] \"fr\""]
        ),
        (
            "name == 'bern'",
            ["no-match name == 'bern' → ignoring case and marks, 1 record matches: name ==[cd] \"bern\""]
        ),
        (
            "ANY allTokens BEGINSWITH[cd] 'new york'",
            ["no-token 'new york' → 'predicate tokens TEXT' shows the words of a text"]
        ),
        ("ANY allTokens BEGINSWITH[cd] 'par'", []), ("ANY allTokens == 'berne'", ["unseen-token 'berne'"]),
        ("name TOKENMATCHES[cd] 'x-y'", ["unseen-token 'x-y'", "unseen-token 'x-y'"]),
    ]

    @Test("Findings and their hints", arguments: [texts, kinds, values, wholes])
    func findings(_ cases: [(predicate: String, findings: [String])]) throws {
        let linter = try Towns.linter()
        for (predicate, expected) in cases {
            #expect(linter.findings(in: predicate).map { told($0, predicate) } == expected, "\(predicate)")
        }
    }

    @Test("Texts that are hardly dates are told with a sample of the field")
    func datesAsTexts() throws {
        let linter = try Towns.linter()
        let hinted = try #require(linter.findings(in: "most BETWEEN {'1.2.2021', '31.12.2021'}").first?.hint)
        #expect(hinted.hasSuffix(#": most BETWEEN {"2021-02-01", "2021-12-31"}"#), "\(hinted)")
        let second = try #require(linter.findings(in: "most BETWEEN {'2021-02-01', '31.12.2021'}").first?.hint)
        #expect(second == hinted)
        let american = try #require(linter.findings(in: "most BETWEEN {'1/2/2021', '1/31/2021 10:00'}").first?.hint)
        #expect(american.hasSuffix(#": most BETWEEN {"2021-01-02", "2021-01-31 10:00"}"#), "\(american)")
        for predicate in ["founded > '1.1.1500'", "founded < '1500-01-01'", "most > '1.1.2021'"] {
            let finding = try #require(linter.findings(in: predicate).first)
            let field = predicate.prefix { $0.isLetter }
            #expect(finding.code == .dateAsText && finding.span.range == 0..<field.utf8.count, "\(predicate)")
            let sample = field == "most" ? "2020-01-01" : "1.6.1191"
            #expect(finding.message.contains("'\(sample)'"), "\(predicate)")
        }
    }

    @Test("The records are looked at for eight paths")
    func mostPaths() throws {
        let keys = ["a", "b", "c", "d", "e", "f", "g", "h", "i"]
        let found = try Towns.linter().findings(in: keys.map { "mayor.\($0) == 1" }.joined(separator: " OR "))
        #expect(found.filter { $0.code == .unknownKey }.count == 8)
    }

    @Test("The field that was meant is looked for for sixteen names")
    func mostSuggestions() throws {
        let letters = "abcdefghijklmnopq".map { "population\($0) == 1" }
        let found = try Towns.linter().findings(in: letters.joined(separator: " OR "))
        #expect(found.map(\.code) == [Finding.Code](repeating: .unknownField, count: 17))
        #expect(found.filter { $0.hint == "did you mean population?" }.count == 16)
    }

    @Test("No more comparisons are judged than the effort allows")
    func effort() {
        var linter = Linter(dialect: .full)
        func codes(_ text: String, _ effort: Int) -> [Finding.Code] {
            linter.effort = effort
            // That something is read as a whole is told without looking at the comparisons.
            return linter.findings(in: text).map(\.code).filter { $0 != .needsScan }
        }
        #expect(codes("a == a AND b == b AND c == c", .max) == [.sameSides, .sameSides, .sameSides])
        #expect(codes("a == a AND b == b AND c == c", 2) == [.sameSides, .sameSides])
        #expect(codes("a == a AND b == b AND c == c", 0) == [])
        // Both comparisons, and both once more for their likeness.
        #expect(codes("a == a AND a == a", 4) == [.sameSides, .sameSides, .repeatedTerm])
        #expect(codes("a == a AND a == a", 3) == [.sameSides, .sameSides])
    }

    @Test("Slips are what keeps a predicate from its meaning; where records match, what was hardly meant")
    func slips() throws {
        let linter = try Towns.linter()
        let cases: [(predicate: String, codes: [Finding.Code], matching: [Finding.Code])] = [
            ("populaton > 3", [], []), ("country == CH", [], []), ("name LIKE 'Bern'", [.noWildcard], []),
            ("population > 5 AND population < 3", [.alwaysFalse], []), ("population BETWEEN {9, 3}", [], []),
            ("population * 2 > 30", [], []), ("country == 'XX'", [], []), ("name == 5", [.neverEqual], []),
            ("ANY allTokens == 'berne'", [], []), ("mayor.nam == 'x'", [.unknownKey], []),
            ("sum(population) > 3", [.loneValue], [.loneValue]),
            ("founded > '1.1.1500'", [.dateAsText], [.dateAsText]),
        ]
        for (predicate, codes, matching) in cases {
            #expect(linter.slips(in: predicate).map(\.code) == codes, "\(predicate)")
            #expect(linter.slips(in: predicate, hasMatches: true).map(\.code) == matching, "\(predicate)")
        }
    }

    @Test("Without regard to case and marks: only comparisons of texts that had it")
    func relaxed() throws {
        let linter = try Towns.linter()
        let cases: [(predicate: String, text: String?, count: Int?)] = [
            ("country == 'fr'", #"country ==[cd] "fr""#, 2), ("name BEGINSWITH 'b'", #"name BEGINSWITH[cd] "b""#, 1),
            ("country == 'fr' AND population > 3", #"country ==[cd] "fr" AND population > 3"#, 2),
            ("country == 'fr' OR name == 'bern'", #"country ==[cd] "fr" OR name ==[cd] "bern""#, 3),
            ("country IN {'fr', 'ch'}", #"country IN[cd] {"fr", "ch"}"#, 3), ("NOT country == 'fr'", nil, nil),
            ("country != 'fr'", nil, nil), ("country ==[n] 'fr'", nil, nil),
            ("country ==[l] 'fr'", nil, nil), ("country IN {'fr', 5}", nil, nil),
            ("population > 3", nil, nil), ("country == 'xx'", nil, nil), ("country ==[cd] 'fr'", nil, nil),
        ]
        for (predicate, text, count) in cases {
            let found = linter.relaxed(predicate)
            #expect(found?.text == text && found?.count == count, "\(predicate)")
            #expect(Linter(dialect: .full).relaxed(predicate) == nil)
        }
    }

    @Test("Of conditions the one without which most records match, the first of several")
    func decisive() throws {
        var linter = try Towns.linter()
        let many = (1...6).map { " AND population > \($0)" }.joined()
        let cases: [(predicate: String, condition: String?, count: Int?)] = [
            ("country == 'FR' AND population > 5000000", "population > 5000000", 2),
            ("country == 'CH' AND name == 'Paris'", #"country == "CH""#, 1),
            ("country == 'FR' AND population > 5000000 AND name BEGINSWITH 'P'", "population > 5000000", 1),
            ("population > 5000000 AND population > 6000000", nil, nil),
            ("country == 'XX' OR population > 5000000", nil, nil),
            // Of eight conditions, not of nine.
            ("country == 'FR' AND population > 5000000" + many, "population > 5000000", 2),
            ("country == 'FR' AND population > 5000000" + many + " AND population > 7", nil, nil),
        ]
        for (predicate, condition, count) in cases {
            let found = linter.decisive(predicate)
            #expect(found?.condition == condition && found?.count == count, "\(predicate)")
        }
        linter.arguments = [.int64(1)]
        #expect(linter.decisive("country == 'FR' AND population > 5000000") == nil)
    }

    @Test("Severities have their names and their order")
    func severities() {
        let names = ["note", "warning", "error", "fatal"]
        #expect(names.map { Finding.Severity(name: $0) } == [.note, .warning, .error, nil])
        #expect(names.dropLast().map { Finding.Severity(name: $0)?.name } == ["note", "warning", "error"])
        #expect(Finding.Severity.note < .warning && .warning < Finding.Severity.error)
        #expect(!(Finding.Severity.error < .error) && !(Finding.Severity.error < .note))
    }

    @Test("Places are found by where they begin and what they cover")
    func places() {
        let some: [Range<Int>] = [4..<9, 1..<3, 5..<6, 7..<7, 12..<14]
        let places = FindingPlaces(some)
        for low in 0..<16 {
            for high in low..<16 {
                let range = low..<high
                #expect(places.begin(in: range) == some.contains { range.contains($0.lowerBound) }, "\(range)")
                #expect(places.overlap(range) == some.contains { $0.overlaps(range) }, "\(range)")
            }
        }
        #expect(!FindingPlaces([]).begin(in: 0..<9) && !FindingPlaces([]).overlap(0..<9))
    }

    @Test("Days are read as people write them, and written like others")
    func writtenDates() {
        let none = [
            "1.2", "1.2.3.4", "123.1.2020", "2026-1-31", "1.123.2020", "1.1.202", "x.1.2020", "", "2026", "1..2020",
            "1.-2.20", "31/31/2026", "1.32.2026", "1.2.2026abc", "٣.١.2020",
        ]
        for text in none { #expect(WrittenDate(text) == nil, "\(text)") }
        for text in ["31.1.2026", "1/31/26", "01-02-2026"] {
            #expect(WrittenDate(text)?.isOrdered == false, "\(text)")
        }
        for text in ["2026-01-31", "2026-01-31T10:00:00Z", "2026.01.31"] {
            #expect(WrittenDate(text)?.isOrdered == true, "\(text)")
        }
        let like: [(text: String, others: [String], written: String)] = [
            ("31.12.2026", ["2020-01-01"], "2026-12-31"), ("2026-12-31", ["11.12.2020"], "31.12.2026"),
            ("31.12.2026", ["1/2/20"], "31/12/26"), ("2026-12-31", ["2020.01.01"], "2026.12.31"),
            // Of one digit, of two, and of years with two.
            ("1.6.1191", ["2020-01-01"], "1191-06-01"), ("2026-02-03", ["1.12.2020"], "3.2.2026"),
            ("2026-02-03", ["01.12.2020"], "03.02.2026"), ("2026-02-03", ["31.12.2020"], "03.02.2026"),
            ("2026-02-03", ["31.12.2020", "1.2.2021"], "3.2.2026"), ("2026-02-03", ["2.1.20"], "3.2.26"),
            ("1.2.68", ["2020-01-01"], "2068-02-01"), ("1.2.69", ["2020-01-01"], "1969-02-01"),
            ("15.8.0250", ["2020-01-01"], "0250-08-15"), ("0043-10-09", ["1.6.1191"], "9.10.0043"),
            // The month first, where a day beyond the twelfth says so, of most dates of the field.
            ("1/31/2026", ["2020-01-01"], "2026-01-31"), ("2026-02-03", ["1/31/26"], "2/3/26"),
            ("12/13/2026", ["1.2.2020"], "13.12.2026"), ("2026-02-03", ["1/2/26", "1/31/26", "2/2/26"], "2/3/26"),
            ("2026-02-03", ["31.1.2026", "30.1.2026", "1.31.2026"], "3.2.2026"),
            // Where nothing says so, it is as in the field.
            ("1/2/2026", ["1/31/2026"], "1/2/2026"), ("1/2/2026", ["31/1/2026"], "1/2/2026"),
            ("1/2/2026", ["2020-01-01"], "2026-02-01"),
            // Most dates tell the style, and a time stays behind the day.
            ("1.2.2026", ["2020-01-01", "2020-01-02", "1/31/2026"], "2026-02-01"),
            ("2026-02-01", ["2020-01-01", "1.1.2020", "2.1.2020"], "1.2.2026"),
            ("2026-12-31", ["1.2.20", "3.4.2021", "5.6.2022"], "31.12.2026"),
            ("2026-12-31", ["1/2/2020", "3.4.2021", "5.6.2022"], "31.12.2026"),
            ("2026-03-01", ["01.02.2020", "03.04.2021", "7.8.2023"], "01.03.2026"),
            ("2026-02-03", ["1/31/2026", "31.1.2026", "30.1.2026"], "3.2.2026"),
            // Between other signs the day is the first.
            ("3.2.2026", ["1/31/2026"], "2/3/2026"), ("31.12.2026 10:00", ["2020-01-01"], "2026-12-31"),
        ]
        for (text, others, written) in like {
            let style = DateStyle(others.compactMap(WrittenDate.init))
            #expect(style.flatMap { WrittenDate(text)?.text(in: $0) } == written, "\(text) \(others)")
        }
        #expect(DateStyle([]).map(\.isPadded) == nil)
    }
}
