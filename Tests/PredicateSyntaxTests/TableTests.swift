// The tables of valid and invalid predicates: what parses, where the others fail and why.
import PredicateSyntax
import Testing

@Suite("Tables")
struct TableTests {
    @Test("Valid predicates parse and print to an equal tree")
    func valid() throws {
        for item in try fixture("valid.json", of: ValidCase.self) {
            let tree = try SyntaxTree(parsing: item.predicate)
            let printed = tree.description
            let again = try SyntaxTree(parsing: printed)
            #expect(again == tree, "\(item.id): \(printed)")
            #expect(again.description == printed, "\(item.id)")
        }
    }

    @Test("Invalid predicates fail at the right place for the right reason")
    func invalid() throws {
        for item in try fixture("invalid.json", of: InvalidCase.self) {
            guard let error = syntaxError(item.predicate) else {
                Issue.record("\(item.id) parses: \(item.predicate)")
                continue
            }
            let offset = SourceText(item.predicate).scalarOffset(ofByte: Int(error.span.lowerBound))
            #expect(offset == item.offset, "\(item.id): \(item.predicate): \(error)")
            if let kind = item.kind { #expect(error.kind == kind, "\(item.id): \(error)") }
            if let message = item.message { #expect(error.message == message, "\(item.id)") }
        }
    }

    @Test("CloudKit's subset: what it takes, what it refuses")
    func cloudKitColumn() throws {
        for item in try fixture("valid.json", of: ValidCase.self) {
            let tree = try SyntaxTree(parsing: item.predicate)
            var rejection: SyntaxError?
            do { try tree.validate(for: .cloudKit, stringFields: ["name"]) } catch { rejection = error }
            switch item.cloudKit {
            case "Y": #expect(rejection == nil, "\(item.id): \(item.predicate)")
            case "N": #expect(rejection?.kind == .dialect, "\(item.id): \(item.predicate)")
            default: break
            }
            try tree.validate(for: .full)
        }
    }

    @Test("CloudKit's refusals name the place and the reason")
    func cloudKitRejections() throws {
        for item in try fixture("cloudkit.json", of: InvalidCase.self) {
            let error = #expect(throws: SyntaxError.self, "\(item.id)") {
                try SyntaxTree(parsing: item.predicate).validate(for: .cloudKit)
            }
            let offset = SourceText(item.predicate).scalarOffset(ofByte: Int(error?.span.lowerBound ?? -1))
            #expect(error?.kind == .dialect, "\(item.id)")
            #expect(offset == item.offset, "\(item.id)")
            #expect(error?.message == item.message, "\(item.id)")
        }
    }

    @Test("Conformance predicates parse, or fail, as expected")
    func conformance() throws {
        for item in try fixture("conformance.json", of: ConformanceCase.self) {
            switch item.expect {
            case .ok:
                let tree = try SyntaxTree(parsing: item.predicate)
                #expect(try SyntaxTree(parsing: tree.description) == tree, "\(item.id): \(tree)")
                if let count = item.arguments { #expect(tree.placeholders.count == count, "\(item.id)") }
            case .error: #expect(syntaxError(item.predicate) != nil, "\(item.id): \(item.predicate)")
            case .any: _ = syntaxError(item.predicate)
            }
        }
    }
}
