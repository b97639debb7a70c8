// Times of operations, what they report, and places in queues.

import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@testable import CloudKitCompat

@Suite(.mayDeadlock) struct TimeEdgesTests {
    // MARK: Times

    @Test("The time for the whole of an operation begins when it is added, not when it runs")
    func waitingCounts() async throws {
        let scene = try await Scene()
        let fetch = scene.fetch([scene.id("a")])
        fetch.timeoutIntervalForResource = 0.05
        scene.database.operationQueue.isSuspended = true
        scene.database.add(fetch)
        try await Task.sleep(for: .milliseconds(60))
        scene.database.operationQueue.isSuspended = false
        while !fetch.isFinished { try await Task.sleep(for: .milliseconds(2)) }
        #expect(scene.log.lines == ["end networkFailure"])
    }

    @Test("Of two times that are equal, that for one request is named")
    func equalTimes() async throws {
        let scene = try await Scene()
        let (fetch, queue) = (scene.fetch([scene.id("a")]), OperationQueue())
        fetch.database = scene.database
        (fetch.timeoutIntervalForRequest, fetch.timeoutIntervalForResource) = (1e-9, 1e-9)
        // Without a database that it was added to, both begin with the operation.
        let words: String = await awaited { done in
            fetch.fetchRecordsResultBlock = { result in
                guard case .failure(let error as CKError) = result else { return done("") }
                done(error.localizedDescription)
            }
            queue.addOperation(fetch)
        }
        #expect(words.contains("timeoutIntervalForRequest"))
    }

    private func time(_ seconds: TimeInterval?) -> OperationTime {
        var settings = CKOperationConfiguration.Settings()
        settings.timeoutIntervalForRequest = seconds
        return OperationTime(settings, added: nil)
    }

    private func code(
        of time: OperationTime, _ code: DatabaseError.Code, in database: Database
    ) -> DatabaseError.Code? {
        do throws(DatabaseError) {
            try time.reading(database) { (_: Database) throws(DatabaseError) -> Void in
                throw DatabaseError(code, "the reason")
            }
            return nil
        } catch {
            return error.code
        }
    }

    @Test("A limit that ends a read is the time of the operation, where that is over, and nothing else is")
    func limits() throws {
        let database = try Container(identifier: "limits").privateDatabase
        let over = time(1e-9)
        while over.error == nil {}
        #expect(over.error?.code == .networkFailure)
        #expect(code(of: over, .limitExceeded, in: database) == .networkFailure)
        #expect(code(of: over, .unknownItem, in: database) == .unknownItem)
        for seconds in [3600, nil] as [TimeInterval?] {
            #expect(time(seconds).error == nil)
            #expect(code(of: time(seconds), .limitExceeded, in: database) == .limitExceeded)
        }
        #expect(try over.reading(database) { _ in 7 } == 7, "what was read in time is given")
    }

    // MARK: Reports

    @Test("A report has the errors of its items, and what was lost is one of them")
    func items() throws {
        var report = ItemReport(time(nil)) { false }
        func found(_ result: Result<Int, DatabaseError>?, _ id: String) -> String {
            switch report.read(.subscription(id), result, { $0 + 1 }) {
            case .success(let value): "\(value)"
            case .failure(let error): (error as? CKError).map { "\($0.code)" } ?? "\(error)"
            }
        }
        #expect(found(.success(1), "a") == "2" && report.error == nil)
        #expect(found(nil, "b") == "internalError")
        #expect(found(.failure(DatabaseError(.zoneBusy, "busy")), "c") == "zoneBusy")
        let errors = try #require(report.error?.partialErrorsByItemID)
        #expect(errors.mapValues { ($0 as? CKError)?.code } == ["b": .internalError, "c": .zoneBusy])
    }

    @Test("What interrupted an operation first stays the reason")
    func interruptions() throws {
        let state = Counter()
        var report = ItemReport(time(nil)) { state.add(0) == 1 }
        try report.checkCancellation()
        state.add(1)
        #expect(throws: DatabaseError.self) { try report.checkCancellation() }
        state.add(1)
        #expect(throws: DatabaseError.self) { try report.checkCancellation() }
        #expect(report.error?.code == .operationCancelled)
        let read = report.read(.subscription("a"), Result<Int, DatabaseError>.success(1)) { $0 }
        #expect(Scene.word(read) == "operationCancelled")
        let written = report.written(.subscription("b"), Result<Int, DatabaseError>.success(1)) { $0 }
        #expect(Scene.word(written) == "done", "what was carried out is told")
    }

    // MARK: Queues

    /// Whether a call that runs in a queue has another one beside it, which may wait for the processor.
    private func hasCompany(_ queue: OperationQueue, within time: DispatchTimeInterval = .seconds(30)) async -> Bool {
        await awaited { done in
            let second = DispatchSemaphore(value: 0)
            queue.addOperation { done(second.wait(timeout: .now() + time) == .success) }
            queue.addOperation { second.signal() }
        }
    }

    @Test("The calls of a new queue take turns, and a callback that runs has a place of its own")
    func places() async {
        let queue = CallQueue()
        #expect(await !hasCompany(queue, within: .milliseconds(100)))
        queue.callbackBegins()
        #expect(queue.maxConcurrentOperationCount == 1)
        #expect(await hasCompany(queue))
        queue.callbackEnds()
        #expect(await !hasCompany(queue, within: .milliseconds(100)))
    }

    @Test("A queue of no places runs calls beside callbacks alone")
    func noPlaces() async {
        let (queue, log) = (CallQueue(), Log())
        queue.maxConcurrentOperationCount = 0
        await awaited { (done: @escaping @Sendable (()) -> Void) in
            queue.addOperation {
                log.add("call")
                done(())
            }
            log.add("callback")
            queue.callbackBegins()
        }
        #expect(log.lines == ["callback", "call"] && queue.maxConcurrentOperationCount == 0)
        queue.callbackEnds()
    }

    @Test("A queue of any number of places needs no more of them", arguments: [Int.max, Int.max - 1, -1])
    func manyPlaces(count: Int) async {
        let queue = CallQueue()
        queue.maxConcurrentOperationCount = count
        for _ in 0..<2 { queue.callbackBegins() }
        #expect(queue.maxConcurrentOperationCount == count)
        #expect(await hasCompany(queue))
        for _ in 0..<2 { queue.callbackEnds() }
        #expect(queue.maxConcurrentOperationCount == count)
    }
}
