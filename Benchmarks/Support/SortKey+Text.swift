// Sort keys as a workload writes them.

import Geospatial
import RecordDatabase

extension SortKey {
    /// Reads `FIELD`, `FIELD:desc`, `distance(FIELD,LAT,LON)`, or `distance(FIELD,LAT,LON):desc`, or
    /// `relevance`, best first.
    init(workload text: String) throws(UsageError) {
        let error = UsageError(description: "'\(text)' is not a sort key")
        var rest = Substring(text)
        let isDescending = rest.hasSuffix(":desc")
        if isDescending { rest.removeLast(5) } else if rest.hasSuffix(":asc") { rest.removeLast(4) }
        guard rest.hasPrefix("distance("), rest.hasSuffix(")") else {
            guard !rest.isEmpty else { throw error }
            if rest == "relevance" {
                self.init(.relevance, isAscending: text.hasSuffix(":asc"))
                return
            }
            self.init(.field(String(rest)), isAscending: !isDescending)
            return
        }
        let parts = rest.dropFirst(9).dropLast().split(separator: ",").map { String($0.drop { $0 == " " }) }
        guard parts.count == 3, let latitude = Double(parts[1]), let longitude = Double(parts[2]) else { throw error }
        let place = Location(latitude: latitude, longitude: longitude)
        self.init(.distance(parts[0], from: place), isAscending: !isDescending)
    }
}
