// Opening stores and files from tasks, which are suspended while a thread of the library waits for the disk.

public import FoundationEssentials
public import RecordFiles
public import RecordModel
import RecordStore

extension Container {
    /// Opens a container that persists to a folder, as `init(identifier:storedAt:…)` does. What takes long, such as
    /// reading the log of a store that was not closed, is done on a thread of the library, and the task is suspended.
    ///
    /// - Parameters:
    ///   - identifier: Names the container among others, or `nil` for the store's own.
    ///   - folder: The folder of the store.
    ///   - options: Whether it is written, and how long saves wait for the disk.
    ///   - textIndexProgress: As of `init(identifier:storedAt:…)`, on that thread.
    /// - Throws: `DatabaseError` as `init(identifier:storedAt:…)`.
    public static func open(
        identifier: String?, storedAt folder: URL, options: StorageOptions = StorageOptions(),
        account: Account = .localUser, configuration: Configuration = Configuration(),
        textIndexProgress: @escaping @Sendable (_ done: Int, _ count: Int) -> Void = { _, _ in }
    ) async throws(DatabaseError) -> Container {
        try await BackgroundThread.perform { () throws(DatabaseError) in
            try Container(
                identifier: identifier, storedAt: folder, options: options, account: account,
                configuration: configuration, textIndexProgress: textIndexProgress)
        }
    }
}

extension RecordSet {
    /// Reads record files, as `init(contentsOf:type:options:)` does, on a thread of the library; the task is suspended.
    ///
    ///     let airports = try await RecordSet.load(contentsOf: file)
    ///
    /// - Throws: `FileError` with file, line and field.
    /// - Complexity: O(bytes).
    public static func load(
        contentsOf urls: URL..., type: String? = nil, options: LoadOptions = LoadOptions()
    ) async throws(FileError) -> RecordSet {
        let paths = urls.map(\.path)
        return try await BackgroundThread.perform { () throws(FileError) in
            try RecordSet(contentsOf: paths, type: type, options: options)
        }
    }
}
