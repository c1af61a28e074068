// Notifications whose signatures hold, with contents that nobody expects: all that stands behind the verifier.
//
// Three lines of JSON: the notification, its transaction and its renewal info. Each is signed by a private App Store,
// then verified, packed, logged, folded, read back and told, as the service does it; the database is rolled back.
import AppStore
import Crypto
import FoundationEssentials
import PrivateAppStore

@testable import CampaignCore
@testable import Server
@testable import Storage

private let now = Instant(millisecondsSince1970: 1_789_041_600_000)
private let appStore: PrivateAppStore = {
    guard let store = try? PrivateAppStore(now: now) else { fatalError("no private App Store") }
    return store
}()
private let verifier = SignedDataVerifier(
    chains: ChainVerifier(roots: [appStore.root.certificate]),
    apps: [
        AppIdentity(
            bundleId: BundleID("com.example.tide"), appAppleId: 6_400_000_001,
            environments: [.production, .sandbox])
    ])
private let packer = PayloadPacker()
private let catalog = Catalog(groups: [], otherProducts: [])
private nonisolated(unsafe) let store: Store = {
    // Everything is rolled back, so the next run finds it empty.
    guard let store = try? Store(".build/fuzz/notifications.sqlite", now: now) else { fatalError("no database") }
    return store
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard let jws = signed(lines.map(Array.init)) else { return 0 }
    let notification: VerifiedNotification
    do throws(AppStoreError) {
        notification = try verifier.notification(jws, innerSignatures: .coveredByOuter)
    } catch {
        precondition(!"\(error)".contains("\n"), "an error has one line")
        return 0
    }
    let intake = NotificationIntake(notification, payload: packer.pack(notification.jws), receivedDate: now)
    do throws(StorageError) {
        try store.connection.transaction { () throws(StorageError) in
            try take(intake, jws)
            throw StorageError.corruptRow(table: "none", column: "none")
        }
    } catch {
        precondition(error == .corruptRow(table: "none", column: "none"), "\(error)")
    }
    return 0
}

/// The notification with its signed parts inside; nil when the first line is no object.
private func signed(_ lines: [[UInt8]]) -> String? {
    guard case .object(var members)? = JSON.read(lines[0]) else { return nil }
    let names = ["signedTransactionInfo", "signedRenewalInfo"]
    let inner = zip(names, lines.dropFirst()).compactMap { name, line in
        (try? appStore.sign(payload: line)).map { JSON.Member(name, .string($0)) }
    }
    for index in members.indices where members[index].key == "data" {
        guard case .object(let data) = members[index].value else { continue }
        members[index] = JSON.Member("data", .object(data.filter { !names.contains($0.key) } + inner))
    }
    return try? appStore.sign(payload: JSON.object(members).bytes)
}

private func take(_ intake: NotificationIntake, _ jws: String) throws(StorageError) {
    let received = try intake.take(store)
    guard let logged = try store.payloads(after: nil, limit: 1).first else {
        preconditionFailure("what was verified is not in the log")
    }
    let text = try store.text(of: logged)
    precondition(text == jws, "the log gives another text")
    let replayed = ReplayedPayload(logged, text: text)
    precondition(replayed.outcome == logged.outcome, "a replay comes out otherwise")
    precondition(received.detail.map { !$0.contains("\n") } ?? true, "a detail has one line")
    let again = try intake.take(store)
    precondition(again.outcome == .duplicate, "a second delivery is no duplicate")
    guard let subscription = received.subscription else { return }
    for days in [-400, 0, 400] as [Int64] {
        let instant = now.adding(milliseconds: days * 86_400_000)
        let status = subscription.status(at: instant, catalog: catalog, policy: AccessPolicy(), environment: .sandbox)
        let json = status.json(
            of: subscription, bundleId: BundleID("com.example.tide"), environment: .production)
        precondition(JSON.read(json.bytes) == json, "the status is no JSON")
    }
    guard
        let known = try store.subscription(
            originalTransactionId: subscription.originalTransactionId, bundleId: BundleID("com.example.tide"),
            environment: logged.environment)
    else { preconditionFailure("what was folded is not known") }
    precondition(known.subscription == subscription, "the row is not what was folded")
}
