// What the fields of a record type say, found out once: whoever saves a record or queries the type asks for it.

import QueryPlanning
import TextAnalysis

/// What follows from the fields of a type. One object for all copies of the type, and never compared: types of equal
/// fields have equal facts.
final class RecordTypeFacts: Sendable, Hashable {
    /// The fields that may hold references, in order of name.
    let referenceKeys: [String]
    /// The fields that may hold assets, in order of name.
    let assetKeys: [String]
    /// The fields that are `NOT NULL`, in order of name.
    let requiredKeys: [String]
    /// The lists of fields whose values are unique together: each `UNIQUE` field by itself in order of name, then
    /// those that the schema names.
    let uniqueKeys: [[String]]
    /// The fields whose values are encrypted, in order of name.
    let encryptedKeys: [String]
    /// The analyzers of the fields that have one.
    let analyzers: FieldAnalyzers?
    /// Which indexes queries on records of the type may use and build.
    let indexUsage: SegmentPlanner.IndexUsage

    init(_ fields: [String: ContainerSchema.Field], uniqueTogether: [[String]]) {
        func keys(where isMeant: (ContainerSchema.Field) -> Bool) -> [String] {
            fields.filter { isMeant($0.value) }.keys.sorted()
        }
        referenceKeys = keys { $0.type.holdsReferences }
        assetKeys = keys { $0.type.holdsAssets }
        requiredKeys = keys { $0.traits.contains(.required) }
        uniqueKeys = keys { $0.traits.contains(.unique) }.map { [$0] } + uniqueTogether
        encryptedKeys = keys { $0.traits.contains(.encrypted) }
        analyzers = FieldAnalyzers(fields.compactMapValues(\.analyzer))
        let declaration = ContainerSchema.indexDeclaration(of: CollectionOfOne(fields))
        indexUsage = declaration == .automatic ? .all : .declared(declaration)
    }

    static func == (_: RecordTypeFacts, _: RecordTypeFacts) -> Bool { true }

    func hash(into _: inout Hasher) {}
}

extension ContainerSchema.RecordType {
    var referenceKeys: [String] { facts.referenceKeys }
    var assetKeys: [String] { facts.assetKeys }
    var requiredKeys: [String] { facts.requiredKeys }
    var uniqueKeys: [[String]] { facts.uniqueKeys }
    var encryptedKeys: [String] { facts.encryptedKeys }
    var analyzers: FieldAnalyzers? { facts.analyzers }
    var indexUsage: SegmentPlanner.IndexUsage { facts.indexUsage }

    /// Whether what is saved depends on what the schema demands of values.
    var isConstrained: Bool { !requiredKeys.isEmpty || !uniqueKeys.isEmpty }
}
