// One predicate in every front end that can say it.

import Foundation
import Geospatial
import PredicateSemantics
import PredicateSyntax
import QueryFrontEnds
import RecordModel

/// What one text says, said in the other ways.
struct EquivalentPredicate: Sendable {
    /// Text of the predicate language.
    var text: String
    var arguments: [FieldValue] = []
    var interpolated: RecordPredicate?
    var built: RecordPredicate.Of<Place>?
    /// What `#Predicate` says; its tree may be another one where Swift's meaning takes more words.
    var foundation: Predicate<Place>?
    /// The `filterBy` of a web-service query.
    var filters: String?
}

let kyiv = Location(latitude: 50.45, longitude: 30.52)
private let ann = Record.ID("ann")
private let day = Date(timeIntervalSinceReferenceDate: 1000)

extension EquivalentPredicate {
    static let all: [EquivalentPredicate] = comparisons + texts + lists + paths + logic

    static let comparisons: [EquivalentPredicate] = [
        EquivalentPredicate(
            text: "population > 50", interpolated: "population > \(50)", built: Place.where { $0.population > 50 },
            foundation: #Predicate { $0.population > 50 },
            filters:
                #"[{"fieldName":"population","comparator":"GREATER_THAN","fieldValue":{"value":50,"type":"INT64"}}]"#),
        EquivalentPredicate(
            text: "population >= 50", built: Place.where { $0.population >= 50 },
            foundation: #Predicate { $0.population >= 50 },
            filters: #"[{"fieldName":"population","comparator":"GREATER_THAN_OR_EQUALS","fieldValue":{"value":50}}]"#),
        EquivalentPredicate(
            text: "population == 50", built: Place.where { $0.population == 50 },
            foundation: #Predicate { $0.population == 50 },
            filters: #"[{"fieldName":"population","comparator":"EQUALS","fieldValue":{"value":50}}]"#),
        EquivalentPredicate(
            text: "rank != 3", built: Place.where { $0.rank != 3 }, foundation: #Predicate { $0.rank != 3 },
            filters: #"[{"fieldName":"rank","comparator":"NOT_EQUALS","fieldValue":{"value":3,"type":"INT64"}}]"#),
        EquivalentPredicate(
            text: "rank < 3 AND area <= 20.5", built: Place.where { $0.rank < 3 && $0.area <= 20.5 },
            filters: """
                [{"fieldName":"rank","comparator":"LESS_THAN","fieldValue":{"value":3}},
                 {"fieldName":"area","comparator":"LESS_THAN_OR_EQUALS","fieldValue":{"value":20.5,"type":"DOUBLE"}}]
                """),
        EquivalentPredicate(text: "5 < population", built: Place.where { 5 < $0.population }),
        EquivalentPredicate(text: "population > 30.5", built: Place.where { $0.population > 30.5 }),
        EquivalentPredicate(
            text: "area > population", built: Place.where { $0.area > $0.population }),
        EquivalentPredicate(
            text: "nickname == nil", interpolated: "nickname == \(String?.none)",
            built: Place.where { $0.nickname == nil }, foundation: #Predicate { $0.nickname == nil }),
        EquivalentPredicate(
            text: "nickname != nil", built: Place.where { $0.nickname != nil },
            foundation: #Predicate { $0.nickname != nil }),
        EquivalentPredicate(
            text: "capital == TRUE", interpolated: "capital == \(true)", built: Place.where { $0.isCapital },
            foundation: #Predicate { $0.isCapital }),
        EquivalentPredicate(
            text: "NOT capital == TRUE AND isPort == FALSE",
            built: Place.where { !$0.isCapital && $0.isPort == false },
            foundation: #Predicate { !$0.isCapital && $0.isPort == false }),
        EquivalentPredicate(
            text: #"status == "open""#, interpolated: "status == \(Status.open)",
            built: Place.where { $0.status == .open },
            filters: #"[{"fieldName":"status","comparator":"EQUALS","fieldValue":{"value":"open","type":"STRING"}}]"#),
        EquivalentPredicate(
            text: #"status IN {"open", "planned"}"#, interpolated: "status IN \(["open", "planned"])",
            built: Place.where { $0.status.in([.open, .planned]) },
            filters: """
                [{"fieldName":"status","comparator":"IN","fieldValue":{"value":["open","planned"],"type":"STRING_LIST"}}]
                """),
        EquivalentPredicate(
            text: "NOT population IN {10, 20, 30}", built: Place.where { !$0.population.in([10, 20, 30]) },
            foundation: #Predicate { ![10, 20, 30].contains($0.population) },
            filters: """
                [{"fieldName":"population","comparator":"NOT_IN","fieldValue":{"value":[10,20,30],"type":"INT64_LIST"}}]
                """),
        EquivalentPredicate(
            text: "population BETWEEN {20, 60}", interpolated: "population BETWEEN \(20...60)",
            built: Place.where { (20...60).contains($0.population) },
            foundation: #Predicate { (20...60).contains($0.population) }),
        EquivalentPredicate(
            text: "population >= 20 AND population < 60", built: Place.where { (20..<60).contains($0.population) },
            foundation: #Predicate { (20..<60).contains($0.population) }),
        EquivalentPredicate(
            text: "founded > %@", arguments: [.date(day)], interpolated: "founded > \(day)",
            built: Place.where { $0.founded > day }, foundation: #Predicate { $0.founded > day },
            filters: """
                [{"fieldName":"founded","comparator":"GREATER_THAN",
                  "fieldValue":{"value":978308200000,"type":"TIMESTAMP"}}]
                """),
        EquivalentPredicate(
            text: "owner == %@", arguments: [.reference(RecordReference("ann"))], interpolated: "owner == \(ann)",
            built: Place.where { $0.owner == ann },
            filters: """
                [{"fieldName":"owner","comparator":"EQUALS",
                  "fieldValue":{"value":{"recordName":"ann","action":"NONE"},"type":"REFERENCE"}}]
                """),
        EquivalentPredicate(
            text: "recordID == %@", arguments: [.reference(RecordReference("place 3"))],
            built: Place.where { $0.recordID == Record.ID("place 3") }),
        EquivalentPredicate(
            text: "distanceToLocation:fromLocation:(location, %@) < 5000000.0", arguments: [.location(kyiv)],
            interpolated: "distanceToLocation:fromLocation:(location, \(kyiv)) < \(5_000_000.0)",
            built: Place.where { $0.location.distance(to: kyiv) < .kilometers(5000) },
            filters: """
                [{"fieldName":"location","comparator":"NEAR","distance":5000000.0,
                  "fieldValue":{"value":{"latitude":50.45,"longitude":30.52},"type":"LOCATION"}}]
                """),
        EquivalentPredicate(
            text: "distanceToLocation:fromLocation:(spot, location) >= 16093440.0",
            built: Place.where { $0.spot.distance(to: $0.location) >= .miles(10_000) }),
        EquivalentPredicate(
            text: "location.latitude > 10.0", built: Place.where { $0.location.latitude > 10 },
            foundation: #Predicate { $0.location.latitude > 10 }),
        EquivalentPredicate(
            text: "(population + 5) * 2 > area - rank",
            built: Place.where { ($0.population + 5) * 2 > $0.area - $0.rank }),
        EquivalentPredicate(
            text: "population / 7 == 3 AND modulus:by:(population, 2) == 1",
            built: Place.where { $0.population / 7 == 3 && $0.population % 2 == 1 },
            foundation: #Predicate { $0.population / 7 == 3 && $0.population % 2 == 1 }),
        EquivalentPredicate(
            text: "-population < -50.0", built: Place.where { -$0.population < -50.0 }),
        EquivalentPredicate(
            text: "population * 2 + 1 > 100", built: Place.where { $0.population * 2 + 1 > 100 },
            foundation: #Predicate { $0.population * 2 + 1 > 100 }),
    ]

    static let texts: [EquivalentPredicate] = [
        EquivalentPredicate(
            text: #"name BEGINSWITH "K""#, interpolated: "name BEGINSWITH \("K")",
            built: Place.where { $0.name.hasPrefix("K") }, foundation: #Predicate { $0.name.starts(with: "K") },
            filters: #"[{"fieldName":"name","comparator":"BEGINS_WITH","fieldValue":{"value":"K","type":"STRING"}}]"#),
        EquivalentPredicate(
            text: #"NOT nickname BEGINSWITH "K""#, built: Place.where { !$0.nickname.hasPrefix("K") },
            filters: #"[{"fieldName":"nickname","comparator":"NOT_BEGINS_WITH","fieldValue":{"value":"K"}}]"#),
        EquivalentPredicate(
            text: #"name BEGINSWITH[cd] "k" AND name ENDSWITH[cd] "N""#,
            built: Place.where {
                $0.name.hasPrefix("k", options: .relaxed) && $0.name.hasSuffix("N", options: .relaxed)
            }),
        EquivalentPredicate(
            text: #"name CONTAINS "öl""#, built: Place.where { $0.name.contains("öl") },
            foundation: #Predicate { $0.name.contains("öl") }),
        EquivalentPredicate(
            text: #"name ==[c] "KÖLN""#, built: Place.where { $0.name.equals("KÖLN", options: .caseInsensitive) }),
        EquivalentPredicate(
            text: #"name LIKE "?y*""#, built: Place.where { $0.name.like("?y*") }),
        EquivalentPredicate(
            text: #"name MATCHES "[A-L].*""#, built: Place.where { $0.name.matches("[A-L].*") }),
        EquivalentPredicate(
            text: #"name < "L""#, built: Place.where { $0.name < "L" }, foundation: #Predicate { $0.name < "L" }),
        EquivalentPredicate(
            text: #"allTokens TOKENMATCHES[cdl] "koln""#, interpolated: "allTokens TOKENMATCHES[cdl] \("koln")",
            built: Place.where { $0.matchesTokens("koln") },
            filters: #"[{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"koln","type":"STRING"}}]"#),
        EquivalentPredicate(
            text: #"name TOKENMATCHES[cdl] "koln""#, built: Place.where { $0.name.matchesTokens("koln") },
            filters: #"[{"fieldName":"name","comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"koln"}}]"#),
        EquivalentPredicate(
            text: #"SELF CONTAINS "koln kyiv""#,
            filters: #"[{"comparator":"CONTAINS_ANY_TOKENS","fieldValue":{"value":"koln kyiv","type":"STRING"}}]"#),
        EquivalentPredicate(
            text: #"ANY allTokens BEGINSWITH[cd] "kol""#,
            built: Place.where { $0.allTokens.any.hasPrefix("kol", options: .relaxed) }),
        EquivalentPredicate(
            text: #"length(name) > 3 AND lowercase(name) == "köln""#,
            built: Place.where { $0.name.length > 3 && $0.name.lowercased() == "köln" }),
        EquivalentPredicate(
            text: #"uppercase(name) CONTAINS nickname"#,
            built: Place.where { $0.name.uppercased().contains($0.nickname) }),
        EquivalentPredicate(
            text: #"name == "O'Neil \"%@\"""#, interpolated: "name == \("O'Neil \"%@\"")",
            built: Place.where { $0.name == "O'Neil \"%@\"" }, foundation: #Predicate { $0.name == "O'Neil \"%@\"" },
            filters: #"[{"fieldName":"name","comparator":"EQUALS","fieldValue":{"value":"O'Neil \"%@\""}}]"#),
    ]

    static let lists: [EquivalentPredicate] = [
        EquivalentPredicate(
            text: #"tags CONTAINS "a""#, interpolated: "tags CONTAINS \("a")",
            built: Place.where { $0.tags.contains("a") },
            foundation: #Predicate { $0.tags.contains("a") },
            filters: #"[{"fieldName":"tags","comparator":"LIST_CONTAINS","fieldValue":{"value":"a","type":"STRING"}}]"#),
        EquivalentPredicate(
            text: #"NOT tags CONTAINS "a""#, built: Place.where { !$0.tags.contains("a") },
            foundation: #Predicate { !$0.tags.contains("a") },
            filters: #"[{"fieldName":"tags","comparator":"NOT_LIST_CONTAINS","fieldValue":{"value":"a"}}]"#),
        EquivalentPredicate(
            text: #"ANY tags IN {"a", "b"}"#, built: Place.where { $0.tags.contains(anyOf: ["a", "b"]) },
            filters: """
                [{"fieldName":"tags","comparator":"LIST_CONTAINS_ANY",
                  "fieldValue":{"value":["a","b"],"type":"STRING_LIST"}}]
                """),
        EquivalentPredicate(
            text: #"NOT ANY tags IN {"a", "b"}"#, built: Place.where { !$0.tags.contains(anyOf: ["a", "b"]) },
            filters: """
                [{"fieldName":"tags","comparator":"NOT_LIST_CONTAINS_ANY","fieldValue":{"value":["a","b"]}}]
                """),
        EquivalentPredicate(
            text: #"ALL {"a", "b"} IN tags"#, built: Place.where { $0.tags.contains(allOf: ["a", "b"]) },
            filters: """
                [{"fieldName":"tags","comparator":"LIST_CONTAINS_ALL","fieldValue":{"value":["a","b"]}}]
                """),
        EquivalentPredicate(
            text: #"NOT ALL {"a", "b"} IN tags"#, built: Place.where { !$0.tags.contains(allOf: ["a", "b"]) },
            filters: """
                [{"fieldName":"tags","comparator":"NOT_LIST_CONTAINS_ALL","fieldValue":{"value":["a","b"]}}]
                """),
        EquivalentPredicate(
            text: #"ANY tags BEGINSWITH "b""#, built: Place.where { $0.tags.any.hasPrefix("b") },
            filters: """
                [{"fieldName":"tags","comparator":"LIST_MEMBER_BEGINS_WITH","fieldValue":{"value":"b","type":"STRING"}}]
                """),
        EquivalentPredicate(
            text: #"NOT ANY tags BEGINSWITH "b""#, built: Place.where { !$0.tags.any.hasPrefix("b") },
            filters: """
                [{"fieldName":"tags","comparator":"NOT_LIST_MEMBER_BEGINS_WITH","fieldValue":{"value":"b"}}]
                """),
        EquivalentPredicate(
            text: "ANY scores > 5", built: Place.where { $0.scores.any > 5 },
            foundation: #Predicate { $0.scores.contains { $0 > 5 } }),
        EquivalentPredicate(
            text: "ALL scores > 2", built: Place.where { $0.scores.all > 2 },
            foundation: #Predicate { $0.scores.allSatisfy { $0 > 2 } }),
        EquivalentPredicate(text: "NONE scores == 4", built: Place.where { $0.scores.none == 4 }),
        EquivalentPredicate(
            text: "scores.@count > 1", built: Place.where { $0.scores.count > 1 },
            foundation: #Predicate { $0.scores.count > 1 }),
        EquivalentPredicate(
            text: "scores.@count == 0", built: Place.where { $0.scores.count == 0 },
            foundation: #Predicate { $0.scores.isEmpty }),
        EquivalentPredicate(
            text: "scores.@sum > 6 AND scores.@avg < 6 AND scores.@max >= 5 AND scores.@min <= 3",
            built: Place.where {
                $0.scores.sum() > 6 && $0.scores.average() < 6 && $0.scores.max() >= 5 && $0.scores.min() <= 3
            }),
        EquivalentPredicate(
            text: "scores[FIRST] == 3 OR scores[LAST] == 3",
            built: Place.where { $0.scores.first == 3 || $0.scores.last == 3 },
            foundation: #Predicate { $0.scores.first == 3 || $0.scores.last == 3 }),
        EquivalentPredicate(
            text: "SUBQUERY(scores, $item, $item > 2 AND $item < 5).@count > 0",
            built: Place.where { $0.scores.contains { $0 > 2 && $0 < 5 } },
            foundation: #Predicate { $0.scores.contains { $0 > 2 && $0 < 5 } }),
        EquivalentPredicate(
            text: "SUBQUERY(items, $item, $item.price > 5.0).@count == 1",
            built: Place.where { $0.items.filter { $0.price > 5 }.count == 1 },
            foundation: #Predicate { $0.items.filter { $0.price > 5 }.count == 1 }),
        EquivalentPredicate(
            text: "NOT SUBQUERY(items, $item, NOT ($item.price > 2.0 OR $item.label == name)).@count > 0",
            built: Place.where { place in place.items.allSatisfy { $0.price > 2 || $0.label == place.name } },
            foundation: #Predicate { place in place.items.allSatisfy { $0.price > 2 || $0.label == place.name } }),
        EquivalentPredicate(text: "ANY items.price > 8.0", built: Place.where { $0.items.price.any > 8 }),
        EquivalentPredicate(text: "population IN scores", built: Place.where { $0.population.in($0.scores) }),
        EquivalentPredicate(
            text: "scores == {3, 4}", interpolated: "scores == \([3, 4])", built: Place.where { $0.scores == [3, 4] },
            foundation: #Predicate { $0.scores == [3, 4] }),
    ]

    static let paths: [EquivalentPredicate] = [
        EquivalentPredicate(
            text: #"address.street == "Main""#, interpolated: #"\#(\Place.address.street) == "Main""#,
            built: Place.where { $0.address.street == "Main" }, foundation: #Predicate { $0.address.street == "Main" }),
        EquivalentPredicate(
            text: #"former.zip > 3"#, built: Place.where { $0.former.zip > 3 },
            foundation: #Predicate { ($0.former?.zip ?? 0) > 3 }),
        EquivalentPredicate(
            text: #"former.street == nil"#, built: Place.where { $0.former.street == nil },
            foundation: #Predicate { $0.former?.street == nil }),
        EquivalentPredicate(
            text: "rank > 3 AND scores.@max > 4", foundation: #Predicate { $0.rank! > 3 && $0.scores.max()! > 4 }),
        EquivalentPredicate(
            text: "owner.name == 'Ann' AND owner.age > 40",
            built: Place.where { $0.owner.name == "Ann" && $0.owner.age > 40 }),
        EquivalentPredicate(text: "mayor.name == nil", built: Place.where { $0.mayor.name == nil }),
        EquivalentPredicate(
            text: "extra['k'] == 8", foundation: #Predicate { $0.extra["k"] == 8 }),
        EquivalentPredicate(
            text: "TERNARY(extra['k'] != nil, extra['k'], 3) == 3",
            foundation: #Predicate { $0.extra["k", default: 3] == 3 }),
    ]

    static let logic: [EquivalentPredicate] = [
        EquivalentPredicate(
            text: "population > 20 AND population < 80 AND NOT (area > 10.0 OR isPort == TRUE)",
            interpolated: "population > \(20) AND population < \(80) AND NOT (area > \(10.0) OR isPort == \(true))",
            built: Place.where { $0.population > 20 && $0.population < 80 && !($0.area > 10 || $0.isPort) },
            foundation: #Predicate { $0.population > 20 && $0.population < 80 && !($0.area > 10 || $0.isPort) }),
        EquivalentPredicate(
            text: "(population > 20 OR rank == 2) AND (name BEGINSWITH 'K' OR nickname != nil)",
            interpolated: """
                \("population > 20 OR rank == \(2)" as RecordPredicate) AND (name BEGINSWITH \("K") OR nickname != nil)
                """,
            built: Place.where {
                ("population > 20 OR rank == 2" as RecordPredicate) && ($0.name.hasPrefix("K") || $0.nickname != nil)
            },
            foundation: #Predicate {
                ($0.population > 20 || $0.rank == 2) && ($0.name.starts(with: "K") || $0.nickname != nil)
            }),
        EquivalentPredicate(
            text: "TERNARY(nickname != nil, nickname, name) == 'Kyiv'",
            foundation: #Predicate { ($0.nickname ?? $0.name) == "Kyiv" }),
        EquivalentPredicate(
            text: """
                TERNARY(isPort == TRUE, TERNARY(population > 50, TRUE, FALSE), TERNARY(area > 10, TRUE, FALSE)) == TRUE
                """,
            foundation: #Predicate { $0.isPort ? $0.population > 50 : $0.area > 10 }),
        EquivalentPredicate(text: "TRUEPREDICATE", foundation: #Predicate { _ in true }, filters: "[]"),
    ]
}
