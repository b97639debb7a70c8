// The rules of the model hold for containers on a PostgreSQL server.

import Foundation
import PostgreSQLStore
import Testing
import _TestSupport

@testable import RecordDatabase

/// What scenes need that containers on servers do not offer, and say so.
private let callsOfThisProcess: Set<Int> = []

@Suite(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ServerRuleTests {
    @Test("Rules on a server", arguments: RuleTableTests.suites.flatMap(\.rules))
    func show(_ rule: Rule) async throws {
        let server = try PostgreSQLContainer(
            identifier: "test " + UUID().uuidString, connectingTo: PostgreSQLServer.shared().address)
        try await rule.show(World(on: server))
    }
}
