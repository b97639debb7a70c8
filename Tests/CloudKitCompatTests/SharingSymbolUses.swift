// Every documented symbol about sharing that the inventory names, used: what is not there, or has another form, does
// not compile.

import CloudKitCompat
import Foundation

/// Never called: compiling it is the test.
func useSharingSymbols() {
    _ = { (container: CKContainer, metadata: CKShare.Metadata) in try await container.accept(metadata) }
    _ = { (container: CKContainer, metadata: CKShare.Metadata) in container.accept(metadata) { _, _ in } }
    _ = CKContainer.fetchShareMetadata(with:completionHandler:)
    _ = CKContainer.fetchShareMetadatas(for:completionHandler:)
    _ = CKContainer.fetchShareParticipant(withEmailAddress:completionHandler:)
    _ = CKContainer.fetchShareParticipant(withPhoneNumber:completionHandler:)
    _ = CKContainer.fetchShareParticipant(withUserRecordID:completionHandler:)
    _ = CKContainer.fetchShareParticipants(forEmailAddresses:completionHandler:)
    _ = CKContainer.fetchShareParticipants(forPhoneNumbers:completionHandler:)
    _ = CKContainer.fetchShareParticipants(forUserRecordIDs:completionHandler:)
    _ = CKContainer.shareMetadatas(for:)
    _ = CKContainer.shareParticipants(forEmailAddresses:)
    _ = CKContainer.shareParticipants(forPhoneNumbers:)
    _ = CKContainer.shareParticipants(forUserRecordIDs:)
    _ = CKShare.self
    _ = CKShare.Metadata.self
    _ = CKShare.Participant.self
    _ = CKShare.ParticipantAcceptanceStatus.self
    _ = CKShare.ParticipantPermission.self
    _ = CKShare.ParticipantRole.self
    _ = CKShare.SystemFieldKey.self
    _ = CKShare.Participant.AcceptanceStatus.self
    _ = CKShare.Participant.ID.self
    _ = CKShare.Participant.ParticipantType.self
    _ = CKShare.Participant.Permission.self
    _ = CKShare.Participant.Role.self
    _ = \CKShare.currentUserParticipant
    _ = \CKShare.owner
    _ = \CKShare.participants
    _ = \CKShare.publicPermission
    _ = \CKShare.url
    _ = CKShare.addParticipant(_:)
    _ = CKShare.removeParticipant(_:)
    _ = CKShare.init(coder:)
    _ = CKShare.init(recordZoneID:)
    _ = CKShare.init(rootRecord:)
    _ = CKShare.init(rootRecord:shareID:)
    _ = CKShare.SystemFieldKey.shareType
    _ = CKShare.SystemFieldKey.thumbnailImageData
    _ = CKShare.SystemFieldKey.title
    _ = \CKShare.Metadata.containerIdentifier
    _ = \CKShare.Metadata.hierarchicalRootRecordID
    _ = \CKShare.Metadata.ownerIdentity
    _ = \CKShare.Metadata.participantPermission
    _ = \CKShare.Metadata.participantRole
    _ = \CKShare.Metadata.participantStatus
    _ = \CKShare.Metadata.rootRecord
    _ = \CKShare.Metadata.share
    _ = \CKShare.Participant.acceptanceStatus
    _ = \CKShare.Participant.participantID
    _ = \CKShare.Participant.permission
    _ = \CKShare.Participant.role
    _ = \CKShare.Participant.userIdentity
    _ = CKShare.ParticipantAcceptanceStatus.accepted
    _ = CKShare.ParticipantAcceptanceStatus.pending
    _ = CKShare.ParticipantAcceptanceStatus.removed
    _ = CKShare.ParticipantAcceptanceStatus.unknown
    _ = CKShare.ParticipantAcceptanceStatus(rawValue: 1)
    _ = CKFetchShareMetadataOperation.self
    _ = \CKFetchShareMetadataOperation.fetchShareMetadataResultBlock
    _ = \CKFetchShareMetadataOperation.perShareMetadataResultBlock
    _ = \CKFetchShareMetadataOperation.rootRecordDesiredKeys
    _ = \CKFetchShareMetadataOperation.shareURLs
    _ = \CKFetchShareMetadataOperation.shouldFetchRootRecord
    _ = CKFetchShareMetadataOperation.init as () -> CKFetchShareMetadataOperation
    _ = CKFetchShareMetadataOperation.init(shareURLs:)
    _ = CKAcceptSharesOperation.self
    _ = \CKAcceptSharesOperation.acceptSharesResultBlock
    _ = \CKAcceptSharesOperation.perShareResultBlock
    _ = \CKAcceptSharesOperation.shareMetadatas
    _ = CKAcceptSharesOperation.init as () -> CKAcceptSharesOperation
    _ = CKAcceptSharesOperation.init(shareMetadatas:)
    _ = CKFetchShareParticipantsOperation.self
    _ = \CKFetchShareParticipantsOperation.fetchShareParticipantsResultBlock
    _ = \CKFetchShareParticipantsOperation.perShareParticipantResultBlock
    _ = \CKFetchShareParticipantsOperation.userIdentityLookupInfos
    _ = CKFetchShareParticipantsOperation.init as () -> CKFetchShareParticipantsOperation
    _ = CKFetchShareParticipantsOperation.init(userIdentityLookupInfos:)
    _ = CKAllowedSharingOptions.self
    _ = \CKAllowedSharingOptions.allowedParticipantAccessOptions
    _ = \CKAllowedSharingOptions.allowedParticipantPermissionOptions
    _ = CKAllowedSharingOptions.init(allowedParticipantPermissionOptions:allowedParticipantAccessOptions:)
    _ = CKAllowedSharingOptions.standard
    _ = CKSharingParticipantAccessOption.self
    _ = CKSharingParticipantAccessOption.init(rawValue:)
    _ = CKSharingParticipantAccessOption.any
    _ = CKSharingParticipantAccessOption.anyoneWithLink
    _ = CKSharingParticipantAccessOption.specifiedRecipientsOnly
    _ = CKSharingParticipantPermissionOption.self
    _ = CKSharingParticipantPermissionOption.init(rawValue:)
    _ = CKSharingParticipantPermissionOption.any
    _ = CKSharingParticipantPermissionOption.readOnly
    _ = CKSharingParticipantPermissionOption.readWrite
    _ = CKSystemSharingUIObserver.self
    _ = CKSystemSharingUIObserver.init(container:)
    _ = \CKSystemSharingUIObserver.systemSharingUIDidSaveShareBlock
    _ = \CKSystemSharingUIObserver.systemSharingUIDidStopSharingBlock
    _ = CKShareTransferRepresentation<Int>.self
    _ = CKShareTransferRepresentation<Int>.ExportedShare.self
    _ = CKShareTransferRepresentation<Int>.init(exporter:)
    _ = { (share: CKShare, container: CKContainer) in
        CKShareTransferRepresentation<Int>.ExportedShare.existing(share, container: container)
    }
    _ = { (share: CKShare, container: CKContainer) in
        CKShareTransferRepresentation<Int>.ExportedShare.prepareShare(container: container) { share }
    }
    _ = \CKRecord.share
    _ = \CKRecordZone.share
}
