// Constants under CloudKit's names, which begin with capital letters.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
public import RecordDatabase

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
/// The current user, wherever the owner of a zone is named.
public let CKCurrentUserDefaultName = RecordZone.ID.currentUserName
/// The older name of `CKCurrentUserDefaultName`.
public let CKOwnerDefaultName = RecordZone.ID.currentUserName
/// The name of the zone that every database has.
public let CKRecordZoneDefaultName = RecordZone.ID.defaultZoneName
/// The type of the record that every user has.
public let CKRecordTypeUserRecord = "Users"
/// The type of shares.
public let CKRecordTypeShare = "cloudkit.share"
/// The name of the share of a whole zone.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"
/// Key of a share: its title.
public let CKShareTitleKey = "cloudkit.title"
/// Key of a share: the bytes of a small picture.
public let CKShareThumbnailImageDataKey = "cloudkit.thumbnailImageData"
/// Key of a share: what the application calls what it shares.
public let CKShareTypeKey = "cloudkit.type"
/// Key of a record in predicates and sort descriptors: the record above.
public let CKRecordParentKey = CKRecord.SystemFieldKey.parent
/// Key of a record in predicates and sort descriptors: its share.
public let CKRecordShareKey = CKRecord.SystemFieldKey.share
/// Key of a record in predicates and sort descriptors: its name.
public let CKRecordRecordIDKey = CKRecord.SystemFieldKey.recordID
/// Key of a record in predicates and sort descriptors: when it was first saved.
public let CKRecordCreationDateKey = CKRecord.SystemFieldKey.creationDate
/// Key of a record in predicates and sort descriptors: who saved it first.
public let CKRecordCreatorUserRecordIDKey = CKRecord.SystemFieldKey.creatorUserRecordID
/// Key of a record in predicates and sort descriptors: when it was last saved.
public let CKRecordModificationDateKey = CKRecord.SystemFieldKey.modificationDate
/// Key of a record in predicates and sort descriptors: who saved it last.
public let CKRecordLastModifiedUserRecordIDKey = CKRecord.SystemFieldKey.lastModifiedUserRecordID
/// Key of `CKError.userInfo`: whether a zone is gone because its user reset their keys.
public let CKErrorUserDidResetEncryptedDataKey = "CKErrorUserDidResetEncryptedData"
/// As `CKQueryOperation.resultsLimit`: the database decides.
public let CKQueryOperationMaximumResults = CKQueryOperation.maximumResults

// MARK: Names of earlier editions

/// The older name of `CKError.Code`.
public typealias CKErrorCode = CKError.Code
/// The older name of `CKRecord.ReferenceAction`.
public typealias CKReferenceAction = CKRecord.ReferenceAction
/// The older name of `CKRecord.ReferenceAction`.
@available(*, deprecated, renamed: "CKRecord.ReferenceAction")
public typealias CKRecord_Reference_Action = CKRecord.ReferenceAction
/// The older name of `CKContainer.ApplicationPermissionStatus`.
public typealias CKApplicationPermissionStatus = CKContainer.ApplicationPermissionStatus
/// The older name of `CKContainer.ApplicationPermissionStatus`.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissionStatus")
public typealias CKContainer_Application_PermissionStatus = CKContainer.ApplicationPermissionStatus
/// The older name of `CKContainer.ApplicationPermissions`.
public typealias CKApplicationPermissions = CKContainer.ApplicationPermissions
/// The older name of `CKContainer.ApplicationPermissions`.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissions")
public typealias CKContainer_Application_Permissions = CKContainer.ApplicationPermissions
/// The older name of `CKContainer.ApplicationPermissionBlock`.
public typealias CKApplicationPermissionBlock = CKContainer.ApplicationPermissionBlock
/// The older name of `CKContainer.ApplicationPermissionBlock`.
@available(*, deprecated, renamed: "CKContainer.ApplicationPermissionBlock")
public typealias CKContainer_Application_PermissionBlock = CKContainer.ApplicationPermissionBlock
/// The older name of `CKOperationGroup.TransferSize`.
public typealias CKOperationGroupTransferSize = CKOperationGroup.TransferSize
/// The older name of `CKDatabase.Scope`.
public typealias CKDatabaseScope = CKDatabase.Scope
/// The older name of `CKModifyRecordsOperation.RecordSavePolicy`.
public typealias CKRecordSavePolicy = CKModifyRecordsOperation.RecordSavePolicy
/// The older name of `CKRecordZone.Capabilities`.
public typealias CKRecordZoneCapabilities = CKRecordZone.Capabilities
/// The older name of `CKQuerySubscription.Options`.
public typealias CKSubscriptionOptions = CKQuerySubscription.Options
/// The older name of `CKSubscription.SubscriptionType`.
public typealias CKSubscriptionType = CKSubscription.SubscriptionType
/// The older name of `CKNotification.NotificationType`.
public typealias CKNotificationType = CKNotification.NotificationType
/// The older name of `CKQueryNotification.Reason`.
public typealias CKQueryNotificationReason = CKQueryNotification.Reason

/// The older name of `CKQuerySubscription.Options`.
@available(*, deprecated, renamed: "CKQuerySubscription.Options")
public typealias CKQuerySubscriptionOptions = CKQuerySubscription.Options
/// The older name of `CKFetchRecordZoneChangesOperation.ZoneConfiguration`.
@available(*, deprecated, renamed: "CKFetchRecordZoneChangesOperation.ZoneConfiguration")
public typealias CKFetchRecordZoneChangesOptions = CKFetchRecordZoneChangesConfiguration
/// The older name of `CKNotification.ID`.
@available(*, deprecated, renamed: "CKNotification.ID")
public typealias CKNotificationID = CKNotification.ID

extension NSNotification.Name {
    /// Posted when the current user of a container was replaced or signed out; its object is the container.
    public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}
