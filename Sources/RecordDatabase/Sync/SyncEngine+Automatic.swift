// When a sync engine fetches and sends by itself.

import RecordModel
import Synchronization

/// What an engine does by itself.
struct AutomaticSync: Sendable {
    /// Tasks that wait for news.
    var listeners: [Task<Void, Never>] = []
    /// What is to be done soon.
    var wantsFetch = false
    var wantsSend = false
    var worker: Task<Void, Never>?
    /// Between a failure and the next try.
    var nap: Task<Void, Never>?
    /// What failed may succeed now: somebody else is signed in.
    var isWoken = false
    var hasEnded = false

    mutating func end() {
        hasEnded = true
        for listener in listeners { listener.cancel() }
        worker?.cancel()
        nap?.cancel()
        listeners = []
    }

    mutating func wake() {
        isWoken = true
        nap?.cancel()
    }
}

extension SyncEngine {
    /// Changes that are added together are sent together.
    private static var pause: Duration { .milliseconds(20) }
    private static var firstDelay: Duration { .seconds(1) }
    private static var longestDelay: Duration { .seconds(60) }

    /// Begins to listen, and fetches and sends once.
    package func begin() {
        state.whenAdded { [weak self] in self?.want(send: true) }
        let (notifications, accounts) = (configuration.container.notifications, configuration.container.accountChanges)
        let scope = configuration.scope
        let news = Task { [weak self] in
            for await notification in notifications where notification.databaseScope == scope {
                self?.want(fetch: true)
            }
        }
        let users = Task { [weak self] in
            for await _ in accounts {
                self?.automatic.withLock { $0.wake() }
                self?.want(fetch: true, send: true)
            }
        }
        automatic.withLock { $0.listeners = [news, users] }
        want(fetch: true, send: true)
    }

    private func want(fetch: Bool = false, send: Bool = false) {
        automatic.withLock { automatic in
            automatic.wantsFetch = automatic.wantsFetch || fetch
            automatic.wantsSend = automatic.wantsSend || send
            guard automatic.worker == nil, !automatic.hasEnded else { return }
            automatic.worker = Task { [weak self] in await Self.work { self } }
        }
    }

    /// Does what is wanted until nothing is; later again after what passes by itself.
    private static func work(_ engine: () -> SyncEngine?) async {
        var delay = firstDelay
        while true {
            try? await Task.sleep(for: pause)
            guard let wanted = engine()?.takeWanted() else { return }
            guard let error = await engine()?.doNow(wanted) else {
                delay = firstDelay
                continue
            }
            guard error.passesInPart, !Task.isCancelled else { continue }
            engine()?.putBack(wanted)
            let nap = engine()?.nap(for: error.longestRetryAfter ?? delay)
            await nap?.value
            delay = nap?.isCancelled == true ? firstDelay : min(delay * 2, longestDelay)
        }
    }

    /// A pause that ends early when somebody signs in.
    private func nap(for time: Duration) -> Task<Void, Never> {
        automatic.withLock { automatic in
            let nap = Task { _ = try? await Task.sleep(for: time) }
            if automatic.isWoken || automatic.hasEnded { nap.cancel() }
            automatic.nap = nap
            return nap
        }
    }

    /// What is wanted; `nil` for nothing, and the worker ends.
    private func takeWanted() -> (fetch: Bool, send: Bool)? {
        automatic.withLock { automatic in
            guard automatic.wantsFetch || automatic.wantsSend, !automatic.hasEnded else {
                automatic.worker = nil
                return nil
            }
            defer { (automatic.wantsFetch, automatic.wantsSend, automatic.isWoken) = (false, false, false) }
            return (automatic.wantsFetch, automatic.wantsSend)
        }
    }

    private func putBack(_ wanted: (fetch: Bool, send: Bool)) {
        automatic.withLock { automatic in
            automatic.wantsFetch = automatic.wantsFetch || wanted.fetch
            automatic.wantsSend = automatic.wantsSend || wanted.send
        }
    }

    private func doNow(_ wanted: (fetch: Bool, send: Bool)) async -> DatabaseError? {
        var failure: DatabaseError?
        do throws(DatabaseError) { try await subscribe() } catch { failure = error }
        if wanted.fetch {
            let context = FetchContext(reason: .scheduled, options: FetchOptions())
            do throws(DatabaseError) {
                try await inTurn { [weak self] in await self?.fetch(context) }
            } catch { failure = error.orOneThatPasses(failure) }
        }
        if wanted.send, hasPending {
            let context = SendContext(reason: .scheduled, options: SendOptions())
            do throws(DatabaseError) {
                try await inTurn { [weak self] in await self?.send(context) }
            } catch { failure = error.orOneThatPasses(failure) }
        }
        return failure
    }

    private var hasPending: Bool {
        state.hasPendingUntrackedChanges || !state.pendingZoneChanges.isEmpty || !state.pendingRecordChanges.isEmpty
    }

    /// Makes the subscription that wakes the engine, unless it is there.
    private func subscribe() async throws(DatabaseError) {
        let id = configuration.subscriptionID
        if try await database.allSubscriptions().contains(where: { $0.id == id }) { return }
        do throws(DatabaseError) {
            try await database.save(Subscription(databaseWithRecordType: nil, id: id))
        } catch {
            // Another subscription to the database wakes the engine, too.
            if error.code != .serverRejectedRequest { throw error }
        }
    }
}
