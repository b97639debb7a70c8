// What errors say: places, patterns, one family.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct ErrorTests {
    private func database() async throws -> Database {
        let database = try Container(identifier: "test").privateDatabase
        try await database.save(Record(type: "City", id: Record.ID("a"), fields: ["name": "Kyiv", "population": 1]))
        return database
    }

    @Test(
        arguments: [
            ("name == 'Kyiv' AND populaton > 3", "populaton", "did you mean population?"),
            ("population > 'x'", "'x'", nil), ("name ==", "", nil),
            ("name MATCHES '('", "name MATCHES '('", nil),
        ] as [(String, String, String?)])
    func errorsOfDatabasesHaveAPlace(_ text: String, _ part: String, _ hint: String?) async throws {
        let database = try await database()
        let predicate = try? RecordPredicate(format: text)
        guard let predicate else { return }
        let error = try #require(
            await #expect(throws: DatabaseError.self) { try await database.records(matching: Query("City", predicate)) }
        )
        let place = try #require(error.place, "\(error)")
        #expect(String(Array(place.text.utf8)[place.range].map { Character(UnicodeScalar($0)) }) == part)
        #expect(error.description.contains("^") && error.description.contains(text), "\(error)")
        if let hint { #expect(error.hint == hint) }
        #expect(error.localizedDescription == error.description)
    }

    /// Values of arguments are in no message.
    @Test func textsHavePlaceholders() async throws {
        let database = try await database()
        let error = await #expect(throws: DatabaseError.self) {
            try await database.records(matching: Query("City", "population > \("secret")"))
        }
        #expect(error?.description.contains("secret") == false, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.place?.text.contains("%") == true)
    }

    @Test func codesArePatterns() async throws {
        let database = try await database()
        var caught: [DatabaseError.Code] = []
        for id in ["none", "a"] {
            do {
                if id == "none" { _ = try await database.record(for: Record.ID(id)) }
                _ = try await database.save(Record(type: "City", id: Record.ID(id)))
            } catch DatabaseError.unknownItem {
                caught.append(.unknownItem)
            } catch DatabaseError.serverRecordChanged {
                caught.append(.serverRecordChanged)
            } catch {
                Issue.record("\(error)")
            }
        }
        #expect(caught == [.unknownItem, .serverRecordChanged])
        #expect(DatabaseError.Code.allCases.allSatisfy { $0 ~= DatabaseError($0, "") })
        #expect(!(DatabaseError.zoneBusy ~= CocoaError(.fileNoSuchFile)))
    }

    @Test func errorsAreOfOneFamily() throws {
        let errors: [any Error] = [
            DatabaseError(.zoneBusy, "reason", hint: "hint"),
            try #require(throws: RecordPredicateError.self) { try RecordPredicate(format: "a ==") },
            try #require(throws: SyntaxError.self) { try ContainerSchema(text: "DEFINE") },
            try #require(throws: (any Error).self) { try RecordSet(contentsOf: "/no/such/file.ndjson") },
            try #require(throws: GeoAreaError.self) { try GeoArea(south: 5, west: 0, north: 1, east: 1) },
        ]
        for error in errors {
            let described = try #require(error as? any DescribedError)
            #expect(error.localizedDescription == described.description)
            #expect((error as? any LocalizedError)?.recoverySuggestion == described.hint)
        }
    }

    @Test func recordsThatDoNotMixAreNamed() {
        let error = #expect(throws: DatabaseError.self) {
            try RecordSet(records: [
                Record(type: "T", id: Record.ID("a"), fields: ["n": 1]),
                Record(type: "T", id: Record.ID("a"), fields: ["n": 2]),
            ])
        }
        #expect(
            error?.code == .invalidArguments && error?.reason.hasPrefix("record 2") == true,
            "\(error.map { "\($0)" } ?? "")")
    }
}
