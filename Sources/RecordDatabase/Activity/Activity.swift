// What a store has done so far, in numbers.

import RecordStore
import Synchronization

/// Counts of what a store has done since it was opened, over all of its clients.
public struct Activity: Hashable, Sendable, Codable {
    /// Queries that were run, page by page.
    public var queries = 0
    /// The time of all queries together.
    public var queryTime = Duration.zero
    /// Commits, each of one save, one batch, one transaction or several that were written together.
    public var commits = 0
    /// Records that were saved.
    public var savedRecords = 0
    /// Records that were deleted, those that went with another one too.
    public var deletedRecords = 0
    /// How often the state of the store was written.
    public var checkpoints = 0

    /// What was done since an earlier moment.
    public func since(_ earlier: Activity) -> Activity {
        var activity = self
        activity.queries -= earlier.queries
        activity.queryTime -= earlier.queryTime
        activity.commits -= earlier.commits
        activity.savedRecords -= earlier.savedRecords
        activity.deletedRecords -= earlier.deletedRecords
        activity.checkpoints -= earlier.checkpoints
        return activity
    }
}

extension Container {
    /// What the store has done since it was opened. Complexity: O(1).
    public var activity: Activity { client.store.counters.activity }

    /// What the store has done, told again and again.
    ///
    ///     for await activity in container.activity(every: .seconds(10)) { report(activity) }
    ///
    /// - Returns: What was done since the store was opened, after each span of time. It ends when its task is cancelled
    ///   or the container is closed.
    public func activity(every span: Duration) -> AsyncStream<Activity> {
        let client = client
        return AsyncStream {
            guard (try? await Task.sleep(for: span)) != nil, !client.isClosed else { return nil }
            return client.store.counters.activity
        }
    }
}

/// The counts of a store. May be used from any thread.
final class ActivityCounters: Sendable {
    private let queries = Atomic(0)
    private let queryNanoseconds = Atomic(0)
    private let commits = Atomic(0)
    private let savedRecords = Atomic(0)
    private let deletedRecords = Atomic(0)
    private let checkpoints = Atomic(0)

    func countQuery(_ time: Duration) {
        queries.add(1, ordering: .relaxed)
        queryNanoseconds.add(Int(time.nanoseconds), ordering: .relaxed)
    }

    func count(_ commit: Commit) {
        commits.add(1, ordering: .relaxed)
        savedRecords.add(commit.saves.count + (commit.rows?.count ?? 0), ordering: .relaxed)
        deletedRecords.add(commit.deletions.count, ordering: .relaxed)
    }

    func countCheckpoint() { checkpoints.add(1, ordering: .relaxed) }

    var activity: Activity {
        Activity(
            queries: queries.load(ordering: .relaxed),
            queryTime: .nanoseconds(queryNanoseconds.load(ordering: .relaxed)),
            commits: commits.load(ordering: .relaxed), savedRecords: savedRecords.load(ordering: .relaxed),
            deletedRecords: deletedRecords.load(ordering: .relaxed), checkpoints: checkpoints.load(ordering: .relaxed))
    }
}
