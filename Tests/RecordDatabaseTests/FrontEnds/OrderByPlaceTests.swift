// Orders by distance in queries of CloudKit's web service: the place alone, or as the value of a field.

import RecordDatabase
import Testing

@Suite struct OrderByPlaceTests {
    private static func query(_ order: String) -> String { #"{"recordType":"C","sortBy":[\#(order)]}"# }

    private static let places = [
        #"{"latitude":50.5,"longitude":30.25}"#, #"{"value":{"latitude":50.5,"longitude":30.25}}"#,
        #"{"value":{"latitude":50.5,"longitude":30.25},"type":"LOCATION"}"#,
    ]

    @Test("A place means the same in each of its forms", arguments: places)
    func forms(place: String) throws {
        let nearest = Query("C", sortedBy: [.distance("a", Location(latitude: 50.5, longitude: 30.25))])
        for ascending in ["", #","ascending":true"#] {
            let json = Self.query(#"{"fieldName":"a","relativeLocation":\#(place)\#(ascending)}"#)
            #expect(try Query(webServiceJSON: json) == nearest, "\(json)")
        }
    }

    private static let faults: [(order: String, place: String)] = [
        (#"{"fieldName":"a","relativeLocation":{"value":{}}}"#, "sortBy[0].relativeLocation.value"),
        (#"{"fieldName":"a","relativeLocation":{"latitude":91,"longitude":0}}"#, "sortBy[0].relativeLocation"),
        (
            #"{"fieldName":"a","ascending":false,"relativeLocation":{"latitude":1,"longitude":2}}"#,
            "sortBy[0].ascending"
        ),
    ]

    @Test("What is wrong about a place is told with where it is", arguments: faults.indices)
    func faultyPlaces(index: Int) {
        let (order, place) = Self.faults[index]
        let error = #expect(throws: FilterError.self) { try Query(webServiceJSON: Self.query(order)) }
        #expect(error?.place == place)
    }
}
