// Which fields of a schema have words that are analyzed.

import RecordModel
import TextAnalysis

extension ContainerSchema {
    /// The analyzers of the fields of a type; of all types for `nil`: those that every type agrees about which has a
    /// field of the name.
    func analyzers(ofType type: String?) -> FieldAnalyzers? {
        if let type { return recordTypes[type]?.analyzers }
        if recordTypes.values.allSatisfy({ $0.analyzers == nil }) { return nil }
        var found: [String: TextAnalyzer?] = [:]
        for (name, field) in recordTypes.values.flatMap(\.fields) {
            found[name] = .some(found[name, default: field.analyzer] == field.analyzer ? field.analyzer : nil)
        }
        return FieldAnalyzers(found.compactMapValues { $0 })
    }
}

extension ContainerSchema.Field {
    /// What is wrong with the analyzer, for people; `nil` when nothing is.
    var analyzerFault: (reason: String, hint: String?)? {
        guard let analyzer else { return nil }
        if !type.canBeAnalyzed { return ("cannot have an analyzer", "texts and lists of texts can") }
        return analyzer.notWords.first.map {
            ("has an analyzer with '\($0)', which is not one word", "stop words and synonyms are single words")
        }
    }
}
