// What system errors mean to those who store.

import Glibc
import RecordStorage
import Testing

@Suite struct StorageErrorTests {
    @Test(arguments: [
        (ENOENT, StorageError.Code.missing), (EACCES, .noPermission), (EROFS, .readOnly), (ENOSPC, .diskFull),
        (EDQUOT, .diskFull), (EIO, .ioFailure),
    ])
    func systemErrorsHaveCodes(number: Int32, code: StorageError.Code) {
        let error = StorageError(path: "a/b", "cannot write the file", number: number)
        #expect(error.code == code)
        #expect(error.description.hasPrefix("a/b: cannot write the file: "))
    }
}
