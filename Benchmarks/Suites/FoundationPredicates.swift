// Foundation's predicates for the ten typical ones that it can say.

import FoundationEssentials

/// A predicate of Foundation's and the typical predicate whose answer it must give.
struct FoundationPredicate {
    /// Text of the typical predicate.
    var text: String
    var predicate: Predicate<Person>

    /// The predicates that `#Predicate` has words for: no folding, no patterns.
    static var all: [FoundationPredicate] {
        let cities = ["Berlin", "Paris", "Rome"]
        let berlin = "Berlin"
        let date = Date(timeIntervalSince1970: 1_500_000_000)
        return [
            FoundationPredicate(text: "age > 30", predicate: #Predicate<Person> { $0.age > 30 }),
            FoundationPredicate(text: "name == 'Marcy'", predicate: #Predicate<Person> { $0.name == "Marcy" }),
            FoundationPredicate(
                text: "name CONTAINS 'ar' AND age >= 18",
                predicate: #Predicate<Person> { $0.name.contains("ar") && $0.age >= 18 }),
            FoundationPredicate(
                text: "city IN %@", predicate: #Predicate<Person> { person in cities.contains(person.city) }),
            FoundationPredicate(
                text: "score BETWEEN %@", predicate: #Predicate<Person> { $0.score >= 10 && $0.score <= 20 }),
            FoundationPredicate(text: "ANY tags == 'red'", predicate: #Predicate<Person> { $0.tags.contains("red") }),
            FoundationPredicate(
                text: "(age > 20 AND city == %@) OR (created < %@ AND NOT (name == nil))",
                predicate: #Predicate<Person> { ($0.age > 20 && $0.city == berlin) || $0.created < date }),
        ]
    }
}
