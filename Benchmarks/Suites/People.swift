// Seeded people: the records of the evaluate suite, as our records and as Swift values for Foundation's predicates.

import FoundationEssentials
import RecordModel

/// A person.
struct Person {
    var age: Int64
    var name: String
    var city: String
    var score: Double
    var tags: [String]
    var created: Date

    private static let names = [
        "Marcy", "Anna", "Karl", "Márta", "Bill", "Arno", "Stella", "Paul", "Mary", "Carla", "Otto", "Jürgen", "marc",
        "Ella", "Arthur", "Moritz",
    ]
    private static let cities = ["Berlin", "Paris", "Rome", "Oslo", "Madrid", "Wien", "Praha", "Łódź"]
    private static let allTags = ["red", "green", "blue", "black", "white"]

    /// The first people of the seed, always the same.
    static func generate(_ count: Int) -> [Person] {
        var random = RandomSequence(.people)
        return (0..<count).map { _ in
            Person(
                age: Int64(random.below(90)), name: random.pick(names), city: random.pick(cities),
                score: Double(random.below(1000)) / 10, tags: [random.pick(allTags), random.pick(allTags)],
                created: Date(timeIntervalSince1970: Double(1_300_000_000 + random.below(400_000_000))))
        }
    }

    /// The person as a record.
    func record(_ number: Int) -> Record {
        Record(
            type: "Person", id: Record.ID(String(number)),
            fields: [
                "age": .int64(age), "name": .string(name), "city": .string(city), "score": .double(score),
                "tags": .list(tags.map(FieldValue.string)), "created": .date(created),
            ])
    }

    /// The schema of those records.
    static let schema = RecordSchema(
        recordType: "Person",
        fields: [
            FieldDefinition(name: "age", type: .int64), FieldDefinition(name: "name", type: .string),
            FieldDefinition(name: "city", type: .string), FieldDefinition(name: "score", type: .double),
            FieldDefinition(name: "tags", type: .list(.string)), FieldDefinition(name: "created", type: .date),
        ])
}
