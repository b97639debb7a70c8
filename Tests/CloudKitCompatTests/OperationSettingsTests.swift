// Settings of operations: which of several holds, and times that end an operation.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct OperationSettingsTests {
    @Test("Each setting of an operation goes before that of its group")
    func precedence() {
        let containers = (CKContainer(identifier: "own settings"), CKContainer(identifier: "group settings"))
        let (operation, group) = (CKFetchRecordsOperation(recordIDs: []), CKOperationGroup())
        operation.group = group
        group.defaultConfiguration.container = containers.1
        group.defaultConfiguration.qualityOfService = .utility
        group.defaultConfiguration.allowsCellularAccess = false
        group.defaultConfiguration.isLongLived = true
        group.defaultConfiguration.timeoutIntervalForRequest = 5
        group.defaultConfiguration.timeoutIntervalForResource = 6
        let shared = operation.resolvedConfiguration
        #expect(shared.container === containers.1 && shared.qualityOfService == .utility && shared.isLongLived)
        #expect(!shared.allowsCellularAccess && shared.timeoutIntervalForRequest == 5)
        #expect(shared.timeoutIntervalForResource == 6)

        operation.container = containers.0
        operation.configuration.qualityOfService = .background
        (operation.allowsCellularAccess, operation.isLongLived) = (true, false)
        (operation.timeoutIntervalForRequest, operation.timeoutIntervalForResource) = (7, 8)
        let own = operation.resolvedConfiguration
        #expect(own.container === containers.0 && own.qualityOfService == .background && !own.isLongLived)
        #expect(own.allowsCellularAccess && own.timeoutIntervalForRequest == 7 && own.timeoutIntervalForResource == 8)
        #expect(operation.configuration.container === containers.0 && operation.container === containers.0)
        #expect(operation.timeoutIntervalForRequest == 7 && operation.timeoutIntervalForResource == 8)
        #expect(operation.allowsCellularAccess && !operation.isLongLived)
    }

    @Test("Nothing set is the usual")
    func defaults() {
        let settings = CKOperation.Configuration()
        #expect(settings.container == nil && settings.qualityOfService == .default && settings.allowsCellularAccess)
        #expect(!settings.isLongLived && settings.timeoutIntervalForRequest == 60)
        // Seven days.
        #expect(settings.timeoutIntervalForResource == 604_800)
    }

    @Test("Settings are copied when they are given to an operation or a group")
    func copies() {
        let (settings, group) = (CKOperation.Configuration(), CKOperationGroup())
        let operation = CKFetchRecordsOperation(recordIDs: [])
        settings.timeoutIntervalForRequest = 5
        (operation.configuration, group.defaultConfiguration) = (settings, settings)
        settings.timeoutIntervalForRequest = 6
        #expect(operation.timeoutIntervalForRequest == 5)
        #expect(group.defaultConfiguration.timeoutIntervalForRequest == 5)
    }

    /// Adds an operation with settings within a group, and the other way round, of a database and of its container, and
    /// one with both to each of the other databases.
    private func add(
        _ operations: [CKFetchRecordsOperation], to container: CKContainer, _ settings: CKOperation.Configuration,
        _ group: CKOperationGroup
    ) {
        container.privateCloudDatabase.configuredWith(configuration: settings) {
            $0.configuredWith(group: group) { $0.add(operations[0]) }
        }
        container.privateCloudDatabase.configuredWith(group: group) {
            $0.configuredWith(configuration: settings) { $0.add(operations[1]) }
        }
        container.configuredWith(configuration: settings) {
            $0.configuredWith(group: group) { $0.privateCloudDatabase.add(operations[2]) }
        }
        container.configuredWith(group: group) {
            $0.configuredWith(configuration: settings) { $0.privateCloudDatabase.add(operations[3]) }
        }
        container.configuredWith(configuration: settings, group: group) { $0.sharedCloudDatabase.add(operations[4]) }
        container.configuredWith(configuration: settings, group: group) { $0.publicCloudDatabase.add(operations[5]) }
    }

    @Test("What inner settings leave open is that of the outer ones")
    func nested() async throws {
        let scene = try await Scene()
        let (settings, group) = (CKOperation.Configuration(), CKOperationGroup())
        settings.timeoutIntervalForRequest = 77
        let operations = (0..<6).map { _ in CKFetchRecordsOperation(recordIDs: []) }
        scene.database.operationQueue.isSuspended = true
        add(operations, to: scene.container, settings, group)
        for (index, operation) in operations.enumerated() {
            #expect(operation.resolvedConfiguration.timeoutIntervalForRequest == 77, "\(index)")
            #expect(operation.group === group, "\(index)")
        }
        await scene.run(scene.fetch([]))
    }

    @Test("Of two times the one that is over first ends an operation, and is named")
    func times() async throws {
        let scene = try await Scene()
        let cases = [
            (1e-9, 3600.0, "timeoutIntervalForRequest"), (3600, 1e-9, "timeoutIntervalForResource"),
        ]
        for (request, resource, name) in cases {
            let (fetch, log) = (scene.fetch([scene.id("a")]), Log())
            (fetch.timeoutIntervalForRequest, fetch.timeoutIntervalForResource) = (request, resource)
            fetch.fetchRecordsResultBlock = { result in
                let error = if case .failure(let error) = result { error as? CKError } else { CKError?.none }
                log.add("\(Scene.word(result)) \(error?.localizedDescription.contains(name) == true)")
            }
            await scene.run(fetch)
            #expect(log.lines == ["networkFailure true"])
        }
    }
}
