// The live queries of one database.

import Percolation
import RecordModel
import RecordStore
import Synchronization

/// Finds the live queries that a commit concerns: their predicates are filed, as those of subscriptions are.
final class LiveQueries: Sendable {
    private struct State {
        var queries: [Int: LiveQuery] = [:]
        var filed = PredicateIndex()
        /// Queries that are run again after each commit.
        var broad: Set<Int> = []
        var next = 0

        mutating func file(_ binding: LiveBinding, _ number: Int, _ type: String) {
            if binding.readsMore {
                broad.insert(number)
            } else {
                filed.insert(binding.predicate, id: number, type: type)
            }
        }

        mutating func unfile(_ number: Int) {
            filed.remove(number)
            broad.remove(number)
        }
    }

    private let state = Mutex(State())

    /// Has the queries that were made before a schema follow it.
    func follow(_ event: SchemaEvent) {
        let queries = state.withLock { state in state.queries.filter { $0.key < event.end } }
        for (number, query) in queries where query.isConcerned(by: event) {
            let binding = query.follow(event)
            state.withLock { state in
                guard state.queries[number] != nil else { return }
                state.unfile(number)
                if let binding { state.file(binding, number, query.recordType) }
            }
        }
    }

    /// Whether nobody watches.
    var isEmpty: Bool { state.withLock { $0.queries.isEmpty } }

    /// The number of the next query.
    var nextNumber: Int { state.withLock { $0.next } }

    /// Watches commits for a query, from the first one after its snapshot on; the number ends it.
    func add(_ query: LiveQuery) -> Int {
        state.withLock { state in
            let number = state.next
            state.next += 1
            state.queries[number] = query
            state.file(query.binding, number, query.recordType)
            return number
        }
    }

    func remove(_ number: Int) {
        let query = state.withLock { state in
            state.unfile(number)
            return state.queries.removeValue(forKey: number)
        }
        query?.steps.end()
    }

    /// Hands a commit to the queries that it concerns.
    func take(_ event: CommitEvent) {
        // What a migration rewrites comes with its schema.
        guard event.commit.changesRecords, event.commit.saves.first?.isRewritten != true else { return }
        let state = state.withLock { $0.queries.isEmpty ? nil : ($0.queries, $0.filed, $0.broad) }
        guard let (queries, filed, broad) = state else { return }
        for number in broad { queries[number]?.run(after: event) }
        guard filed.count > 0 else { return }
        // Records that go with their zone are not named by the commit.
        if !event.commit.deletedZones.isEmpty {
            for (number, query) in queries where !broad.contains(number) { query.run(after: event) }
            return
        }
        for (number, concern) in concerns(of: event, filed, queries) {
            queries[number]?.take(event, concern)
        }
    }

    private func concerns(
        of event: CommitEvent, _ filed: PredicateIndex, _ queries: [Int: LiveQuery]
    ) -> [Int: LiveQuery.Concern] {
        var concerns: [Int: LiveQuery.Concern] = [:]
        func note(_ numbers: [Int], _ id: Record.ID, _ add: (inout LiveQuery.Concern) -> Void) {
            for number in numbers {
                guard let query = queries[number], query.zoneID == nil || query.zoneID == id.zoneID else { continue }
                add(&concerns[number, default: LiveQuery.Concern()])
            }
        }
        for save in event.commit.saves {
            let saved = event.saved(save)
            let transition = filed.transition(from: event.previous(save), to: saved)
            if let saved {
                note(transition.entered, save.id) { $0.entered.append(saved) }
                note(transition.stayed, save.id) { $0.stayed.append(saved) }
            }
            note(transition.left, save.id) { $0.left.append(save.id) }
        }
        for deletion in event.commit.deletions {
            let transition = filed.transition(from: event.deleted(deletion), to: nil)
            note(transition.left, deletion.id) { $0.left.append(deletion.id) }
        }
        return concerns
    }
}
