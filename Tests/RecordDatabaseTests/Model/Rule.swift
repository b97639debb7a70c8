// The rules of the record model as tests: each rule has its number, its words, and what shows it.

import Foundation
import Synchronization
import Testing

@testable import RecordDatabase

/// A rule of the model, or a few that one scene shows, and the scene.
struct Rule: Sendable, CustomTestStringConvertible {
    let numbers: [Int]
    let text: String
    let show: @Sendable (World) async throws -> Void

    init(_ numbers: Int..., text: String, _ show: @escaping @Sendable (World) async throws -> Void) {
        self.numbers = numbers
        self.text = text
        self.show = show
    }

    var testDescription: String { numbers.map { "R\($0)" }.joined(separator: " ") + " " + text }
}

/// A clock that stands still until it is told to go on.
final class TestClock: Sendable {
    private let seconds = Mutex(1_700_000_000.0)
    var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }
    func advance(_ by: Double = 1) { seconds.withLock { $0 += by } }
}

/// One store with the clients of two users, and a zone of the first.
struct World: Sendable {
    static let alice = "_a11ce"
    static let bob = "_b0b"

    let clock = TestClock()
    let alice: Container
    let bob: Container
    /// A second client of the first user.
    let alice2: Container
    let nobody: Container
    /// A custom zone in the first user's private database.
    let zone = RecordZone.ID("Z")
    /// Takes away the bytes of a stored asset.
    var loseBytes: @Sendable (Asset) throws -> Void = { try FileManager.default.removeItem(atPath: $0.path) }
    /// What that zone can do.
    let zoneCapabilities: RecordZone.Capabilities = [.fetchChanges, .atomic, .sharing, .zoneWideSharing]

    /// - Parameters:
    ///   - folder: Where the store is; `nil` for one in memory.
    ///   - server: The server that has it, in place of both.
    init(
        storedAt folder: URL? = nil, on server: (any RecordServer)? = nil,
        _ configure: (inout Configuration) -> Void = { _ in }
    ) async throws {
        var configuration = Configuration()
        let clock = clock
        configuration.clock = { clock.now }
        configure(&configuration)
        let account = Account.user(Self.alice)
        alice =
            if let server {
                try Container(identifier: "test", on: server, account: account, configuration: configuration)
            } else if let folder {
                try Container(identifier: "test", storedAt: folder, account: account, configuration: configuration)
            } else {
                try Container(identifier: "test", account: account, configuration: configuration)
            }
        bob = try Container(sharing: alice, account: .user(Self.bob), configuration: configuration)
        alice2 = try Container(sharing: alice, account: .user(Self.alice), configuration: configuration)
        nobody = try Container(sharing: alice, account: .none, configuration: configuration)
        try await alice.privateDatabase.save(RecordZone(id: zone))
    }

    /// The first user's private database.
    var mine: Database { alice.privateDatabase }
    /// The same for the second client.
    var mine2: Database { alice2.privateDatabase }
    var everyones: Database { alice.publicDatabase }

    /// Another client of the store.
    func client(_ user: String, _ configure: (inout Configuration) -> Void) throws -> Container {
        var configuration = Configuration()
        let clock = clock
        configuration.clock = { clock.now }
        configure(&configuration)
        return try Container(sharing: alice, account: .user(user), configuration: configuration)
    }
}

/// A record of type T in the default zone.
func record(_ name: String, _ fields: [String: FieldValue] = [:], type: String = "T") -> Record {
    Record(type: type, id: Record.ID(name), fields: fields)
}

/// A record of type T in a zone.
func record(_ name: String, in zone: RecordZone.ID, _ fields: [String: FieldValue] = [:], type: String = "T") -> Record
{
    Record(type: type, id: Record.ID(name, zoneID: zone), fields: fields)
}

extension Database {
    /// Saves records under a policy, one batch, all successful.
    @discardableResult
    func put(_ records: Record..., policy: SavePolicy = .ifServerRecordUnchanged) async throws -> [Record] {
        let results = try await modifyRecords(saving: records, deleting: [], savePolicy: policy).saveResults
        return try records.map { try #require(results[$0.id]).get() }
    }

    func has(_ name: String, in zone: RecordZone.ID = .default) async -> Bool {
        (try? await record(for: Record.ID(name, zoneID: zone))) != nil
    }

    /// The outcome of each item of a batch that is not atomic, by record name: `nil` for success.
    func outcomes(
        saving: [Record] = [], deleting: [Record.ID] = [], policy: SavePolicy = .ifServerRecordUnchanged,
        atomically: Bool = false
    ) throws -> [String: DatabaseError.Code?] {
        let result = try modify(
            ModifyRequest(saves: saving, deletes: deleting, policy: policy, isAtomic: atomically))
        var codes: [String: DatabaseError.Code?] = [:]
        for (id, outcome) in result.saves { codes.updateValue(outcome.failure?.code, forKey: id.recordName) }
        for (id, outcome) in result.deletes { codes.updateValue(outcome.failure?.code, forKey: id.recordName) }
        return codes
    }
}

extension Result {
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
    var isSuccess: Bool { failure == nil }
}

/// Expects a database error of a code, and gives it.
@discardableResult
func fails(
    _ code: DatabaseError.Code, _ location: SourceLocation = #_sourceLocation, _ body: () async throws -> Any
) async -> DatabaseError? {
    do {
        _ = try await body()
        Issue.record("expected \(code), but nothing failed", sourceLocation: location)
    } catch let error as DatabaseError {
        #expect(error.code == code, "\(error)", sourceLocation: location)
        #expect(!error.reason.isEmpty, sourceLocation: location)
        return error
    } catch {
        Issue.record("expected \(code), found \(error)", sourceLocation: location)
    }
    return nil
}

/// A value through a coder and back.
func recoded<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
}
