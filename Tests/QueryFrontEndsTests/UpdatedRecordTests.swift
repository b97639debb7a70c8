// Records that take over values: the fields, and the types that they are to have.

import QueryFrontEnds
import RecordModel
import Testing

@Suite struct UpdatedRecordTests {
    @Test("An updated record declares the types of its fields as a new one does")
    func declaredTypes() throws {
        var record = Record(type: "Owner", id: Record.ID("o"), fields: ["name": "b", "other": 3])
        #expect(record.declaredTypes == [:])
        let owner = Owner(name: "a", age: 1)
        try record.update(with: owner)
        #expect(record.fields == ["name": "a", "age": 1, "other": 3])
        #expect(record.declaredTypes == ["name": .string, "age": .int64])
        #expect(try Record(owner).declaredTypes == record.declaredTypes)
    }
}
