// The record database under CloudKit's names: forms only, all meaning is in RecordDatabase.

// Applications that import CloudKit see Foundation through it.
@_exported public import Foundation
