// The types that the tests of front ends keep as records.

import Foundation
import Geospatial
import PredicateSemantics
import PredicateSyntax
import QueryFrontEnds
import RecordModel

enum Status: String, Codable, CaseIterable { case open, closed, planned }
enum Grade: Int, Codable {
    case low = 1
    case high = 2
}

struct Address: FieldNamed, Equatable {
    var street: String
    var zip: Int
}

struct Owner: RecordConvertible, Equatable {
    var recordID: Record.ID?
    var name: String
    var age: Int
}

struct Item: FieldNamed, Equatable {
    var price: Double
    var label: String
}

/// Fields of every kind, one of them renamed.
struct Place: RecordConvertible, Equatable {
    var recordID: Record.ID?
    var name: String
    var nickname: String?
    var population: Int
    var area: Double
    var rank: Int?
    var isCapital: Bool
    var isPort: Bool
    var tags: [String]
    var scores: [Int]
    var founded: Date
    var location: Location
    var spot: Location?
    var status: Status
    var address: Address
    var former: Address?
    var items: [Item]
    var owner: RecordReference.To<Owner>
    var mayor: RecordReference.To<Owner>?
    var seal: Asset?
    var bytes: Data
    var page: URL?
    var token: UUID?
    var extra: [String: Int]

    enum CodingKeys: String, CodingKey {
        case recordID, name, nickname, population, area, rank, isPort, tags, scores, founded, location, spot, status
        case address, former, items, owner, mayor, seal, bytes, page, token, extra
        case isCapital = "capital"
    }

    var shout: String { name.uppercased() }
    var isBoth: Bool { isCapital && isPort }
    var isInland: Bool { !isPort }
    var alias: String { name }

    static func sample(_ name: String) -> Place {
        Place(
            recordID: Record.ID(name), name: name, population: 1, area: 2.5, isCapital: true, isPort: false,
            tags: ["a", "b"], scores: [3, 4], founded: Date(timeIntervalSinceReferenceDate: 5),
            location: Location(latitude: 50, longitude: 30), status: .closed,
            address: Address(street: "Main", zip: 7), items: [Item(price: 9.5, label: "x")],
            owner: RecordReference.To(Record.ID("ann")), bytes: Data([1, 2]), extra: ["k": 8])
    }
}

/// A type that cannot be decoded from samples: its enumeration does not list its cases.
struct Graded: RecordConvertible, Equatable {
    var title: String
    var grade: Grade
    var count: Int { didSet {} }

    enum CodingKeys: String, CodingKey {
        case grade, count
        case title = "heading"
    }
}

/// A type with coding of its own, whose names are those of no property.
struct Celsius: RecordConvertible, Equatable {
    var degrees: Double
    var note: String

    init(degrees: Double, note: String) {
        self.degrees = degrees
        self.note = note
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        degrees = try container.decode(Double.self, forKey: .temperature)
        note = try container.decode(String.self, forKey: .degrees)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(degrees, forKey: .temperature)
        try container.encode(note, forKey: .degrees)
    }

    enum Key: String, CodingKey { case temperature, degrees }
}

/// A type that names a field itself.
struct Named: RecordConvertible {
    var grade: Grade
    var title: String
    var count: Int

    static var fields: [PartialKeyPath<Self>: String] { [\.title: "grade"] }
}
