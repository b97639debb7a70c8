// Fields of every type, as mappers set and read them: subscripts, casts, generic accessors and a property wrapper.

import CloudKitCompat
import Foundation

public enum Mood: String, CaseIterable { case calm, merry, grim }

/// A wrapper of one field, as mapping libraries have it.
@propertyWrapper
public struct RecordField<Value: CKRecordValueProtocol> {
    private let record: CKRecord
    private let key: CKRecord.FieldKey
    private let fallback: Value

    public init(_ record: CKRecord, _ key: CKRecord.FieldKey, default fallback: Value) {
        (self.record, self.key, self.fallback) = (record, key, fallback)
    }

    public var wrappedValue: Value {
        get { record[key] ?? fallback }
        nonmutating set { record[key] = newValue }
    }
}

/// An entry of a diary on top of its record.
public struct DiaryEntry {
    public let record: CKRecord
    @RecordField public var title: String
    @RecordField public var stars: Int

    public init(record: CKRecord) {
        self.record = record
        _title = RecordField(record, "title", default: "untitled")
        _stars = RecordField(record, "stars", default: 0)
    }

    public var mood: Mood? {
        get { (record["mood"] as? String).flatMap(Mood.init(rawValue:)) }
        nonmutating set { record["mood"] = newValue?.rawValue }
    }
}

/// Names of fields as an enumeration, with a subscript of its own.
public enum EntryKey: String { case place, note }

extension CKRecord {
    subscript(key: EntryKey) -> CKRecordValue? {
        get { self[key.rawValue] }
        set { self[key.rawValue] = newValue }
    }

    /// As many mappers have it: a generic setter of the protocol's values.
    func store<Value: CKRecordValue>(_ value: Value?, under key: String) { self[key] = value }

    func optional<Value>(_ key: String, as type: Value.Type = Value.self) -> Value? { self[key] as? Value }
}

/// Sets and reads fields in every form there is; says what was not as it should be.
public func exerciseFields(_ record: CKRecord, asset: URL) -> [String] {
    var faults: [String] = []
    func check(_ isRight: Bool, _ what: String) { if !isRight { faults.append(what) } }

    // Literals and values.
    record["text"] = "a"
    record["whole"] = 1
    record["fraction"] = 1.5
    record["truth"] = true
    record["date"] = Date(timeIntervalSince1970: 5)
    record["data"] = Data([1, 2])
    record["words"] = ["a", "b"]
    record["numbers"] = [1, 2, 3]
    record["place"] = CLLocation(latitude: 1, longitude: 2)
    record["link"] = CKRecord.Reference(recordID: CKRecord.ID(recordName: "other"), action: .none)
    record["links"] = [CKRecord.Reference(recordID: CKRecord.ID(recordName: "other"), action: .deleteSelf)]
    record["file"] = CKAsset(fileURL: asset)

    // Optionals, ternaries, nil.
    let missing: String? = nil
    record["absent"] = missing
    record["absent"] = nil
    record["maybe"] = faults.isEmpty ? "yes" : nil
    let count: Int? = 7
    record["count"] = count

    // Objects of Foundation and casts.
    record["number"] = NSNumber(value: 4)
    record["string"] = "s" as NSString
    record["cast"] = "c" as CKRecordValue
    record["castNumber"] = 8 as CKRecordValue?
    record["castArray"] = ["x"] as CKRecordValue
    record["castData"] = NSData(data: Data([9]))
    record.setObject(3 as NSNumber, forKey: "object")
    record.setObject(Date(timeIntervalSince1970: 0) as CKRecordValue?, forKey: "objectDate")
    record.setObject(nil, forKey: "objectNil")
    record.setValue("v", forKey: "value")
    record.setValuesForKeys(["a": 1, "b": "two"])
    record.store(42, under: "generic")
    record.store([1.5], under: "genericList")

    record.setObject("o" as __CKRecordObjCValue, forKey: "objC")
    record[.note] = "n" as CKRecordValue
    let anything: [String: Any] = ["any": 5, "other": "x"]
    for (key, value) in anything { record[key] = value as? CKRecordValue }
    let values: [String: CKRecordValue] = [
        "d1": 1 as CKRecordValue, "d2": "two" as CKRecordValue, "d3": NSNumber(value: 3),
    ]
    for (key, value) in values { record[key] = value }

    // Reading.
    let text: String = record["text"]!
    check(text == "a", "typed subscript")
    let title = record["nothing"] ?? "none"
    check(title == "none", "default")
    check(record["text"] as? String == "a", "String")
    check(record["whole"] as? Int == 1 && record["whole"] as? Int64 == 1, "Int")
    check(record["whole"] as? Double == 1, "Int as Double")
    check(record["whole"] as? NSNumber == 1 && (record["whole"] as? NSNumber)?.intValue == 1, "NSNumber")
    check(record["fraction"] as? Double == 1.5 && record["fraction"] as? NSNumber == 1.5, "Double")
    check(record["truth"] as? Bool == true && (record["truth"] as? Int ?? 0) == 1, "Bool")
    check((record["date"] as? Date)?.timeIntervalSince1970 == 5, "Date")
    check((record["data"] as? Data)?.count == 2, "Data")
    check(record["words"] as? [String] == ["a", "b"], "[String]")
    check(record["numbers"] as? [Int] == [1, 2, 3], "[Int]")
    check((record["numbers"] as? [NSNumber])?.first == 1, "[NSNumber]")
    check((record["place"] as? CLLocation)?.coordinate.latitude == 1, "CLLocation")
    check((record["link"] as? CKRecord.Reference)?.recordID.recordName == "other", "Reference")
    check((record["links"] as? [CKRecord.Reference])?.count == 1, "[Reference]")
    check((record["file"] as? CKAsset)?.fileURL != nil, "Asset")
    check(record[.note] as? String == "n" && record["any"] as? Int == 5 && record["d3"] as? Int == 3, "own keys")
    check(record["text"] as? NSString == "a" && record["data"] as? NSData == NSData(data: Data([1, 2])), "objects")
    check((record["date"] as? NSDate)?.timeIntervalSince1970 == 5, "NSDate")
    check((record["words"] as? NSArray)?.count == 2 && (record["words"] as? [Any])?.count == 2, "NSArray")
    check((record["words"] as? [CKRecordValue])?.count == 2, "[CKRecordValue]")
    switch record["whole"] {
    case let number as NSNumber: check(number == 1, "switch")
    default: faults.append("switch")
    }
    check(record["text"] is String, "is")
    check(record.object(forKey: "text") as? String == "a", "object(forKey:)")
    check(record.value(forKey: "whole") as? Int == 1, "value(forKey:)")
    check(record.optional("text", as: String.self) == "a", "generic read")
    if let entry: String = record["maybe"] { check(entry == "yes", "if let") } else { faults.append("if let") }
    guard let number = record["number"] as? Int, number == 4 else { return faults + ["guard"] }
    check(record["absent"] == nil && record["objectNil"] == nil, "nil")
    check(!record.allKeys().contains("absent") && record.allKeys().contains("text"), "allKeys")
    check(record.changedKeys().contains("text"), "changedKeys")
    for (key, value) in record where key == "text" { check(value as? String == "a", "iteration") }
    let dump = record.allKeys().map { "\($0)=\(record[$0] ?? "nil")" }.joined(separator: ",")
    check(dump.contains("text=a"), "interpolation")
    return faults
}
