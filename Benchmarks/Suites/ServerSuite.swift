// `server`: a container on a PostgreSQL server: pages, fetches, saves, and errors of servers that do not reply.

import Glibc
import PostgreSQLStore
import RecordDatabase
import RecordModel

/// Times what one endpoint of PostgreSQL serves to one process.
enum ServerSuite: Suite {
    static let name = "server"
    static let summary = """
        --address URL [--records N] [--saves N]: pages, queries and fetches of places (20,000) on a PostgreSQL server, single \
        saves of 16 threads (4,000), and how long a server that does not reply is waited for
        """

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["address", "records", "saves"])
        guard let address = options["address"] else {
            throw UsageError(description: "--address postgresql://user@host/database is needed")
        }
        print(Machine.current().line)
        let bench = try ServerBench(
            address: address, count: try options.count("records", default: 20_000, least: 1_000))
        defer { bench.remove() }
        print(try bench.reads())
        print(try bench.saves(try options.count("saves", default: 4_000, least: 16)))
        print(try ServerBench.silence())
        print("answers: pages are full and in order, all fields are there, every save is counted")
    }
}

private final class ServerBench {
    private static let threads = 16

    private let address: String
    private let identifier = "bench \(UInt32.random(in: 0...(.max)))"
    private let container: Container
    private let zone = RecordZone(id: RecordZone.ID("bench"))
    private let places: PlaceGenerator
    private let count: Int
    private var configuration = Configuration()

    private var database: Database { container.privateDatabase }

    /// Makes a container with places in a zone.
    init(address: String, count: Int) throws {
        (self.address, self.count) = (address, count)
        configuration.limits.bytesPerRequest = .max
        let store = try PostgreSQLContainer(
            identifier: identifier, connectingTo: address, connectionCount: Self.threads)
        container = try Container(
            identifier: identifier, on: store, account: .localUser, configuration: configuration)
        places = PlaceGenerator(count: count)
        _ = try container.privateDatabase.modifyZones(saving: [zone], deleting: [])
        for start in stride(from: 0, to: count, by: 400) {
            let records = (start..<min(count, start + 400)).map { place($0, named: "place \($0)") }
            try Self.save(records, in: container.privateDatabase)
        }
        try connection().run(Statement("ANALYZE"))
    }

    private func connection() throws -> Connection { try Connection(ConnectionString(address)) }

    /// Takes the container away.
    func remove() {
        container.close()
        _ = try? connection().run(
            Statement("DROP SCHEMA IF EXISTS \(Statement.name(Layout.schemaName(of: identifier))) CASCADE"))
    }

    private func place(_ number: Int, named name: String) -> Record {
        Record(type: "Place", id: Record.ID(name, zoneID: zone.id), fields: places[number].record.fields)
    }

    private static func save(_ records: [Record], in database: Database) throws(DatabaseError) {
        for (_, result) in try database.modify(ModifyRequest(saves: records, policy: .allKeys)).saves {
            _ = try result.get()
        }
    }

    // MARK: Reads

    /// A table of pages, queries and fetches.
    func reads() throws -> String {
        var table = TextTable(["\(count.separated) places", "median ms", "CPU ms here", "least ms"])
        func add(_ name: String, _ times: Measurement) {
            table.add([name] + [times.median, times.processor, times.minimum].map { ($0 * 1000).figure })
        }
        let all = Query("Place", "TRUEPREDICATE")
        add("page of 100 whole records", try .of { try page(all) })
        let ordered = Query("Place", "rating > 2", sortedBy: [.descending("population")])
        add("the same by population, of those rated above 2", try .of { try page(ordered) })
        var number = 0
        add(
            "fetch of one record",
            try .of {
                number = (number + 7919) % count
                let id = Record.ID("place \(number)", zoneID: zone.id)
                let record = try database.fetch([id])[id]?.get()
                guard record?["name"] == places[number].record["name"] else {
                    throw WrongResult(description: "\(id.recordName) is another record")
                }
            })
        let rated = Query("Place", "rating > 2")
        let expected = (0..<count).count { (places[$0].record["rating"].number?.asDouble ?? 0) > 2 }
        add(
            "count of a range",
            try .of {
                guard try database.countNow(rated, in: .zone(zone.id)) == expected else {
                    throw WrongResult(description: "the count is not \(expected)")
                }
            })
        return table.text
    }

    private func page(_ query: Query) throws {
        let page = try database.find(query, in: .zone(zone.id), limit: 100)
        guard page.matches.count == 100, page.cursor != nil else {
            throw WrongResult(description: "a page of \(page.matches.count) records")
        }
        let records = try page.matches.map { try $0.1.get() }
        let order = records.map { $0["population"].number?.asDouble ?? -1 }
        guard query.sortKeys.isEmpty || zip(order, order.dropFirst()).allSatisfy({ $0 >= $1 }) else {
            throw WrongResult(description: "a page is out of order")
        }
    }

    // MARK: Saves

    /// A table of single saves by several threads.
    func saves(_ saves: Int) throws -> String {
        var table = TextTable(["\(saves.separated) saves of \(Self.threads) threads", "saves/s"])
        let users = try (0..<Self.threads).map { number in
            try Container(sharing: container, account: .user("user\(number)"), configuration: configuration)
                .privateDatabase
        }
        for database in users { _ = try database.modifyZones(saving: [zone], deleting: []) }
        table.add(["each in a database of its own", try rate(saves, users)])
        table.add(["in one database", try rate(saves, users.map { _ in users[0] })])
        return table.text
    }

    private func rate(_ saves: Int, _ databases: [Database]) throws -> String {
        let each = saves / Self.threads
        let (places, zone, count) = (places, zone.id, count)
        let run = UInt32.random(in: 0...(.max))
        let time = try ContinuousClock().measure {
            _ = try SideBySide.run(Array(0..<Self.threads)) { thread throws(DatabaseError) in
                for number in 0..<each {
                    let fields = places[(thread * each + number) % count].record.fields
                    let id = Record.ID("\(run) \(thread) \(number)", zoneID: zone)
                    try Self.save([Record(type: "Place", id: id, fields: fields)], in: databases[thread])
                }
            }
        }
        return Int(Double(each * Self.threads) / time.seconds).separated
    }

    // MARK: No reply

    /// How long it takes to tell that a server does not reply, and that there is none.
    static func silence() throws -> String {
        var table = TextTable(["no server", "seconds to the error"])
        // A socket that takes connections and never says anything.
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = unsafe withUnsafeMutablePointer(to: &place) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe bind(descriptor, place, size) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, place, &size) == 0
            }
        }
        guard isBound else { throw WrongResult(description: "no socket can be had") }
        let port = UInt16(bigEndian: place.sin_port)
        for (name, address) in [
            ("a port that takes connections and is silent", "postgresql://nobody@127.0.0.1:\(port)/none"),
            ("a socket that is not there", "postgresql://nobody@/none?host=/nonexistent"),
        ] {
            var failure: DatabaseError?
            let time = ContinuousClock().measure {
                do throws(DatabaseError) {
                    _ = try PostgreSQLContainer(identifier: "none", connectingTo: address)
                } catch {
                    failure = error
                }
            }
            guard failure?.code == .networkUnavailable else { throw WrongResult(description: "\(name) is no error") }
            table.add([name, time.seconds.figure])
        }
        return table.text
    }
}
