// Indexes that are wanted by many while they are built: built once, and nobody waits beyond a deadline.
import Deadlines
import Dispatch
import Synchronization
import Testing

@testable import Indexing
@testable import RecordColumns

/// An interruption as the error that it is.
private func told(_ interruption: Interruption) -> Interruption { interruption }

@Suite struct IndexConstructionTests {
    private static let key = IndexKey(OrderedIndex.kind, column: 0)

    /// A building that goes on only when it is told to.
    private final class Gate: Sendable {
        let opened = DispatchSemaphore(value: 0)
        let count = Atomic<Int>(0)

        func build() -> Int? {
            opened.wait()
            count.wrappingAdd(1, ordering: .relaxed)
            return 42
        }
    }

    @Test func waitsEndWithTheirDeadlines() throws {
        let cache = IndexCache<Int>()
        let gate = Gate()
        // The gate is shut, so these would wait for ever.
        for looks in [0, 3] {
            #expect(throws: Interruption.timeLimit) {
                try Deadline.run(looks: looks, failure: told) { () throws(Interruption) -> Int? in
                    cache.value(Self.key, building: true, build: gate.build)
                }
            }
        }
        #expect(cache.value(Self.key, building: false, build: gate.build) == nil)
        #expect(cache.count == 0)
        gate.opened.signal()
        // What was begun for a question that is gone serves the next one.
        #expect(cache.value(Self.key, building: true, build: gate.build) == 42)
        #expect(gate.count.load(ordering: .relaxed) == 1)
        #expect(cache.count == 1)
    }

    @Test func waitsEndWithTheirTasks() async {
        let cache = IndexCache<Int>()
        let gate = Gate()
        let task = Task { () -> Interruption? in
            withUnsafeCurrentTask { $0?.cancel() }
            do throws(Interruption) {
                _ = try Deadline.run(within: nil, failure: told) { () throws(Interruption) -> Int? in
                    cache.value(Self.key, building: true, build: gate.build)
                }
                return nil
            } catch {
                return error
            }
        }
        #expect(await task.value == .cancelled)
        gate.opened.signal()
        #expect(cache.value(Self.key, building: true, build: gate.build) == 42)
    }

    @Test func manyWaitForOneBuilding() {
        let cache = IndexCache<Int>()
        let gate = Gate()
        let found = Atomic<Int>(0)
        DispatchQueue(label: "gate").async { gate.opened.signal() }
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            let value: Int? =
                if number % 2 == 0 {
                    cache.value(Self.key, building: true, build: gate.build)
                } else {
                    try? Deadline.run(looks: .max, failure: told) { () throws(Interruption) -> Int? in
                        cache.value(Self.key, building: true, build: gate.build)
                    }
                }
            if value == 42 { found.wrappingAdd(1, ordering: .relaxed) }
        }
        #expect(found.load(ordering: .relaxed) == 8)
        #expect(gate.count.load(ordering: .relaxed) == 1)
    }

    /// A damaged file is no index: it is built anew as soon as building is wanted, and not before.
    @Test func damagedIndexesAreBuiltAnew() throws {
        let source = StoredBlocks.reader(TrigramIndex.build(over: TextColumn(["abc"])).blocks)
        for isAsked in [true, false] {
            let cache = IndexCache<Int>()
            cache.store(Self.key, source)
            #expect(cache.count == 1)
            if isAsked {
                #expect(cache.value(Self.key, building: false, read: { _ in nil }, build: { 42 }) == nil)
                #expect(cache.count == 0)
            }
            #expect(cache.value(Self.key, building: true, read: { _ in nil }, build: { 42 }) == 42)
            #expect(cache.value(Self.key, building: false, read: { _ in nil }, build: { nil }) == 42)
        }
        let cache = IndexCache<Int>()
        cache.store(Self.key, source)
        #expect(cache.value(Self.key, building: true, read: { _ in 7 }, build: { 42 }) == 7)
    }

    /// The one look at the time is where the call begins: what was read is not sought again.
    @Test func whatWasReadIsGivenAtOnce() throws {
        let cache = IndexCache<Int>()
        cache.store(Self.key, StoredBlocks.reader(TrigramIndex.build(over: TextColumn(["abc"])).blocks))
        let read = try Deadline.run(looks: 1, failure: told) { () throws(Interruption) -> Int? in
            cache.value(Self.key, building: true, read: { _ in 7 }, build: { 42 })
        }
        #expect(read == 7)
    }

    /// What is being built or read stays, for those who want it meanwhile.
    @Test func whatIsBegunIsNotTakenOut() throws {
        let cache = IndexCache<Int>()
        let gate = Gate()
        #expect(throws: Interruption.timeLimit) {
            try Deadline.run(looks: 3, failure: told) { () throws(Interruption) -> Int? in
                cache.value(Self.key, building: true, build: gate.build)
            }
        }
        cache.remove { _ in true }
        #expect(cache.keys == [Self.key])
        // Once more than is needed: whoever builds again is not to wait for ever.
        for _ in 0..<2 { gate.opened.signal() }
        #expect(cache.value(Self.key, building: true, build: gate.build) == 42)
        #expect(gate.count.load(ordering: .relaxed) == 1)
        cache.remove { _ in true }
        #expect(cache.keys.isEmpty)
        cache.store(Self.key, StoredBlocks.reader(TrigramIndex.build(over: TextColumn(["abc"])).blocks))
        var keys: [IndexKey] = []
        let read = cache.value(
            Self.key, building: false,
            read: { _ in
                cache.remove { _ in true }
                keys = cache.keys
                return 7
            }, build: { nil })
        #expect(read == 7 && keys == [Self.key])
    }

    @Test func whatCannotBeBuiltIsKnown() {
        let cache = IndexCache<Int>()
        #expect(cache.value(Self.key, building: true, build: { nil }) == nil)
        #expect(cache.value(Self.key, building: true, build: { 1 }) == nil)
        #expect(cache.count == 0)
    }
}
