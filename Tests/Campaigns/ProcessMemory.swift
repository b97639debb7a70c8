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
        let pages = text(of: "/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Begins to watch for the peak anew.
    /// - Returns: Whether the system does that.
    static func forgetPeak() -> Bool {
        // SAFETY: the stream is closed by whoever opened it.
        guard let stream = unsafe fopen("/proc/self/clear_refs", "w") else { return false }
        defer { unsafe fclose(stream) }
        return unsafe fputs("5", stream) >= 0 && fflush(stream) == 0
    }

    /// Bytes in memory at most since `forgetPeak`; 0 where the system does not tell.
    static var recentPeak: Int {
        let line = text(of: "/proc/self/status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    /// The first bytes of a file that the system writes; empty where there is none.
    private static func text(of path: String) -> String {
        // SAFETY: the stream is closed by whoever opened it, and is read into numbers that live as long.
        guard let stream = unsafe fopen(path, "r") else { return "" }
        defer { unsafe fclose(stream) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe fread(&buffer, 1, buffer.count, stream)
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
