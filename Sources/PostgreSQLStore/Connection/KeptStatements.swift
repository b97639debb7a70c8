// Statements that a server keeps for a connection.

/// The names of statements that a connection sends often.
struct KeptStatements {
    /// Each has memory on the server: beyond so many those go that were not sent for longest.
    private static let capacity = 64
    /// Texts that are remembered as sent once.
    private static let seenLimit = 256

    private struct Kept {
        let name: String
        /// Counts with the statements that are sent.
        var lastUse: Int
    }

    private var kept: [String: Kept] = [:]
    /// The hashes of texts that were sent once.
    private var seen: Set<Int> = []
    /// Names of statements that are sent to be kept with those that go out now.
    private var new: Set<String> = []
    /// How many statements go with those that go out now.
    private var leaving = 0
    /// How many the server may keep besides, whose names are forgotten.
    private var left = 0
    private var (count, uses) = (0, 0)

    /// Whether anything is kept, and planned otherwise than at first: what is between this machine and the server may
    /// give each transaction another process there, and what is set in one is set for whoever has it next.
    var isOn = false
    /// How the server plans now; `nil` where that is not known.
    private var planning: Planning? = .eachTime
    /// When the server was last told to make the plans of kept statements again.
    private var planDate = ContinuousClock.now

    /// How a statement is sent.
    struct Use {
        /// What it is sent by; `nil` for its text.
        var name: String?
        /// Whether the server does not keep it yet.
        var isNew = false
        /// What is sent before.
        var preparations: [Statement] = []
    }

    /// How a statement is sent now.
    mutating func use(of statement: Statement) -> Use {
        var use = Use()
        guard isOn else { return use }
        uses += 1
        if let place = kept.index(forKey: statement.text) {
            kept.values[place].lastUse = uses
            use.name = kept.values[place].name
        } else if statement.keeping == .plan || statement.keeping == .text && isSeen(statement.text) {
            makeRoom(in: &use)
            add(statement.text, to: &use)
        }
        if !statement.parameters.isEmpty {
            use.preparations += settings(for: use.name != nil && statement.keeping == .plan ? .once : .eachTime)
        }
        return use
    }

    /// Has a statement go for another one where there are as many as may be, or all where some have no names.
    private mutating func makeRoom(in use: inout Use) {
        if kept.count + left < Self.capacity { return }
        if left > 0 {
            leaving += kept.count + left
            (kept, left) = ([:], 0)
            use.preparations.append(Statement("DEALLOCATE ALL"))
        } else if let freed = kept.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            leaving += 1
            kept[freed.key] = nil
            use.preparations.append(Statement("DEALLOCATE " + Statement.name(freed.value.name)))
        }
    }

    /// Keeps a statement.
    private mutating func add(_ text: String, to use: inout Use) {
        // A name is never used again: the server may keep a statement that is not known to be kept. What it begins with
        // is what an administrator looks for.
        count += 1
        let name = "\(count) " + String(String.UnicodeScalarView(text.unicodeScalars.prefix(18)))
        kept[text] = Kept(name: name, lastUse: uses)
        new.insert(name)
        (use.name, use.isNew) = (name, true)
    }

    /// What has the server plan in a way from then on.
    private mutating func settings(for wanted: Planning) -> [Statement] {
        var statements: [Statement] = []
        if planning != wanted {
            planning = wanted
            statements.append(wanted.statement)
        }
        if wanted == .once, ContinuousClock.now - planDate > Planning.lifetime {
            planDate = .now
            statements.append(Planning.again)
        }
        return statements
    }

    /// What a transaction set is no more when it is rolled back.
    mutating func forgetPlanning() { planning = nil }

    /// Whether a text was sent before, of late.
    private mutating func isSeen(_ text: String) -> Bool {
        if seen.count > Self.seenLimit { seen = [] }
        return !seen.insert(text.hashValue).inserted
    }

    /// Notes that all went well.
    mutating func noteSent() { (new, leaving) = ([], 0) }

    /// Forgets what may not be kept: behind an error nothing is. Before it some may have been kept all the same, and
    /// others may not have gone.
    mutating func forget(after error: ServerError) {
        // A statement that is not there, or whose columns have other types by now.
        let isOfKept = error.sqlState == "26000" || error.sqlState == "0A000"
        let known: [String: Kept] = isOfKept ? [:] : kept.filter { !new.contains($0.value.name) }
        left += leaving + kept.count - known.count
        kept = known
        (new, leaving) = ([], 0)
        forgetPlanning()
    }
}

/// How a server plans statements with parameters.
enum Planning {
    /// By the values, each time.
    case eachTime
    /// Once for all values.
    case once

    var statement: Statement {
        Statement("SET plan_cache_mode = force_\(self == .eachTime ? "custom" : "generic")_plan")
    }

    /// Has the server make kept plans again: one that was made while a table was small would read it whole when it has
    /// grown.
    static let again = Statement("DISCARD PLANS")
    /// How old plans may be: what a second's growth costs is little, and so is making them.
    static let lifetime = Duration.seconds(1)
}
