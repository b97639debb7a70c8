// What the tables of a store hold, under which keys.

/// The keys of single entries, and numbers as keys.
enum StoreKeys {
    static let metadata = Array("store".utf8)
    /// Where the state ends and the log begins.
    static let through = Array("through".utf8)

    /// There when files of the store may not be on the disk: an earlier writer did not wait for it.
    static let unsynced = Array("unsynced".utf8)

    static func key(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
    }

    static func number(_ key: some Sequence<UInt8>) -> UInt64 {
        key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension TableTransaction {
    /// What the store says about itself.
    /// - Throws: `StorageError`.
    func metadata(path: String) throws(StorageError) -> StoreMetadata {
        guard let bytes = try value(of: StoreKeys.metadata, in: .meta) else {
            throw StorageError(.corrupted, path: path, "the store does not say which form it has")
        }
        return try StoreMetadata(bytes, path: path)
    }

    /// All that is stored. Complexity: O(bytes).
    /// - Throws: `StorageError`.
    func contents(path: String) throws(StorageError) -> StoredContents {
        var contents = StoredContents(metadata: try metadata(path: path))
        try forEach(in: .state) { key, value throws(StorageError) in
            contents.parts[String(decoding: key, as: UTF8.self)] = value
        }
        let through = try value(of: StoreKeys.through, in: .meta) ?? []
        var expected = StoreKeys.number(through)
        // Every commit of the tables leaves its number: an older state of them is noticed.
        var commit = StoreKeys.number(through.dropFirst(8))
        try forEach(in: .log) { key, value throws(StorageError) in
            let (next, isOver) = expected.addingReportingOverflow(1)
            guard !isOver, StoreKeys.number(key) == next else {
                throw StorageError(.corrupted, path: path, "the log lacks change \(next)")
            }
            expected = next
            commit = max(commit, StoreKeys.number(value))
            contents.log.append(Array(value.dropFirst(8)))
        }
        guard try number == commit else {
            throw StorageError(.corrupted, path: path, "the tables are not those of commit \(commit)")
        }
        return contents
    }

    /// Replaces what the store says about itself, as a commit of its own.
    /// - Throws: `StorageError`.
    func replace(_ metadata: StoreMetadata, path: String) throws(StorageError) {
        let last = try value(of: StoreKeys.through, in: .meta).map { StoreKeys.number($0) } ?? 0
        try put(metadata.bytes(path: path), for: StoreKeys.metadata, in: .meta)
        try put(through(last), for: StoreKeys.through, in: .meta)
    }

    /// The entry that says which change is the last one that the state holds, and which commit said so.
    func through(_ change: UInt64) throws(StorageError) -> [UInt8] {
        StoreKeys.key(change) + StoreKeys.key(try number)
    }

    /// The entry of a change in the log.
    func logEntry(_ change: some Sequence<UInt8>) throws(StorageError) -> [UInt8] {
        StoreKeys.key(try number) + change
    }

    /// Writes an entry of another store's tables, as one of the commit that this is.
    /// - Throws: `StorageError`.
    func take(_ key: [UInt8], _ value: [UInt8], of table: Table) throws(StorageError) {
        switch table {
        case .state: try put(value, for: key, in: table)
        case .log: try put(logEntry(value.dropFirst(8)), for: key, in: table)
        case .meta where key == StoreKeys.through:
            try put(through(StoreKeys.number(value)), for: key, in: table)
        case .meta where key == StoreKeys.metadata:
            // The same history goes on in another file.
            var metadata = try StoreMetadata(value, path: path)
            metadata.generation?.home = StoreGeneration.Home(of: StoreFolder(path: path))
            try put(metadata.bytes(path: path), for: key, in: table)
        case .meta: try put(value, for: key, in: table)
        }
    }
}
