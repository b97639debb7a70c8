// What is wrong with a load, judged by what was seen of it: who stops, who is refused for ever, what grows.

import Testing

@testable import Campaigns

struct LoadJudgementTests {
    // MARK: Whether it goes on

    /// What is seen in each of so many seconds.
    private struct Span: Sendable {
        var seconds: Int
        var events: [LoadWatch.Event] = []
        /// Seconds from one look to the next.
        var look = 1.0
    }

    private static let works: [LoadWatch.Event] = [
        .done(.writer), .done(.readers), .done(.reader(0)), .done(.maintenance),
    ]
    private static let writerRefused: [LoadWatch.Event] = works.dropFirst() + [.refused(.writer, "no room")]
    private static let readerRefused: [LoadWatch.Event] = works + [.refused(.reader(2), "the list is full")]

    private struct Course: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var spans: [Span]
        /// How the faults begin, in order.
        var faults: [String] = []
    }

    private static let courses = [
        Course(testDescription: "all go on", spans: [Span(seconds: 7200, events: works)]),
        Course(
            testDescription: "the writer is refused for a minute",
            spans: [Span(seconds: 60, events: writerRefused), Span(seconds: 100, events: works)]),
        Course(
            testDescription: "the writer is refused for longer",
            spans: [Span(seconds: 63, events: writerRefused), Span(seconds: 100, events: works)],
            faults: ["the writer: refused 62 times in 61 s with room on the disk: no room"]),
        Course(
            testDescription: "the writer is refused for ever, with a full disk now and then",
            spans: (0..<6).flatMap { _ in
                [
                    Span(seconds: 1, events: [.filled] + writerRefused),
                    Span(seconds: 1, events: writerRefused + [.freed]), Span(seconds: 25, events: writerRefused),
                ]
            }, faults: ["the writer: refused"]),
        Course(
            testDescription: "the disk stays full", spans: [Span(seconds: 3000, events: [.filled] + writerRefused)]),
        Course(
            testDescription: "a full disk is told of late",
            spans: (0..<60).flatMap { _ in
                [Span(seconds: 1, events: [.filled, .freed]), Span(seconds: 9, events: writerRefused)]
            }),
        Course(
            testDescription: "a reader is refused for ever beside others that read",
            spans: [Span(seconds: 63, events: readerRefused)],
            faults: ["reader 2: refused 62 times in 61 s with room on the disk: the list is full"]),
        Course(
            testDescription: "few refusals in a long time",
            spans: (0..<4).flatMap { _ in
                [Span(seconds: 1, events: readerRefused), Span(seconds: 100, events: works)]
            }),
        Course(
            testDescription: "a call of three minutes", spans: [Span(seconds: 180, events: Array(works.dropFirst()))]),
        Course(
            testDescription: "no commit", spans: [Span(seconds: 181, events: Array(works.dropFirst()))],
            faults: ["the writer: nothing done in 181 s"]),
        Course(
            testDescription: "no commit, twice as long",
            spans: [Span(seconds: 362, events: Array(works.dropFirst()))],
            faults: ["the writer: nothing done in 181 s", "the writer: nothing done in 181 s"]),
        Course(
            testDescription: "no moment",
            spans: [Span(seconds: 301, events: [.done(.writer), .done(.maintenance)])],
            faults: ["the readers: nothing done in 301 s"]),
        Course(
            testDescription: "the lasting reader hangs, and others read",
            spans: [Span(seconds: 901, events: [.done(.writer), .done(.maintenance), .done(.readers)])],
            faults: ["reader 0: nothing done in 901 s"]),
        Course(
            testDescription: "nobody looks after the store",
            spans: [Span(seconds: 1801, events: Array(works.dropLast()))],
            faults: ["looking after the store: nothing done in 1801 s"]),
        Course(
            testDescription: "compacting is refused for ever, and sweeping is not",
            spans: [
                Span(seconds: 1803, events: works + [.done(.work("sweep")), .refused(.work("compact"), "locked")])
            ],
            faults: ["compact: refused 1802 times in 1801 s with room on the disk: locked"]),
        Course(
            testDescription: "a machine on which nobody gets on, the watcher neither",
            spans: [Span(seconds: 100, look: 10)]),
    ]

    @Test(
        "Who is refused for ever or does nothing is a fault, a full disk and a busy machine are none",
        arguments: courses)
    private func watch(_ course: Course) {
        var watch = LoadWatch(readers: 5)
        var faults: [String] = []
        for span in course.spans {
            for _ in 0..<span.seconds {
                for event in span.events { watch.note(event) }
                watch.note(.passed(span.look))
                faults += watch.takeFaults()
            }
        }
        #expect(faults.count == course.faults.count, "\(faults)")
        for (fault, expected) in zip(faults, course.faults) { #expect(fault.hasPrefix(expected)) }
    }

    @Test("A load without readers waits for none")
    func noReaders() {
        var watch = LoadWatch(readers: 0)
        for _ in 0..<1000 {
            watch.note(.done(.writer))
            watch.note(.passed(1))
        }
        #expect(watch.takeFaults() == [])
    }

    // MARK: Full disks

    private struct Disks: Sendable {
        var seconds = 600
        var full: Int?
        var refused = 0
        var fault: String?
        var warning: String?
    }

    @Test(
        "A load of ten minutes says that it had no full disk, which is a fault where it could have had one",
        arguments: [
            Disks(full: 3, refused: 8), Disks(full: nil, warning: "NO FULL DISKS"),
            Disks(full: 0, fault: "the disk was never full"),
            Disks(full: 2, fault: "the disk was full 2 times, and refused no call"),
            Disks(seconds: 599, full: nil), Disks(seconds: 599, full: 0), Disks(seconds: 599, full: 2),
        ])
    private func fullDisks(_ disks: Disks) {
        let judgement = LoadJudgement(
            samples: [], seconds: disks.seconds, fullDisks: disks.full, refused: disks.refused)
        #expect(judgement.faults.map { $0.hasPrefix(disks.fault ?? "none") } == (disks.fault == nil ? [] : [true]))
        let warnings = judgement.warnings.filter { !$0.hasPrefix("SLOW GROWTH") }
        #expect(warnings.map { $0.hasPrefix(disks.warning ?? "none") } == (disks.warning == nil ? [] : [true]))
        #expect(judgement.warnings.contains { $0.hasPrefix("SLOW GROWTH") } == (disks.seconds >= 600))
    }

    // MARK: Growth

    @Test("Memory and files that grow are faults, those that go up and down are none")
    func growth() {
        func samples(_ bytes: (Int) -> Int) -> [LoadSample] {
            (0..<900).map { second in
                var sample = LoadSample()
                (sample.second, sample.writerMemory, sample.storeBytes) = (second, bytes(second), 50 << 20)
                return sample
            }
        }
        #expect(LoadJudgement.growth(samples { (100 + $0) << 20 }) == [])
        #expect(LoadJudgement.growth(samples { _ in 300 << 20 }) == [])
        #expect(LoadJudgement.growth(samples { $0 << 20 }) == [])
        #expect(LoadJudgement.growth(samples { (($0 * $0) >> 9) << 20 }).count == 1)
        #expect(LoadJudgement.growth(Array(samples { (($0 * $0) >> 9) << 20 }.prefix(599))) == [])
    }

    /// What grows in processes that last, and by how many kilobytes a second.
    private struct Leak: Sendable {
        var reader = 0
        var readerAllocated = 0
        var writer = 0
        var writerAllocated = 0
        /// Seconds after which each writer is killed.
        var writerLasts = Int.max
        /// The second from which the store has all that it keeps.
        var full = 600
        var faults: [String] = []
        var isJudged = true
    }

    @Test(
        "Slow growth of processes that last is a fault from when the store is full, growth before that is none",
        arguments: [
            Leak(), Leak(reader: 10, readerAllocated: 2, writer: 20, writerAllocated: 10),
            Leak(reader: 100, faults: ["the lasting reader's memory"]),
            Leak(readerAllocated: 16, faults: ["what the lasting reader has allocated"]),
            Leak(writer: 250, faults: ["the lasting writer's memory"]),
            Leak(writerAllocated: 100, faults: ["what the lasting writer has allocated"]),
            Leak(writer: 250, writerAllocated: 100, writerLasts: 30), Leak(reader: 100, full: 4500, isJudged: false),
            Leak(reader: 100, writer: 250, writerLasts: 2000, faults: ["the lasting reader's memory"]),
        ])
    private func slowGrowth(_ leak: Leak) {
        let samples = (0..<5000).map { second in
            var sample = LoadSample()
            sample.second = second
            sample.entries = second < leak.full ? second : LoadStore.entriesWhenFull
            sample.writer = 1 + second / leak.writerLasts
            // Rightful growth up to there, and leaps that are no growth.
            let base = min(second, leak.full) << 18 + (second % 50 == 0 ? 500 << 20 : 0)
            sample.lastingMemory = 50 << 20 + base / 4 + (leak.reader * second) << 10
            sample.lastingAllocated = 5 << 20 + base / 40 + (leak.readerAllocated * second) << 10
            // Some seconds nothing is told.
            if second % 3 > 0 {
                sample.writerMemory = 100 << 20 + base + (leak.writer * second) << 10
                sample.writerAllocated = 50 << 20 + base / 2 + (leak.writerAllocated * second) << 10
            }
            return sample
        }
        let judgement = LoadJudgement(samples: samples, seconds: 5000, fullDisks: 1, refused: 1)
        #expect(judgement.faults.count == leak.faults.count, "\(judgement.faults)")
        for (fault, expected) in zip(judgement.faults, leak.faults) { #expect(fault.hasPrefix(expected)) }
        #expect(judgement.warnings.contains { $0.hasPrefix("SLOW GROWTH NOT JUDGED") } != leak.isJudged)
    }
}
