// The cases of Grammar/Conformance that can be records, asked of containers on servers.

import Campaigns
import RecordModel
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ServedConformanceTests {
    /// All of three servers with the indexes that development gives every field, and every other one of one server
    /// without any.
    @Test(arguments: [1, 3])
    func everyCaseOfARecordByServers(_ nodeCount: Int) throws {
        let all = try ConformanceCase.all.get().compactMap(ConformanceStore.TestQuery.init)
        let cases = try ServedCases(all)
        // Texts that are wrong make up most of the rest.
        #expect(cases.questions.count >= 3400 && all.count - cases.questions.count <= 370, "\(cases.obstacles)")
        #expect(cases.obstacles.allSatisfy { $0.value <= ($0.key == .text ? 270 : 40) }, "\(cases.obstacles)")
        let nodes = try PostgreSQLNodes.shared(nodeCount)
        let served = try cases.served(on: nodes, marks: nodeCount == 1 ? [] : nil)
        defer { served.close() }
        let rejections = Mutex(0)
        let numbers = Array(stride(from: 0, to: cases.questions.count, by: nodeCount == 1 ? 2 : 1))
        let workers = 4
        _ = try SideBySide.run(Array(0..<workers)) { worker throws(DatabaseError) in
            for place in stride(from: worker, to: numbers.count, by: workers) {
                let question = cases.questions[numbers[place]]
                let outcome = try Self.outcome(of: question, served, counts: place % 16 < workers)
                if outcome.agrees(with: question.one.expectation) { continue }
                // A database knows the types of fields, and rejects what cannot be of them before it looks at a record:
                // `a == '5'` and `a < '5'` where a holds numbers.
                if case .error("binding", _, _) = outcome {
                    rejections.withLock { $0 += 1 }
                } else {
                    Issue.record("\(question.one): \(outcome), not \(question.one.expectation)")
                }
            }
        }
        #expect(rejections.withLock { $0 } <= 83)
    }

    private static func outcome(
        of question: ServedCases.Question, _ served: ServedCases.Served, counts: Bool
    ) throws(DatabaseError) -> CaseOutcome {
        do throws(DatabaseError) {
            let found = try served.ask(question, counts: counts)
            if let count = found.count, count != found.matches.count {
                return .error(stage: "count", offset: 0, message: "\(count) are counted of \(found.matches)")
            }
            return CaseOutcome(found.matches, of: question.one)
        } catch {
            guard error.code == .invalidArguments, let place = error.place else { throw error }
            let offset = String(decoding: place.text.utf8.prefix(place.range.lowerBound), as: UTF8.self)
            return .error(stage: "binding", offset: offset.unicodeScalars.count, message: error.reason)
        }
    }
}
