// What an analyser leaves out of queries.

/// How text becomes the tokens of an index and of a query. Index and query must use the same profile.
package struct AnalysisProfile: Hashable, Sendable, Codable {
    /// The name that plans and settings show.
    package let name: String
    /// Words left out of queries, never out of an index. They are compared without case and marks.
    package let queryStopWords: Set<String>

    /// A profile of one's own.
    package init(name: String, queryStopWords: Set<String>) {
        self.name = name
        self.queryStopWords = queryStopWords
    }

    /// Every word counts.
    package static let `default` = AnalysisProfile(name: "default", queryStopWords: [])

    /// CloudKit's: 33 English words are left out of queries. A query of these alone matches nothing.
    package static let cloudKit = AnalysisProfile(
        name: "cloudKit",
        queryStopWords: [
            "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
            "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was",
            "will", "with",
        ])
}
