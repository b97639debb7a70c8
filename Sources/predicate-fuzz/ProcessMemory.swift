// What a process takes of memory and time, as the system tells.

import CMemory
import Glibc

enum ProcessMemory {
    /// Bytes that the process had in memory at most.
    static var peak: Int { Int(usage.ru_maxrss) << 10 }

    /// Seconds of processor time so far, on all threads.
    static var processorSeconds: Int { Int(usage.ru_utime.tv_sec) + Int(usage.ru_stime.tv_sec) }

    private static var usage: rusage {
        var usage = rusage()
        // SAFETY: the function fills the structure that it is given.
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage
    }

    /// Bytes of all blocks allocated now; 0 under a sanitizer.
    static var allocated: Int { Int(clamping: cmemory_allocated()) }

    /// Bytes in memory now; 0 where the system does not tell.
    static var resident: Int {
        // SAFETY: the stream is closed by whoever opened it, and is read into numbers that live as long.
        guard let stream = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe fclose(stream) }
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe fgets(&buffer, Int32(buffer.count), stream) != nil else { return 0 }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
