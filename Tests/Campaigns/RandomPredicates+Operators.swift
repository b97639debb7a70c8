// Comparisons by every operator of the language, with operands that nobody chose for it.

import PredicateSemantics
import PredicateSyntax
import RecordModel

extension RandomPredicates {
    /// What stands on a side of an operator.
    private enum Side: String, CaseIterable {
        case textField = "few"
        case numberField = "small"
        case textsField = "tags"
        case numbersField = "numbers"
        case text = "'a'"
        case number = "1"
        case texts = "{'a', 'b'}"
        case numbers = "{1, 2}"
        case missing = "nil"
        /// Constants that let nothing through, beside some operators.
        case empty = "''"
        case missings = "{nil, nil}"

        var isField: Bool { !rawValue.contains { "'1{".contains($0) } && self != .missing }
    }

    /// An operator with the operands that it may take.
    private struct Form {
        let name: String
        /// Whether letters may stand in brackets behind it.
        let takesOptions: Bool
        let sides: [(Side, Side)]

        init(_ known: ComparisonOperator, _ schema: RecordSchema) {
            func binds(_ text: String) -> Bool {
                guard let predicate = try? RecordPredicate(format: text, arguments: []) else { return false }
                return (try? Binder(schema: schema).bind(predicate)) != nil
            }
            name = known.rawValue
            takesOptions = (try? SyntaxTree(parsing: "a \(known.rawValue)[c] b")) != nil
            sides = Side.allCases.flatMap { left in Side.allCases.map { (left, $0) } }
                .filter { left, right in
                    (left.isField || right.isField) && binds("\(left.rawValue) \(known.rawValue) \(right.rawValue)")
                }
        }
    }

    private static let forms: [Form] = {
        let fields: [(String, FieldType)] = [
            ("few", .string), ("small", .int64), ("tags", .list(.string)), ("numbers", .list(.int64)),
        ]
        let schema = RecordSchema(
            recordType: RandomRecords.type, fields: fields.map { FieldDefinition(name: $0, type: $1) })
        return ComparisonOperator.allCases.map { Form($0, schema) }
    }()

    /// A comparison by any operator that there is: of values, of nil, of constants that nothing lies beside.
    mutating func anyOperator() -> String {
        let form = generator.pick(Self.forms)
        let written = form.takesOptions ? form.name + options() : form.name
        let (left, right) = generator.pick(form.sides)
        let isList = left == .textsField || left == .numbersField
        let quantifier = isList && generator.oneIn(3) ? generator.pick(["ANY ", "ALL ", "NONE "]) : ""
        return "\(quantifier)\(side(left)) \(written) \(side(right))"
    }

    private mutating func side(_ side: Side) -> String {
        switch side {
        case .textField: generator.pick(["text", "few", "few", "unique", "body"])
        case .numberField: generator.pick(["whole", "small", "mixed", "flag"])
        case .text: anyText()
        case .number: number()
        case .texts: "{\(anyText()), \(anyText())}"
        case .numbers: "{\(number()), \(number())}"
        case .textsField, .numbersField, .missing, .empty, .missings: side.rawValue
        }
    }

    private mutating func anyText() -> String {
        generator.oneIn(2) ? string() : "'\(generator.pick(["red", "Public.JPEG", "public.image", "public.data"]))'"
    }
}
