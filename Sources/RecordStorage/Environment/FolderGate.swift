// Who may look at the tables of a store while they are being replaced.

import Glibc

/// A lock on the folder of a store: many readers hold it for as long as they have the tables open, or the writer that
/// puts other tables in their place. The system lets it go with the process.
struct FolderGate {
    enum Passage: Hashable {
        case reading
        case replacing
    }

    private let descriptor: Int32

    /// How long is waited before it is tried again, in microseconds.
    private static let pause: UInt32 = 2_000

    /// Waits for the lock.
    ///
    /// Whoever may read the folder can lock it: nobody is waited for without end.
    /// - Parameters:
    ///   - location: Another path that leads to the folder.
    ///   - patience: For how long.
    /// - Throws: `StorageError`, of code `locked` when those who have it do not go.
    init(
        _ path: String, at location: String? = nil, for passage: Passage, patience: Duration
    ) throws(StorageError) {
        descriptor = unsafe open(location ?? path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw StorageError(path: path, "cannot open the folder", number: errno) }
        let end = ContinuousClock.now + patience
        repeat {
            if flock(descriptor, (passage == .reading ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0 { return }
            let number = errno
            guard number == EWOULDBLOCK || number == EINTR else {
                // Where folders cannot be locked, none is replaced either.
                if passage == .reading { return }
                close(descriptor)
                throw StorageError(path: path, "cannot lock the folder", number: number)
            }
            usleep(Self.pause)
        } while ContinuousClock.now < end
        close(descriptor)
        let seconds = patience.formattedSeconds
        throw passage == .reading
            ? StorageError(
                .locked, path: path, "another process has kept the folder locked for more than \(seconds)",
                hint: "a store that is being compacted is free at once; `lslocks` names other programs that lock it")
            : StorageError(
                .locked, path: path, "another process has been reading the tables for more than \(seconds)",
                hint: "try again when it is done")
    }

    /// Lets the next one in; called once.
    func leave() { close(descriptor) }
}

extension Duration {
    /// Whole seconds in words.
    fileprivate var formattedSeconds: String {
        let seconds = components.seconds
        return seconds == 1 ? "a second" : "\(seconds) seconds"
    }
}
