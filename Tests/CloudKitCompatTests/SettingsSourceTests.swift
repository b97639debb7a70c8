// Where the settings of an operation come from: what it is added with goes before its group, and names its container.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct SettingsSourceTests {
    @Test("The container of an operation is the one that its settings name, else the one that it is added to")
    func containers() throws {
        let first = CKContainer(try Container(identifier: "first of two", account: .user("_a11ce")))
        let second = CKContainer(try Container(identifier: "second of two", account: .user("_b0b")))
        let settings = CKOperation.Configuration()
        settings.container = second
        let operations = (0..<2).map { _ in CKDiscoverAllUserIdentitiesOperation() }
        first.configuredWith(configuration: settings) { $0.add(operations[0]) }
        first.add(operations[1])
        #expect(operations[0].resolvedConfiguration.container === second)
        #expect(operations[1].resolvedConfiguration.container === first)
        #expect(settings.container === second, "what was given stays as it was")
    }

    @Test("Inner settings and an inner group hold in place of the outer ones")
    func innermost() throws {
        let container = CKContainer(try Container(identifier: "inner and outer", account: .user("_a11ce")))
        let (outer, inner) = (CKOperation.Configuration(), CKOperation.Configuration())
        (outer.timeoutIntervalForRequest, inner.timeoutIntervalForRequest) = (700, 800)
        let groups = (0..<2).map { _ in CKOperationGroup() }
        let operations = (0..<3).map { _ in CKFetchRecordsOperation(recordIDs: []) }
        container.configuredWith(configuration: outer, group: groups[0]) {
            $0.configuredWith(configuration: inner, group: groups[1]) { $0.add(operations[0]) }
        }
        container.configuredWith(configuration: outer, group: groups[0]) {
            $0.configuredWith(configuration: inner, group: groups[1]) { $0.privateCloudDatabase.add(operations[1]) }
        }
        container.privateCloudDatabase.configuredWith(configuration: outer, group: groups[0]) {
            $0.configuredWith(configuration: inner, group: groups[1]) { $0.add(operations[2]) }
        }
        for (index, operation) in operations.enumerated() {
            #expect(operation.group === groups[1], "\(index)")
            #expect(operation.resolvedConfiguration.timeoutIntervalForRequest == 800, "\(index)")
        }
    }

    @Test("Settings that an operation is added with go before those of its group")
    func groups() async throws {
        let scene = try await Scene()
        let (settings, group) = (CKOperation.Configuration(), CKOperationGroup())
        settings.timeoutIntervalForRequest = 800
        group.defaultConfiguration.timeoutIntervalForRequest = 500
        group.defaultConfiguration.timeoutIntervalForResource = 600
        let fetch = scene.fetch([])
        scene.database.configuredWith(configuration: settings, group: group) { $0.add(fetch) }
        await scene.run(scene.fetch([]))
        #expect(fetch.resolvedConfiguration.timeoutIntervalForRequest == 800)
        #expect(fetch.resolvedConfiguration.timeoutIntervalForResource == 600)
    }
}
