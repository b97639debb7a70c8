// What records hold along a path below a field: keys that none has, lists on the way.

import Geospatial
import PredicateSemantics
import PredicateSyntax
import RecordColumns
import RecordModel
import RecordStore

extension RecordSet {
    /// What the records hold along a path.
    package struct PathFacts: Sendable {
        /// How many keys of the path some record has, one behind the other.
        package fileprivate(set) var reached = 0
        /// The keys that there are in place of the first one that no record has; empty when all of the path is there.
        package fileprivate(set) var otherKeys: Set<String> = []
        /// Values at the end of the path that are lists, or that are in one.
        package fileprivate(set) var listCount = 0
        /// Values at the end of the path that are neither.
        package fileprivate(set) var singleCount = 0
        /// Whether every record was looked at that had to be: time ends the search.
        package fileprivate(set) var isComplete = true
    }

    /// More keys than these are not told apart.
    private static let mostKeys = 1_000

    /// What the records hold along a path of keys, the first of them a field.
    ///
    /// - Parameters:
    ///   - limit: The search ends after this time, with `isComplete` false.
    ///   - wantsAll: Whether all records are looked at, and not only those up to the first that has all of the path.
    /// - Complexity: O(records × keys).
    package func facts(
        ofPath path: [String], wantsAll: Bool = false, within limit: Duration = .milliseconds(200)
    ) -> PathFacts {
        var search = PathSearch(set: self, path: path)
        guard let first = path.first else { return search.facts }
        let end = ContinuousClock.now + limit
        for stored in segments {
            for row in 0..<stored.segment.count where stored.isLive(row) {
                if row & 0xFF == 0xFF, ContinuousClock.now > end {
                    search.facts.isComplete = false
                    return search.facts
                }
                let view = RowView(segment: stored.segment, row: row, keys: snapshot.keys)
                search.visit(view[first], 1, isInList: false)
                if !wantsAll, search.facts.reached == path.count { return search.facts }
            }
        }
        return search.facts
    }

    /// The path as far as its first key that no record has, and with the key that was probably meant; `nil` when some
    /// record has all of it, or it cannot be told.
    package func unknownField(onPath path: [String]) -> UnknownField? {
        let facts = facts(ofPath: path)
        // Without a value on the way nothing is known of what it would hold.
        guard facts.isComplete, facts.reached < path.count, facts.reached > 0, !facts.otherKeys.isEmpty else {
            return nil
        }
        let before = path[..<facts.reached]
        let near = EditDistance.closest(to: path[facts.reached], in: facts.otherKeys.sorted())
        let meant = near.map { Array(before) + [$0] + Array(path[(facts.reached + 1)...]) }
        var field = UnknownField(name: path[...facts.reached].joined(separator: "."))
        field.suggestion = meant?.joined(separator: ".")
        field.suggestedPath = meant
        field.depth = facts.reached
        return field
    }

    private struct PathSearch {
        let set: RecordSet
        let path: [String]
        var facts = PathFacts()

        /// Looks at the value that the first keys of the path lead to.
        mutating func visit(_ value: FieldValue, _ depth: Int, isInList: Bool) {
            if case .null = value { return }
            reach(depth)
            guard depth < path.count else {
                if isInList || value.isList { facts.listCount += 1 } else { facts.singleCount += 1 }
                return
            }
            let key = path[depth]
            switch value {
            case .object(let members):
                guard let member = members[key] else { return note(members.keys, at: depth) }
                reach(depth + 1)
                visit(member, depth + 1, isInList: isInList)
            case .list(let elements), .set(let elements):
                for element in elements { visit(element, depth, isInList: true) }
            case .reference(let reference): follow(reference, key, depth, isInList: isInList)
            case .location:
                if key == "latitude" || key == "longitude" { return visit(.double(0), depth + 1, isInList: isInList) }
                note(["latitude", "longitude"], at: depth)
            case .string, .data:
                if key == "length" { reach(depth + 1) }
            case .null, .bool, .int64, .double, .date, .asset: break
            }
        }

        private mutating func follow(_ reference: RecordReference, _ key: String, _ depth: Int, isInList: Bool) {
            guard let (segment, row) = set.snapshot.find(reference.recordID) else { return }
            let system = set.binderSettings.systemFields.keys
            guard !system.contains(key), key != "recordID" else { return reach(depth + 1) }
            guard segment.schema.position(of: key) != nil else {
                return note(segment.schema.fields.map(\.name) + Array(system), at: depth)
            }
            reach(depth + 1)
            visit(
                RowView(segment: segment, row: row, keys: set.snapshot.keys)[key], depth + 1, isInList: isInList)
        }

        private mutating func reach(_ depth: Int) {
            guard depth > facts.reached else { return }
            facts.reached = depth
            facts.otherKeys = []
        }

        private mutating func note(_ keys: some Sequence<String>, at depth: Int) {
            guard depth == facts.reached, facts.otherKeys.count < RecordSet.mostKeys else { return }
            facts.otherKeys.formUnion(keys)
        }
    }
}

extension FieldValue {
    fileprivate var isList: Bool {
        switch self {
        case .list, .set: true
        default: false
        }
    }
}
