// Queries of CloudKit's web service: read, written, and refused with a place.

import RecordDatabase
import Testing

@Suite struct QueryFilterTests {
    private let kyiv = Location(latitude: 50.45, longitude: 30.52)

    @Test func queries() throws {
        let json = """
            {"recordType":"City","filterBy":[{"comparator":"GREATER_THAN","fieldName":"population",\
            "fieldValue":{"value":5,"type":"INT64"}}],"sortBy":[{"fieldName":"___modTime","ascending":false},\
            {"fieldName":"location","relativeLocation":{"latitude":50.45,"longitude":30.52}},\
            {"fieldName":"___recordID","ascending":true}]}
            """
        let query = Query(
            "City", "population > 5",
            sortedBy: [.descending("modificationDate"), .distance("location", kyiv), SortKey(.recordName)])
        #expect(try Query(webServiceJSON: json) == query)
        #expect(try query.webServiceJSON() == json)
        #expect(try Query(webServiceJSON: #"{"recordType":"City"}"#) == Query("City"))
        let faults = [
            ("{}", ""), (#"{"recordType":3}"#, "recordType"), (#"{"recordType":"C","limit":1}"#, "limit"),
            (#"{"recordType":"C","sortBy":{}}"#, "sortBy"), (#"{"recordType":"C","sortBy":[{}]}"#, "sortBy[0]"),
            (#"{"recordType":"C","sortBy":[{"fieldName":"a","ascending":1}]}"#, "sortBy[0].ascending"),
            (#"{"recordType":"C","sortBy":[{"fieldName":"a","relativeLocation":{}}]}"#, "sortBy[0].relativeLocation"),
            (#"{"recordType":"C","filterBy":[{"comparator":"X"}]}"#, "filterBy[0].comparator"),
        ]
        for (json, place) in faults {
            let error = #expect(throws: FilterError.self) { try Query(webServiceJSON: json) }
            #expect(error?.place == place)
        }
        let away = Query("C", sortedBy: [SortKey(.distance("a", from: kyiv), isAscending: false)])
        #expect(throws: FilterError.self) { try away.webServiceJSON() }
    }
}
