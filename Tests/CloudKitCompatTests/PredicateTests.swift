// Foundation's predicates with the language.

import CloudKitCompat
import RecordDatabase
import Testing

@Suite struct PredicateTests {
    @Test(
        "Arguments of all kinds",
        arguments: [
            (NSPredicate(format: "age > %d AND name == %@", 30, "Ann"), "age > 30 AND name == 'Ann'"),
            (NSPredicate(format: "%K IN %@", "age", [1, 2]), "age IN {1, 2}"),
            (NSPredicate(format: "name == nil"), "name == nil"),
            (NSPredicate(format: "name == %@", argumentArray: [NSString(string: "x")]), "name == 'x'"),
            (NSPredicate(format: "age == %@", NSNumber(value: 2)), "age == 2"),
            (NSPredicate(value: true), "TRUEPREDICATE"),
            (NSPredicate(value: false), "FALSEPREDICATE"),
            (
                NSCompoundPredicate(andPredicateWithSubpredicates: [
                    NSPredicate(format: "a == %@", 1),
                    NSCompoundPredicate(notPredicateWithSubpredicate: NSPredicate(format: "b == 2")),
                    NSCompoundPredicate(orPredicateWithSubpredicates: [
                        NSPredicate(format: "c == 3"), NSPredicate(value: false),
                    ]),
                ]), "a == 1 AND NOT b == 2 AND (c == 3 OR FALSEPREDICATE)"
            ),
        ].map { (Held($0), $1) })
    func arguments(_ made: Held, _ text: String) throws {
        let written = try RecordPredicate(format: text, arguments: [])
        #expect(made.predicate.recordPredicate.description == written.description)
        _ = try made.predicate.recordPredicate.validated().tree
    }

    @Test("Predicates are evaluated on records, dictionaries and values")
    func evaluation() {
        let record = CKRecord(recordType: "T")
        record["age"] = 40
        let predicate = NSPredicate(format: "age > $least")
        #expect(predicate.evaluate(with: record, substitutionVariables: ["least": 30]))
        #expect(!predicate.evaluate(with: record, substitutionVariables: ["least": 50]))
        #expect(NSPredicate(format: "age == 1").evaluate(with: ["age": 1]))
        #expect(NSPredicate(format: "SELF BEGINSWITH 'a'").evaluate(with: "abc"))
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(format: "age > 1"), NSPredicate(format: "age < 50"),
        ])
        #expect(both.evaluate(with: record))
        #expect(!NSPredicate(format: "age >").evaluate(with: record))
    }

    @Test("Sort descriptors tell their field and direction; near places always come first")
    func sortDescriptors() {
        let place = CLLocation(latitude: 50, longitude: 30)
        let near = CKLocationSortDescriptor(key: "place", relativeLocation: place)
        #expect(near.key == "place" && near.ascending && near.relativeLocation == place)
        #expect(near.reversedSortDescriptor as? NSSortDescriptor === near)
        for ascending in [true, false] {
            let descriptor = NSSortDescriptor(key: "age", ascending: ascending)
            #expect(descriptor.key == "age" && descriptor.ascending == ascending)
        }
    }

    @Test("Records, their identifiers and sets are arguments; one that is none is named")
    func objects() throws {
        let (owner, record) = (CKRecord(recordType: "Owner"), CKRecord(recordType: "T"))
        (record["owner"], record["age"]) = (CKReference(record: owner, action: .none), 2)
        #expect(NSPredicate(format: "owner == %@", owner).evaluate(with: record))
        #expect(NSPredicate(format: "owner == %@", owner.recordID).evaluate(with: record))
        #expect(!NSPredicate(format: "owner == %@", CKRecord(recordType: "Owner")).evaluate(with: record))
        #expect(NSPredicate(format: "age IN %@", Set([1, 2])).evaluate(with: record))
        #expect(!NSPredicate(format: "age IN %@", Set([1, 3])).evaluate(with: record))
        let wrong = NSPredicate(format: "a == %@ AND b == %@", 1, NSObject())
        let error = #expect(throws: RecordPredicateError.self) { try wrong.recordPredicate.validated() }
        #expect(error?.message.hasPrefix("argument 2 ") == true)
    }

    @Test("A list with an element that no field holds is no argument, and is not taken without it")
    func foreignElements() {
        let wrong = NSPredicate(format: "a == %@ AND b IN %@", 1, [2, NSObject()] as [Any])
        let error = #expect(throws: RecordPredicateError.self) { try wrong.recordPredicate.validated() }
        #expect(error?.message.hasPrefix("argument 2 ") == true)
    }

    @Test("What no database can be asked fails when it is used")
    func failures() {
        let predicates = [
            NSPredicate { _, _ in true }, NSPredicate(format: "a =="), NSPredicate(format: "a == %@"),
            NSPredicate(format: "a == %@", NSObject()),
            NSCompoundPredicate(andPredicateWithSubpredicates: [NSPredicate { _, _ in true }]),
        ]
        for predicate in predicates {
            #expect(throws: RecordPredicateError.self) { try predicate.recordPredicate.validated() }
        }
    }
}

/// A predicate as an argument of a test: it is not changed after it is made.
struct Held: @unchecked Sendable {
    let predicate: NSPredicate
    init(_ predicate: NSPredicate) { self.predicate = predicate }
}
