// Why a stored database cannot be opened, read or written.

import Glibc

/// What was wrong with a file or folder of a stored database: the path, the reason and what to do about it.
package struct StorageError: Error, Hashable, Sendable {
    /// Kinds of errors.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The folder or file is none of this library's.
        case notAStore
        /// Written by a newer version of the library; left untouched.
        case incompatibleVersion
        /// Bytes are not those that were written: a torn, changed or mixed-up file.
        case corrupted
        /// Another process, or another part of this one, writes the store or keeps it locked, or too many read it.
        case locked
        /// The store, or the file system it is on, may only be read.
        case readOnly
        /// The operating system forbids it.
        case noPermission
        /// There is no such file or folder, or it is gone.
        case missing
        /// No room is left on the disk.
        case diskFull
        /// The store has reached the size that it was given.
        case quotaExceeded
        /// A value is beyond what a store can hold.
        case limitExceeded
        /// Reading or writing failed for another reason.
        case ioFailure
    }

    package var code: Code
    /// The file or folder.
    package var path: String
    /// What is wrong, in words: what was expected and what was found, never a value of a record.
    package var reason: String
    /// What to do about it, where there is a usual remedy.
    package var hint: String?

    package init(_ code: Code, path: String, _ reason: String, hint: String? = nil) {
        self.code = code
        self.path = path
        self.reason = reason
        self.hint = hint
    }

    /// The error of a system call that failed.
    ///
    /// - Parameters:
    ///   - action: What was tried, as in "cannot open the file".
    ///   - number: The system's number for the reason, `errno` after the call.
    package init(path: String, _ action: String, number: Int32) {
        let name = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        let (code, hint) = Self.meaning(of: number)
        self.init(code, path: path, "\(action): \(name)", hint: hint)
    }

    private static func meaning(of number: Int32) -> (Code, hint: String?) {
        switch number {
        case ENOENT, ENOTDIR: (.missing, nil)
        case EACCES, EPERM: (.noPermission, "check the owner and the permissions of the folder and its files")
        case EROFS: (.readOnly, "open the store for reading, or put it on a file system that can be written")
        case ENOSPC, EDQUOT: (.diskFull, "make room on the disk and try again: what was stored is unharmed")
        default: (.ioFailure, nil)
        }
    }
}

extension StorageError: CustomStringConvertible {
    package var description: String { "\(path): \(reason)" + (hint.map { " (\($0))" } ?? "") }
}
