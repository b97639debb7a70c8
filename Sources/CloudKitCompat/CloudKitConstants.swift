// Constants under CloudKit's names, which begin with capital letters.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import RecordDatabase

/// The domain of all errors.
public let CKErrorDomain = "CKErrorDomain"
/// Key of `CKError.userInfo`: the error of each item of a batch that failed.
public let CKPartialErrorsByItemIDKey = "CKPartialErrors"
/// Key of `CKError.userInfo`: seconds to wait before trying again.
public let CKErrorRetryAfterKey = "CKRetryAfter"
/// Key of `CKError.userInfo`: the record as it was fetched.
public let CKRecordChangedErrorAncestorRecordKey = "AncestorRecord"
/// Key of `CKError.userInfo`: the record as it is stored.
public let CKRecordChangedErrorServerRecordKey = "ServerRecord"
/// Key of `CKError.userInfo`: the record as it was sent.
public let CKRecordChangedErrorClientRecordKey = "ClientRecord"
/// Stands for the current user wherever the owner of a zone is named.
public let CKCurrentUserDefaultName = RecordZone.ID.currentUserName
/// The older name of `CKCurrentUserDefaultName`.
public let CKOwnerDefaultName = RecordZone.ID.currentUserName
/// The name of the zone that every database has.
public let CKRecordZoneDefaultName = RecordZone.ID.defaultZoneName
/// The type of the record that every user has.
public let CKRecordTypeUserRecord = "Users"
