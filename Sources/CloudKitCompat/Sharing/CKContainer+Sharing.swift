// Sharing: what URLs lead to, accepting shares, users to add to them.

public import Foundation
import RecordDatabase

extension CKContainer {
    /// What became of each item of a call.
    public typealias ShareResults<ID: Hashable, Value> = [ID: Result<Value, any Error>]

    // MARK: Metadata

    /// What the current user learns of a share from its URL.
    public nonisolated(nonsending) func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        try await sharing { container async throws(DatabaseError) in
            CKShareMetadata(try await container.shareMetadata(for: url))
        }
    }

    /// What the current user learns of shares from their URLs, each or an error.
    public nonisolated(nonsending) func shareMetadatas(for urls: [URL]) async throws -> ShareResults<
        URL, CKShare.Metadata
    > {
        try await each(urls) { try await $0.shareMetadata(for: $1) }
    }

    /// As `shareMetadata(for:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchShareMetadata(
        with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
    ) {
        tell({ try await $0.shareMetadata(for: url) }, completionHandler)
    }

    /// As `shareMetadatas(for:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchShareMetadatas(
        for urls: [URL],
        completionHandler: @escaping @Sendable (Result<ShareResults<URL, CKShare.Metadata>, any Error>) -> Void
    ) {
        tellResult({ try await $0.shareMetadatas(for: urls) }, completionHandler)
    }

    // MARK: Accepting

    /// Accepts a share: from now on its records are in the user's shared database.
    @discardableResult
    public nonisolated(nonsending) func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        try await sharing { container async throws(DatabaseError) in
            CKShare(try await container.accept(metadata.metadata).record)
        }
    }

    /// Accepts shares, each on its own.
    @discardableResult
    public nonisolated(nonsending) func accept(_ metadatas: [CKShare.Metadata]) async throws -> ShareResults<
        CKShare.Metadata, CKShare
    > {
        try await each(metadatas) { try await $0.accept($1) }
    }

    /// As `accept(_:)`, with a handler that any thread may call.
    @preconcurrency
    public func accept(
        _ metadata: CKShare.Metadata, completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
    ) {
        tell({ try await $0.accept(metadata) }, completionHandler)
    }

    /// As `accept(_:)` of several, with a handler that any thread may call.
    @preconcurrency
    public func accept(
        _ metadatas: [CKShare.Metadata],
        completionHandler: @escaping @Sendable (Result<ShareResults<CKShare.Metadata, CKShare>, any Error>) -> Void
    ) {
        tellResult({ try await $0.accept(metadatas) }, completionHandler)
    }

    // MARK: Participants

    /// A user of the container, as a participant that can be added to a share.
    public nonisolated(nonsending) func shareParticipant(forUserRecordID userRecordID: CKRecord.ID) async throws
        -> CKShare.Participant
    {
        try await participant(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
    }

    /// Fails with `unknownItem`: containers know no addresses.
    public nonisolated(nonsending) func shareParticipant(forEmailAddress email: String) async throws
        -> CKShare.Participant
    {
        try await participant(CKUserIdentity.LookupInfo(emailAddress: email))
    }

    /// Fails with `unknownItem`: containers know no numbers.
    public nonisolated(nonsending) func shareParticipant(forPhoneNumber phoneNumber: String) async throws
        -> CKShare.Participant
    {
        try await participant(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
    }

    /// Users of the container as participants, each or an error.
    public nonisolated(nonsending) func shareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID]
    ) async throws -> ShareResults<CKRecord.ID, CKShare.Participant> {
        try await each(userRecordIDs) { try await $0.shareParticipant(forUserRecordID: $1) }
    }

    /// An error for each: containers know no addresses.
    public nonisolated(nonsending) func shareParticipants(
        forEmailAddresses emails: [String]
    ) async throws -> ShareResults<String, CKShare.Participant> {
        try await each(emails) { try await $0.shareParticipant(forEmailAddress: $1) }
    }

    /// An error for each: containers know no numbers.
    public nonisolated(nonsending) func shareParticipants(
        forPhoneNumbers phoneNumbers: [String]
    ) async throws -> ShareResults<String, CKShare.Participant> {
        try await each(phoneNumbers) { try await $0.shareParticipant(forPhoneNumber: $1) }
    }

    /// As `shareParticipant(forUserRecordID:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchShareParticipant(
        withUserRecordID userRecordID: CKRecord.ID,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        tell({ try await $0.shareParticipant(forUserRecordID: userRecordID) }, completionHandler)
    }

    /// As `shareParticipant(forEmailAddress:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchShareParticipant(
        withEmailAddress emailAddress: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        tell({ try await $0.shareParticipant(forEmailAddress: emailAddress) }, completionHandler)
    }

    /// As `shareParticipant(forPhoneNumber:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchShareParticipant(
        withPhoneNumber phoneNumber: String,
        completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
    ) {
        tell({ try await $0.shareParticipant(forPhoneNumber: phoneNumber) }, completionHandler)
    }

    /// As `shareParticipants(forUserRecordIDs:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchShareParticipants(
        forUserRecordIDs userRecordIDs: [CKRecord.ID],
        completionHandler:
            @escaping @Sendable (Result<ShareResults<CKRecord.ID, CKShare.Participant>, any Error>) ->
            Void
    ) {
        tellResult({ try await $0.shareParticipants(forUserRecordIDs: userRecordIDs) }, completionHandler)
    }

    /// As `shareParticipants(forEmailAddresses:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchShareParticipants(
        forEmailAddresses emailAddresses: [String],
        completionHandler: @escaping @Sendable (Result<ShareResults<String, CKShare.Participant>, any Error>) -> Void
    ) {
        tellResult({ try await $0.shareParticipants(forEmailAddresses: emailAddresses) }, completionHandler)
    }

    /// As `shareParticipants(forPhoneNumbers:)`, with a handler that any thread may call.
    @preconcurrency
    public func fetchShareParticipants(
        forPhoneNumbers phoneNumbers: [String],
        completionHandler: @escaping @Sendable (Result<ShareResults<String, CKShare.Participant>, any Error>) -> Void
    ) {
        tellResult({ try await $0.shareParticipants(forPhoneNumbers: phoneNumbers) }, completionHandler)
    }

    // MARK: Calls

    private nonisolated(nonsending) func participant(_ info: CKUserIdentity.LookupInfo) async throws
        -> CKShare.Participant
    {
        try await sharing { container throws(DatabaseError) in try container.shareParticipant(info) }
    }

    private nonisolated(nonsending) func sharing<Value>(
        _ body: nonisolated(nonsending) (Container) async throws(DatabaseError) -> Value
    ) async throws -> Value {
        do throws(DatabaseError) { return try await body(try container.get()) } catch { throw CKError(error) }
    }

    /// Makes a call for each item. What is wrong with every call is thrown.
    private nonisolated(nonsending) func each<ID: Hashable, Value>(
        _ items: [ID], _ body: nonisolated(nonsending) (CKContainer, ID) async throws -> Value
    ) async throws -> ShareResults<ID, Value> {
        _ = try await userRecordID()
        var results: ShareResults<ID, Value> = [:]
        for item in items {
            do { results[item] = .success(try await body(self, item)) } catch { results[item] = .failure(error) }
        }
        return results
    }
}

extension Container {
    /// The user of a look-up as a participant.
    /// - Throws: `DatabaseError` of code `unknownItem` for one who is not known, and others.
    func shareParticipant(_ info: CKUserIdentity.LookupInfo) throws(DatabaseError) -> CKShare.Participant {
        guard let id = info.userRecordID else {
            throw DatabaseError(
                .unknownItem, "containers know no addresses and numbers of users",
                hint: "look the user up by the identifier of their record")
        }
        return CKShareParticipant(try findShareParticipant(forUserRecordID: id.record), info)
    }
}
