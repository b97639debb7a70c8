// The record database under CloudKit's names: forms only, all meaning is in RecordDatabase.

// Applications that import CloudKit see Foundation through it.
@_exported public import Foundation

// Members of the types behind CloudKit's names, `.deleteSelf` say, are seen with these; their other names stay out of
// the way.
@_exported public import enum RecordDatabase.DatabaseScope
@_exported public import struct RecordModel.DatabaseError
