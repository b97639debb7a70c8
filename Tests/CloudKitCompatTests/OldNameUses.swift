// Names of earlier editions, used: each is another name of a type that there is.

import CloudKitCompat

/// Never called: compiling it is the test. Deprecated itself, since its names are.
@available(*, deprecated)
func useOldNames() {
    _ = CKContainer_Application_PermissionBlock.self
    _ = CKContainer_Application_PermissionStatus.self
    _ = CKContainer_Application_Permissions.self
    _ = CKFetchRecordZoneChangesOptions.self
    _ = CKNotificationID.self
    _ = CKQuerySubscriptionOptions.self
    _ = CKRecord_Reference_Action.self
    _ = CKShare_Participant_AcceptanceStatus.self
    _ = CKShare_Participant_ParticipantType.self
    _ = CKShare_Participant_Permission.self
    _ = CKShare_Participant_Role.self
    let status: CKContainer_Application_PermissionStatus = CKContainer.Application.PermissionStatus.granted
    _ = status == CKApplicationPermissionStatus.granted
    _ = CKContainer_Application_Permissions.userDiscoverability == CKApplicationPermissions(rawValue: 1)
    let action: CKRecord_Reference_Action = CKReferenceAction.deleteSelf
    _ = CKReference(recordID: CKRecordID(recordName: "a"), action: action)
}
