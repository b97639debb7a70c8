// The code of the article on containers in folders.

import Foundation
import RecordDatabase
import Testing

@Suite struct StoredExample {
    @Test func containersInFolders() async throws {
        let (place, second) = (TemporaryFolder(), TemporaryFolder())
        let (folder, copy) = (place.url, second.url)
        let city = Record(type: "City", id: Record.ID("kyiv"), fields: ["name": "Київ"])
        do {
            let container = try Container(identifier: "example.travel", storedAt: folder)
            try await container.privateDatabase.save(city)
            container.close()
        }
        let reader = try Container(
            identifier: "example.travel", storedAt: folder, options: StorageOptions(mode: .readOnly))
        #expect(try await reader.privateDatabase.record(for: city.id)["name"] == "Київ")
        let container = try Container(identifier: "example.travel", storedAt: folder)
        do {
            try await container.backUp(to: copy)
            try await container.compact()
            let statistics = try await container.storageStatistics()
            let problems = try Container.verify(storedAt: copy)
            #expect(statistics.recordCount == 1 && problems.isEmpty)
        }
        container.close()
        do {
            let places = try RecordSet(storedAt: folder)
            let text = try RecordExport(places, as: .ndjson).text()
            #expect(text == #"{"id":"kyiv","type":"City","name":"Київ"}"# + "\n")
        }
    }

    @Test func schemasAsText() throws {
        let container = try Container(identifier: "example.travel")
        try container.setSchema(ContainerSchema(text: "DEFINE SCHEMA RECORD TYPE City (name STRING QUERYABLE);"))
        #expect(container.schema.recordTypes["City"]?.fields["name"]?.indexes == .queryable)
    }
}
