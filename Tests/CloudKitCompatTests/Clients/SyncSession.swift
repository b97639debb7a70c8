// A session of events and effects, in the manner of state machines: middlewares, an actor, results that are events.

import CloudKitCompat
import Foundation

public enum SessionEvent: Sendable {
    case accountStatusChanged(CKAccountStatus)
    case zoneReady(CKRecordZone.ID)
    case saved([CKRecord.ID])
    case failed(CKError, retries: Int)
    case halted(String)
}

public struct SessionState: Sendable, Equatable {
    public var isReady = false
    public var saved: [CKRecord.ID] = []
    public var failures: [CKError.Code] = []
    public var halted: String?
}

public protocol SessionMiddleware: Sendable {
    func react(to event: SessionEvent, in session: SyncSession) async
}

public actor SyncSession {
    public private(set) var state = SessionState()
    public nonisolated let zoneID: CKRecordZone.ID
    nonisolated let container: CKContainer
    private var middlewares: [any SessionMiddleware] = []
    private var observers: [@Sendable (SessionState) -> Void] = []

    public init(container: CKContainer, zoneName: String) {
        self.container = container
        zoneID = CKRecordZone.ID(zoneName: zoneName, ownerName: CKCurrentUserDefaultName)
    }

    public func use(_ middleware: any SessionMiddleware) { middlewares.append(middleware) }
    public func observe(_ observer: @escaping @Sendable (SessionState) -> Void) { observers.append(observer) }

    public func dispatch(_ event: SessionEvent) async {
        switch event {
        case .accountStatusChanged(let status): state.isReady = status == .available && state.isReady
        case .zoneReady: state.isReady = true
        case .saved(let ids): state.saved += ids
        case .failed(let error, _): state.failures.append(error.code)
        case .halted(let reason): state.halted = reason
        }
        for observer in observers { observer(state) }
        for middleware in middlewares { await middleware.react(to: event, in: self) }
    }

    public func start() async {
        let status = (try? await container.accountStatus()) ?? .couldNotDetermine
        await dispatch(.accountStatusChanged(status))
    }

    public func save(_ records: [CKRecord], retries: Int = 0) async {
        let operation = CKModifyRecordsOperation(recordsToSave: records, recordIDsToDelete: nil)
        operation.configuration.qualityOfService = .userInitiated
        operation.savePolicy = .ifServerRecordUnchanged
        let result: Result<Void, Error> = await withCheckedContinuation { continuation in
            operation.modifyRecordsResultBlock = { continuation.resume(returning: $0) }
            container.privateCloudDatabase.add(operation)
        }
        switch result {
        case .success: await dispatch(.saved(records.map(\.recordID)))
        case .failure(let error):
            await dispatch(.failed(error as? CKError ?? CKError(.internalError), retries: retries))
        }
    }
}

/// Makes the zone when somebody is signed in.
public struct ZoneMiddleware: SessionMiddleware {
    public init() {}
    public func react(to event: SessionEvent, in session: SyncSession) async {
        guard case .accountStatusChanged(.available) = event else { return }
        do {
            let zones = try await session.container.privateCloudDatabase.recordZones(for: [session.zoneID])
            if case .failure? = zones[session.zoneID] {
                try await session.container.privateCloudDatabase.save(CKRecordZone(zoneID: session.zoneID))
            }
            await session.dispatch(.zoneReady(session.zoneID))
        } catch {
            await session.dispatch(.halted(error.localizedDescription))
        }
    }
}

/// Ends after errors that do not pass.
public struct HaltMiddleware: SessionMiddleware {
    public init() {}
    public func react(to event: SessionEvent, in session: SyncSession) async {
        guard case .failed(let error, let retries) = event else { return }
        let passing: Set<CKError.Code> = [.zoneBusy, .networkFailure, .requestRateLimited, .serviceUnavailable]
        if !passing.contains(error.code) || retries > 3 { await session.dispatch(.halted("\(error.code.rawValue)")) }
    }
}
