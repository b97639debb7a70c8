// What the indexes of words, of parts of texts, and the texts themselves make of a constraint.

import Indexing
import OrdinalSets
import PredicateSemantics
import RecordColumns
import RecordModel
import TextAnalysis

extension ConstraintLookup {
    // MARK: Conditions on texts

    /// A condition on each text.
    func text(_ condition: TextCondition, _ position: Int) -> Access? {
        guard let comparison,
            let test = TextTest(condition, column: position, of: planner.indexes, comparison: comparison)
        else { return nil }
        return condition.isNever ? .lookup(.none) : .test(PlannedTest(.text(test)))
    }

    /// A condition on texts, tested only where the trigrams of the text leave it open.
    func filtered(_ access: Access?, _ position: Int, _ name: String) -> Access? {
        guard case .test(let planned) = access, case .text(let test) = planned.test,
            let building = planner.usage.building(TrigramIndex.kind, of: planner.segment.schema.fields[position].name)
        else { return access }
        let requirement = test.condition.requirement
        guard TrigramIndex.canServe(requirement),
            let index = planner.indexes.trigrams(column: position, building: building),
            // Beyond an eighth of the rows a search of the whole column is as fast.
            let rows = index.candidates(requirement, limit: rowCount / 8)
        else { return access }
        if rows.isEmpty { return .lookup(.none) }
        let use = IndexUse(field: name, kind: TrigramIndex.kind, request: "parts")
        return .either(.intersection([.rows(rows, use)], [PlannedTest(.text(test))]), .text(test))
    }

    /// Letters and digits are within words: with the words at hand, only those have to be searched.
    func substring(_ needle: PreparedNeedle, _ position: Int, _ name: String) -> Access? {
        let access = filtered(text(.contains(needle), position), position, name)
        guard case .test(let planned) = access, case .text(let test) = planned.test else { return access }
        let bytes = Array(needle.folded.utf8)
        guard let findings = test.search?.findings, !needle.options.contains(.normalized),
            bytes.allSatisfy({ ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 }),
            let index = planner.indexes.tokens(column: position, options: needle.options, building: false),
            let special = planner.indexes.nonASCIITerms(column: position)?.specialRows
        else { return access }
        let holding = index.distinct(holding: bytes)
        let words = holding.sure.compactMap { run(index, $0, name, "word part", kind: TokenIndex.kind) }
        // Where characters are about that a word may end at though no character does, and where a mark follows, as in
        // the folded form of U+0130, each text is looked at.
        let doubtful = Set(findings.unsure).union(special).union(holding.unsure).sorted()
        let listed = words.reduce(findings.sure.count) { $0 + $1.estimate(rowCount: rowCount) }
        guard listed < rowCount * 4, doubtful.count < rowCount / 16 else { return access }
        let use = IndexUse(field: name, kind: TokenIndex.kind, request: "word part")
        let found = Self.union(words + [.rows(Set(findings.sure).sorted(), use)])
        if doubtful.isEmpty { return .either(found, .text(test)) }
        let rest = PlanNode.rows(doubtful, use)
        return .either(
            .union([
                .intersection([found, .complement(rest)], []), .intersection([rest], [PlannedTest(.text(test))]),
            ]), .text(test))
    }

    /// Equality with one of a few texts.
    func texts(_ position: Int, _ values: [FieldValue], _ options: TextOptions) -> Access? {
        guard values.count <= 8, !options.contains(.localeSensitive) else { return nil }
        var needles: [PreparedNeedle] = []
        for case .string(let text) in values { needles.append(PreparedNeedle(text, options: options)) }
        return text(.isAny(needles), position)
    }

    /// A pattern that begins with plain text is looked at in the texts with that prefix alone.
    func like(_ pattern: LikePattern, _ position: Int, _ name: String) -> Access? {
        guard let access = filtered(text(.like(pattern), position), position, name) else { return nil }
        let prefix = pattern.literalPrefix
        guard !prefix.isEmpty, case .test(let test) = access, let index = index(position, pattern.options),
            case .text = index.family,
            let run = run(index, index.distinct(withBytes: prefix), name, "prefix")
        else { return access }
        if case .none = run { return .lookup(.none) }
        return .either(.intersection([run], [PlannedTest(test.test)]), test.test)
    }

    // MARK: Words

    func tokens(
        _ requirement: FieldConstraint.Requirement, column: Int?, _ name: String
    ) -> Access? {
        switch requirement {
        case .tokens(let terms, let mode, let options):
            guard !terms.isEmpty else { return .lookup(.none) }
            guard let index = words(column, options) else { return nil }
            let runs = terms.map { term -> PlanNode in
                guard let distinct = index.distinct(equalTo: .string(term)) else { return .none }
                return run(index, distinct..<distinct + 1, name, "word", kind: TokenIndex.kind) ?? .none
            }
            if mode == .any { return .lookup(Self.union(runs)) }
            let candidates = Self.intersection(runs, rowCount)
            guard mode == .phrase else { return .lookup(candidates) }
            return comparison.map { .lookup(phrase(terms, of: $0, candidates, column, options)) }
        case .tokenPrefix(let text, let options):
            guard let index = words(column, options) else { return nil }
            return .lookup(prefix(index, text, name, "word prefix", kind: TokenIndex.kind))
        case .analyzed(let words): return analyzed(words, column: column, name)
        default: return nil
        }
    }

    /// Words that each field has in a form of its own: by the indexes of the words of each field.
    private func analyzed(_ search: AnalyzedWords, column: Int?, _ name: String) -> Access? {
        guard let building = planner.buildsWords(of: column) else { return nil }
        var runs: [[PlanNode]] = search.words.map { _ in [] }
        var phrases: [PlanNode] = []
        for column in column.map({ [$0] }) ?? Array(planner.segment.columns.indices) {
            guard planner.segment.columns[column].mayHoldText else { continue }
            let field = planner.segment.schema.fields[column].name
            let index = planner.indexes.tokens(
                column: column, options: search.options, analysis: search.analyzers[field], building: building)
            guard let index else { return nil }
            let found = search.terms(in: field).map { term -> PlanNode? in
                if term.isEmpty { return nil }
                guard let distinct = index.distinct(equalTo: .string(term)) else { return Optional(PlanNode.none) }
                return run(index, distinct..<distinct + 1, name, "word", kind: TokenIndex.kind) ?? PlanNode.none
            }
            for (place, run) in found.enumerated() { if let run { runs[place].append(run) } }
            let words = found.compactMap { $0 }
            if !words.isEmpty { phrases.append(Self.intersection(words, rowCount)) }
        }
        switch search.mode {
        case .any: return .lookup(Self.union(runs.flatMap { $0 }))
        case .all:
            let required = zip(runs, search.isRequired).filter { $1 }.map { Self.union($0.0) }
            return .lookup(required.isEmpty ? .none : Self.intersection(required, rowCount))
        case .phrase:
            guard let comparison else { return nil }
            let candidates = Self.union(phrases)
            if case .none = candidates { return .lookup(.none) }
            return .lookup(.intersection([candidates], [PlannedTest(.evaluate(comparison))]))
        }
    }

    /// The rows of the texts that begin with a text.
    func prefix(
        _ index: OrderedIndex, _ text: String, _ name: String, _ request: String, kind: IndexKind
    ) -> PlanNode {
        Self.union(index.distinct(beginningWith: text).compactMap { run(index, $0, name, request, kind: kind) })
    }

    private func words(_ column: Int?, _ options: TextOptions) -> OrderedIndex? {
        if let column, !planner.segment.columns[column].mayHoldText { return nil }
        return planner.buildsWords(of: column).flatMap {
            planner.indexes.tokens(column: column, options: options, building: $0)
        }
    }

    /// The rows among those with all words that hold the phrase.
    private func phrase(
        _ terms: [String], of comparison: BoundNode, _ candidates: PlanNode, _ column: Int?, _ options: TextOptions
    ) -> PlanNode {
        if case .none = candidates { return .none }
        let test =
            planner.indexes.wordPositions(
                column: column, options: options, building: planner.buildsWords(of: column) ?? false
            )
            .map { RowTest.phrase(PhraseTest(terms, $0, comparison)) } ?? .evaluate(comparison)
        let tests = [PlannedTest(test)]
        if case .intersection(let nodes, _) = candidates { return .intersection(nodes, tests) }
        return .intersection([candidates], tests)
    }

    private static func intersection(_ nodes: [PlanNode], _ rowCount: Int) -> PlanNode {
        for case .none in nodes { return .none }
        let sorted = nodes.sorted { $0.estimate(rowCount: rowCount) < $1.estimate(rowCount: rowCount) }
        return sorted.count == 1 ? sorted[0] : .intersection(sorted, [])
    }

    private static func union(_ nodes: [PlanNode]) -> PlanNode {
        let found = nodes.filter { if case .none = $0 { false } else { true } }
        return found.count == 1 ? found[0] : found.isEmpty ? .none : .union(found)
    }
}
