import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import TestSupport
import Testing

@Suite struct SigningTests {
    private static let store: Result<PrivateAppStore, any Error> = Result { try PrivateAppStore(now: Population.ends) }

    private static let production = Result { try sign(.production) }

    private static func signed(_ environment: AppStoreEnvironment) throws -> [(SimulatedEvent, String)] {
        try environment == .production ? production.get() : sign(environment)
    }

    /// One notification of each type and subtype, signed.
    private static func sign(_ environment: AppStoreEnvironment) throws -> [(SimulatedEvent, String)] {
        let signer = NotificationSigner(try store.get())
        var seen: Set<String> = []
        var signed: [(SimulatedEvent, String)] = []
        for life in try Population.simulation(4000, environment: environment).lives {
            for event in life.events where seen.insert(HistoryTests.name(event)).inserted {
                signed.append((event, try signer.signedPayload(event)))
            }
        }
        return signed
    }

    @Test(arguments: [AppStoreEnvironment.production, .sandbox])
    func `the service's verifier reads back exactly what was told`(environment: AppStoreEnvironment) throws {
        let verifier = SignedDataVerifier(
            chains: ChainVerifier(roots: [try Self.store.get().root.certificate]),
            apps: [
                AppIdentity(
                    bundleId: Population.bundleId, appAppleId: Population.appAppleId, environments: [environment])
            ])
        let signed = try Self.signed(environment)
        #expect(signed.count >= HistoryTests.everyType.count)
        for (event, payload) in signed {
            let read = try verifier.notification(payload)
            #expect(read.transaction == event.transaction)
            #expect(read.renewalInfo == event.renewalInfo)
            var outer = read.payload
            outer.data?.signedTransactionInfo = nil
            outer.data?.signedRenewalInfo = nil
            var told = event.notification
            if event.transaction == nil { told.data?.status = nil }
            #expect(outer == told)
        }
    }

    @Test func `Apple's own library believes each of them`() throws {
        let signed = try Self.signed(.production).map(\.1)
        let root = Base64.encode(try Self.store.get().root.certificate.der)
        let result = try run(
            Surroundings.python, ["-c", Self.script, root, Population.bundleId.rawValue, "\(Population.appAppleId)"],
            input: try JSONEncoder().encode(signed))
        try #require(result.exitCode == 0, "\(result.errorText)")
        #expect(result.text == "\(signed.count)\n")
    }

    /// Verifies the notifications and what they carry, and prints how many there were.
    private static let script = """
        import base64, json, sys
        from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
        from appstoreserverlibrary.models.Environment import Environment
        root, bundle_id, app_apple_id = base64.b64decode(sys.argv[1]), sys.argv[2], int(sys.argv[3])
        verifier = SignedDataVerifier([root], False, Environment.PRODUCTION, bundle_id, app_apple_id)
        payloads = json.load(sys.stdin)
        for payload in payloads:
            data = verifier.verify_and_decode_notification(payload).data
            if data and data.signedTransactionInfo:
                transaction = verifier.verify_and_decode_signed_transaction(data.signedTransactionInfo)
                renewal = verifier.verify_and_decode_renewal_info(data.signedRenewalInfo)
                assert transaction.originalTransactionId == renewal.originalTransactionId
                assert transaction.expiresDate > transaction.purchaseDate
        print(len(payloads))
        """

    @Test(.enabled(if: Surroundings.hasShared, "needs the shared folder beside the project"))
    func `a notification is about as long as a real one`() throws {
        let real = try Surroundings.realNotifications().map { try Data(contentsOf: $0).count }
        let middle = Double(real.reduce(0, +)) / Double(real.count)
        let simulation = try Population.simulation(20)
        let signer = NotificationSigner(try Self.store.get())
        let made = try simulation.lives.flatMap { $0.events }.filter { $0.transaction != nil }.prefix(100)
            .map { try signer.signedPayload($0).utf8.count }
        let ours = Double(made.reduce(0, +)) / Double(made.count)
        #expect(abs(ours / middle - 1) < 0.03, "\(ours) bytes, real ones \(middle)")
    }

    @Test func `a date without a certificate is told`() throws {
        let old = try PrivateAppStore(now: Population.starts.adding(milliseconds: -20 * 365 * 86_400_000))
        let event = try #require(try Population.simulation(1).life(0).events.first)
        #expect(throws: PrivateAppStoreError.noCertificate(at: event.signedDate.millisecondsSince1970)) {
            try NotificationSigner(old).signedPayload(event)
        }
    }
}
