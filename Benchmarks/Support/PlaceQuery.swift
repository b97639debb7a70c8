// What applications look for among places of six fields: predicate, SQL, and the values that each run binds again.

import FoundationEssentials
import RecordModel

/// One query that is run with new values each time.
struct PlaceQuery {
    /// With the variables `$a`, `$b` and `$c`.
    let predicate: String
    /// The same condition with the parameters `?1`, `?2` and `?3`.
    var condition: String
    /// Whether the newest places come first.
    let isNewestFirst: Bool
    var limit: Int?
    /// The values of each run.
    var values: [[FieldValue]]

    /// The predicate with placeholders.
    let format: String

    init(
        predicate: String, condition: String, isNewestFirst: Bool = false, limit: Int? = nil, values: [[FieldValue]]
    ) {
        (self.predicate, self.condition, self.isNewestFirst) = (predicate, condition, isNewestFirst)
        (self.limit, self.values) = (limit, values)
        format = ["$a", "$b", "$c"].reduce(predicate) { $0.replacing($1, with: "%@") }
    }

    /// The statement that selects columns of the places.
    func sql(_ columns: String) -> String {
        "SELECT \(columns) FROM place WHERE \(condition)" + (isNewestFirst ? " ORDER BY created DESC" : "")
            + (limit.map { " LIMIT \($0)" } ?? "")
    }
}

/// Draws the values of queries from a set of places, the same ones on every machine: those of places chosen at random.
struct PlaceQueries {
    let generator: PlaceGenerator
    /// The populations of each category's places, ascending.
    private var populations: [String: [Int]] = [:]
    private let runs: Int

    /// - Parameter runs: How many values a query has, before they come again.
    init(_ generator: PlaceGenerator, runs: Int) {
        self.generator = generator
        self.runs = runs
        for number in 0..<generator.count {
            let place = generator.brief(number)
            populations[place.category, default: []].append(place.population)
        }
        for category in populations.keys { populations[category]?.sort() }
    }

    /// The numbers of places to fetch.
    var numbers: [Int] {
        var random = RandomSequence(.arguments)
        return (0..<runs).map { _ in random.below(generator.count) }
    }

    private func query(
        _ predicate: String, _ condition: String, isNewestFirst: Bool = false, limit: Int? = nil,
        _ values: (inout RandomSequence, BriefPlace) -> [FieldValue]
    ) -> PlaceQuery {
        var random = RandomSequence(.arguments)
        let values = (0..<runs).map { _ in
            let place = generator.brief(random.below(generator.count))
            return values(&random, place)
        }
        return PlaceQuery(
            predicate: predicate, condition: condition, isNewestFirst: isNewestFirst, limit: limit, values: values)
    }

    /// One place, by its name.
    var name: PlaceQuery { query("name == $a", "name = ?1") { [.string($1.name)] } }

    /// About twenty places.
    var owner: PlaceQuery { query("owner == $a", "owner = ?1") { [.int64(Int64($1.owner))] } }

    /// One of fifty categories: a large one more often than a small one.
    var category: PlaceQuery { query("category == $a", "category = ?1") { [.string($1.category)] } }

    /// About ten places that were made one after another.
    var days: PlaceQuery {
        query("created >= $a AND created < $b", "created >= ?1 AND created < ?2") { _, place in
            let end = place.created + 10 * 315_360_000 / Double(generator.count)
            return [place.created, end].map { .date(Date(timeIntervalSince1970: $0)) }
        }
    }

    /// A category's places of a tenth of its populations.
    var categoryAndTenth: PlaceQuery {
        ranged { random, populations in
            let part = populations.count / 10
            return (random.below(populations.count - part), part)
        }
    }

    /// At most a hundred places of a category.
    var categoryAndRange: PlaceQuery {
        var query = ranged { random, populations in
            let part = min(80, populations.count - 1)
            return (random.below(populations.count - part), part)
        }
        query.limit = 100
        // Populations repeat: a wider range would be cut off, and where is up to each side.
        query.values.removeAll { count($0) > 100 }
        return query
    }

    /// The newest fifty of a category, from a rating of 0 to 4 on.
    var newest: PlaceQuery {
        query(
            "category == $a AND rating >= $b", "category = ?1 AND rating >= ?2", isNewestFirst: true, limit: 50
        ) { random, place in [.string(place.category), .double(Double(random.below(401)) / 100)] }
    }

    private func ranged(
        _ part: (inout RandomSequence, [Int]) -> (start: Int, length: Int)
    ) -> PlaceQuery {
        query(
            "category == $a AND population BETWEEN {$b, $c}", "category = ?1 AND population BETWEEN ?2 AND ?3"
        ) { random, place in
            let populations = populations[place.category] ?? [0]
            let (start, length) = part(&random, populations)
            let bounds = [populations[start], populations[start + length]]
            return [.string(place.category)] + bounds.map { .int64(Int64($0)) }
        }
    }

    /// How many places a category has in a range of populations.
    private func count(_ values: [FieldValue]) -> Int {
        guard case .string(let category) = values[0], case .int64(let low) = values[1],
            case .int64(let high) = values[2]
        else { return 0 }
        return (populations[category] ?? []).count { $0 >= low && $0 <= high }
    }
}
