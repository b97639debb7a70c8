// How terms are weighed, where affixes are cut, and what cells cover a circle: by numbers worked out by hand.

import Geospatial
import PredicateSemantics
import RecordModel
import Testing

@testable import Percolation

@Suite struct FilingDetailTests {
    private func type(of text: String) throws -> TypeIndex {
        var index = PredicateIndex()
        index.insert(
            try Binder(schema: Fixtures.schema).bind(RecordPredicate(format: text, arguments: [])), id: 1,
            type: "Thing")
        return index.types[0]
    }

    /// A term's share of what its field is asked for, of one predicate and of two that share no term.
    static let likelihoods: [(text: String, expected: [Double])] = [
        ("name == nil", [0.1]), ("name != nil", [0.9]), ("whole > 3", [0.9]), ("whole == 3", [1.0 / 9]),
        ("whole IN {3, 4}", [0.1, 0.1]), ("name BEGINSWITH 'ab'", [1.0 / 101]), ("name ENDSWITH 'ab'", [1.0 / 101]),
        ("ANY tags == 'x'", [4.0 / 31]), ("ANY tags BEGINSWITH 'x'", [4.0 / 31]),
        ("ANY tags IN {'x', 'y'}", [0.125, 0.125]), ("name CONTAINS 'abc'", [40.0 / 1001]),
        ("body TOKENMATCHES 'red'", [40.0 / 1001]), ("ANY tokenize(body, 'cd') BEGINSWITH 're'", [40.0 / 1001]),
        ("body TOKENMATCHES 'red fox'", [40.0 / 1002, 40.0 / 1002]),
    ]

    @Test(arguments: likelihoods)
    func whatIsAskedForOftenIsLikely(text: String, expected: [Double]) throws {
        let type = try type(of: text)
        let mentions = try #require(type.stored[0]).mentions
        try #require(mentions.count == expected.count)
        for (term, likelihood) in zip(mentions, expected) {
            #expect(abs(type.likelihood(of: term) - likelihood) < 1e-12)
        }
        #expect(type.likelihood(of: TypeIndex.always) == 1)
    }

    /// The kind of term, its parameter, and whether the evaluator has to look: a text as long as terms may be decides
    /// by its term, one byte more does not.
    @Test func longTextsAreCut() throws {
        let (most, more) = (String(repeating: "a", count: 32), String(repeating: "a", count: 33))
        let cases: [(text: String, kind: TermField.Kind, parameter: Int, isDecided: Bool)] = [
            ("name BEGINSWITH '\(most)'", .prefix, 32, true), ("name BEGINSWITH '\(more)'", .prefix, -32, false),
            ("name ENDSWITH '\(most)'", .suffix, 32, true), ("name ENDSWITH '\(more)'", .suffix, -32, false),
            ("ANY tags BEGINSWITH '\(most)'", .elementPrefix, 32, true),
            ("ANY tags BEGINSWITH '\(more)'", .elementPrefix, -32, false),
            ("ANY allTokens BEGINSWITH '\(most)'", .wordPrefix, 32, true),
            ("ANY allTokens BEGINSWITH '\(more)'", .wordPrefix, -32, false),
            ("name CONTAINS 'ab'", .presence, 0, false), ("name CONTAINS 'abc'", .gram, 0, false),
            ("name LIKE 'ab*c'", .prefix, -2, false), ("name LIKE '\(more)*'", .prefix, -32, false),
        ]
        for (text, kind, parameter, isDecided) in cases {
            let type = try type(of: text)
            let extraction = try #require(type.stored[0]).extraction
            try #require(extraction.terms.count == 1)
            let space = type.space(of: extraction.terms[0].number)
            #expect(space.kind == kind && space.parameter == parameter, "\(text)")
            #expect((extraction.residual == nil) == isDecided, "\(text)")
        }
    }

    /// Circles, the level of the cells that cover them, and how many these are; nil where places are no help.
    @Test func circlesAreCoveredByFewCells() {
        let cases: [(latitude: Double, longitude: Double, radius: Double, level: Int?, count: Int)] = [
            (0.0, 0.0, 50_000, 8, 4), (0, 0, 4_990_000, 1, 4), (0, 0, 4_999_999, 1, 4), (0, 0, 5_000_000, nil, 0),
            (0, 0, .infinity, nil, 0), (91, 0, 5, nil, 0), (0, 181, 5, nil, 0), (89.999, 0, 50_000, 1, 4),
            (-90, 0, 10, 1, 4), (1, 1, 20_000, 9, 4), (1, 180, 20_000, 9, 4), (1, 1, 0, 20, 1),
        ]
        for (latitude, longitude, radius, level, count) in cases {
            let center = Location(latitude: latitude, longitude: longitude)
            let cells = EarthGrid.cells(covering: DistanceTest(center: center, range: .atMost(radius)))
            #expect(cells?.level == level && (cells?.keys.count ?? 0) == count, "\(center) \(radius)")
        }
        // Rows from pole to pole, columns from 180 degrees west; the last row has the pole, 180 east is 180 west.
        let places: [(latitude: Double, longitude: Double, row: Int, column: Int)] = [
            (-90.0, -180.0, 0, 0), (90, 180, 7, 0), (0, 0, 4, 8), (22.4, 22.4, 4, 8), (22.5, 22.5, 5, 9),
            (-0.1, -0.1, 3, 7), (89, 179, 7, 15),
        ]
        for (latitude, longitude, row, column) in places {
            let cell = EarthGrid.cell(of: Location(latitude: latitude, longitude: longitude), level: 3)
            #expect(cell == EarthGrid.Cell(row: row, column: column), "\(latitude) \(longitude)")
        }
    }

    /// Kinds of values, those of elements apart: where numbers stop being exact, NaN, and what is in lists.
    @Test func kindsOfValues() {
        let limit: Int64 = 1 << 53
        let cases: [(value: FieldValue, kinds: ValueKinds)] = [
            (.null, .null), (.bool(true), .number), (.int64(limit), .number), (.int64(limit + 1), .oddNumber),
            (.int64(-limit), .number), (.int64(-limit - 1), .oddNumber), (.double(0x1p80), .number),
            (.double(.nan), .oddNumber), ("x", .string), (.data(.init()), .other), (.object([:]), .object),
            (.location(Location(latitude: 91, longitude: 0)), .location), (.list([]), .list(of: [])),
            (.list([1, "x"]), .list(of: [.number, .string])), (.set([.null]), .list(of: .null)),
            (.list([.list([1])]), .list(of: .list)),
        ]
        for (value, kinds) in cases { #expect(ValueKinds(of: value) == kinds, "\(value)") }
        #expect(!ValueKinds(of: .list([.list([1])])).isSubset(of: [.null, .list(of: .flat)]))
        #expect(ValueKinds(of: .list([1, .null, "x"])).isSubset(of: .list(of: .flat)))
    }
}
