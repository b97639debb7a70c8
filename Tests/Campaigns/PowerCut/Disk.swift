// A disk that may lose what nobody waited for: what a process wrote, and what is sure to be there after a power cut.

/// Files and names, as the running machine sees them, and as they are on the disk.
///
/// Bytes last when their file was synced, or when they were written through a descriptor that waits. Names last when a
/// folder that they are in was. What happened since may be lost in any selection: of bytes each page for itself, of
/// names each call, so that a renaming never is half done. That is more than ext4 or xfs lose, which keep the order of
/// names.
struct Disk {
    enum Entry: Hashable {
        case folder
        /// The place of a file among all that there ever were.
        case file(Int)
    }

    struct File {
        enum Change {
            case write(offset: Int, bytes: [UInt8])
            case truncate(Int)
            case extend(Int)
            /// These bytes are on the disk as they are now.
            case settled(Range<Int>)
        }

        /// As the machine sees it.
        private(set) var bytes: [UInt8] = []
        /// As it was when it was synced last.
        private(set) var durable: [UInt8] = []
        /// What happened to it since.
        private(set) var changes: [Change] = []

        var isClean: Bool { changes.isEmpty }

        mutating func sync() { (durable, changes) = (bytes, []) }

        mutating func apply(_ change: Change, isSynced: Bool = false) {
            Self.apply(change, to: &bytes)
            // With nothing else to lose the disk is as the machine sees it.
            if isSynced, changes.isEmpty { return sync() }
            changes.append(change)
            guard isSynced, case .write(let offset, let bytes) = change else { return }
            changes.append(.settled(offset / 4096 * 4096..<(offset + bytes.count + 4095) / 4096 * 4096))
        }

        private static func apply(_ change: Change, to bytes: inout [UInt8]) {
            switch change {
            case .write(let offset, let new):
                if bytes.count < offset + new.count { grow(&bytes, to: offset + new.count) }
                bytes.replaceSubrange(offset..<offset + new.count, with: new)
            case .truncate(let length):
                if bytes.count > length { bytes.removeLast(bytes.count - length) } else { grow(&bytes, to: length) }
            case .extend(let length): grow(&bytes, to: length)
            case .settled: break
            }
        }

        private static func grow(_ bytes: inout [UInt8], to length: Int) {
            bytes += [UInt8](repeating: 0, count: max(0, length - bytes.count))
        }

        /// What may be on the disk: every piece of `unit` bytes, and the length, as they were after some of the
        /// changes.
        func content(_ loss: Loss, unit: Int, _ generator: inout SeededGenerator) -> [UInt8] {
            if changes.isEmpty { return durable }
            let lengths = lengths
            let room = lengths.max() ?? 0
            let times = (0..<(room + unit - 1) / unit).map { piece in
                let first = firstTime { $0.overlaps(piece * unit..<(piece + 1) * unit) }
                return loss.pick(first...changes.count, &generator)
            }
            var result = durable
            Self.grow(&result, to: room)
            for (time, change) in changes.enumerated() {
                let (start, new): (Int, [UInt8]?)
                switch change {
                case .write(let offset, let bytes): (start, new) = (offset, bytes)
                // Bytes behind the end are gone, also when the file grows again.
                case .truncate(let length): (start, new) = (length, nil)
                case .extend, .settled: continue
                }
                let end = new.map { start + $0.count } ?? room
                var place = start
                while place < end {
                    let next = min(end, (place / unit + 1) * unit)
                    if times[place / unit] > time {
                        for index in place..<next { result[index] = new?[index - start] ?? 0 }
                    }
                    place = next
                }
            }
            let length = lengths[loss.pick(firstTime { _ in true }...changes.count, &generator)]
            return Array(result.prefix(length))
        }

        /// The length after none, one, two … of the changes.
        private var lengths: [Int] {
            var lengths = [durable.count]
            for change in changes {
                let last = lengths[lengths.count - 1]
                switch change {
                case .write(let offset, let bytes): lengths.append(max(last, offset + bytes.count))
                case .truncate(let length): lengths.append(length)
                case .extend(let length): lengths.append(max(last, length))
                case .settled: lengths.append(last)
                }
            }
            return lengths
        }

        /// How many changes are sure to be there where some bytes were written with waiting.
        private func firstTime(_ isMeant: (Range<Int>) -> Bool) -> Int {
            let last = changes.lastIndex { if case .settled(let range) = $0 { isMeant(range) } else { false } }
            return last.map { $0 + 1 } ?? 0
        }
    }

    /// How much of what may be lost is.
    enum Loss: CaseIterable {
        case nothing
        case some
        case everything

        /// Picks how many changes came to the disk.
        func pick(_ times: ClosedRange<Int>, _ generator: inout SeededGenerator) -> Int {
            switch self {
            case .nothing: times.upperBound
            case .everything: times.lowerBound
            case .some: Int.random(in: times, using: &generator)
            }
        }
    }

    enum NameChange {
        case add(String, Entry)
        case remove(String, Entry)
        case move(String, String, Entry)
        case exchange(String, String)

        var folders: [String] {
            switch self {
            case .add(let path, _), .remove(let path, _): [Disk.folder(of: path)]
            case .move(let from, let to, _), .exchange(let from, let to): [Disk.folder(of: from), Disk.folder(of: to)]
            }
        }

        func apply(to names: inout [String: Entry]) {
            switch self {
            case .add(let path, let entry): names[path] = entry
            case .remove(let path, let entry): if names[path] == entry { names[path] = nil }
            case .move(let from, let to, let entry):
                if names[from] == entry { names[from] = nil }
                names[to] = entry
            case .exchange(let first, let second): (names[first], names[second]) = (names[second], names[first])
            }
        }
    }

    private(set) var files: [File] = []
    /// The names that the machine sees.
    private(set) var names: [String: Entry] = [:]
    /// The names that are sure to be on the disk.
    private(set) var durableNames: [String: Entry] = [:]
    private var nameChanges: [NameChange] = []
    /// The file of a number; numbers are used again.
    private var places: [UInt64: Int] = [:]

    static func folder(of path: String) -> String { String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) }

    // MARK: Calls

    /// Does what a call did.
    mutating func apply(_ call: RecordedCall) {
        switch call {
        case .mark, .map: break
        case .create(let file, let path):
            files.append(File())
            places[file] = files.count - 1
            if !path.isEmpty { rename(.add(path, .file(files.count - 1))) }
        case .write(let file, _, let offset, let bytes, let isSynced):
            change(file, .write(offset: offset, bytes: bytes), isSynced: isSynced)
        case .truncate(let file, _, let length): change(file, .truncate(length))
        case .extend(let file, _, let length): change(file, .extend(length))
        case .sync(let file, let path): sync(file, path)
        case .syncAll:
            for index in files.indices { files[index].sync() }
            (durableNames, nameChanges) = (names, [])
        case .rename(let from, let to):
            if let entry = names[from] { rename(.move(from, to, entry)) }
        case .exchange(let first, let second): rename(.exchange(first, second))
        case .link(let file, let path):
            if let place = places[file] { rename(.add(path, .file(place))) }
        case .unlink(let path), .removeFolder(let path):
            if let entry = names[path] { rename(.remove(path, entry)) }
        case .makeFolder(let path): rename(.add(path, .folder))
        }
    }

    /// The file of a number.
    func file(_ number: UInt64) -> Int? { places[number] }

    /// Whether something comes to the disk by syncing a file, or a folder.
    func waits(for number: UInt64, _ path: String) -> Bool {
        guard path.isEmpty || names[path] == .folder else { return places[number].map { !files[$0].isClean } ?? false }
        return nameChanges.contains { $0.folders.contains(path) }
    }

    private mutating func change(_ number: UInt64, _ change: File.Change, isSynced: Bool = false) {
        if let place = places[number] { files[place].apply(change, isSynced: isSynced) }
    }

    private mutating func rename(_ change: NameChange) {
        change.apply(to: &names)
        nameChanges.append(change)
    }

    private mutating func sync(_ number: UInt64, _ path: String) {
        guard path.isEmpty || names[path] == .folder else {
            if let place = places[number] { files[place].sync() }
            return
        }
        for change in nameChanges where change.folders.contains(path) { change.apply(to: &durableNames) }
        nameChanges.removeAll { $0.folders.contains(path) }
    }

    // MARK: What is on the disk

    /// Whether a name, and those of the folders that it lies in, are sure to be there.
    func isDurable(_ path: String) -> Bool {
        path.isEmpty || (durableNames[path] == names[path] && isDurable(Self.folder(of: path)))
    }

    /// The folders and files that may be there after a power cut; folders have no bytes.
    func contents(
        _ loss: Loss, unit: Int, keepsOrderOfNames: Bool, _ generator: inout SeededGenerator
    ) -> [String: [UInt8]?] {
        var found = durableNames
        let count = loss.pick(0...nameChanges.count, &generator)
        for (index, change) in nameChanges.enumerated() {
            let isKept = loss != .some || keepsOrderOfNames ? index < count : generator.oneIn(2)
            if isKept { change.apply(to: &found) }
        }
        var contents: [String: [UInt8]?] = [:]
        for (path, entry) in found.sorted(by: { $0.key < $1.key }) {
            var folder = Self.folder(of: path)
            while !folder.isEmpty, found[folder] == .folder { folder = Self.folder(of: folder) }
            guard folder.isEmpty else { continue }
            switch entry {
            case .folder: contents.updateValue(nil, forKey: path)
            case .file(let place): contents[path] = files[place].content(loss, unit: unit, &generator)
            }
        }
        return contents
    }
}
