// What pages are told when records are written.

import HTTPServing
import RecordDatabase
import Synchronization

/// The pages that listen.
final class Listeners: Sendable {
    struct Listener: Sendable {
        let stream: EventStream
        let query: PageQuery?
        /// The records that it was told of last.
        var state: ExploredState
    }

    private let listeners = Mutex<[UInt64: Listener]>([:])

    var isEmpty: Bool { listeners.withLock(\.isEmpty) }

    func add(_ listener: Listener, _ number: UInt64) { listeners.withLock { $0[number] = listener } }

    func remove(_ number: UInt64) { _ = listeners.withLock { $0.removeValue(forKey: number) } }

    /// Tells all of them; who hears nothing any more is forgotten.
    func tell(_ body: (inout Listener) -> Bool) {
        for number in listeners.withLock({ Array($0.keys) }) {
            guard var listener = listeners.withLock({ $0[number] }) else { continue }
            let isHeard = body(&listener)
            if !isHeard { listener.stream.end() }
            listeners.withLock { all in
                if all[number] != nil { all[number] = isHeard ? listener : nil }
            }
        }
    }
}

extension Explorer {
    /// Sends events until the page is gone.
    func listen(_ json: JSONValue, _ reply: HTTPReply) async throws(RequestError) {
        let query = try json["query"].flatMap { json throws(RequestError) in json == .null ? nil : try PageQuery(json) }
        let stream = EventStream(reply, headers: RequestGuard.headers)
        let state = current
        listeners.add(Listeners.Listener(stream: stream, query: query, state: state), reply.number)
        stream.send("set", id: state.version, data: Self.event(state))
        // What was written before it was in the list, nobody told it.
        let now = current
        if now.version != state.version { stream.send("set", id: now.version, data: Self.event(now)) }
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(20))
            if !stream.beat() { break }
        }
        listeners.remove(reply.number)
        stream.end()
    }

    private static func event(_ state: ExploredState) -> String {
        "{\"version\":\(state.version),\"records\":\(state.records.count)}"
    }

    private func ordinals(_ query: PageQuery, _ state: ExploredState) -> [Int]? {
        try? state.records(for: query).ordinals(matching: query.predicate(), variables: query.variables)
    }

    /// Looks a few times a second whether the records were written, until the task is cancelled; while nobody listens
    /// they are left as they are. Reading takes at most a fifth of the time, and less where it fails again and again.
    func watch() async {
        var known = source.firstVersion
        var failures = LoadFailures()
        while !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(200))
            if listeners.isEmpty { continue }
            let now = source.version()
            if now == nil || now == known { continue }
            let start = ContinuousClock.now
            var pause = Duration.zero
            do throws(ExploredRecords.LoadError) {
                guard let records = try source.load() else { continue }
                known = now
                failures = LoadFailures()
                tell(replace(records))
            } catch {
                pause = failures.add(at: now)
                if failures.isTold { tell(error) }
            }
            try? await Task.sleep(for: max(pause, (ContinuousClock.now - start) * 4))
        }
    }

    /// Tells why the records that are shown are not the newest.
    private func tell(_ error: ExploredRecords.LoadError) {
        let data = String(decoding: JSONValue.of(["message": .string(error.message)]).bytes, as: UTF8.self)
        let version = current.version
        listeners.tell { $0.stream.send("unreadable", id: version, data: data) }
    }

    private func tell(_ state: ExploredState) {
        listeners.tell { listener in
            let known = listener.state
            listener.state = state
            if let query = listener.query, let before = ordinals(query, known), let found = ordinals(query, state) {
                var result = ResultChanges()
                _ = result.advance(to: before, of: known.records)
                let changes = result.advance(to: found, of: state.records)
                let data =
                    "{\"new\":\(changes.newCount),\"changed\":\(changes.changedCount),\"gone\":\(changes.goneCount)}"
                if !changes.isEmpty { listener.stream.send("matches", id: state.version, data: data) }
            }
            return listener.stream.send("set", id: state.version, data: Self.event(state))
        }
    }
}

/// Counts how often records of one version could not be read.
private struct LoadFailures {
    private var version: ExploredRecords.Version?
    private var count = 0

    /// Whether pages are told: a line that is being written is whole at the next look.
    var isTold: Bool { count > 1 }

    /// - Returns: How long to wait for the next attempt: up to three seconds while nothing is written.
    mutating func add(at version: ExploredRecords.Version?) -> Duration {
        count = version == self.version ? count + 1 : 1
        self.version = version
        return .milliseconds(min(3000, 100 << min(count, 5)))
    }
}
