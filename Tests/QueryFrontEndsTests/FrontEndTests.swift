// A predicate means the same in whichever front end it is written.

import Foundation
import Geospatial
import PredicateSemantics
import PredicateSyntax
import QueryFrontEnds
import RecordModel
import Testing
import _TestSupport

@Suite struct FrontEndTests {
    /// Random places, some with values missing, and the owners that some lead to.
    static let records: [Record] = {
        var random = SplitMix64(seed: 11)
        func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
        func location() -> Location {
            Location(latitude: Double(random.next() % 170) - 85, longitude: Double(random.next() % 360) - 180)
        }
        let names = ["Kyiv", "Köln", "koln", "Lyon", "Main", "KYIV Oblast", "O'Neil \"%@\"", "Zürich", "a", ""]
        var records: [Record] = []
        for number in 0..<400 {
            var place = Place.sample("place \(number)")
            place.name = pick(names)
            place.nickname = pick([nil, "K"] + names)
            place.population = Int(random.next() % 100)
            place.area = Double(random.next() % 300) / 8
            place.rank = pick([nil, 1, 2, 3, 4, 5])
            place.isCapital = pick([true, false])
            place.isPort = pick([true, false])
            place.tags = (0..<random.next() % 4).map { _ in pick(["a", "b", "bb", "c"]) }
            place.scores = (0..<random.next() % 4).map { _ in pick([1, 3, 4, 6, 9]) }
            place.founded = Date(timeIntervalSinceReferenceDate: Double(random.next() % 2000))
            place.location = location()
            place.spot = pick([nil, location()])
            place.status = pick(Status.allCases)
            place.address = Address(street: pick(["Main", "Side"]), zip: number % 7)
            place.former = pick([nil, Address(street: "Old", zip: number % 9)])
            place.items = (0..<random.next() % 3).map { _ in
                Item(price: Double(random.next() % 10), label: pick(names))
            }
            place.owner = RecordReference.To(Record.ID(pick(["ann", "bob", "gone"])))
            place.mayor = pick([nil, RecordReference.To(Record.ID("bob"))])
            place.extra = pick([[:], ["k": 8], ["k": 3], ["other": 1]])
            do { records.append(try Record(place)) } catch { Issue.record(error) }
        }
        for (name, age) in [("ann", 44), ("bob", 33)] {
            let owner = Record(
                type: "Owner", id: Record.ID(name),
                fields: ["name": .string(name.capitalized), "age": .int64(Int64(age))])
            records.append(owner)
        }
        return records
    }()

    private static let recordsByID = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })

    /// The places that satisfy a predicate, as the evaluator says; references lead to the owners.
    private static func names(_ predicate: RecordPredicate) throws -> [String] {
        let bound = try Binder().bind(predicate)
        return try records.filter { record in
            let source = PredicateSemantics.RecordFields(record, names: bound.fieldNames) { recordsByID[$0.recordID] }
            return try record.type == "Place" && bound.evaluate(on: source)
        }.map(\.id.recordName)
    }

    @Test(arguments: EquivalentPredicate.all.indices)
    func everyFrontEndSaysTheSame(_ index: Int) throws {
        let row = EquivalentPredicate.all[index]
        let text = try RecordPredicate(format: row.text, arguments: row.arguments)
        let result = try Self.names(text)
        for (name, predicate) in [("interpolated", row.interpolated), ("built", row.built?.untyped)] {
            guard let predicate else { continue }
            #expect(try predicate.validated().description == text.description, "\(name): \(predicate)")
            #expect(try Self.names(predicate) == result, "\(name): \(row.text)")
        }
        if let filters = row.filters {
            let predicate = try RecordPredicate(filterBy: filters)
            #expect(predicate.description == text.description)
            #expect(try Self.names(predicate) == result, "\(filters)")
            #expect(try RecordPredicate(filterBy: text.filterBy()) == predicate)
        }
        if let foundation = row.foundation {
            let predicate = try RecordPredicate(foundation)
            #expect(try Self.names(predicate) == result, "#Predicate: \(row.text) became \(predicate)")
            // And as Foundation itself evaluates it, but for what it fails on.
            var evaluated = 0
            for record in Self.records where record.type == "Place" {
                let place = try record.value(as: Place.self)
                guard let expected = try? foundation.evaluate(place) else { continue }
                evaluated += 1
                #expect(try predicate.evaluate(on: record) == expected, "\(predicate)")
            }
            #expect(evaluated > 0, "\(predicate)")
        }
    }

    @Test func everyRowHasMatchesAndOthers() throws {
        let rare = ["TRUEPREDICATE"]
        for row in EquivalentPredicate.all where !rare.contains(row.text) {
            let count = try Self.names(RecordPredicate(format: row.text, arguments: row.arguments)).count
            #expect(count > 0 && count < 400, "\(row.text): \(count)")
        }
    }

    @Test func areas() throws {
        let box = try GeoArea(south: 40, west: 170, north: 60, east: -170)
        let triangle = try GeoArea(
            geoJSON: #"{"type":"Polygon","coordinates":[[[30,50],[31,50],[31,51],[30,50]]]}"#)
        let inBox = Place.where { $0.location.isInside(box) }.untyped
        #expect(
            inBox.description == "inBox:south:west:north:east:(location, 40.0, 170.0, 60.0, -170.0) == TRUE")
        let outside = Place.where { $0.location.isInside(triangle) != true }.untyped
        let interpolated: RecordPredicate = "inPolygon(location, \(triangle)) != TRUE"
        #expect(outside.description == interpolated.description)
        let record = Record(type: "Place", id: Record.ID("kyiv"), fields: ["location": .location(kyiv)])
        #expect(try !inBox.evaluate(on: record))
        #expect(try !outside.evaluate(on: record))
    }

    @Test func builtPredicatesFailWhenUsed() throws {
        let unknown = Place.where { $0.population > 3 && $0.shout == "X" }
        let error = #expect(throws: RecordPredicateError.self) { try unknown.untyped.validated() }
        #expect(error?.stage == .binding)
        #expect(error?.hint?.contains("static var fields") == true)
        #expect(throws: RecordPredicateError.self) { try unknown.untyped.evaluate(on: Self.records[0]) }
        let malformed: RecordPredicate = "a =="
        let inner = #expect(throws: RecordPredicateError.self) {
            try Place.where { $0.isPort && malformed }.untyped.validated()
        }
        #expect(inner?.stage == .syntax)
        #expect(throws: RecordPredicateError.self) { try ("\(malformed) OR b == 1" as RecordPredicate).validated() }
        // Parentheses of another literal do not get to say more than it says.
        let crafty: RecordPredicate = "a == 1) OR (b == 2"
        #expect(throws: RecordPredicateError.self) { try ("\(crafty)" as RecordPredicate).validated() }
        #expect(throws: RecordPredicateError.self) { try ("\(\Place.shout) == 'x'" as RecordPredicate).validated() }
    }
}
