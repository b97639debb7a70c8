// A pipe within this program, or to a child.

import Glibc

/// Both ends of a pipe; programs that are started do not inherit them.
struct PipeEnds {
    let reader: Int32
    let writer: Int32

    /// A new pipe; `nil` when there are no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        // SAFETY: the array has room for both ends.
        guard unsafe pipe(&ends) == 0 else { return nil }
        (reader, writer) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    /// Makes reading an empty pipe and writing to a full one an error instead of a wait.
    func neverWait() {
        for end in [reader, writer] { _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK) }
    }
}
