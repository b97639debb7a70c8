// Arguments of predicates that are cast: `date as CVarArg`, as programs for CloudKit have it.
// swift-format-ignore-file: AvoidRetroactiveConformances

public import Foundation

// Only Apple's systems have these conformances. Nothing but NSPredicate(format:) here takes such arguments, and it
// takes the values as they are.
extension Date: @retroactive CVarArg {
    /// The seconds since 2001.
    public var _cVarArgEncoding: [Int] { timeIntervalSinceReferenceDate._cVarArgEncoding }
}

extension UUID: @retroactive CVarArg {
    /// The 16 bytes.
    public var _cVarArgEncoding: [Int] {
        let bytes = uuid
        let words = [
            [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7],
            [bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15],
        ]
        return words.map { $0.reduce(0) { $0 << 8 | Int($1) } }
    }
}

extension NSDate: @retroactive CVarArg {
    /// The seconds since 2001.
    public var _cVarArgEncoding: [Int] { timeIntervalSinceReferenceDate._cVarArgEncoding }
}

extension CKRecord: CVarArg {
    /// The hash of the object.
    public var _cVarArgEncoding: [Int] { [hash] }
}

extension CKRecordID: CVarArg {
    /// The hash of the object.
    public var _cVarArgEncoding: [Int] { [hash] }
}

extension CKReference: CVarArg {
    /// The hash of the object.
    public var _cVarArgEncoding: [Int] { [hash] }
}

extension CLLocation: CVarArg {
    /// The hash of the object.
    public var _cVarArgEncoding: [Int] { [hash] }
}
