// Saves, migrations and changes of the schema in a store that is opened again between them, against a model.

import FoundationEssentials
import PredicateSemantics
import RecordDatabase
import RecordModel

/// Random steps of one client; after each, records, schema, answers and a copy that is kept by change tokens are what
/// the model says.
struct MigrationCampaign {
    /// What the client does wrong, so that the campaign shows that it finds it.
    enum Flaw: Sendable, CaseIterable {
        /// A migration is said to be made, and its steps are left out.
        case skipsSteps
        /// What was refused is said to be done.
        case tellsSuccess
        /// Deletions are not sent.
        case keepsRecords
    }

    struct Result {
        var steps = 0
        /// Migrations made, and those refused as they must be.
        var made = 0
        var refused = 0
        var reopened = 0
        var difference: String?
        /// The fewest steps that lead to a difference.
        var trace: [String] = []
    }

    let seed: UInt64
    /// Where the store is; it outlives its clients.
    let ground: ContainerGround
    var flaw: Flaw?

    /// Takes so many steps; where they lead to a difference, the fewest that do are looked for.
    func run(steps: Int) -> Result {
        var result = run(Array(0..<steps))
        guard result.difference != nil else { return result }
        let shortest = ShortestTrace.of(Array(0..<result.steps), attempts: 300) { run($0).difference != nil }
        result.trace = run(shortest).trace
        return result
    }

    private func run(_ numbers: [Int]) -> Result {
        var result = Result()
        do throws(DatabaseError) {
            var client = try MigrationClient(on: ground, seed: seed, flaw: flaw)
            defer { client.container.close() }
            for number in numbers {
                result.steps += 1
                var difference = try client.take(number, &result)
                result.trace.append(client.step)
                if difference == nil { difference = try client.difference() }
                if let difference {
                    result.difference = "seed \(seed), step \(number), \(client.step): \(difference)\n\(client.model)"
                    break
                }
            }
        } catch {
            result.difference = "seed \(seed): \(error)"
        }
        if let difference = result.difference { result.trace.append(difference) }
        return result
    }
}

/// A client of a stored container, with the model of what is there.
private struct MigrationClient {
    /// Zones that tell changes; on servers each has one of the nodes.
    private static let zones = (0..<4).map { RecordZone.ID("Z\($0)") }

    private let ground: ContainerGround
    private let identifier = "migrations " + UUID().uuidString
    private let seed: UInt64
    private let flaw: MigrationCampaign.Flaw?
    private(set) var container: Container
    private(set) var model: MigrationModel
    /// What was done last, in words.
    private(set) var step = ""
    /// All migrations made, which are requested again each time.
    private var migrations: [SchemaMigration] = []
    /// The records as changes told them, each with its type, and up to where.
    private var copy: [String: (type: String, fields: [String: FieldValue])] = [:]
    private var tokens: [RecordZone.ID: ChangeToken] = [:]

    init(on ground: ContainerGround, seed: UInt64, flaw: MigrationCampaign.Flaw?) throws(DatabaseError) {
        (self.ground, self.seed, self.flaw) = (ground, seed, flaw)
        var generator = SeededGenerator(seed: seed)
        model = MigrationModel(&generator)
        try ground.prepare(identifier)
        container = try ground.open(identifier, .localUser, Configuration())
        var type = ContainerSchema.RecordType()
        for (name, fieldType) in model.fields.sorted(by: { $0.key < $1.key }) {
            type.define(name, ContainerSchema.Field(fieldType))
        }
        try container.setSchema(ContainerSchema(recordTypes: [model.type: type]))
        _ = try container.privateDatabase.modifyZones(
            saving: Self.zones.map { RecordZone(id: $0) }, deleting: [])
        let records = model.records.map { Record(type: model.type, id: Self.id($0.key), fields: $0.value) }
        if !records.isEmpty { _ = try container.privateDatabase.modify(ModifyRequest(saves: records)) }
    }

    /// The identifier of a record: its zone is that of the last letter of its name.
    private static func id(_ name: String) -> Record.ID {
        Record.ID(name, zoneID: zones[Int(name.utf8.last ?? 0) % zones.count])
    }

    // MARK: Steps

    /// Takes the step of a number.
    ///
    /// - Returns: What is wrong with its outcome.
    mutating func take(_ number: Int, _ result: inout MigrationCampaign.Result) throws(DatabaseError) -> String? {
        var generator = SeededGenerator(seed: seed &* 0x1_0000_0001 &+ UInt64(number))
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...3: return try save(&generator)
        case 4: return try delete("r\(Int.random(in: 0..<8, using: &generator))")
        case 5, 6: return try setSchema(&generator)
        case 7...9: return migrate("m\(number)", &generator, &result)
        default:
            step = "opened again"
            result.reopened += 1
            container.close()
            container = try ground.open(identifier, .localUser, Configuration())
            return nil
        }
    }

    private mutating func save(_ generator: inout SeededGenerator) throws(DatabaseError) -> String? {
        let name = "r\(Int.random(in: 0..<8, using: &generator))"
        var sent: [String: FieldValue] = [:]
        for (field, type) in model.fields.sorted(by: { $0.key < $1.key }) where !generator.oneIn(3) {
            sent[field] = generator.oneIn(6) ? .null : generator.pick(Conversions.values(of: type))
        }
        step = "save \(name) \(sent.sorted { $0.key < $1.key })"
        var next = model
        next.records[name] = (model.records[name] ?? [:]).merging(sent) { $1 }.filter { !$0.value.isNull }
        var record = Record(type: model.type, id: Self.id(name))
        for (field, value) in sent { record[field] = value }
        let outcome = try container.privateDatabase.modify(ModifyRequest(saves: [record], policy: .changedKeys))
            .saves.first?.result
        var code: DatabaseError.Code?
        if case .failure(let error)? = outcome { code = error.code }
        if flaw == .tellsSuccess { code = nil }
        if next.isComplete {
            model = next
            return code.map { "a save is refused: \($0)" }
        }
        return code == .constraintViolation ? nil : "a save without what is required: \(code.map { "\($0)" } ?? "done")"
    }

    private mutating func delete(_ name: String) throws(DatabaseError) -> String? {
        step = "delete \(name)"
        model.records[name] = nil
        if flaw == .keepsRecords { return nil }
        let result = try container.privateDatabase.modify(ModifyRequest(deletes: [Self.id(name)]))
        if case .failure(let error)? = result.deletes.first?.result { return "a deletion is refused: \(error)" }
        return nil
    }

    /// Adds a field, takes one away or gives it another type: that needs a migration where a record has a value.
    private mutating func setSchema(_ generator: inout SeededGenerator) throws(DatabaseError) -> String? {
        let (field, type) = (generator.pick(MigrationModel.names), generator.pick(Conversions.types))
        var (schema, next, isSound) = (container.schema, model, true)
        let isUsed = model.records.values.contains { $0[field] != nil }
        guard var known = schema.recordTypes[model.type] else { return "the type is gone" }
        if model.fields[field] == nil {
            step = "add \(field) \(type)"
            known.define(field, ContainerSchema.Field(type))
            next.fields[field] = type
        } else if generator.oneIn(2), model.fields.count > 1 {
            step = "drop \(field) by the schema"
            var rest = ContainerSchema.RecordType()
            for (name, definition) in known.fields.sorted(by: { $0.key < $1.key }) where name != field {
                rest.define(name, definition)
            }
            known = rest
            next.fields[field] = nil
            next.required.remove(field)
            isSound = !isUsed
        } else {
            step = "\(field) is \(type) by the schema"
            known.define(field, ContainerSchema.Field(type))
            isSound = model.fields[field] == type || !isUsed
            next.fields[field] = type
            next.required.remove(field)
        }
        schema.recordTypes[model.type] = known
        do throws(DatabaseError) {
            try container.setSchema(schema)
            if !isSound { return "a field with values is changed by the schema" }
            model = next
        } catch {
            if isSound || error.code != .invalidArguments { return "a schema is refused: \(error)" }
        }
        return nil
    }

    private mutating func migrate(
        _ name: String, _ generator: inout SeededGenerator, _ result: inout MigrationCampaign.Result
    ) -> String? {
        var (next, isSound, steps) = (model, true, generator.pick([1, 1, 2, 3, 4]))
        let migration = SchemaMigration(name) { migration in
            while steps > 0 {
                steps -= 1
                isSound = next.step(&migration, &generator) && isSound
            }
        }
        isSound = isSound && next.isComplete
        step = "migrate to \(next.type) \(next.fields.sorted { $0.key < $1.key })"
        // Those that were made are not made again, also by a store that was opened anew.
        let all = migrations + [flaw == .skipsSteps ? SchemaMigration(name) { _ in } : migration]
        let (container, flaw) = (container, flaw)
        let outcome = OwnQueue.run { () -> Swift.Result<[String], DatabaseError>? in
            do throws(DatabaseError) { return .success(try await container.migrate(all)) } catch {
                return .failure(error)
            }
        }
        switch outcome {
        case .success(let names)?:
            if !isSound, flaw != .skipsSteps { return "a migration was made that has no meaning" }
            if names != [name] { return "the migrations \(names) were made, and not \(name)" }
            migrations = all
            if isSound { model = next }
            result.made += 1
            return nil
        case .failure(let error)?:
            if isSound { return "a sound migration is refused: \(error)" }
            if flaw == .tellsSuccess { model = next }
            result.refused += 1
            return [.invalidArguments, .constraintViolation].contains(error.code)
                ? nil : "an error that does not fit: \(error)"
        case nil: return "a migration was lost"
        }
    }

    // MARK: What is there

    /// How the container differs from the model.
    mutating func difference() throws(DatabaseError) -> String? {
        if let difference = try model.difference(from: container) { return difference }
        if let difference = try copyDifference() { return difference }
        for (field, type) in model.fields.sorted(by: { $0.key < $1.key }) {
            for value in Conversions.values(of: type) {
                if let difference = try answerDifference(field, value) { return difference }
            }
        }
        return nil
    }

    /// What an index finds by a value, after whatever its records went through.
    private func answerDifference(_ field: String, _ value: FieldValue) throws(DatabaseError) -> String? {
        let expected = Set(model.records.filter { $0.value[field] == value }.keys)
        let query: Query
        do {
            query = Query(model.type, try RecordPredicate(format: "%K == %@", arguments: [.string(field), value]))
        } catch { return "no predicate: \(error)" }
        let found = try container.privateDatabase.find(query, in: .all, limit: 100)
        let names = Set(found.matches.map(\.0.recordName))
        return names == expected ? nil : "\(field) == \(value) finds \(names.sorted()), not \(expected.sorted())"
    }

    /// What a copy has that follows the changes.
    private mutating func copyDifference() throws(DatabaseError) -> String? {
        for zone in Self.zones { try follow(zone) }
        for name in Set(copy.keys).union(model.records.keys).sorted() {
            let isSame = copy[name]?.fields == model.records[name] && (copy[name]?.type ?? model.type) == model.type
            if !isSame { return "changes told of \(name): \(copy[name].map { "\($0)" } ?? "nothing")" }
        }
        return nil
    }

    /// Has the copy take over the changes of a zone.
    private mutating func follow(_ zone: RecordZone.ID) throws(DatabaseError) {
        while true {
            let changes = try container.privateDatabase.zoneChanges(zone, since: tokens[zone], limit: 3)
            for (id, result) in changes.modifications {
                let record = try result.get()
                if record.type == ContainerSchema.userRecordType { continue }
                copy[id.recordName] = (record.type, record.fields)
            }
            for deletion in changes.deletions { copy[deletion.recordID.recordName] = nil }
            tokens[zone] = changes.changeToken
            if !changes.moreComing { return }
        }
    }
}
