// `gate`: instruction and allocation counts of a small fixed suite against the committed baseline.

import FoundationEssentials

/// Counts instructions (under Valgrind) and allocations, and fails where a task needs more than the baseline allows.
///
/// Instructions, not time: the count of a task is the same on a busy machine. A task is run once and more often
/// in processes of their own; the difference is the task without start-up and preparation.
enum GateSuite: Suite {
    static let name = "gate"
    static let summary = """
        [--hot] [--baseline FILE] [--only PREFIX] [--update]: instructions and allocations of a fixed suite, or of its hot paths; fails above 1.10 of the baseline
        """
    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(
            arguments, names: ["baseline", "only", "task", "repetitions"], flags: ["update", "hot"])
        if let task = options["task"] {
            return try GateTask.run(task, repetitions: options.count("repetitions", default: 1))
        }
        let path = options["baseline"] ?? "Benchmarks/Baselines/instructions.json"
        let prefix = options["only"] ?? ""
        var baseline =
            FileManager.default.fileExists(atPath: path) ? try readJSON([String: TaskCost].self, path) : [:]
        let counter = try InstructionCounter()
        var table = TextTable(["task", "instructions", "ratio", "allocations", "ratio"])
        var failures: [String] = []
        defer { try? FileManager.default.removeItem(atPath: GateTask.folder) }
        for task in GateTask.all where task.name.hasPrefix(prefix) && (task.isHot || !options.has("hot")) {
            let (name, cost) = (task.name, try counter.cost(of: task))
            let ratios = baseline[name].map(cost.ratios)
            table.add([
                name, cost.instructions.separated, ratios?.instructions.figure ?? "-", cost.allocations.separated,
                ratios?.allocations.figure ?? "-",
            ])
            if options.has("update") {
                baseline[name] = cost
            } else if let ratios {
                if ratios.instructions > task.limit { failures.append("\(name): too many instructions") }
                if ratios.allocations > task.limit { failures.append("\(name): too many allocations") }
            } else {
                failures.append("\(name) has no baseline; `gate --update` writes it")
            }
        }
        print(table.text)
        if options.has("update") { try writeJSON(baseline, path) }
        guard failures.isEmpty else { throw WrongResult(description: failures.joined(separator: "\n")) }
    }
}

/// What a task costs once.
private struct TaskCost: Codable {
    var instructions: Int
    /// Blocks of memory asked for.
    var allocations: Int

    func ratios(to baseline: TaskCost) -> (instructions: Double, allocations: Double) {
        (
            Double(instructions) / Double(max(1, baseline.instructions)),
            // A handful more of few is no regression.
            Double(allocations) / Double(max(20, baseline.allocations))
        )
    }
}

/// Counts the instructions of this program doing one task.
private struct InstructionCounter {
    private let program: String
    private let valgrind: String

    init() throws {
        guard let valgrind = ["/usr/bin/valgrind", "/usr/local/bin/valgrind"].first(where: isExecutable) else {
            throw UsageError(description: "the gate needs valgrind (apt-get install valgrind binutils)")
        }
        self.valgrind = valgrind
        // Valgrind 3.19 cannot read the debugging information of Swift's compiler.
        program = FileManager.default.temporaryDirectory.path + "/benchmarks-without-symbols"
        let strip = ["/usr/bin/objcopy", "--strip-debug", CommandLine.arguments.first ?? "", program]
        guard try ChildProcess.run(strip).status == 0 else { throw UsageError(description: "objcopy failed") }
    }

    func cost(of task: GateTask) throws -> TaskCost {
        // Files that the first run makes are there then.
        try GateTask.run(task.name, repetitions: 0)
        let (one, more) = (
            try run(task.name, repetitions: 1), try run(task.name, repetitions: 1 + task.repetitions)
        )
        return TaskCost(
            instructions: (more.instructions - one.instructions) / task.repetitions, allocations: more.allocations)
    }

    private func run(_ task: String, repetitions: Int) throws -> TaskCost {
        let log = program + ".log"
        let child = try ChildProcess.run(
            [
                "/usr/bin/env", "SWIFT_DETERMINISTIC_HASHING=1", "SWIFT_BACKTRACE=enable=no", valgrind,
                "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=\(log)", program, GateSuite.name,
                "--task", task, "--repetitions", String(repetitions),
            ])
        let text = FileManager.default.contents(atPath: log).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let line = text.split(separator: "\n").first { $0.contains("Collected") }
        let output = String(decoding: child.output, as: UTF8.self)
        guard child.status == 0, let instructions = line?.split(separator: " ").last.flatMap({ Int($0) }),
            let allocations = Int(output.filter(\.isNumber))
        else {
            throw WrongResult(description: "\(task) ended with \(child.status): \(output)\(text.suffix(500))")
        }
        return TaskCost(instructions: instructions, allocations: allocations)
    }
}

private func isExecutable(_ path: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: path)
}
