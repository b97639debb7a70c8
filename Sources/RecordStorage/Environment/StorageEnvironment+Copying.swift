// Copies of a store in other folders.

import Glibc

extension StorageEnvironment {
    /// Copies the store, as it is at one moment, into a folder that does not exist. The caller sees to it that no
    /// checkpoint removes files meanwhile.
    /// Throws: `StorageError`; then the new folder is as far as the copy came, without tables.
    package func copy(to copy: StoreFolder) throws(StorageError) {
        if StoreFolder.exists(copy.path) {
            throw StorageError(
                .notAStore, path: copy.path, "the folder exists already", hint: "name one that does not")
        }
        try copy.make()
        // The log grows behind the copy of the tables, and files that it names are there before it names them: so the
        // tables come first, into a folder of their own, and get their place last, when all that they name is there.
        let tables = StoreFolder(path: copy.path + "/segments")
        try copyTables(to: tables)
        for name in try StoreFolder.names(in: folder.segments) where name.hasSuffix(".segment") {
            try StoreFolder.copyFile("\(folder.segments)/\(name)", to: "\(copy.segments)/\(name)")
        }
        for name in try StoreFolder.names(in: folder.assets) where !name.hasPrefix("copy-") {
            try StoreFolder.copyFile("\(folder.assets)/\(name)", to: "\(copy.assets)/\(name)")
        }
        guard unsafe rename(tables.tables, copy.tables) == 0 else {
            throw StorageError(path: copy.tables, "cannot name the file", number: errno)
        }
        for path in [copy.segments, copy.assets, copy.path] { try StoreFolder.sync(path) }
    }
}

extension StoreFolder {
    /// Number and bytes of the files of a part.
    package func files(in part: String) -> (count: Int, bytes: Int) {
        var (count, bytes) = (0, 0)
        for name in (try? Self.names(in: part)) ?? [] {
            count += 1
            bytes += FileIdentity(path: "\(part)/\(name)")?.size ?? 0
        }
        return (count, bytes)
    }

    /// Copies a file, to the disk. One that is gone by now is left out.
    /// Throws: `StorageError`.
    static func copyFile(_ source: String, to target: String) throws(StorageError) {
        let input = unsafe open(source, O_RDONLY | O_CLOEXEC)
        if input < 0, errno == ENOENT { return }
        guard input >= 0 else { throw StorageError(path: source, "cannot open the file", number: errno) }
        defer { close(input) }
        let output = unsafe open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard output >= 0 else { throw StorageError(path: target, "cannot make the file", number: errno) }
        defer { close(output) }
        while true {
            let count = sendfile(output, input, nil, 1 << 24)
            if count == 0 { break }
            guard count > 0 || errno == EINTR else {
                throw StorageError(path: target, "cannot write the file", number: errno)
            }
        }
        guard fsync(output) == 0 else { throw StorageError(path: target, "cannot write the file", number: errno) }
    }
}
