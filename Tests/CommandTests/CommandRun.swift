// Runs the built command as a subprocess, as a shell would.

import Foundation
import Testing

@testable import Campaigns

/// The outcome of one run.
struct CommandRun {
    var status: Int32
    var output: String
    var errors: String

    /// Lines of standard output.
    var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) }

    /// Runs `predicate` with arguments, standard input and environment changes.
    init(_ arguments: [String], input: String = "", environment: [String: String] = [:]) throws {
        try self.init(executable: Self.executable, arguments, input: input, environment: environment)
    }

    /// Runs a shell line; `$predicate` is the command's path.
    init(shell line: String, input: String = "") throws {
        try self.init(
            executable: "/bin/sh", ["-c", line], input: input, environment: ["predicate": Self.executable])
    }

    /// Runs another program of the package.
    init(program name: String) throws {
        try self.init(executable: Self.path(of: name), [], input: "", environment: [:])
    }

    private init(executable: String, _ arguments: [String], input: String, environment: [String: String]) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["in", "out", "err"].map { folder.appendingPathComponent($0) }
        try Data(input.utf8).write(to: files[0])
        for file in files[1...] { try Data().write(to: file) }

        let flags = [O_RDONLY, O_WRONLY, O_WRONLY]
        let descriptors = zip(files, flags).map { open($0.path, $1 | O_CLOEXEC) }
        defer { for descriptor in descriptors { close(descriptor) } }
        var variables: [String: String?] = ["NO_COLOR": nil, "CLICOLOR_FORCE": nil, "COLUMNS": nil]
        for (name, value) in environment { variables[name] = value }
        let process = ChildProcess.start(
            [executable] + arguments, environment: variables,
            descriptors: [0: descriptors[0], 1: descriptors[1], 2: descriptors[2]])
        let end = try #require(process, "\(executable) cannot be started").wait()
        status = end & 0x7F == 0 ? end >> 8 & 0xFF : 128 + end & 0x7F
        output = String(decoding: try Data(contentsOf: files[1]), as: UTF8.self)
        errors = String(decoding: try Data(contentsOf: files[2]), as: UTF8.self)
    }

    /// The built command.
    static let executable = path(of: "predicate")

    /// A built program: it lies beside the test bundle.
    private static func path(of name: String) -> String {
        var path = [UInt8](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count)
        let tests = URL(fileURLWithPath: String(decoding: path.prefix(max(0, count)), as: UTF8.self))
        let folders =
            [tests.deletingLastPathComponent(), Bundle.main.bundleURL]
            + CommandLine.arguments.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        return folders.map { $0.appendingPathComponent(name).path }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? name
    }
}

/// Record files that live as long as the test.
struct TemporaryFolder: ~Copyable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("records-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file and answers its path.
    func file(_ name: String, _ text: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
