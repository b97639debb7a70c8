// Failures by chance: what errors carry, and orders that go before chances.

import Testing

@testable import RecordDatabase

@Suite struct FaultChanceTests {
    /// An error by chance asks for the same wait as one that was ordered without another.
    @Test func errorsByChanceAskForAWait() async throws {
        let (container, script) = try FaultScriptTests.client()
        script.failRandomly(probability: 1, with: [.zoneBusy], seed: 7)
        let error = await fails(.zoneBusy) { try await container.privateDatabase.allRecordZones() }
        #expect(error?.retryAfter == .seconds(1))
        script.failNext(1, .fetchZones, with: .requestRateLimited, retryAfter: .seconds(5))
        script.failNext(1, .modifyZones, with: .serviceUnavailable)
        let ordered = await fails(.requestRateLimited) { try await container.privateDatabase.allRecordZones() }
        #expect(ordered?.retryAfter == .seconds(5))
        // An order that is about other calls lets chance have this one.
        await fails(.zoneBusy) { try await container.privateDatabase.allRecordZones() }
        script.failRandomly(probability: 0, with: [.zoneBusy], seed: 7)
        #expect(try await container.privateDatabase.allRecordZones().map(\.id) == [.default])
    }
}
