// The examples of the articles about the language and about places.

import PredicateSyntax
import RecordDatabase
import Testing

struct LanguageExamples {
    @Test func places() throws {
        let cafes = try RecordSet(records: [
            Record(
                type: "Cafe", id: Record.ID("station"),
                fields: [
                    "name": "Station", "place": .location(Location(latitude: 50.4401, longitude: 30.4893)), "stars": 3,
                ]),
            Record(
                type: "Cafe", id: Record.ID("opera"),
                fields: [
                    "name": "Opera", "place": .location(Location(latitude: 50.4467, longitude: 30.5126)), "stars": 5,
                ]),
            Record(type: "Cafe", id: Record.ID("cart"), fields: ["name": "On wheels", "stars": 4]),
        ])

        let here = Location(latitude: 50.4501, longitude: 30.5234)
        let near = try cafes.count(matching: "distanceToLocation:fromLocation:(place, \(here)) < \(1_500)")
        #expect(near == 1)

        let notNear = try cafes.count(matching: "NOT (distanceToLocation:fromLocation:(place, \(here)) < \(1_500))")
        #expect(notNear == 2)

        let nearest = try cafes.records(matching: "stars >= 3", sortedBy: [.distance("place", here)], limit: 2)
        #expect(nearest.map(\.id.recordName) == ["opera", "station"])

        let inCentre = try cafes.count(matching: "inBox(place, 50.44, 30.50, 50.46, 30.54) == TRUE")
        #expect(inCentre == 1)

        let district = try GeoArea(
            geoJSON: """
                {"type": "Polygon", "coordinates": [[[30.47, 50.43], [30.50, 50.43], [30.50, 50.45], [30.47, 50.43]]]}
                """)
        let inDistrict = try cafes.count(matching: "inPolygon(place, \(district)) == TRUE")
        #expect(inDistrict == 1)
    }

    @Test func language() throws {
        let name = "O'Hara"
        let literal: RecordPredicate = "name == \(name) AND age > \(30)"
        let format = try RecordPredicate(format: "%K == %@ AND age > %d", "name", name, 30)
        let later = try RecordPredicate(format: "name == $name").substituting(["name": .string(name)])

        let both: RecordPredicate = .all([literal, !later])
        print(both)
        #expect(try RecordPredicate(format: "\(both)").description == both.description)
        let record = Record(type: "Person", id: Record.ID("1"), fields: ["name": .string(name), "age": 41])
        #expect(try literal.evaluate(on: record) && format.evaluate(on: record) && later.evaluate(on: record))
        #expect(try !both.evaluate(on: record))

        do {
            _ = try RecordPredicate(format: "age => 18 AND name NOT IN {'Eve'}")
        } catch {
            print(error.stage, error.span, error.message)
        }
    }

    @Test func trees() throws {
        var tree = try RecordPredicate(format: "age >= 18 AND name BEGINSWITH 'A'").tree
        if case .and(let terms) = tree.root.kind {
            for term in terms { print(term.span, SyntaxTree(term)) }
            tree = SyntaxTree(PredicateNode(.or(terms)))
        }
        let either = try RecordPredicate(tree)
        #expect(either.description == "age >= 18 OR name BEGINSWITH \"A\"")
    }
}
