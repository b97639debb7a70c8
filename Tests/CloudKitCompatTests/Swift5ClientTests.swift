// The client programs as Swift 5 compiles them: they are there, and do what those of Swift 6 do.

import CloudKitClients5
import Foundation
import Testing

@Suite struct Swift5ClientTests {
    struct Book: CloudKitClients5.CloudCodable, Equatable {
        static let recordType = "Book"
        static let secretKeys: Set<String> = ["note"]
        var cloudIdentifier: String
        var systemFields: Data?
        var title: String
        var note: String
    }

    @Test("A value is mapped to a record and back")
    func codable() throws {
        let sent = Book(cloudIdentifier: "b", title: "Title", note: "Note")
        let record = try CloudKitClients5.CloudRecordEncoder().encode(sent)
        var found = try CloudKitClients5.CloudRecordDecoder().decode(Book.self, from: record)
        #expect(found.systemFields != nil)
        found.systemFields = nil
        #expect(found == sent)
    }
}
