// Every case of Grammar/Conformance through every way of evaluating a predicate.
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing
import _TestSupport

@Suite struct ConformanceTests {
    /// The outcome of a case when nothing but the evaluator looks at its values.
    private func evaluate(_ one: ConformanceCase) throws -> CaseOutcome {
        let tree: SyntaxTree
        do throws(SyntaxError) {
            tree = try SyntaxTree(parsing: one.predicate)
            try tree.validate(for: one.isCloudKit ? .cloudKit : .full)
        } catch {
            return CaseOutcome(RecordPredicateError(error, in: one.predicate))
        }
        if one.arguments == nil, one.value == nil, one.values == nil { return .parses }
        let arguments = try (one.arguments ?? []).map(FieldValue.init)
        let values = try one.fieldValues ?? [.null]
        let variables = try one.fieldVariables
        let bound: BoundPredicate
        do throws(BindingError) {
            bound = try Binder().bind(tree, arguments: arguments, variables: variables)
        } catch {
            return CaseOutcome(RecordPredicateError(error, in: one.predicate))
        }
        do throws(EvaluationError) {
            var truths: [Bool] = []
            for value in values { truths.append(try bound.evaluate(onValue: value)) }
            return CaseOutcome(truths.indices.filter { truths[$0] }, of: one)
        } catch {
            return CaseOutcome(RecordPredicateError(error, in: one.predicate))
        }
    }

    /// The outcome of a case by the plans of a store.
    ///
    /// - Parameter knowsKinds: Whether the predicate is bound to the kinds of fields that the store has.
    private func runQuery(
        _ query: ConformanceStore.TestQuery, _ store: ConformanceStore, knowsKinds: Bool = true
    ) throws -> CaseOutcome {
        let one = query.one
        do {
            let predicate = try RecordPredicate(format: one.predicate, arguments: query.arguments)
            try predicate.tree.validate(for: one.isCloudKit ? .cloudKit : .full)
            return CaseOutcome(try store.matches(query, predicate, knowsKinds: knowsKinds), of: one)
        } catch let error as RecordPredicateError {
            return CaseOutcome(error)
        } catch let error as SyntaxError {
            return CaseOutcome(RecordPredicateError(error, in: one.predicate))
        }
    }

    @Test func everyCaseByTheEvaluator() throws {
        let cases = try ConformanceCase.all.get()
        for one in cases {
            let outcome = try evaluate(one)
            if !outcome.agrees(with: one.expectation) {
                Issue.record("\(one): \(outcome), not \(one.expectation)")
            }
        }
        #expect(cases.count > 5400)
    }

    /// First in memory, where every question builds the indexes that it wants; then from files, with those indexes.
    @Test func everyCaseOfARecordByAReloadedStore() throws {
        let queries = try ConformanceCase.all.get().compactMap(ConformanceStore.TestQuery.init)
        #expect(queries.count > 2850)
        let store = try ConformanceStore(queries)
        try compare(queries, store, "store in memory")
        let reloaded = try store.reloaded()
        try compare(queries, reloaded, "reloaded store")
        #expect(reloaded.indexCount == store.indexCount && store.indexCount > 400)
        #expect(reloaded.faults == [])
    }

    /// Compares every answer that a store gives.
    ///
    /// A store knows the kinds of fields before it looks at a record, and refuses what cannot be of them: `z < nil`
    /// where z holds lists, `FALSEPREDICATE AND a < 'x'` where a holds numbers. Such questions must have the right
    /// answer as soon as the kinds are not known.
    private func compare(
        _ queries: [ConformanceStore.TestQuery], _ store: ConformanceStore, _ name: String
    ) throws {
        var rejections = 0
        for query in queries {
            let (one, outcome) = (query.one, try runQuery(query, store))
            if outcome.agrees(with: one.expectation) { continue }
            if case .error("binding", _, _) = outcome {
                rejections += 1
                if try runQuery(query, store, knowsKinds: false).agrees(with: one.expectation) { continue }
            }
            Issue.record("\(name), \(one): \(outcome), not \(one.expectation)")
        }
        #expect(rejections == 10, "\(name)")
    }
}
