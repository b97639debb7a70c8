// A campaign, and what is given to it on the command line.

/// A campaign of random input: a command of `predicate-fuzz`.
struct Campaign: Sendable {
    let name: String
    let summary: String
    /// Runs it, and prints what it found; false when that is something.
    let run: @Sendable (CampaignOptions) async -> Bool

    init(_ name: String, _ summary: String, _ run: @escaping @Sendable (CampaignOptions) async -> Bool) {
        (self.name, self.summary, self.run) = (name, summary, run)
    }

    /// All campaigns, in the order of the help.
    static let all: [Campaign] =
        [
            results, text, files, export, updates, reloaded, backups, concurrent, timer, storageFiles, damage,
            percolate, explore, crash, bank, load, sync, kill, powerCut, database, sharing, migrations, translate,
            leaks, bounds, mutate, postgresql, tables, commits,
        ]
}

/// How much a campaign does, and with what.
struct CampaignOptions: Sendable {
    var seed: UInt64 = 1
    var runs = 1000
    var records = 200
    /// Servers that a container is on.
    var nodes = 1
    var kills = 100
    var operations = 10_000
    var clients = 4
    var states = 1000
    var seconds = 60
    /// What saves wait for, by a name of `CrashWriter.durabilities`.
    var durability = "normal"
    /// Whether the databases are on a PostgreSQL server, which the campaign starts.
    var isOnServer = false
    /// Whether clients of several servers make one call at a time, and nothing happens to these.
    var isSequential = false
    /// Whether the fields of records on servers have indexes.
    var hasIndexes = true
    /// What is named beside the campaign: a target, a library.
    var operand: String?

    /// The arguments behind a campaign's name; `nil` when they are no options.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        if let first = rest.first, !first.hasPrefix("--") { operand = rest.removeFirst() }
        while let option = rest.popFirst() {
            if takes(option) { continue }
            if option == "--durability" {
                guard let name = rest.popFirst(), CrashWriter.durabilities[name] != nil else { return nil }
                durability = name
                continue
            }
            guard let value = rest.popFirst().flatMap({ UInt64($0) }), value < 1 << 40 else { return nil }
            switch option {
            case "--seed": seed = value
            case "--runs": runs = Int(value)
            case "--records": records = Int(value)
            case "--nodes": nodes = max(1, min(9, Int(value)))
            case "--kills": kills = Int(value)
            case "--operations": operations = Int(value)
            case "--clients": clients = min(64, Int(value))
            case "--states": states = Int(value)
            case "--seconds": seconds = Int(value)
            case "--minutes": seconds = Int(value) * 60
            default: return nil
            }
        }
    }

    /// Takes an option that has no value; false for any other.
    private mutating func takes(_ option: String) -> Bool {
        switch option {
        case "--postgresql": isOnServer = true
        case "--sequential": isSequential = true
        case "--no-indexes": hasIndexes = false
        default: return false
        }
        return true
    }

    /// Divides the runs into batches, each with a seed of its own.
    func forEachBatch(of size: Int, _ body: (_ seed: UInt64, _ count: Int) throws -> Void) rethrows {
        for done in stride(from: 0, to: runs, by: size) { try body(seed &+ UInt64(done), min(size, runs - done)) }
    }
}
