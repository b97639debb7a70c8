// Inputs of the targets as files: written to begin with, and run again.

import FoundationEssentials

/// The commands about inputs: `targets`, `seeds`, `replay`, `keep`.
enum Replay {
    /// - Returns: Whether all went well.
    static func run(_ command: String, _ arguments: [String]) -> Bool {
        defer { ScratchFolder.remove() }
        switch (command, arguments.count) {
        case ("targets", 0):
            for target in FuzzTarget.all { print("\(target.name): \(target.summary)") }
            return true
        case ("seeds", 2):
            guard let target = FuzzTarget.named(arguments[0]) else { break }
            return writeSeeds(of: target, into: arguments[1])
        case ("replay", 0):
            let results = FuzzTarget.all.map { replay($0, all(for: $0)) }
            return results.allSatisfy { $0 }
        case ("keep", 2):
            guard let target = FuzzTarget.named(arguments[0]) else { break }
            return keep(arguments[1], as: target)
        case ("replay", 2...):
            guard let target = FuzzTarget.named(arguments[0]) else { break }
            let inputs = arguments.dropFirst().map { (path: $0, bytes: bytes($0)) }
            for input in inputs where input.bytes == nil { print("predicate-fuzz: cannot read \(input.path)") }
            return replay(target, inputs.compactMap(\.bytes)) && inputs.allSatisfy { $0.bytes != nil }
        default: break
        }
        print("predicate-fuzz: no such target, or not such arguments")
        return false
    }

    /// What is in the current folder for a target, and what is generated for it.
    private static func all(for target: FuzzTarget) -> [[UInt8]] {
        stored(for: target, below: ".") + KeptCorpus.inputs(of: target, below: ".") + target.seeds()
    }

    /// Makes the files of a folder the kept inputs of a target.
    private static func keep(_ folder: String, as target: FuzzTarget) -> Bool {
        let path = KeptCorpus.path(of: target, below: ".")
        let bytes = KeptCorpus.packed(contents(of: folder))
        do {
            try FileManager.default.createDirectory(
                atPath: KeptCorpus.folder(below: "."), withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(filePath: path))
        } catch {
            print("predicate-fuzz: cannot write \(path): \(error)")
            return false
        }
        print("keep, \(target.name): \(KeptCorpus.unpacked(bytes).count) inputs, \(bytes.count) bytes")
        return true
    }

    private static func bytes(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { [UInt8]($0) }
    }

    /// The stored inputs of a target: files of `Grammar/Fuzz`, and the cases of `Grammar/Conformance` where they fit.
    static func stored(for target: FuzzTarget, below root: String) -> [[UInt8]] {
        let files = ["seeds", "regressions"].flatMap { kind in
            contents(of: "\(root)/Grammar/Fuzz/\(kind)/\(target.name)")
        }
        return files + (target.inputOfCase.map { inputs in cases(below: root).compactMap(inputs) } ?? [])
    }

    private static func contents(of folder: String) -> [[UInt8]] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { !$0.hasSuffix(".md") }.compactMap { bytes("\(folder)/\($0)") }
    }

    /// The lines of the files of cases.
    private static func cases(below root: String) -> [[UInt8]] {
        contents(of: "\(root)/Grammar/Conformance").flatMap { file in
            file.split(separator: UInt8(ascii: "\n")).filter { $0.first != UInt8(ascii: "#") }.map { Array($0) }
        }
    }

    /// Runs inputs and tells what became of them.
    private static func replay(_ target: FuzzTarget, _ inputs: [[UInt8]]) -> Bool {
        var findings = Findings()
        var accepted = 0
        for input in inputs {
            switch target.run(input) {
            case .accepted: accepted += 1
            case .rejected: break
            case .finding(let finding): findings.report("\(target.name): \(finding)")
            }
        }
        print("replay, \(target.name): \(inputs.count) inputs, \(accepted) accepted, \(findings.count) findings")
        return findings.count == 0 && !inputs.isEmpty
    }

    /// Writes the inputs to begin with into a folder.
    static func writeSeeds(of target: FuzzTarget, into folder: String) -> Bool {
        guard (try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)) != nil
        else {
            print("predicate-fuzz: no folder \(folder)")
            return false
        }
        let inputs = all(for: target)
        for (number, input) in inputs.enumerated() {
            let path = "\(folder)/seed-\(number)"
            guard FileManager.default.createFile(atPath: path, contents: Data(input)) else { return false }
        }
        print("seeds, \(target.name): \(inputs.count) inputs")
        return true
    }
}
