// Locations as values: what makes two of them one, and their way through JSON.

import Foundation
import Testing

@testable import Geospatial

@Suite struct LocationTests {
    private static let details = Location.Details(
        altitude: 8848.5, horizontalAccuracy: 5, verticalAccuracy: 6.5, course: 270, speed: 1.25,
        timestamp: Date(timeIntervalSinceReferenceDate: 7))

    @Test func detailsArePartOfALocation() {
        let plain = Location(latitude: 1, longitude: 2)
        let detailed = Location(latitude: 1, longitude: 2, details: Self.details)
        #expect(plain != detailed && detailed != plain)
        #expect(detailed == Location(latitude: 1, longitude: 2, details: Self.details))
        var other = Self.details
        other.altitude = 8848
        #expect(detailed != Location(latitude: 1, longitude: 2, details: other))
        #expect(detailed != Location(latitude: 1, longitude: 3, details: Self.details))
        #expect(detailed != Location(latitude: 2, longitude: 2, details: Self.details))
        // Where they are is the same.
        #expect(plain.isSamePosition(as: detailed) && Set([plain, detailed, plain]).count == 2)
        #expect(!plain.isSamePosition(as: Location(latitude: 1, longitude: 3)))
        #expect(!plain.isSamePosition(as: Location(latitude: 2, longitude: 2)))
        #expect(Location(latitude: -0.0, longitude: 0) == Location(latitude: 0, longitude: -0.0))
    }

    @Test func aCopyKeepsItsDetails() {
        let detailed = Location(latitude: 1, longitude: 2, details: Self.details)
        var copy = detailed
        copy.details?.speed = 9
        #expect(detailed.details == Self.details && copy.details?.speed == 9)
        copy.details = nil
        #expect(copy == Location(latitude: 1, longitude: 2) && detailed.details?.speed == 1.25)
    }

    @Test func locationsSurviveJSON() throws {
        let plain = Location(latitude: -1.5, longitude: 179.25)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(
            String(decoding: try encoder.encode(plain), as: UTF8.self) == #"{"latitude":-1.5,"longitude":179.25}"#)
        for location in [plain, Location(latitude: 1, longitude: 2, details: Self.details)] {
            let read = try JSONDecoder().decode(Location.self, from: encoder.encode(location))
            #expect(read.latitude == location.latitude && read.longitude == location.longitude)
            #expect(read.details == location.details)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Location.self, from: Data(#"{"latitude":1}"#.utf8))
        }
    }

    static let globe: [(latitude: Double, longitude: Double, isValid: Bool)] = [
        (90.0, 180.0, true), (-90, -180, true), ((90.0).nextUp, 0, false), ((-90.0).nextUp, 0, true),
        ((-90.0).nextDown, 0, false), (0, (180.0).nextUp, false), (0, (-180.0).nextDown, false), (.nan, 0, false),
        (0, .nan, false),
    ]

    @Test(arguments: globe)
    func theGlobeEndsAtThePolesAndTheAntimeridian(latitude: Double, longitude: Double, isValid: Bool) {
        #expect(Location(latitude: latitude, longitude: longitude).isValid == isValid)
    }
}
