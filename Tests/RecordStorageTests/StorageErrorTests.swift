// What system errors mean to those who store.

import Glibc
import RecordStorage
import Testing

@Suite struct StorageErrorTests {
    @Test(arguments: [
        (ENOENT, StorageError.Code.missing), (EACCES, .noPermission), (EROFS, .readOnly), (ENOSPC, .diskFull),
        (EDQUOT, .diskFull), (EIO, .ioFailure), (ENOTDIR, .missing), (EPERM, .noPermission),
    ])
    func systemErrorsHaveCodes(number: Int32, code: StorageError.Code) {
        let error = StorageError(path: "a/b", "cannot write the file", number: number)
        #expect(error.code == code)
        #expect(error.description.hasPrefix("a/b: cannot write the file: "))
    }

    @Test func errorsSayWhatToDo() {
        for number in [EACCES, EROFS, ENOSPC, EDQUOT] {
            #expect(StorageError(path: "p", "cannot write", number: number).hint?.isEmpty == false, "\(number)")
        }
        for number in [ENOENT, EIO] { #expect(StorageError(path: "p", "cannot write", number: number).hint == nil) }
        #expect(StorageError(.locked, path: "p", "why", hint: "what to do").description == "p: why (what to do)")
        #expect(StorageError(.locked, path: "p", "why").description == "p: why")
    }
}
