// Every way to an answer gives the same answer, on random predicates over random records.

import PredicateSyntax
import Testing

@testable import Campaigns

@Suite struct EqualityOfResultsTests {
    /// Seeds differ in their records; sizes around words of a bitmap and beyond the threshold of radix sorting.
    @Test(arguments: [(1, 200), (2, 63), (3, 64), (4, 65), (5, 1), (7, 2000)] as [(UInt64, Int)])
    func plansAgreeWithTheEvaluator(seed: UInt64, records: Int) {
        var campaign = ResultCampaign()
        let differences = campaign.run(seed: seed, predicates: records > 500 ? 50 : 120, records: records)
        for difference in differences.prefix(5) { Issue.record("\(difference)") }
        #expect(campaign.comparisons > 500)
        #expect(campaign.templateComparisons > 100)
    }
}

@Suite struct MutatedTextTests {
    @Test func everyTextIsATreeOrAnErrorWithItsPlace() {
        var campaign = TextCampaign(seed: 77)
        for _ in 0..<2000 {
            if let problem = campaign.step() { Issue.record("\(problem)") }
        }
        #expect(campaign.accepted > 200)
        #expect(campaign.rejected > 200)
        #expect(campaign.evaluated > 200)
    }
}

@Suite struct MutatedFileTests {
    @Test func everyFileIsRecordsOrAnError() {
        var campaign = FileCampaign(seed: 5)
        for _ in 0..<2000 {
            if let problem = campaign.step() { Issue.record("\(problem)") }
        }
        #expect(campaign.accepted > 200)
        #expect(campaign.rejected > 200)
        #expect(campaign.records > 400)
    }
}

@Suite struct RandomPredicatesTests {
    /// An operator that is not drawn is not compared, whatever the campaigns run.
    @Test func everyOperatorIsDrawn() throws {
        var queries = RandomPredicates(seed: 3)
        var drawn: Set<ComparisonOperator> = []
        for _ in 0..<3000 {
            try SyntaxTree(parsing: queries.query().text).root.forEachPart { part in
                guard case .predicate(let node) = part, case .comparison(let comparison) = node.kind else { return }
                drawn.insert(comparison.comparisonOperator)
            }
        }
        #expect(Set(ComparisonOperator.allCases).subtracting(drawn) == [])
    }
}
