// Texts of stored records whose types differ about a field.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ExportEdgeTests {
    /// A list without elements tells of which type they would be, also where another type has texts in the field.
    @Test func emptyListsBesideTextsTellTheirType() async throws {
        let world = try await World()
        let (list, text) = (ContainerSchema.Field(.list(.date)), ContainerSchema.Field(.string))
        try world.alice.setSchema(
            ContainerSchema(recordTypes: [
                "A": .init(fields: ["f": list, "g": text]), "B": .init(fields: ["f": text, "g": list]),
            ]))
        try await world.mine.put(record("a", ["f": .list([]), "g": "x"], type: "A"))
        try await world.mine.put(record("b", ["f": "y", "g": .list([])], type: "B"))
        let export = try RecordExport(world.mine.snapshot().allRecords(), as: .ndjson)
        let lines = try export.text().split(separator: "\n").sorted()
        #expect(
            lines == [
                #"{"id":"a","type":"A","f":{"$list":[],"of":"TIMESTAMP"},"g":"x"}"#,
                #"{"id":"b","type":"B","f":"y","g":{"$list":[],"of":"TIMESTAMP"}}"#,
            ])
    }
}
