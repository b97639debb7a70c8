// Who sees what of another user's records, the simplest way: records, shares and participants in dictionaries.

import RecordDatabase
import RecordModel

/// The zones of one owner, what is shared of them, and with whom.
struct SharingModel {
    struct Item: Hashable {
        var value: Int64?
        /// The name of the record above it.
        var parent: String?

        var text: String { "\(value.map(String.init) ?? "none") below \(parent ?? "none")" }
    }

    struct Participant: Hashable {
        var permission: Share.Permission
        var hasAccepted = false
        /// Whether the user left, and may come back.
        var hasLeft = false
        /// Whether the user came by the URL, without being added.
        var isPublic = false
    }

    struct SharedPart {
        /// The record that is shared with all below it; `nil` for the whole zone.
        var root: String?
        var participants: [String: Participant] = [:]
        var publicPermission = Share.Permission.none

        /// What a user may do by this share, who has accepted it.
        func permission(of user: String) -> Share.Permission {
            guard let participant = participants[user], participant.hasAccepted else { return .none }
            if participant.isPublic { return publicPermission }
            return participant.permission.rawValue > publicPermission.rawValue
                ? participant.permission : publicPermission
        }
    }

    struct Zone {
        var items: [String: Item] = [:]
        /// Shares by the names of their records.
        var shares: [String: SharedPart] = [:]

        /// A record and those above it.
        func chain(_ name: String) -> [String] {
            var (chain, next) = ([String](), Optional(name))
            while let current = next, !chain.contains(current) {
                chain.append(current)
                next = items[current]?.parent
            }
            return chain
        }

        /// Whether a record is in two shares.
        var isNested: Bool {
            let roots = Set(shares.values.compactMap(\.root))
            return items.keys.contains { chain($0).count { roots.contains($0) } > 1 }
        }

        /// The shares that let a user see something.
        func grants(_ user: String) -> [String: SharedPart] {
            shares.filter { $0.value.permission(of: user) != .none }
        }

        /// What a user may do with a record; `none` where it is not seen.
        func permission(of user: String, for name: String) -> Share.Permission {
            let chain = chain(name)
            let found = grants(user).values.filter { part in part.root.map { chain.contains($0) } ?? true }
            return found.map { $0.permission(of: user) }.max { $0.rawValue < $1.rawValue } ?? .none
        }

        func hasChildren(_ name: String) -> Bool { items.values.contains { $0.parent == name } }
    }

    static let owner = "_a11ce"
    static let guests = ["_b0b", "_car01"]
    static let zoneNames = ["A", "B"]

    var zones: [String: Zone] = [:]

    /// What a user sees of a zone, in words by the names of records; `nil` for a zone that is not there for the user.
    func view(_ user: String, _ zoneName: String) -> [String: String]? {
        guard let zone = zones[zoneName] else { return nil }
        let grants = zone.grants(user)
        if user != Self.owner, grants.isEmpty { return nil }
        let seesAll = user == Self.owner || grants.values.contains { $0.root == nil }
        var view: [String: String] = [:]
        for (name, item) in zone.items where seesAll || zone.permission(of: user, for: name) != .none {
            view[name] = item.text
        }
        for name in zone.shares.keys where seesAll || grants[name] != nil { view[name] = "share" }
        return view
    }

    // MARK: Steps

    /// Takes a step, if it has a place.
    ///
    /// - Returns: The errors that it may end with, without any where it must succeed.
    mutating func take(_ step: SharingStep) -> Set<DatabaseError.Code> {
        var next = self
        let codes = next.result(of: step)
        if codes.isEmpty { self = next }
        return codes
    }

    private mutating func result(of step: SharingStep) -> Set<DatabaseError.Code> {
        switch step {
        case .makeZone(let zone):
            if zones[zone] == nil { zones[zone] = Zone() }
            return []
        case .deleteZone(let zone):
            return zones.removeValue(forKey: zone) == nil ? [.zoneNotFound] : []
        case .reopen: return []
        default: break
        }
        guard let name = step.zone else { return [] }
        guard var zone = zones[name] else {
            // What is not there has no URL, and nothing is sent.
            if case .accept = step { return [] }
            if case .changeShare = step { return [] }
            return [.zoneNotFound]
        }
        let codes = Self.result(of: step, in: &zone)
        zones[name] = zone
        return codes
    }

    private static func result(of step: SharingStep, in zone: inout Zone) -> Set<DatabaseError.Code> {
        switch step {
        case .save(let user, _, let name, let value, let parent):
            return save(user, name, value, parent, in: &zone)
        case .delete(let user, _, let name): return delete(user, name, in: &zone)
        case .share(_, let root, let prefix, let invited, let isPublic):
            let shareName = root.map { prefix + $0 } ?? NameRules.zoneShareName
            let isTaken = zone.shares.values.contains { $0.root == nil || root == nil || $0.root == root }
            if isTaken { return [.alreadyShared] }
            var part = SharedPart(root: root)
            for (user, permission) in invited { part.participants[user] = Participant(permission: permission) }
            if isPublic { part.publicPermission = .readOnly }
            if let root, zone.items[root] == nil { zone.items[root] = Item() }
            zone.shares[shareName] = part
            return zone.isNested ? [.alreadyShared] : []
        case .changeShare(_, let shareName, let user, let permission, let publicPermission):
            guard var part = zone.shares[shareName] else { return [] }
            part.publicPermission = publicPermission
            if permission == .none {
                part.participants[user] = nil
            } else if let known = part.participants[user], !known.hasLeft {
                part.participants[user]?.permission = permission
            } else {
                part.participants[user] = Participant(permission: permission)
            }
            if publicPermission == .none { part.participants = part.participants.filter { !$0.value.isPublic } }
            zone.shares[shareName] = part
            return []
        case .endShare(_, let shareName):
            zone.shares[shareName] = nil
            return []
        case .accept(let user, _, let shareName): return accept(user, shareName, in: &zone)
        case .leave(let user, _, let shareName):
            if zone.grants(user).isEmpty { return [.zoneNotFound] }
            if zone.grants(user)[shareName] != nil { leave(user, shareName, in: &zone) }
            return []
        case .leaveZone(let user, _):
            let grants = zone.grants(user)
            for name in grants.keys { leave(user, name, in: &zone) }
            return grants.isEmpty ? [.zoneNotFound] : []
        case .makeZone, .deleteZone, .reopen: return []
        }
    }

    // MARK: Records

    private static func save(
        _ user: String, _ name: String, _ value: Int64, _ parent: SharingStep.Move, in zone: inout Zone
    ) -> Set<DatabaseError.Code> {
        let isGuest = user != owner
        if isGuest {
            let grants = zone.grants(user)
            if grants.isEmpty { return [.zoneNotFound] }
            let mayTouch =
                zone.items[name] == nil
                ? grants.values.contains { $0.permission(of: user) == .readWrite }
                : zone.permission(of: user, for: name) == .readWrite
            if !mayTouch { return [.permissionFailure] }
        }
        var item = zone.items[name] ?? Item()
        item.value = value
        var codes: Set<DatabaseError.Code> = []
        switch parent {
        case .stays: break
        case .none: item.parent = nil
        case .below(let parent):
            if zone.items[parent] == nil { codes.insert(.referenceViolation) }
            item.parent = parent
        }
        zone.items[name] = item
        // Several rules may be broken at once, and any may be told.
        if isGuest, zone.permission(of: user, for: name) != .readWrite { codes.insert(.permissionFailure) }
        if zone.isNested { codes.insert(.alreadyShared) }
        return codes
    }

    private static func delete(_ user: String, _ name: String, in zone: inout Zone) -> Set<DatabaseError.Code> {
        if user != owner {
            if zone.grants(user).isEmpty { return [.zoneNotFound] }
            // Of what is not seen, nothing is told.
            guard zone.items[name] != nil, zone.permission(of: user, for: name) != .none else { return [] }
            let isRoot = zone.shares.values.contains { $0.root == name }
            if isRoot || zone.permission(of: user, for: name) != .readWrite { return [.permissionFailure] }
        }
        if zone.hasChildren(name) { return [.referenceViolation] }
        zone.items[name] = nil
        zone.shares = zone.shares.filter { $0.value.root != name }
        return []
    }

    // MARK: Participants

    private static func accept(
        _ user: String, _ shareName: String, in zone: inout Zone
    ) -> Set<DatabaseError.Code> {
        guard let part = zone.shares[shareName] else { return [] }
        if var participant = part.participants[user] {
            (participant.hasAccepted, participant.hasLeft) = (true, false)
            zone.shares[shareName]?.participants[user] = participant
            return []
        }
        if part.publicPermission == .none { return [.participantMayNeedVerification] }
        zone.shares[shareName]?.participants[user] = Participant(
            permission: part.publicPermission, hasAccepted: true, isPublic: true)
        return []
    }

    private static func leave(_ user: String, _ shareName: String, in zone: inout Zone) {
        guard var participant = zone.shares[shareName]?.participants[user] else { return }
        (participant.hasAccepted, participant.hasLeft) = (false, true)
        zone.shares[shareName]?.participants[user] = participant.isPublic ? nil : participant
    }
}

/// A call of the owner or of a participant.
enum SharingStep: Sendable {
    /// What becomes of a record's parent.
    enum Move: Hashable, Sendable {
        case stays
        case none
        case below(String)
    }

    case makeZone(String)
    case deleteZone(String)
    case save(user: String, zone: String, name: String, value: Int64, Move)
    case delete(user: String, zone: String, name: String)
    /// Shares a record, or the zone where `root` is `nil`.
    case share(
        zone: String, root: String?, prefix: String, invited: [String: Share.Permission], isPublic: Bool)
    /// Adds a participant or changes what it may do, takes it away with `none`, and says what everyone may do.
    case changeShare(zone: String, share: String, user: String, Share.Permission, public: Share.Permission)
    case endShare(zone: String, share: String)
    case accept(user: String, zone: String, share: String)
    case leave(user: String, zone: String, share: String)
    case leaveZone(user: String, zone: String)
    case reopen

    var zone: String? {
        switch self {
        case .makeZone(let zone), .deleteZone(let zone), .save(_, let zone, _, _, _), .delete(_, let zone, _),
            .share(let zone, _, _, _, _), .changeShare(let zone, _, _, _, _), .endShare(let zone, _),
            .accept(_, let zone, _), .leave(_, let zone, _), .leaveZone(_, let zone):
            zone
        case .reopen: nil
        }
    }

    /// The step of a number: the same one whatever came before.
    init(_ number: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed &* 0x1_0000_0001 &+ UInt64(number))
        let zone = random.oneIn(4) ? "B" : "A"
        let place = Int.random(in: 0..<8, using: &random)
        let (name, guest) = ("r\(place)", random.pick(SharingModel.guests))
        let share = random.oneIn(4) ? NameRules.zoneShareName : random.pick(["s", "s", "s", "t"]) + name
        let user = random.oneIn(2) ? SharingModel.owner : guest
        switch number < 2 ? 0 : Int.random(in: 1...40, using: &random) {
        case 0: self = .makeZone(SharingModel.zoneNames[number])
        case 1: self = random.oneIn(3) ? .deleteZone(zone) : .makeZone(zone)
        case 2...15:
            // Records are below those of smaller numbers, so that none is below itself.
            let above = place == 0 ? nil : "r\(Int.random(in: 0..<place, using: &random))"
            let move: Move = random.oneIn(3) ? .stays : random.oneIn(6) ? .none : above.map { .below($0) } ?? .stays
            self = .save(user: user, zone: zone, name: name, value: Int64(number), move)
        case 16, 17, 18: self = .delete(user: user, zone: zone, name: name)
        case 19...22:
            var invited: [String: Share.Permission] = [:]
            for guest in SharingModel.guests where !random.oneIn(3) {
                invited[guest] = random.pick([.readOnly, .readWrite, .readWrite])
            }
            let (isWhole, isPublic) = (random.oneIn(6), random.oneIn(4))
            self = .share(
                zone: zone, root: isWhole ? nil : name, prefix: random.pick(["s", "s", "t"]), invited: invited,
                isPublic: isPublic)
        case 23...26:
            let (permission, everyone) = (
                random.pick([Share.Permission.none, .readOnly, .readWrite]),
                random.pick([Share.Permission.none, .none, .readOnly, .readWrite])
            )
            self = .changeShare(zone: zone, share: share, user: guest, permission, public: everyone)
        case 27: self = .endShare(zone: zone, share: share)
        case 28...36: self = .accept(user: guest, zone: zone, share: share)
        case 37: self = .leave(user: guest, zone: zone, share: share)
        case 38: self = .leaveZone(user: guest, zone: zone)
        case 39: self = .reopen
        default: self = .delete(user: guest, zone: zone, name: name)
        }
    }
}
