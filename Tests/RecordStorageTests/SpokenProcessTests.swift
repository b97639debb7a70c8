// How processes end, as the campaigns that started them see it.

import Glibc
import Testing

@testable import Campaigns

@Suite(.timeLimit(.minutes(1)))
struct SpokenProcessTests {
    private struct Case: Sendable {
        var script: String
        var ending: SpokenProcess.Ending
        var fault: String?
        /// Whether it is over when it is to end.
        var isOver = true
    }

    private func process(_ script: String) throws -> SpokenProcess {
        try #require(SpokenProcess(["/bin/sh", "-c", script]))
    }

    private func waitForEnd(of process: SpokenProcess) {
        for _ in 0..<50_000 where !process.hasEnded { usleep(1000) }
    }

    @Test(
        "A kill that was sent is no fault, any other end before it is one",
        arguments: [
            Case(script: "read line", ending: .killed, isOver: false),
            Case(script: "exit 0", ending: .byItself(0), fault: "ended by itself with status 0"),
            Case(script: "exit 3", ending: .byItself(3 << 8), fault: "ended by itself with status 3"),
            Case(script: "kill -TRAP $$", ending: .byItself(SIGTRAP), fault: "ended by itself with signal 5"),
            // As the system does where memory is short.
            Case(script: "kill -KILL $$", ending: .byItself(SIGKILL), fault: "ended by itself with signal 9"),
        ])
    private func kills(_ test: Case) throws {
        let process = try process("echo begun; \(test.script)")
        #expect(process.line() == "begun")
        if test.isOver { waitForEnd(of: process) } else { #expect(!process.hasEnded) }
        check(process.kill(), test)
        process.forget()
    }

    @Test(
        "Success at the end of the input is no fault, any other end is one",
        arguments: [
            Case(script: "read line; exit 0", ending: .finished(0), isOver: false),
            Case(
                script: "read line; exit 2", ending: .finished(2 << 8), fault: "ended with status 2", isOver: false),
            Case(
                script: "read line; kill -ABRT $$", ending: .finished(SIGABRT), fault: "ended with signal 6",
                isOver: false),
            Case(script: "exit 0", ending: .byItself(0), fault: "ended by itself with status 0"),
            Case(script: "exec sleep 60", ending: .late, fault: "did not end with its input", isOver: false),
        ])
    private func ends(_ test: Case) throws {
        let process = try process("echo begun; \(test.script)")
        #expect(process.line() == "begun")
        if test.isOver { waitForEnd(of: process) }
        check(process.finish(within: test.ending == .late ? .milliseconds(50) : .seconds(50)), test)
        process.forget()
    }

    private func check(_ ending: SpokenProcess.Ending, _ test: Case) {
        // A dump of memory is no part of how it ended.
        switch ending {
        case .byItself(let status): #expect(.byItself(status & ~0x80) == test.ending)
        case .finished(let status): #expect(.finished(status & ~0x80) == test.ending)
        case .killed, .late: #expect(ending == test.ending)
        }
        if let fault = test.fault {
            #expect(ending.fault?.hasPrefix(fault) == true)
        } else {
            #expect(ending.fault == nil)
        }
    }

    @Test("What a process prints while it ends is read, however much that is")
    func longEnd() throws {
        let process = try process("read line; for n in $(seq 20000); do echo \"line $n\"; done")
        #expect(process.finish(within: .seconds(50)).fault == nil)
        #expect(process.linesSoFar().last == "line 20000")
        process.forget()
    }

    @Test("A line is waited for no longer than wanted")
    func lines() throws {
        let process = try process("echo one; read line; echo two")
        #expect(process.line(within: .seconds(50)) == "one")
        #expect(process.line(within: .milliseconds(20)) == nil)
        #expect(process.finish(within: .seconds(50)).fault == nil)
        #expect(process.line(within: .seconds(50)) == "two")
        #expect(process.line(within: .seconds(50)) == nil)
        process.forget()
    }
}
