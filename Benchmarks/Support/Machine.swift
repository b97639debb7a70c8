// Which machine a figure came from, and when.

import FoundationEssentials
import Glibc

/// The machine and the time of a run.
struct Machine: Codable {
    var processor: String
    var cores: Int
    /// RFC 3339, UTC, to the second.
    var date: String
    /// Runnable threads over the last minute when the run began.
    var load: Double

    static func current() -> Machine {
        let lines = text(of: "/proc/cpuinfo").split(separator: "\n")
        let model = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        let load = text(of: "/proc/loadavg").split(separator: " ").first.flatMap { Double($0) }
        return Machine(
            processor: model.map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init) ?? "unknown",
            cores: lines.count { $0.hasPrefix("processor") },
            date: Date().formatted(.iso8601),
            load: load ?? 0)
    }

    var line: String { "\(processor), \(cores) cores, load \(load), \(date)" }

    /// Resident memory of this process, in bytes.
    static var residentBytes: Int {
        let fields = text(of: "/proc/self/statm").split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else { return 0 }
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    private static func text(of path: String) -> String {
        // Files of /proc say that they are empty, so they are read to their end, not by their size.
        guard let file = unsafe fopen(path, "r") else { return "" }
        defer { unsafe fclose(file) }
        var bytes: [UInt8] = []
        while case let byte = unsafe getc(file), byte >= 0 { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
