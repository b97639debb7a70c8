// Programs that cannot be started: nothing of what was made for them stays open.

import Foundation
import Testing

@testable import predicate

@Suite struct ChildProgramTests {
    private static func openFiles() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
    }

    /// No system takes an argument of megabytes. Other tests open files meanwhile, but not as many.
    @Test func aProgramThatDoesNotStartLeavesNoPipe() throws {
        let argument = String(repeating: "a", count: 3 << 20)
        let before = try Self.openFiles()
        for _ in 0..<300 {
            let isStarted = ChildProgram(shell: "cat", argument: argument, pipesInput: true) != nil
            #expect(!isStarted)
        }
        #expect(try Self.openFiles() < before + 200)
    }
}
