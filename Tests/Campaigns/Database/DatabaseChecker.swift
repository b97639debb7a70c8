// Whether what clients were told at the same time is what one call after another would have told them.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// Holds the model of every database, and compares what a round of calls was told.
///
/// The order of commits is the store's own: each was told to observers. A call that committed must have met the
/// database as it was before its commit. Any other call must have met it at some moment between the commits that were
/// told before the call began and the next one of its client, and not before the moment that the client's call before
/// it met. The steps of a live query come when a commit is told, which may be later than others read it.
struct DatabaseChecker {
    /// What one client did in a round.
    struct Account {
        let client: Int
        let user: String
        let steps: [DatabaseStep]
        let notifications: [ChangeNotification]
    }

    private struct ReaderKey: Hashable {
        let client: Int
        let database: DatabaseKey
        let reader: Int
    }

    /// Where a change tag is never given twice.
    private struct TagKey: Hashable {
        let database: DatabaseKey
        let node: Int32
    }

    private var models: [DatabaseKey: DatabaseModel] = [:]
    private let predicates = BoundPredicates()
    /// Where readers of changes can stand: names of zones alone do not always tell.
    private var positions: [ReaderKey: Set<DatabaseModel.Start>] = [:]
    private var tags: [TagKey: Set<String>] = [:]
    private var notificationNames: Set<String> = []
    private let deletionLimit: Int
    /// Whether notifications of one database may overtake those of another.
    private let isServer: Bool
    private let nodes: [Int32]

    private(set) var differences: [String] = []
    private(set) var commits = 0
    /// The servers that have them.
    private(set) var nodesOfCommits: Set<Int32> = []
    private(set) var comparisons = 0
    private(set) var notifications = 0
    private(set) var deletions = 0

    init(deletionLimit: Int, isServer: Bool, nodes: [Int32]) {
        (self.deletionLimit, self.isServer, self.nodes) = (deletionLimit, isServer, nodes)
    }

    private mutating func report(_ text: String) { differences.append(String(text.prefix(3000))) }

    // MARK: Rounds

    /// Compares a round that has come to rest.
    mutating func check(_ accounts: [Account], _ log: DatabaseLog.State) {
        commits += log.order.count
        nodesOfCommits.formUnion(log.commits.values.joined().map(\.node))
        var told: [DatabaseKey: [[(userName: String, notification: SeenNotification)]]] = [:]
        for key in Set(accounts.flatMap(\.steps).map(\.database)).union(log.commits.keys) {
            let (moments, notices) = replay(key, accounts, log.commits[key] ?? [])
            told[key] = notices
            for account in accounts { place(account, key, moments) }
            models[key] = moments.last
        }
        for account in accounts { checkNotifications(of: account, told, log) }
    }

    /// The database at every moment of a round, and what each commit tells.
    private mutating func replay(
        _ key: DatabaseKey, _ accounts: [Account], _ commits: [LoggedCommit]
    ) -> (moments: [DatabaseModel], notices: [[(userName: String, notification: SeenNotification)]]) {
        var makers: [Int: (Account, DatabaseStep)] = [:]
        for account in accounts {
            for step in account.steps where step.database == key {
                if let commit = step.commit { makers[commit] = (account, step) }
            }
        }
        var moments = [
            models[key]
                ?? DatabaseModel(key, deletionLimit: deletionLimit, countsUndone: !isServer, nodes: nodes)
        ]
        var notices: [[(userName: String, notification: SeenNotification)]] = []
        for (index, commit) in commits.enumerated() {
            let before = moments[index]
            if let (account, step) = makers[index], account.client == commit.client {
                for problem in problems(of: step, commit, before, account.user) {
                    report("\(problem): \(step.operation) as \(account.user) gave \(step.outcome), commit \(commit)")
                }
            } else {
                report("a commit that nobody made: \(commit)")
            }
            checkNumbers(commit, before)
            var after = before
            after.apply(commit)
            notices.append(before.notices(of: commit, &after, predicates))
            after.subscribe(commit)
            moments.append(after)
            deletions += commit.deletions.count
        }
        return (moments, notices)
    }

    private mutating func checkNumbers(_ commit: LoggedCommit, _ before: DatabaseModel) {
        comparisons += 1
        for fault in before.numberFaults(of: commit) { report(fault) }
        for save in commit.saves {
            let key = TagKey(database: before.key, node: commit.node)
            guard let tag = save.record.tag, tags[key, default: []].insert(tag).inserted else {
                report("a change tag is missing or was there before: \(save)")
                continue
            }
        }
    }

    // MARK: Commits

    /// What is wrong with a commit, given the database before it.
    private mutating func problems(
        of step: DatabaseStep, _ commit: LoggedCommit, _ before: DatabaseModel, _ user: String
    ) -> [String] {
        comparisons += 1
        var problems: [String] = []
        if step.known > step.commit ?? 0 { problems.append("a commit before its call") }
        switch step.operation {
        case .modify(let request):
            let prediction = before.predict(request, by: user)
            if !Self.agrees(prediction, step.outcome) { problems.append("expected \(prediction)") }
            problems += self.problems(of: prediction, step.outcome, commit, before, user)
        case .transact(let trace):
            let (outcome, prediction, wrongReads) = before.predict(trace, by: user, predicates)
            if outcome != step.outcome { problems.append("expected \(outcome)") }
            problems += wrongReads
            problems += self.problems(of: prediction, step.outcome, commit, before, user, returnsRecords: false)
        case .saveZones, .deleteZone, .saveSubscription, .deleteSubscription:
            let prediction = before.predict(step.operation, by: user)
            if prediction.outcome != step.outcome { problems.append("expected \(prediction.outcome)") }
            if commit.madeZones.map(\.id) != prediction.madeZones { problems.append("other zones were made") }
            if commit.deletedZones.map(\.id) != prediction.deletedZones { problems.append("other zones were deleted") }
            if commit.savedSubscriptions != prediction.saved { problems.append("other subscriptions were saved") }
            if commit.deletedSubscriptions != prediction.deleted { problems.append("other subscriptions were deleted") }
        default: problems.append("a call that reads made a commit")
        }
        return problems
    }

    /// Whether a batch was told what it should be; records that were saved are compared with the commit.
    private static func agrees(_ prediction: BatchPrediction, _ outcome: DatabaseOutcome) -> Bool {
        switch outcome {
        case .failure(let code): return prediction.error == code
        case .items(let items):
            return prediction.error == nil && items.map(\.failure) == prediction.saves + prediction.deletes
        default: return false
        }
    }

    private func problems(
        of prediction: BatchPrediction, _ outcome: DatabaseOutcome, _ commit: LoggedCommit, _ before: DatabaseModel,
        _ user: String, returnsRecords: Bool = true
    ) -> [String] {
        var problems: [String] = []
        guard case .items(let items) = outcome else { return ["a failed call made a commit"] }
        if Set(commit.deletions.map(\.id)) != prediction.deleted || commit.deletions.count != prediction.deleted.count {
            problems.append("other records were deleted than \(prediction.deleted.map(\.recordName).sorted())")
        }
        for deletion in commit.deletions where before.records[deletion.id]?.seen.type != deletion.type {
            problems.append("a record of another type was deleted")
        }
        if commit.saves.map(\.record.id) != prediction.saved.map(\.id) {
            return problems + ["other records were saved than \(prediction.saved.map(\.id.recordName))"]
        }
        for (save, expected) in zip(commit.saves, prediction.saved) {
            let old = before.records[expected.id]?.seen
            var record = SeenRecord(
                Record(type: expected.type, id: expected.id, fields: expected.fields), id: expected.id)
            (record.parent, record.tag) = (expected.parent, save.record.tag)
            (record.modificationDate, record.modifier) = (commit.date, user)
            (record.creationDate, record.creator) = old.map { ($0.creationDate, $0.creator) } ?? (commit.date, user)
            if save.record != record { problems.append("saved \(save.record) instead of \(record)") }
            if save.isNew != (old == nil) { problems.append("new and old were confused") }
            if returnsRecords, !items.contains(.record(save.record)) { problems.append("another record was returned") }
        }
        return problems
    }

    // MARK: Other calls

    /// Finds for every call of a client a moment that it can have met.
    private mutating func place(_ account: Account, _ key: DatabaseKey, _ moments: [DatabaseModel]) {
        let steps = account.steps.filter { $0.database == key }
        var place = 0
        for (number, step) in steps.enumerated() {
            if let commit = step.commit {
                if commit < place { report("a commit before what its client had seen") }
                place = commit + 1
                continue
            }
            comparisons += 1
            let isTold = step.operation.isTold
            let first = isTold ? step.known : max(place, step.known)
            let last = max(first, steps[(number + 1)...].lazy.compactMap(\.commit).first ?? moments.count - 1)
            if let moment = moment(of: step, account, among: moments, first...last) {
                if !isTold { place = moment }
            } else {
                report(
                    "\(step.operation) as \(account.user) gave \(step.outcome), expected at moment \(first) of "
                        + "\(first)...\(last): \(expectations(step, moments[first], account))"
                        + (last > first ? ", at the last: \(expectations(step, moments[last], account))" : ""))
            }
        }
    }

    /// The first moment that a call can have met; its reader has then read on.
    private mutating func moment(
        of step: DatabaseStep, _ account: Account, among moments: [DatabaseModel], _ range: ClosedRange<Int>
    ) -> Int? {
        guard let reader = step.operation.reader else {
            return range.first { matches(step, moments[$0], account) }
                ?? laterMoment(of: step, account, among: moments, range)
        }
        let key = ReaderKey(client: account.client, database: step.database, reader: reader.number)
        let starts = reader.isFirst ? [nil] : (positions[key] ?? []).map { Optional($0) }
        var found: Int?
        var next: Set<DatabaseModel.Start> = []
        for moment in range {
            for start in starts {
                for match in moments[moment].changes(step.operation, from: start) where match.outcome == step.outcome {
                    found = found ?? moment
                    if let position = match.next { next.insert(position) }
                }
            }
        }
        positions[key] = next
        return found
    }

    /// The moment that a live query of a server can have met when it began at an earlier one: it reads twice, and its
    /// zone may be gone by then.
    private func laterMoment(
        of step: DatabaseStep, _ account: Account, among moments: [DatabaseModel], _ range: ClosedRange<Int>
    ) -> Int? {
        guard isServer, case .watch(let query, let zones, isFirst: true) = step.operation,
            let begin = range.first(where: { moments[$0].has(zones) })
        else { return nil }
        let later = DatabaseOperation.watch(query, zones, isFirst: false)
        return (begin...range.upperBound).first { outcome(later, moments[$0], account.user) == step.outcome }
    }

    /// Whether a call can have met a database.
    private func matches(_ step: DatabaseStep, _ model: DatabaseModel, _ account: Account) -> Bool {
        if case .modify(let request) = step.operation {
            let prediction = model.predict(request, by: account.user)
            return prediction.isEmpty && Self.agrees(prediction, step.outcome)
        }
        if case .transact(let trace) = step.operation {
            let (outcome, prediction, wrongReads) = model.predict(trace, by: account.user, predicates)
            return prediction.isEmpty && wrongReads.isEmpty && outcome == step.outcome
        }
        return outcome(step.operation, model, account.user) == step.outcome
    }

    private func expectations(_ step: DatabaseStep, _ model: DatabaseModel, _ account: Account) -> String {
        if case .modify(let request) = step.operation { return "\(model.predict(request, by: account.user))" }
        if case .transact(let trace) = step.operation {
            return "\(model.predict(trace, by: account.user, predicates))"
        }
        return outcome(step.operation, model, account.user).map { "\($0)" } ?? "another stretch of changes"
    }

    /// What a call must be told that makes no commit and goes on from no other; `nil` when it must make one.
    private func outcome(_ operation: DatabaseOperation, _ model: DatabaseModel, _ user: String) -> DatabaseOutcome? {
        switch operation {
        case .modify, .transact, .zoneChanges, .databaseChanges: return nil
        case .saveZones, .deleteZone, .saveSubscription, .deleteSubscription:
            let prediction = model.predict(operation, by: user)
            return prediction.isEmpty ? prediction.outcome : nil
        case .fetch(let ids, let desiredKeys): return model.fetch(ids, desiredKeys: desiredKeys, user)
        case .query(let query, let zones, let limit, let last):
            return model.page(query, zones, limit: limit, after: last, user, predicates)
        case .zones:
            let names = model.zones.keys.filter { $0 != .default }.map(\.zoneName).sorted()
            return .names([RecordZone.ID.defaultZoneName] + names, deleted: [], hasMore: false)
        case .subscriptions:
            let names = model.subscriptions.filter { $0.userName == user }.map(\.subscription.id).sorted()
            return .names(names, deleted: [], hasMore: false)
        case .watch(let query, let zones, let isFirst):
            // A live query is bound before its zone is looked for.
            if model.isDenied(query.predicate) { return .failure(.permissionFailure) }
            if isFirst, !model.has(zones) { return .failure(.zoneNotFound) }
            return .records(model.result(query, zones, user, predicates), hasMore: false)
        }
    }

    // MARK: Notifications

    private mutating func checkNotifications(
        of account: Account, _ told: [DatabaseKey: [[(userName: String, notification: SeenNotification)]]],
        _ log: DatabaseLog.State
    ) {
        notifications += account.notifications.count
        for notification in account.notifications
        where !notificationNames.insert("\(account.client) \(notification.id)").inserted {
            report("two notifications of one name")
        }
        guard isServer else { return checkNotifications(of: account, account.notifications, told, log) { _ in true } }
        for scope in [DatabaseScope.public, .private] {
            let heard = account.notifications.filter { $0.databaseScope == scope }
            checkNotifications(of: account, heard, told, log) { $0.scope == scope }
        }
    }

    private mutating func checkNotifications(
        of account: Account, _ heard: [ChangeNotification],
        _ told: [DatabaseKey: [[(userName: String, notification: SeenNotification)]]], _ log: DatabaseLog.State,
        isAbout: (DatabaseKey) -> Bool
    ) {
        var found = heard[...]
        var next: [DatabaseKey: Int] = [:]
        for key in log.order where isAbout(key) {
            let index = next[key, default: 0]
            next[key] = index + 1
            guard let commit = log.commits[key]?[index], commit.client != account.client else { continue }
            let expected = told[key]?[index].filter { $0.userName == account.user }.map(\.notification) ?? []
            let heard = found.prefix(expected.count)
            found = found.dropFirst(expected.count)
            comparisons += 1
            if Self.counts(heard.map { SeenNotification($0) }) != Self.counts(expected) {
                report("\(account.user) was told \(heard), expected \(expected), of commit \(commit)")
                return
            }
        }
        if !found.isEmpty { report("\(account.user) was told \(found.count) times too often: \(found)") }
    }

    private static func counts(_ notifications: [SeenNotification]) -> [SeenNotification: Int] {
        Dictionary(notifications.map { ($0, 1) }, uniquingKeysWith: +)
    }
}
