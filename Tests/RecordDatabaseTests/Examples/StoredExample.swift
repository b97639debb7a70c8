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
            #expect(statistics.recordCount == 3 && problems.isEmpty)
        }
    }
}
