// How a browser learns the address: by a file that leads on, since every user sees the command lines of others.

import Glibc
import RecordDatabase

/// A page of one's own that leads to an address.
struct AddressFile {
    private let path: String

    /// Writes the file, which nobody else can read; `nil` where that fails.
    init?(_ address: String) {
        let folder = Environment["XDG_RUNTIME_DIR"] ?? Environment["TMPDIR"] ?? "/tmp"
        var name = Array("\(folder)/predicate-explore-XXXXXX.html".utf8CString)
        // SAFETY: the array holds a NUL-terminated template that is changed in place. The file has mode 0600.
        let descriptor = unsafe mkstemps(&name, 5)
        guard descriptor >= 0 else { return nil }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The address has no character that means something to HTML.
        let page = "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=\(address)\"><title>predicate</title>\n"
        let outcome = ByteWriter.write(Array(page.utf8), to: descriptor)
        let isClosed = close(descriptor) == 0
        guard case .taken = outcome, isClosed else {
            remove()
            return nil
        }
    }

    /// Opens it in the user's browser, where there is a desktop.
    func open() {
        guard Environment["DISPLAY"] != nil || Environment["WAYLAND_DISPLAY"] != nil else { return }
        var child = ChildProgram(shell: "xdg-open \"$1\" >/dev/null 2>&1 &", argument: path)
        _ = child?.finish()
    }

    /// Removes it.
    func remove() {
        // SAFETY: the path is passed as a NUL-terminated copy.
        unsafe unlink(path)
    }
}
