// In which order a store brings what it writes to the disk, looked up in the calls that it made.

/// What a process said that it has done: "saved 7 full store" for change 7 of the store in a folder, which it has
/// acknowledged under a durability.
struct PowerCutMark {
    enum Verb: String {
        /// The store is about to be opened.
        case opening
        /// A batch was saved.
        case saved
        /// A file was saved beside a record.
        case attached
        /// A state was written, the store was compacted or closed: what was saved before is not the last commit any
        /// more.
        case settled
        /// Another folder holds what was saved.
        case copied
    }

    var verb: Verb
    var number: Int
    var durability: String
    var folder: String

    init?(_ text: String) {
        let words = text.split(separator: "\n").last?.split(separator: " ").map(String.init) ?? []
        guard words.count == 4, let verb = Verb(rawValue: words[0]), let number = Int(words[1]) else { return nil }
        (self.verb, self.number, durability, folder) = (verb, number, words[2], words[3])
    }

    init(_ verb: Verb, _ number: Int, _ durability: String, _ folder: String) {
        (self.verb, self.number, self.durability, self.folder) = (verb, number, durability, folder)
    }

    var text: String { "\(verb) \(number) \(durability) \(folder)\n" }
}

/// The order of a process that does one thing after another, with `full` or `normal`:
///
/// 1. A file gets its place, by a renaming or a link, when its bytes are on the disk.
/// 2. Then its folder is brought to the disk, before a file that is in its place already is written, which may name the
///    new one, and before a file is removed.
/// 3. What is acknowledged is on the disk, with all files of the folder. In `normal` the head of the tables need not
///    be.
/// 4. Files that are in their places are removed when all others are on the disk, in `normal` too.
/// 5. The mark of an unfinished copy is gone from the disk when the copy is acknowledged.
/// 6. The tables of a copy get their place when all else of it is on the disk: with them, the mark says nothing.
///
/// Locks and lists of readers hold nothing that lasts.
struct SyncRule {
    private(set) var disk = Disk()
    private var durability = ""
    /// Names given, and not on the disk yet.
    private var unsettled: Set<String> = []
    /// Files that got their places.
    private var placed = 0
    private var removed = 0

    /// What a record says.
    struct Verdict {
        var violations: [String]
        /// Files that got their places, and that were removed from there: a record without any shows nothing.
        var placed: Int
        var removed: Int
    }

    /// Which calls come too early.
    static func verdict(_ calls: [RecordedCall]) -> Verdict {
        var rule = SyncRule()
        var violations: [String] = []
        for (number, call) in calls.enumerated() {
            violations += rule.follow(call).map { "call \(number), \(call): \($0)" }
        }
        return Verdict(violations: violations, placed: rule.placed, removed: rule.removed)
    }

    /// Goes on by a call; gives what should have been done before.
    mutating func follow(_ call: RecordedCall) -> [String] {
        let faults = faults(of: call)
        disk.apply(call)
        unsettled = unsettled.filter { disk.names[$0] != nil && !disk.isDurable($0) }
        return faults
    }

    /// Whether a file holds nothing that lasts.
    static func isExempt(_ path: String) -> Bool {
        path.hasSuffix("lock.mdb") || path.hasSuffix("writer.lock")
    }

    /// Heads of tables stand in their first two pages.
    private static let headByteCount = 2 * 4096
}

extension SyncRule {
    private mutating func faults(of call: RecordedCall) -> [String] {
        switch call {
        case .mark(let text):
            guard let mark = PowerCutMark(text) else { return [] }
            if mark.verb == .opening { durability = mark.durability }
            if mark.verb == .opening || mark.durability == "off" { return [] }
            return faults(in: mark.folder, sparesHead: durability == "normal") + faultsOfMarks(in: mark.folder)
        case _ where durability == "off": return []
        case .rename(let from, let to):
            guard case .file(let place)? = disk.names[from] else { return [] }
            return faults(placing: place, at: to)
        case .link(let file, let path): return disk.file(file).map { faults(placing: $0, at: path) } ?? []
        case .write(_, let path, _, _, _):
            guard !Self.isExempt(path), disk.names[path] != nil, disk.isDurable(path) else { return [] }
            return unsettled.sorted().map { "the name \($0) is not on the disk" }
        case .unlink(let path): return faults(removing: path)
        default: return []
        }
    }

    private mutating func faults(placing place: Int, at path: String) -> [String] {
        if Self.isExempt(path) { return [] }
        placed += 1
        unsettled.insert(path)
        let faults = disk.files[place].isClean ? [] : ["the bytes of the file are not on the disk"]
        let folder = String(path.prefix { $0 != "/" })
        let isOfCopy = path == folder + "/data.mdb" && disk.names[folder + "/unfinished-copy"] != nil
        return isOfCopy ? faults + self.faults(in: folder, sparesHead: false) : faults
    }

    private mutating func faults(removing path: String) -> [String] {
        guard let entry = disk.names[path], disk.isDurable(path), !Self.isExempt(path) else { return [] }
        // One of several names may go.
        if disk.names.contains(where: { $0.value == entry && $0.key != path }) { return [] }
        removed += 1
        return faults(in: String(path.prefix { $0 != "/" }), sparesHead: false)
    }

    /// A mark that a power cut may bring back, so that a whole copy is taken for an unfinished one.
    private func faultsOfMarks(in folder: String) -> [String] {
        let mark = folder + "/unfinished-copy"
        let isBack = disk.names[mark] == nil && disk.durableNames[mark] != nil
        return isBack ? ["the removal of \(mark) is not on the disk"] : []
    }

    /// What of a folder a power cut may take away.
    private func faults(in folder: String, sparesHead: Bool) -> [String] {
        disk.names.keys.sorted().compactMap { path in
            guard path == folder || path.hasPrefix(folder + "/"), !Self.isExempt(path) else { return nil }
            if !disk.isDurable(path) { return "the name \(path) is not on the disk" }
            guard case .file(let place)? = disk.names[path], !disk.files[place].isClean else { return nil }
            let isHead = disk.files[place].changes.allSatisfy { change in
                if case .write(let offset, let bytes) = change {
                    offset + bytes.count <= Self.headByteCount
                } else {
                    false
                }
            }
            return sparesHead && isHead && path.hasSuffix("data.mdb") ? nil : "the bytes of \(path) are not on the disk"
        }
    }
}
