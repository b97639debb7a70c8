// What commits tell subscribers, on its way from a server to the clients of this process.

import RecordModel
import Synchronization

/// A commit of this process that told something.
struct ToldCommit: Sendable {
    let node: Int32
    /// Numbers of the last change before it and of its own last one.
    let earlierChange: Int64
    let lastChange: Int64
    /// Who is told.
    let users: Set<String>
}

extension ServerCommit {
    /// The commit of a node, where it tells something.
    func told(on node: Int32) -> ToldCommit? {
        if notices.isEmpty { return nil }
        return ToldCommit(
            node: node, earlierChange: earlierChange, lastChange: lastChange, users: Set(notices.map(\.userName)))
    }
}

/// Tells the clients of this process what commits of all processes tell subscribers, those of each database and node in
/// their order. May be used from any thread.
final class ServerNotices: Sendable {
    typealias Read = @Sendable ([ServerNotice]) -> Void

    private struct Reader {
        let user: @Sendable () -> String?
        let read: Read
    }

    /// A database that readers are about, on a node.
    struct Place: Hashable {
        /// Whose the database is; `nil` for the public one.
        let user: String?
        let node: Int32
    }

    private struct State {
        var readers: [Int: Reader] = [:]
        var next = 0
        var outboxes: [Place: Outbox] = [:]
        /// What looks for those who share something with each user, and what it found.
        var lookouts: [String: SharedLookout] = [:]
        var shared: [String: Set<Place>] = [:]

        /// The users of the readers.
        var users: Set<String> { Set(readers.values.compactMap { $0.user() }) }
    }

    private let server: any RecordServer
    /// The container whose databases are read.
    private let identifier: String
    private let state = Mutex(State())

    init(_ server: any RecordServer, _ identifier: String) { (self.server, self.identifier) = (server, identifier) }

    /// Has a reader told of what comes from now on.
    ///
    /// - Parameter user: Who reads, by then.
    func add(of user: @escaping @Sendable () -> String?, _ read: @escaping Read) -> Int {
        let number = state.withLock { state in
            state.next += 1
            state.readers[state.next] = Reader(user: user, read: read)
            return state.next
        }
        followUsers()
        return number
    }

    func remove(_ number: Int) {
        state.withLock { $0.readers[number] = nil }
        followUsers()
    }

    /// Follows the databases of the users that readers have by now, those that share something with them, no others.
    func followUsers() {
        let (outboxes, lookouts) = state.withLock { state in
            let users = state.users
            let databases: Set<String?> = users.isEmpty ? [] : Set(users.map { $0 }).union([nil])
            var wanted = Set(
                databases.flatMap { user in server.nodeNumbers.map { Place(user: user, node: $0) } })
            for place in wanted where state.outboxes[place] == nil { add(place, from: nil, to: &state) }
            let left = state.lookouts.filter { !users.contains($0.key) }
            for user in left.keys { (state.lookouts[user], state.shared[user]) = (nil, nil) }
            for user in users where state.lookouts[user] == nil {
                state.lookouts[user] = SharedLookout(of: user, identifier, server) { [weak self] starts in
                    self?.follow(starts, sharedWith: user)
                }
            }
            for places in state.shared.values { wanted.formUnion(places) }
            let gone = state.outboxes.filter { !wanted.contains($0.key) }
            for key in gone.keys { state.outboxes[key] = nil }
            return (gone.values, left.values)
        }
        for outbox in outboxes { outbox.end() }
        for lookout in lookouts { lookout.end() }
    }

    @discardableResult
    private func add(_ place: Place, from start: Int64?, to state: inout State) -> Outbox {
        let origin = DatabaseOrigin(
            container: identifier, scope: place.user == nil ? .public : .private, user: place.user)
        let outbox = Outbox(
            origin, on: place.node, of: server, from: start,
            users: { [weak self] in self?.state.withLock { $0.users } ?? [] },
            { [weak self] notices in self?.tell(notices) })
        state.outboxes[place] = outbox
        return outbox
    }

    /// Follows what others share with a user, each from a change on, as long as the user reads: what ends a share is
    /// told, too.
    private func follow(_ starts: [Place: Int64], sharedWith user: String) {
        state.withLock { state in
            guard state.users.contains(user) else { return }
            state.shared[user, default: []].formUnion(starts.keys)
            for (place, start) in starts where state.outboxes[place] == nil { add(place, from: start, to: &state) }
        }
    }

    private func tell(_ notices: [ServerNotice]) {
        let readers = state.withLock { $0.readers.sorted { $0.key < $1.key }.map(\.value.read) }
        for read in readers { read(notices) }
    }

    /// Has told what a commit of this process tells, and what came before it.
    func follow(_ origin: DatabaseOrigin, _ commit: ToldCommit) {
        let place = Place(user: origin.user, node: commit.node)
        let outbox = state.withLock { state -> Outbox? in
            if let known = state.outboxes[place] { return known }
            // That something is shared with a user may not be known here yet.
            let users = commit.users.intersection(state.users)
            if users.isEmpty { return nil }
            for user in users { state.shared[user, default: []].insert(place) }
            return add(place, from: nil, to: &state)
        }
        outbox?.follow(commit)
    }
}

/// Reads the notices of one database on one node as they come.
private final class Outbox: Sendable {
    private struct Position {
        /// The last change when reading began.
        let first: Int64
        /// The last notice that was told.
        var place: NoticePlace
    }

    /// Notices that are read at once.
    private static let portion = 1_000

    private let origin: DatabaseOrigin
    private let node: Int32
    private let server: any RecordServer
    private let users: @Sendable () -> Set<String>
    private let tell: @Sendable ([ServerNotice]) -> Void
    private let work = WokenWork(pause: 20_000)
    /// Held while notices are read and told, so that none comes before an earlier one; `nil` until the first time.
    private let position = Mutex<Position?>(nil)
    private let watch = Mutex<Int?>(nil)

    /// - Parameter start: The change behind which reading begins; `nil` for the last one there is when this begins.
    init(
        _ origin: DatabaseOrigin, on node: Int32, of server: any RecordServer, from start: Int64?,
        users: @escaping @Sendable () -> Set<String>, _ tell: @escaping @Sendable ([ServerNotice]) -> Void
    ) {
        self.node = node
        (self.origin, self.server, self.users, self.tell) = (origin, server, users, tell)
        position.withLock { $0 = start.map { Position(first: $0, place: NoticePlace(behind: $0)) } }
        let number = server.watch(origin, on: node) { [weak self] in self?.wake() }
        watch.withLock { $0 = number }
        // Where reading begins is told now, also where the server is looked at later.
        wake()
    }

    func end() {
        work.end()
        if let number = watch.withLock({ $0 }) { server.endWatching(number) }
    }

    private func wake() {
        work.wakeCall { [self] () throws(DatabaseError) in try read(nil) }
    }

    /// Reads as far as a commit of this process. What cannot be read now is when the server next tells of a commit.
    func follow(_ commit: ToldCommit) { try? read(commit) }

    private func read(_ commit: ToldCommit?) throws(DatabaseError) {
        try position.withLock { position throws(DatabaseError) in
            guard var known = position else {
                guard let commit else {
                    let all = NoticePlace(behind: .max)
                    let first = try server.notices(
                        origin, of: [], on: node, after: all, through: nil, limit: 0
                    ).end
                    position = Position(first: first, place: NoticePlace(behind: first))
                    return
                }
                // Nothing was read yet, and what came before a commit of this process is not told.
                let first = commit.earlierChange
                var begun = Position(first: first, place: NoticePlace(behind: first))
                defer { position = begun }
                return try read(from: &begun.place, through: nil)
            }
            if let commit, commit.lastChange <= known.first {
                // Reading began behind the commit, before its call came here.
                var place = NoticePlace(behind: commit.earlierChange)
                return try read(from: &place, through: commit.lastChange)
            }
            defer { position = known }
            try read(from: &known.place, through: nil)
        }
    }

    /// Tells the notices behind a place, which goes on with them.
    private func read(from place: inout NoticePlace, through end: Int64?) throws(DatabaseError) {
        var end = end
        while true {
            let (notices, last) = try server.notices(
                origin, of: users(), on: node, after: place, through: end, limit: Self.portion)
            end = last
            if !notices.isEmpty { tell(notices) }
            guard notices.count == Self.portion, let notice = notices.last else {
                place = NoticePlace(behind: last)
                return
            }
            place = notice.place
        }
    }
}
