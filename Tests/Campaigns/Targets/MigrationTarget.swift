// Bytes that decide on records and on migrations of them.

import FoundationEssentials
import PredicateSemantics
import RecordDatabase
import RecordModel

/// Lets bytes decide on records and migrations.
private enum MigrationCheck {
    static func run(_ bytes: [UInt8]) -> FuzzOutcome {
        var generator = SeededGenerator(deciding: bytes)
        do throws(DatabaseError) {
            let container = try Container(identifier: "migrations", account: .localUser)
            defer { container.close() }
            var model = MigrationModel(&generator)
            var type = ContainerSchema.RecordType()
            for (name, fieldType) in model.fields { type.define(name, ContainerSchema.Field(fieldType)) }
            try container.setSchema(ContainerSchema(recordTypes: [model.type: type]))
            let records = model.records.map { Record(type: model.type, id: Record.ID($0.key), fields: $0.value) }
            _ = try container.privateDatabase.modify(ModifyRequest(saves: records))
            var wasMade = false
            for number in 0..<2 {
                var (next, isSound) = (model, true)
                var steps = generator.pick([1, 1, 2, 3])
                let migration = SchemaMigration("\(number)") { migration in
                    while steps > 0 {
                        steps -= 1
                        isSound = next.step(&migration, &generator) && isSound
                    }
                }
                isSound = isSound && next.isComplete
                if let finding = migrate(container, migration, isSound: isSound) { return .finding(finding) }
                if isSound { model = next }
                wasMade = wasMade || isSound
                if let finding = try model.difference(from: container) { return .finding("\(finding)\n\(model)") }
            }
            return wasMade ? .accepted : .rejected
        } catch {
            return .finding("an error before or after migrations: \(error)")
        }
    }

    private static func migrate(_ container: Container, _ migration: SchemaMigration, isSound: Bool) -> String? {
        let error = OwnQueue.run { () -> DatabaseError? in
            do throws(DatabaseError) {
                try await container.migrate([migration])
                return nil
            } catch { return error }
        }
        guard let error else { return isSound ? nil : "a migration was made that has no meaning" }
        guard !isSound else { return "a sound migration is refused: \(error)" }
        return [.invalidArguments, .constraintViolation].contains(error.code)
            ? nil : "an error that does not fit: \(error)"
    }
}

extension FuzzTarget {
    static let migrations = FuzzTarget(
        name: "migrations", summary: "random migrations of random records against a model, refused as a whole",
        run: { MigrationCheck.run($0) },
        seeds: {
            var generator = SeededGenerator(seed: 23)
            return (0..<60).map { _ in
                (0..<generator.pick([12, 40, 80])).map { _ in UInt8.random(in: 0...255, using: &generator) }
            }
        }, byteLimit: 160)
}
