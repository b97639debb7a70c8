// Looks at predicates with the eyes of a reviewer: what cannot work, what says nothing, what was hardly meant.

package import PredicateSyntax
package import RecordDatabase

/// Judges predicates, by themselves or against records.
package struct Linter: Sendable {
    /// The records that predicates are meant for; `nil` to judge them by themselves.
    package var records: RecordSet?
    package var dialect: Dialect
    /// Values of placeholders; none where they stay open.
    package var arguments: [FieldValue] = []
    /// Values of `$variables`, by name without the dollar sign.
    package var variables: [String: FieldValue] = [:]
    /// Whether records are counted; without it only their fields and kinds are known, and the time is that of binding.
    package var readsRecords = true
    /// Whether records are searched for the keys and lists along paths.
    package var looksAtPaths = true
    /// How many comparisons are bound at most, one that is part of several judged parts once for each.
    package var effort = Int.max

    /// A linter of predicates by themselves, or against records.
    package init(
        records: RecordSet? = nil, dialect: Dialect, arguments: [FieldValue] = [],
        variables: [String: FieldValue] = [:]
    ) {
        (self.records, self.dialect, self.arguments, self.variables) = (records, dialect, arguments, variables)
    }

    /// Slips are looked for unasked: a predicate that takes longer to judge than people wait goes without.
    private static let slipEffort = 100_000

    /// What there is to say about a predicate, in the order of its text.
    package func findings(in text: String) -> [Finding] {
        let tree: SyntaxTree
        do throws(RecordPredicateError) {
            tree = try RecordPredicate.tree(of: text, dialect)
        } catch {
            return [Finding(code: .syntax, span: error.span, message: error.message, hint: error.hint)]
        }
        var review = PredicateReview(self, tree)
        review.run()
        return review.findings.sorted {
            ($0.span.lowerBound, -$0.span.upperBound) < ($1.span.lowerBound, -$1.span.upperBound)
        }
    }

    /// What keeps a predicate from meaning what it says, told without reading records; unknown fields aside.
    ///
    /// - Parameter hasMatches: Whether records match: then only what gives matches that were hardly meant.
    package func slips(in text: String, hasMatches: Bool = false) -> [Finding] {
        var quick = self
        quick.readsRecords = false
        quick.looksAtPaths = !hasMatches
        quick.effort = Self.slipEffort
        return quick.findings(in: text).filter { finding in
            switch finding.code {
            case .loneValue, .dateAsText: true
            case _ where hasMatches: false
            case .unknownField, .unquotedText: false
            case .noWildcard: true
            default: finding.code.severity > .note
            }
        }
    }

    /// A binder that knows the records' fields.
    var binder: Binder {
        var binder = records?.binder() ?? Binder()
        binder.settings.leavesArgumentsOpen = arguments.isEmpty
        return binder
    }
}

/// The review of one predicate.
struct PredicateReview {
    let linter: Linter
    let tree: SyntaxTree
    private let binder: Binder
    private(set) var findings: [Finding] = []
    /// Names that no record has; each is told once.
    private var unknownFields: Set<String> = []
    /// For how many of them the field that was meant was looked for.
    private var suggestionCount = 0
    /// For how many paths the records were looked at.
    var pathCount = 0
    /// How many comparisons may still be bound.
    private var effort: Int
    /// Comparisons that can run on the records.
    private var queries: [(BoundPredicate, PredicateNode)] = []

    init(_ linter: Linter, _ tree: SyntaxTree) {
        self.linter = linter
        self.tree = tree
        binder = linter.binder
        effort = linter.effort
    }

    mutating func run() {
        visit(tree.root)
        judgeConstancy()
        guard linter.readsRecords else { return }
        judgeAgainstRecords()
        if needsScan(tree.root) { tellScans(tree.root, places) }
    }

    mutating func report(_ code: Finding.Code, _ span: SourceSpan, _ message: String, hint: String? = nil) {
        findings.append(Finding(code: code, span: span, message: message, hint: hint))
    }

    /// Where something was found so far that is more than a note.
    private var places: FindingPlaces { FindingPlaces(findings.filter { $0.code.severity > .note }.map(\.span.range)) }

    /// Takes the comparisons of a node from what may still be bound; whether there were so many left.
    private mutating func spend(_ node: PredicateNode) -> Bool {
        // What is not limited needs no counting.
        if effort == Int.max { return true }
        guard effort > 0 else { return false }
        effort -= Self.size(of: node)
        return effort >= 0
    }

    private static func size(of node: PredicateNode) -> Int {
        switch node.kind {
        case .constant, .comparison: 1
        case .not(let term): size(of: term)
        case .and(let terms), .or(let terms): terms.reduce(0) { $0 + size(of: $1) }
        }
    }

    // MARK: The nodes

    private mutating func visit(_ node: PredicateNode) {
        switch node.kind {
        case .constant: break
        case .not(let term): visit(term)
        case .and(let terms), .or(let terms):
            for term in terms { visit(term) }
            if spend(node) { judgeRepetitions(terms) }
        case .comparison(let comparison): judge(comparison, node)
        }
    }

    private mutating func judgeRepetitions(_ terms: [PredicateNode]) {
        var seen: Set<PredicateNode> = []
        for term in terms where !seen.insert(term).inserted {
            report(.repeatedTerm, term.span, "the same condition appears here twice", hint: "leave one of them out")
        }
    }

    private mutating func judge(_ comparison: Comparison, _ node: PredicateNode) {
        guard spend(node) else { return }
        judgeText(of: comparison, node)
        judgeValues(of: comparison, node)
        guard let bound = bind(node) else { return }
        guard case .comparison(let comparison) = bound.root else { return }
        judge(comparison)
        let isKnown = unknownFields.isDisjoint(with: bound.fieldNames)
        if isKnown, bound.openVariables.isEmpty { queries.append((bound, node)) }
    }

    /// Comparisons that no record satisfies, where nothing worse was found about them.
    private mutating func judgeAgainstRecords() {
        guard let records = linter.records, records.count > 0 else { return }
        let places = places
        for (query, node) in queries
        where !places.overlap(node.span.range) && (try? records.count(matching: query)) == 0 {
            report(
                .noMatch, node.span, "none of the \(records.count.grouped) records satisfies this",
                hint: linter.relaxed(node).map(Linter.note))
        }
    }

    /// A comparison bound on its own; what is wrong with it becomes findings.
    private mutating func bind(_ node: PredicateNode) -> BoundPredicate? {
        let (result, undeclared) = binder.bindLeniently(
            part: node, arguments: linter.arguments, variables: linter.variables)
        let new = undeclared.filter { unknownFields.insert($0.name).inserted }
        if !new.isEmpty { reportUnknown(new, node) }
        switch result {
        case .success(let bound): return bound
        case .failure(let error):
            report(error)
            return nil
        }
    }

    private mutating func report(_ error: BindingError) {
        let code: Finding.Code
        switch error.kind {
        // The key of a comparison whose arguments are not given is not known.
        case .argumentCount: return
        case .unknownField: code = .unknownField
        case .typeMismatch: code = .typeClash
        case .invalidPattern: code = .invalidPattern
        case .argumentType, .invalidKeyPath, .invalidArgument, .limit: code = .invalidArgument
        }
        report(code, error.span, error.message, hint: error.hint)
    }

    private mutating func reportUnknown(_ fields: [UndeclaredField], _ node: PredicateNode) {
        var values: Set<String> = []
        if case .comparison(let comparison) = node.kind { values.formUnion(comparison.bareValues.map(\.name)) }
        for field in fields {
            let message = "no record has a field '\(field.name)'"
            if values.contains(field.name) {
                report(.unquotedText, field.span, message, hint: "text needs quotes: '\(field.name)'")
                continue
            }
            // Each is held against all fields, and of many hardly one is a slip.
            suggestionCount += 1
            let near = suggestionCount > RecordSet.mostSuggestions ? nil : binder.suggestion(forField: field.name)
            report(.unknownField, field.span, message, hint: near.map { "did you mean \($0)?" })
        }
    }

    // MARK: The predicate as a whole

    /// Parts that hold for every record, or for none, the smallest of them; and the predicate itself, where they decide
    /// it.
    private mutating func judgeConstancy() {
        let count = findings.count
        guard judgeConstancy(of: tree.root, places), let whole = truth(of: tree.root) else { return }
        let isTold = findings[count...].contains { $0.span.range == tree.root.span.range }
        let isPlain = if case .comparison = tree.root.kind { true } else { false }
        if !isTold, !isPlain { report(whole, tree.root, "so the predicate as a whole") }
    }

    /// - Parameter places: What was found about single comparisons.
    /// - Returns: whether a part of the node was reported.
    private mutating func judgeConstancy(of node: PredicateNode, _ places: FindingPlaces) -> Bool {
        var isReported = false
        switch node.kind {
        case .constant: return false
        case .not(let term): return judgeConstancy(of: term, places)
        case .and(let terms), .or(let terms):
            for term in terms where judgeConstancy(of: term, places) { isReported = true }
        case .comparison: isReported = places.begin(in: node.span.range)
        }
        guard !isReported, let value = truth(of: node) else { return isReported }
        report(value, node, "this")
        return true
    }

    private mutating func report(_ truth: Bool, _ node: PredicateNode, _ subject: String) {
        report(
            truth ? .alwaysTrue : .alwaysFalse, node.span, "\(subject) holds for \(truth ? "every" : "no") record")
    }

    /// What a node comes to, when it is the same for every record.
    private mutating func truth(of node: PredicateNode) -> Bool? {
        guard spend(node), let bound = boundAlone(node), case .constant(let value) = bound.simplest.root else {
            return nil
        }
        return value
    }

    /// A node bound, whatever fields it names; `nil` for one that has no meaning.
    private func boundAlone(_ node: PredicateNode) -> BoundPredicate? {
        try? binder.bindLeniently(part: node, arguments: linter.arguments, variables: linter.variables).result.get()
    }

    // MARK: Indexes

    /// Whether every record must be looked at: a part that no index serves is fine where another narrows the records.
    private func needsScan(_ node: PredicateNode) -> Bool {
        switch node.kind {
        case .constant: return false
        case .not(let term): return needsScan(term)
        case .and(let terms): return terms.allSatisfy(needsScan)
        case .or(let terms): return terms.contains(where: needsScan)
        case .comparison:
            guard let bound = boundAlone(node), bound.openVariables.isEmpty,
                case .comparison(let comparison) = bound.root
            else { return false }
            return !comparison.isIndexable
        }
    }

    private mutating func tellScans(_ node: PredicateNode, _ places: FindingPlaces) {
        switch node.kind {
        case .constant: break
        case .not(let term): tellScans(term, places)
        case .and(let terms), .or(let terms): for term in terms { tellScans(term, places) }
        case .comparison:
            guard needsScan(node), !places.begin(in: node.span.range) else { return }
            report(
                .needsScan, node.span, "no index applies: every record is read",
                hint: "an index serves comparisons of a field with a constant; add one by AND")
        }
    }
}

extension BoundComparison {
    /// Whether an index can serve the comparison, or narrow it to more than the records that have the field.
    fileprivate var isIndexable: Bool {
        guard let constraint else { return false }
        if !constraint.isExact, case .presence = constraint.requirement { return false }
        return true
    }
}
