// `scale`: places spread over several PostgreSQL servers, and the same questions as SQL typed by hand.

import FoundationEssentials
import Glibc
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization

/// Times what a container on several servers gives beside what one of them takes for its own part.
enum ScaleSuite: Suite {
    static let name = "scale"
    static let summary = """
        --address URL --nodes URL,URL [--records N]: places without texts of many words (30,000) in a default zone that is \
        spread over PostgreSQL servers: how fast they are copied, and queries beside the same SQL typed by hand
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["address", "nodes", "records"])
        guard let address = options["address"], let nodes = options["nodes"] else {
            throw UsageError(description: "--address and --nodes are needed: connection strings of empty servers")
        }
        print(Machine.current().line)
        let bench = try ScaleBench(
            [address] + nodes.split(separator: ",").map(String.init),
            count: try options.count("records", default: 30_000, least: 1_000))
        defer { bench.remove() }
        print(try bench.load())
        print(try bench.queries())
        print("answers: as many records as the statements give, in all queries")
    }
}

private final class ScaleBench {
    /// Threads that save, and records that each of them saves together.
    private static let (threads, portion) = (4, 4_000)
    /// Records of a page.
    private static let page = 100
    /// Arguments of each query.
    private static let arguments = 41

    private let addresses: [String]
    private let identifier = "scale \(UInt32.random(in: 0...(.max)))"
    private let container: Container
    private let places: PlaceGenerator

    private var database: Database { container.privateDatabase }
    private var schemaName: String { Statement.name(Layout.schemaName(of: identifier)) }

    /// Makes a container on all servers.
    init(_ addresses: [String], count: Int) throws {
        self.addresses = addresses
        places = PlaceGenerator(count: count)
        var configuration = Configuration()
        configuration.limits.bytesPerRequest = .max
        configuration.limits.itemsPerRequest = .max
        let nodes = Nodes(identifier: identifier, connectingTo: addresses[0])
        for address in addresses.dropFirst() { _ = try nodes.add(address) }
        container = try Container(
            identifier: identifier, on: NodeContainer.open(identifier: identifier, connectingTo: addresses[0]),
            account: .localUser, configuration: configuration)
        try container.setSchema(Self.schema)
    }

    private static let schema: ContainerSchema = {
        typealias Field = ContainerSchema.Field
        return ContainerSchema(recordTypes: [
            "Place": ContainerSchema.RecordType(fields: [
                "name": Field(.string, indexes: [.queryable, .sortable]),
                "category": Field(.string, indexes: [.queryable]), "rating": Field(.double, indexes: [.queryable]),
                "population": Field(.int64, indexes: [.queryable, .sortable]), "created": Field(.double),
                "active": Field(.int64), "tags": Field(.list(.string), indexes: [.queryable]),
                "location": Field(.location, indexes: [.queryable]),
            ])
        ])
    }()

    /// Takes the container away.
    func remove() {
        container.close()
        for address in addresses {
            _ = try? Connection(ConnectionString(address)).run(Statement("DROP SCHEMA IF EXISTS \(schemaName) CASCADE"))
        }
    }

    // MARK: Loading

    /// Saves all places, and tells how fast.
    func load() throws -> String {
        let earlierSize = try size()
        let before = (clock: ContinuousClock.now, own: processorSeconds(), all: Self.machineSeconds())
        let portions = (places.count + Self.portion - 1) / Self.portion
        let next = Atomic(0)
        let (places, database) = (places, database)
        _ = try SideBySide.run(Array(0..<Self.threads)) { _ throws(DatabaseError) in
            while true {
                let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
                if number >= portions { return }
                try Self.save(number, of: places, in: database)
            }
        }
        let time = (ContinuousClock.now - before.clock).seconds
        let own = processorSeconds() - before.own
        let others = Self.machineSeconds() - before.all - own
        let count = Double(places.count)
        try onAll("ANALYZE")
        var table = TextTable(["\(places.count.separated) places over \(addresses.count) servers", ""])
        table.add(["saved a second", Int(count / time).separated])
        table.add(["µs of processor time a place here", (own / count * 1e6).figure])
        table.add(["µs of processor time a place elsewhere on the machine", (others / count * 1e6).figure])
        table.add(["bytes a place in the databases", (Double(try size() - earlierSize) / count).figure])
        return table.text
    }

    private static func save(
        _ number: Int, of places: PlaceGenerator, in database: Database
    ) throws(DatabaseError) {
        let numbers = number * portion..<min((number + 1) * portion, places.count)
        let request = ModifyRequest(saves: numbers.map { places[$0].lean }, policy: .allKeys)
        for (_, result) in try database.modify(request).saves { _ = try result.get() }
    }

    /// Bytes of the databases of all servers.
    private func size() throws -> Int64 {
        try onAll("SELECT pg_database_size(current_database())").compactMap { $0.int64(0, 0) }.reduce(0, +)
    }

    /// Processor time of all programs, in seconds.
    private static func machineSeconds() -> Double {
        let text = (try? String(contentsOfFile: "/proc/stat", encoding: .utf8)) ?? ""
        let words = text.prefix { $0 != "\n" }.split(separator: " ")
        return words.dropFirst().prefix(3).compactMap { Double($0) }.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    @discardableResult private func onAll(_ text: String) throws -> [RowSet] {
        try addresses.map { address in try connection(address).run(Statement(text)) }
    }

    private func connection(_ address: String) throws -> Connection {
        let connection = try Connection(ConnectionString(address))
        _ = try connection.run(Statement("SET search_path TO \(schemaName)"))
        return connection
    }

    // MARK: Queries

    /// A table of queries: the median of what the library takes, and of what one server takes for its part.
    func queries() throws -> String {
        var table = TextTable(
            ["ms, median of \(Self.arguments) arguments", "library", "one server's statement", "found"])
        let connections = try addresses.map(connection)
        // A zone has a number of its own on each server.
        let zones = try connections.map { try $0.run(Statement("SELECT _z FROM \"r_Place\" LIMIT 1")).int64(0, 0) ?? 0 }
        for (name, question) in ScaleQuestions(places).shapes {
            var (own, typed, found): ([Double], [Double], Int) = ([], [], 0)
            for number in 0..<Self.arguments {
                let question = question(number)
                let clock = ContinuousClock()
                var (matches, expected) = (0, 0)
                func measureLibrary() throws {
                    own.append(try clock.measure { matches = try ask(question) }.seconds * 1000)
                }
                // Either is first in turn: what comes second finds pages of the disk in memory.
                if number % 2 == 0 { try measureLibrary() }
                for (connection, zone) in zip(connections, zones) {
                    let statement = Statement(question.statement(zone: zone, limit: Self.page))
                    var rows: RowSet?
                    typed.append(try clock.measure { rows = try connection.run(statement) }.seconds * 1000)
                    expected += question.counts ? Int(rows?.int64(0, 0) ?? 0) : rows?.count ?? 0
                }
                if number % 2 == 1 { try measureLibrary() }
                if !question.counts { expected = min(expected, Self.page) }
                guard matches == expected else {
                    throw WrongResult(description: "\(name): \(matches) and \(expected) records, \(question)")
                }
                found += matches
            }
            let figures = [Self.middle(own).figure, Self.middle(typed).figure, (found / Self.arguments).separated]
            table.add([name] + figures)
        }
        return table.text
    }

    private static func middle(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func ask(_ question: ScaleQuestion) throws -> Int {
        if let id = question.id { return try database.fetch([id])[id]?.get() == nil ? 0 : 1 }
        if question.counts { return try database.countNow(question.query, in: .zone(.default)) }
        return try database.find(question.query, in: .zone(.default), limit: Self.page).matches.count
    }
}
