// Looks at predicates with the eyes of a reviewer: what cannot work, what says nothing, what was hardly meant.

import RecordDatabase

/// Judges predicates, by themselves or against records.
struct Linter {
    /// The records that predicates are meant for; `nil` to judge them by themselves.
    var records: RecordSet?
    var dialect: Dialect
    var arguments: [FieldValue] = []
    var variables: [String: FieldValue] = [:]
    /// Whether records are counted; without it only their fields and kinds are known, and the time is that of binding.
    var asksRecords = true

    /// What there is to say about a predicate, in the order of its text.
    func findings(in text: String) -> [Finding] {
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

    /// What keeps a predicate from meaning what it says, told without asking the records; unknown fields aside.
    func slips(in text: String) -> [Finding] {
        var quick = self
        quick.asksRecords = false
        return quick.findings(in: text).filter { finding in
            switch finding.code {
            case .unknownField, .unquotedText: false
            case .noWildcard: true
            default: finding.code.severity > .note
            }
        }
    }

    /// A binder that knows the records' fields and the names given.
    func binder(alsoKnowing names: [String]) -> Binder {
        var binder = records?.binder(alsoKnowing: names) ?? Binder()
        binder.settings.leavesArgumentsOpen = arguments.isEmpty
        return binder
    }
}

/// The review of one predicate.
struct PredicateReview {
    let linter: Linter
    let tree: SyntaxTree
    private(set) var findings: [Finding] = []
    /// Names that no record has; each is told once.
    private var unknownFields: [String] = []
    /// Comparisons that can be asked of the records.
    private var questions: [(BoundPredicate, SourceSpan)] = []

    init(_ linter: Linter, _ tree: SyntaxTree) {
        self.linter = linter
        self.tree = tree
    }

    mutating func run() {
        visit(tree.root)
        judgeConstancy()
        guard linter.asksRecords else { return }
        judgeAgainstRecords()
        if needsScan(tree.root) { tellScans(tree.root) }
    }

    mutating func report(_ code: Finding.Code, _ span: SourceSpan, _ message: String, hint: String? = nil) {
        findings.append(Finding(code: code, span: span, message: message, hint: hint))
    }

    /// Whether something was found at a place or in it.
    func hasFinding(in span: SourceSpan) -> Bool {
        findings.contains { span.range.contains(Int($0.span.lowerBound)) && $0.code.severity > .note }
    }

    // MARK: The nodes

    private mutating func visit(_ node: PredicateNode) {
        switch node.kind {
        case .constant: break
        case .not(let term): visit(term)
        case .and(let terms), .or(let terms):
            for term in terms { visit(term) }
            judgeRepetitions(terms)
        case .comparison(let comparison): judge(comparison, node)
        }
    }

    private mutating func judgeRepetitions(_ terms: [PredicateNode]) {
        var seen: Set<PredicateNode> = []
        for term in terms where !seen.insert(term).inserted {
            report(.repeatedTerm, term.span, "the same condition stands here twice", hint: "leave one of them out")
        }
    }

    private mutating func judge(_ comparison: Comparison, _ node: PredicateNode) {
        judgeText(of: comparison, node)
        guard let bound = bind(node) else { return }
        guard case .comparison(let comparison) = bound.root else { return }
        judge(comparison)
        let isKnown = bound.openVariables.isEmpty && !bound.fieldNames.contains(where: unknownFields.contains)
        if isKnown { questions.append((bound, node.span)) }
    }

    /// Comparisons that no record satisfies, where nothing worse was found about them.
    private mutating func judgeAgainstRecords() {
        guard let records = linter.records, records.count > 0 else { return }
        for (question, span) in questions where !isCovered(span) && (try? records.count(matching: question)) == 0 {
            report(.noMatch, span, "none of the \(records.count.grouped) records satisfies this")
        }
    }

    /// Whether something was found in a place or around it.
    private func isCovered(_ span: SourceSpan) -> Bool {
        findings.contains { $0.code.severity > .note && $0.span.range.overlaps(span.range) }
    }

    /// A comparison bound on its own; what is wrong with it becomes findings.
    private mutating func bind(_ node: PredicateNode) -> BoundPredicate? {
        while true {
            do throws(BindingError) {
                return try linter.binder(alsoKnowing: unknownFields)
                    .bind(part: node, arguments: linter.arguments, variables: linter.variables)
            } catch {
                guard error.kind == .unknownField, let name = unknownName(at: error.span, in: node) else {
                    report(error)
                    return nil
                }
                unknownFields.append(name)
                reportUnknown(name, node, error)
            }
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

    private mutating func reportUnknown(_ name: String, _ node: PredicateNode, _ error: BindingError) {
        if case .comparison(let comparison) = node.kind, comparison.bareValues.contains(where: { $0.name == name }) {
            report(
                .unquotedText, error.span, "no record has a field '\(name)'", hint: "a text stands in quotes: '\(name)'"
            )
        } else {
            report(.unknownField, error.span, "no record has a field '\(name)'", hint: error.hint)
        }
    }

    /// The name of the unknown field at a place.
    private func unknownName(at span: SourceSpan, in node: PredicateNode) -> String? {
        let binder = Binder()
        var open = binder
        open.settings.leavesArgumentsOpen = linter.arguments.isEmpty
        guard let records = linter.records,
            let names = try? open.bind(part: node, arguments: linter.arguments, variables: linter.variables).fieldNames
        else { return nil }
        let known = records.binder(alsoKnowing: unknownFields)
        return names.first { name in
            known.schema?.position(of: name) == nil && known.settings.systemFields[name] == nil
        }
    }

    // MARK: The predicate as a whole

    /// Parts that hold for every record, or for none, the smallest of them; and the predicate itself, where they decide it.
    private mutating func judgeConstancy() {
        let count = findings.count
        guard judgeConstancy(of: tree.root), let whole = truth(of: tree.root) else { return }
        let isTold = findings[count...].contains { $0.span.range == tree.root.span.range }
        let isPlain = if case .comparison = tree.root.kind { true } else { false }
        if !isTold, !isPlain { report(whole, tree.root, "so the predicate as a whole") }
    }

    /// - Returns: whether a part of the node was reported.
    private mutating func judgeConstancy(of node: PredicateNode) -> Bool {
        var isReported = false
        switch node.kind {
        case .constant: return false
        case .not(let term): return judgeConstancy(of: term)
        case .and(let terms), .or(let terms): for term in terms where judgeConstancy(of: term) { isReported = true }
        case .comparison: isReported = hasFinding(in: node.span)
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
    private func truth(of node: PredicateNode) -> Bool? {
        let binder = linter.binder(alsoKnowing: unknownFields)
        guard
            let bound = try? binder.bind(part: node, arguments: linter.arguments, variables: linter.variables),
            case .constant(let value) = bound.simplest.root
        else { return nil }
        return value
    }

    // MARK: Indexes

    /// Whether every record must be looked at: a part that no index answers is fine where another narrows the records.
    private func needsScan(_ node: PredicateNode) -> Bool {
        switch node.kind {
        case .constant: return false
        case .not(let term): return needsScan(term)
        case .and(let terms): return terms.allSatisfy(needsScan)
        case .or(let terms): return terms.contains(where: needsScan)
        case .comparison:
            let binder = linter.binder(alsoKnowing: unknownFields)
            guard let bound = try? binder.bind(part: node, arguments: linter.arguments, variables: linter.variables),
                bound.openVariables.isEmpty, case .comparison(let comparison) = bound.root
            else { return false }
            return !comparison.isIndexable
        }
    }

    private mutating func tellScans(_ node: PredicateNode) {
        switch node.kind {
        case .constant: break
        case .not(let term): tellScans(term)
        case .and(let terms), .or(let terms): for term in terms { tellScans(term) }
        case .comparison:
            guard needsScan(node), !hasFinding(in: node.span) else { return }
            report(
                .needsScan, node.span, "no index answers this: every record is looked at",
                hint: "an index answers comparisons of a field with a constant; join one by AND")
        }
    }
}

extension BoundComparison {
    /// Whether an index can answer the comparison, or narrow it to more than the records that have the field.
    fileprivate var isIndexable: Bool {
        guard let constraint else { return false }
        if !constraint.isExact, case .presence = constraint.requirement { return false }
        return true
    }
}
