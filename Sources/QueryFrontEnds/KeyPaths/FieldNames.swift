// Which field a key path means.

import RecordModel
import Synchronization

/// A key path whose field is not known.
struct UnknownKeyPath: Error {
    /// The key path as Swift prints it.
    var keyPath: String
    var reason: String
    var hint: String
}

/// The fields of a type's key paths.
///
/// Key paths have no names at run time. So a few samples of the type are decoded, every value in them another, and
/// encoded again: the field of a key path is the one that holds, in every sample, what the key path gives. That follows
/// renamed coding keys and own coding, works where the compiler keeps no reflection metadata, and cannot take a
/// computed property for a field, unless it always has the value of one. A type without samples goes by the name that
/// reflection metadata has of a stored property, where a coding key has that name too.
struct FieldNames<Root: FieldNamed>: Sendable {
    /// A value of the type, and what it is as field values.
    private struct Sample: Sendable {
        var value: Root
        var members: [[String]: FieldValue]
    }

    private static var sampleCount: Int { 24 }

    private let samples: [Sample]
    private let obstacle: RecordCodingError?

    init() {
        do {
            samples = try (0..<Self.sampleCount).map { number in
                let value = try Root(from: SampleDecoder(SampleSource(sample: number)))
                return Sample(value: value, members: Self.members(of: try FieldEncoder.value(of: value)))
            }
            obstacle = nil
        } catch {
            samples = []
            obstacle = RecordCodingError(error, recordType: "\(Root.self)")
        }
    }

    /// Every member of an object and of the objects in it, by the names that lead to it.
    private static func members(of value: FieldValue, _ path: [String] = []) -> [[String]: FieldValue] {
        guard case .object(let members) = value else { return [:] }
        var all: [[String]: FieldValue] = [:]
        for (name, member) in members {
            all[path + [name]] = member
            all.merge(Self.members(of: member, path + [name])) { first, _ in first }
        }
        return all
    }

    /// The names that lead to the key path's value.
    func path(of keyPath: PartialKeyPath<Root>) throws(UnknownKeyPath) -> [String] {
        if let name = Root.fields[keyPath] { return [name] }
        let found = try samples.isEmpty ? pathByName(keyPath) : pathBySamples(keyPath)
        return found
    }

    private func pathBySamples(_ keyPath: PartialKeyPath<Root>) throws(UnknownKeyPath) -> [String] {
        var candidates: Set<[String]>?
        for sample in samples {
            guard let property = sample.value[keyPath: keyPath] as? any Encodable,
                let value = try? FieldEncoder.value(of: property)
            else { throw unknown(keyPath, "its type is not Encodable") }
            // A sample that lacks a value tells nothing of it.
            if value.isNull { continue }
            if let known = candidates {
                candidates = known.filter { sample.members[$0] == value }
            } else {
                candidates = Set(sample.members.filter { $0.value == value }.keys)
            }
        }
        guard let candidates, !candidates.isEmpty else {
            throw unknown(keyPath, "no field holds its value: it is computed, or not encoded")
        }
        if candidates.count == 1, let only = candidates.first { return only }
        let names = Self.storedNames(keyPath)
        guard candidates.contains(names) else { throw unknown(keyPath, "several fields may hold its value") }
        return names
    }

    /// The name of a stored property, where the type has a coding key of that name which is decoded as the same type.
    private func pathByName(_ keyPath: PartialKeyPath<Root>) throws(UnknownKeyPath) -> [String] {
        let names = Self.storedNames(keyPath)
        let source = SampleSource(sample: 0)
        _ = try? Root(from: SampleDecoder(source))
        let valueType = type(of: keyPath).valueType
        guard names.count == 1, source.hasKey(names[0]), fits(source.memberTypes[names[0]], valueType) else {
            throw unknown(
                keyPath,
                "the type cannot be decoded from samples" + (obstacle.map { " (\($0.description))" } ?? ""))
        }
        return names
    }

    private func fits(_ decoded: (any Any.Type)?, _ property: any Any.Type) -> Bool {
        func optional<T>(_: T.Type) -> any Any.Type { T?.self }
        guard let decoded else { return true }
        return property == decoded || property == _openExistential(decoded, do: optional)
    }

    /// The names of stored properties, as Swift prints a key path where it keeps them: `\City.address.city`.
    private static func storedNames(_ keyPath: PartialKeyPath<Root>) -> [String] {
        let (text, root) = ("\(keyPath)", "\\\(Root.self).")
        guard text.hasPrefix(root) else { return [] }
        let names = text.dropFirst(root.count).split(separator: ".", omittingEmptySubsequences: false)
        return names.map { name in
            name.hasSuffix("?") || name.hasSuffix("!") ? String(name.dropLast()) : String(name)
        }
    }

    private func unknown(_ keyPath: PartialKeyPath<Root>, _ reason: String) -> UnknownKeyPath {
        UnknownKeyPath(
            keyPath: "\(keyPath)", reason: reason,
            hint: "name it in \(Root.self): static var fields: [PartialKeyPath<Self>: String]")
    }
}

extension FieldNamed {
    /// The names that lead to a key path's value; names are found out once for each type.
    static func path(of keyPath: PartialKeyPath<Self>) throws(UnknownKeyPath) -> [String] {
        try FieldNamesCache.names(of: Self.self).path(of: keyPath)
    }
}

/// What was found out of each type.
private enum FieldNamesCache {
    private static let names = Mutex<[ObjectIdentifier: any Sendable]>([:])

    static func names<Root: FieldNamed>(of _: Root.Type) -> FieldNames<Root> {
        let key = ObjectIdentifier(Root.self)
        if let known = names.withLock({ $0[key] as? FieldNames<Root> }) { return known }
        // Outside of the lock: decoding runs code of the type's author.
        let found = FieldNames<Root>()
        names.withLock { $0[key] = found }
        return found
    }
}
