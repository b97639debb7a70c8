// Containers whose data are in a folder.

public import FoundationEssentials
public import RecordModel
import RecordStorage
import RecordStore

/// How the folder of a container is used.
public struct StorageOptions: Hashable, Sendable {
    /// What may be done with the folder.
    public enum Mode: Hashable, Sendable {
        /// Opens the store of the folder, or makes one. There is one writer at a time.
        case readWrite
        /// Opens a store that is there, and shows it as it is at that moment; beside a writer, too.
        case readOnly
    }

    /// How long a save waits for the disk.
    public enum Durability: Hashable, Sendable {
        /// Until what it wrote is on the disk: nothing that was saved is lost, even when the machine fails.
        case full
        /// Until its data are on the disk, and not for the page that names them: when the machine fails, the last save
        /// may be lost, as a whole.
        case normal
        /// Not at all. What was saved survives the end of the process; when the machine fails, the store may be lost,
        /// until it was opened with `full` or `normal`.
        case off
    }

    /// Whether the store is written.
    public var mode = Mode.readWrite
    /// How long a save waits for the disk.
    public var durability = Durability.full
    /// Bytes of changes after which the records are written to files of their own, in the background. More of them make
    /// the next opening after a crash slower, fewer of them make saving slower.
    public var checkpointByteCount = 16 << 20
    /// The version of ICU and of Unicode that indexes of text are written as: that of this process, except in tests.
    package var textVersion = SegmentFile.textVersion

    /// How a store is used; without arguments for writing, with every save on the disk when it returns.
    public init(mode: Mode = .readWrite, durability: Durability = .full) {
        self.mode = mode
        self.durability = durability
    }
}

extension Container {
    /// A container that persists to a folder.
    ///
    /// The folder and its parts are made if they are not there. When a save returns, its records are on disk, all of
    /// them or none, and survive a crash. `close()` releases the lock; so does exiting the process. A container that
    /// was closed, or whose folder was moved or replaced, writes, renames and removes no file.
    ///
    /// - Parameters:
    ///   - identifier: Names the container among others; the one that the store was made with, or `nil` for whichever
    ///     that was (`local` for a new store).
    ///   - folder: The folder of the store.
    ///   - options: Whether it is written, and how long saves wait for the disk.
    ///   - textIndexProgress: A writer rebuilds text indexes made with other versions of ICU and Unicode before the
    ///     call returns; called after each with the number of those that are done, and of all.
    /// - Throws: `DatabaseError` of codes `serviceUnavailable` when someone else writes the store, the disk is full or
    ///   reading fails (then no store is made, either), `permissionFailure` when the folder may not be read or written,
    ///   `invalidArguments` for a folder that is no store, a backup that was interrupted, and another identifier;
    ///   `incompatibleVersion` for a store of a newer version, which is left untouched, and `internalError` for one
    ///   that was damaged.
    public convenience init(
        identifier: String?, storedAt folder: URL, options: StorageOptions = StorageOptions(),
        account: Account = .localUser, configuration: Configuration = Configuration(),
        textIndexProgress: (_ done: Int, _ count: Int) -> Void = { _, _ in }
    ) throws(DatabaseError) {
        if identifier?.isEmpty == true {
            throw DatabaseError(.invalidArguments, "the identifier of a container is empty")
        }
        let store = try ContainerStore(identifier: identifier, storedAt: folder.path, options)
        // What cannot be written now is built again the next time.
        if options.mode == .readWrite { try? store.rebuildTextIndexes(textIndexProgress) }
        try self.init(store, account: account, configuration: configuration)
    }
}

extension ContainerStore {
    /// Opens the store of a folder.
    ///
    /// - Parameter identifier: The container's; `nil` for whatever the store has.
    /// - Throws: `DatabaseError`.
    convenience init(identifier: String?, storedAt path: String, _ options: StorageOptions) throws(DatabaseError) {
        do throws(StorageError) {
            let folder = StoreFolder(path: path)
            let environment = try StorageEnvironment(
                path: path, mode: options.mode == .readOnly ? .readOnly : .readWrite,
                durability: Durability(options.durability),
                new: StoreMetadata(identifier: identifier ?? "local", assetFolder: folder.assets))
            try self.init(Journal(environment, options))
        } catch {
            throw DatabaseError(error)
        }
        guard identifier == nil || self.identifier == identifier else {
            throw DatabaseError(
                .invalidArguments,
                "\(path) is the store of container \(self.identifier), not of \(identifier ?? "")")
        }
    }

    /// Reads what is stored: the state, and the changes since it was written.
    /// - Throws: `StorageError`.
    private convenience init(_ journal: Journal) throws(StorageError) {
        let (contents, image, changes) = try Self.read(journal)
        let folder = journal.environment.folder
        let assets = AssetFolder(
            URL(filePath: folder.assets), syncs: journal.environment.durability != .off,
            access: journal.environment.owner.map { .owned($0) } ?? .readOnly)
        if !journal.isReadOnly { try assets.removeUnfinishedCopies() }
        self.init(image, assets: assets, journal: journal)
        let move = AssetMove(from: contents.metadata.assetFolder, to: folder.assets)
        if let move { for database in databases { try move.apply(to: database.records, path: folder.path) } }
        for (index, change) in changes.enumerated() {
            do throws(DatabaseError) {
                try replay(move?.applied(to: change) ?? change)
            } catch {
                throw StorageError(
                    .corrupted, path: folder.path, "change \(index + 1) of the log cannot be applied: \(error)",
                    hint: "restore a backup")
            }
        }
        // The state says where its assets are; the log names those that come from now on by where they are now.
        if move != nil, !journal.isReadOnly { try checkpoint() }
    }

    /// The changes of a log, with the records that lie in files.
    ///
    /// - Parameter files: Gets the numbers of these files.
    /// - Throws: `StorageError`.
    private static func changes(
        _ log: [[UInt8]], _ journal: Journal, _ files: inout Set<Int>
    ) throws(StorageError) -> [StoreChange] {
        var changes: [StoreChange] = []
        for (index, bytes) in log.enumerated() {
            let change: StoreChange
            do throws(BinaryError) {
                change = try StoreChange(binary: bytes)
            } catch {
                throw StorageError(
                    .corrupted, path: journal.environment.folder.path,
                    "change \(index + 1) of the log cannot be read: \(error)", hint: "restore a backup")
            }
            guard case .load(var commit, let place) = change else {
                changes.append(change)
                continue
            }
            commit.rows = NewRows(try journal.segments.open(place).stored.segment)
            files.insert(place.number)
            changes.append(.commit(commit))
        }
        return changes
    }

    /// The state with its segments, and the changes after it. A reader begins again when a writer replaces the state
    /// meanwhile.
    /// - Throws: `StorageError`.
    private static func read(
        _ journal: Journal
    ) throws(StorageError) -> (contents: StoredContents, image: CheckpointImage, changes: [StoreChange]) {
        var attempts = 0
        while true {
            let contents = try journal.environment.contents()
            do throws(StorageError) {
                var image = try CheckpointImage(
                    identifier: contents.metadata.identifier, from: contents.parts, journal.segments)
                var files = image.files
                let changes = try Self.changes(contents.log, journal, &files)
                if !journal.isReadOnly {
                    try journal.environment.syncState()
                    try journal.segments.removeFiles(except: files)
                }
                (image.incarnation, image.lastForeignChange) = try journal.environment.beginSession()
                return (contents, image, changes)
            } catch {
                guard error.code == .missing else { throw error }
                attempts += 1
                if !journal.isReadOnly || attempts == 100 {
                    throw StorageError(.corrupted, path: error.path, error.reason, hint: "restore a backup")
                }
            }
        }
    }
}

extension Durability {
    fileprivate init(_ durability: StorageOptions.Durability) {
        switch durability {
        case .full: self = .full
        case .normal: self = .normal
        case .off: self = .off
        }
    }
}
