public import CampaignCore

/// Believes what the App Store signed for our apps, and nothing else.
///
/// The order of the checks is that of the design's section on trust: parts, `alg`, three certificates, a trusted root,
/// Apple's extensions, the chain at the payload's own date of signing, the signature, then app and environment. That
/// date is read before the signature is proven, because stored payloads outlive their certificates; nothing else is
/// believed until the signature holds. A value may be used from several threads at once.
public struct SignedDataVerifier: Sendable {
    /// What is done with the signatures of the payloads inside a notification.
    public enum InnerSignatures: Sendable {
        case checked
        /// Only the outer signature is checked, which covers the inner payloads; all their other checks remain.
        case coveredByOuter
    }

    private let chains: ChainVerifier
    private let apps: [BundleID: AppIdentity]

    /// - Parameters:
    ///   - chains: shared by all verifiers with the same roots.
    ///   - apps: the only apps that payloads may be for.
    public init(chains: ChainVerifier, apps: [AppIdentity]) {
        self.chains = chains
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// How the cache of proven chains has fared, for metrics.
    public var chainCounters: VerifiedChainCounters { chains.counters }

    /// Proves a `signedTransactionInfo`; with `app`, it must be for that one.
    public func transaction(
        _ jws: String, app: BundleID? = nil
    ) throws(AppStoreError) -> Verified<JWSTransactionDecodedPayload> {
        let (payload, signedDate) = try proven(chains.jws(SignedText(jws)), as: JWSTransactionDecodedPayload.self)
        let origin = PayloadOrigin(payload.bundleId, nil, payload.environment)
        return try verified(payload, signedDate, origin: origin, expecting: app)
    }

    /// Proves a `signedRenewalInfo`. It names no app: with `app`, its environment must be one that app lists.
    public func renewalInfo(
        _ jws: String, app: BundleID? = nil
    ) throws(AppStoreError) -> Verified<JWSRenewalInfoDecodedPayload> {
        let (payload, signedDate) = try proven(chains.jws(SignedText(jws)), as: JWSRenewalInfoDecodedPayload.self)
        let environment = try environment(payload.environment, listedBy: app)
        return Verified(payload: payload, signedDate: signedDate, environment: environment, bundleId: nil)
    }

    /// Proves a `signedAppTransactionInfo`; with `app`, it must be for that one.
    public func appTransaction(
        _ jws: String, app: BundleID? = nil
    ) throws(AppStoreError) -> Verified<AppTransaction> {
        let (payload, signedDate) = try proven(chains.jws(SignedText(jws)), as: AppTransaction.self)
        let origin = PayloadOrigin(payload.bundleId, payload.appAppleId, payload.receiptType)
        try checkAppAppleId(origin)
        return try verified(payload, signedDate, origin: origin, expecting: app)
    }

    /// Proves the `signedPayload` of a retention message's request, which names its app by `appAppleId` alone.
    public func realtimeRequest(
        _ jws: String
    ) throws(AppStoreError) -> Verified<DecodedRealtimeRequestBody> {
        let (payload, signedDate) = try proven(chains.jws(SignedText(jws)), as: DecodedRealtimeRequestBody.self)
        let app = apps.values.first { $0.appAppleId == payload.appAppleId }
        // In Production it must match; a sandbox may not know the number.
        guard app != nil || payload.environment != .production else { throw .wrongAppAppleId(payload.appAppleId) }
        let environment = try environment(payload.environment, listedBy: app?.bundleId)
        return Verified(payload: payload, signedDate: signedDate, environment: environment, bundleId: app?.bundleId)
    }

    /// Proves the `signedPayload` of a notification, and what it carries inside, which must be for the same app and
    /// environment.
    public func notification(
        _ jws: SignedText, innerSignatures: InnerSignatures = .checked
    ) throws(AppStoreError) -> VerifiedNotification {
        let parts = try chains.jws(jws)
        let (payload, signedDate) = try proven(parts, as: ResponseBodyV2DecodedPayload.self)
        guard let origin = payload.origin else { throw .malformedPayload(.notification, field: "data") }
        try checkAppAppleId(origin)
        let outer = try verified(payload, signedDate, origin: origin, expecting: nil)

        let transaction = try inner(
            payload.data?.signedTransactionInfo, as: JWSTransactionDecodedPayload.self, of: outer, innerSignatures
        ) { $0.bundleId }
        let renewalInfo = try inner(
            payload.data?.signedRenewalInfo, as: JWSRenewalInfoDecodedPayload.self, of: outer, innerSignatures
        ) { _ in outer.bundleId }
        let appTransaction = try inner(
            payload.appData?.signedAppTransactionInfo, as: AppTransaction.self, of: outer, innerSignatures
        ) { $0.bundleId }
        guard let bundleId = outer.bundleId else { throw .wrongBundleId(nil) }
        guard let uuid = payload.notificationUUID, let type = payload.notificationType else {
            throw .wrongKind(expected: .notification)
        }
        return VerifiedNotification(
            jws: parts, payload: payload, signedDate: signedDate, environment: outer.environment, bundleId: bundleId,
            transaction: transaction, renewalInfo: renewalInfo, appTransaction: appTransaction,
            notificationUUID: uuid, notificationType: NotificationType(rawValue: type))
    }

    /// The same.
    public func notification(
        _ jws: String, innerSignatures: InnerSignatures = .checked
    ) throws(AppStoreError) -> VerifiedNotification {
        try notification(SignedText(jws), innerSignatures: innerSignatures)
    }

    /// Proves any of them, and says which it is.
    public func payload(_ jws: String) throws(AppStoreError) -> VerifiedData {
        let parts = try chains.jws(SignedText(jws))
        try checkAlgorithm(parts)
        let probe: KindProbe
        do throws(PayloadFault) {
            probe = try KindProbe(json: parts.payload)
        } catch {
            throw .malformedPayload(nil, field: error.field)
        }
        return switch probe.kind {
        case .notification: .notification(try notification(jws))
        case .transaction: .transaction(try transaction(jws))
        case .renewalInfo: .renewalInfo(try renewalInfo(jws))
        case .appTransaction: .appTransaction(try appTransaction(jws))
        case .realtimeRequest: .realtimeRequest(try realtimeRequest(jws))
        case nil: throw .wrongKind(expected: nil)
        }
    }

    // MARK: - The signature

    /// All that does not depend on the app: the payload, and the instant its certificates were judged at.
    ///
    /// - Parameter isInside: whether a notification carries it.
    private func proven<Payload: SignedPayload>(
        _ jws: JWS, as _: Payload.Type, signature: InnerSignatures = .checked, isInside: Bool = false
    ) throws(AppStoreError) -> (Payload, Instant) {
        try checkAlgorithm(jws)
        let payload: Payload
        do throws(PayloadFault) {
            payload = try Payload(json: jws.payload)
        } catch {
            throw .malformedPayload(Payload.kind, field: error.field)
        }
        // Such payloads have another header too; this says what is really the matter.
        if let environment = payload.originEnvironment, environment == .xcode || environment == .localTesting {
            throw .unsignedEnvironment(environment)
        }
        let certificateCount = jws.header.x5c?.count ?? 0
        guard certificateCount == 3 else { throw .wrongCertificateCount(certificateCount) }
        guard let signedDate = payload.instantOfSigning else { throw .missingSignedDate(Payload.kind) }
        let leafKey = try chains.leafKey(of: jws, signedDate: signedDate)
        if signature == .checked {
            guard jws.isSigned(by: leafKey) else { throw .invalidSignature }
        }
        // Apple marks every key as optional. Inside a notification the place says what a payload is, so one that lacks
        // the keys of its kind is refused only when it has those of another.
        guard payload.isOfItsKind || isInside && !isOfAnotherKind(jws, than: Payload.kind) else {
            throw .wrongKind(expected: Payload.kind)
        }
        return (payload, signedDate)
    }

    private func isOfAnotherKind(_ jws: JWS, than kind: SignedDataKind) -> Bool {
        guard let found = (try? KindProbe(json: jws.payload))?.kind else { return false }
        return found != kind
    }

    private func checkAlgorithm(_ jws: JWS) throws(AppStoreError) {
        guard jws.header.alg == "ES256" else { throw .unsupportedAlgorithm(jws.header.alg) }
    }

    /// What a notification carries inside, which may not be there.
    private func inner<Payload: SignedPayload, Outer>(
        _ jws: SignedText?, as _: Payload.Type, of outer: Verified<Outer>, _ signature: InnerSignatures,
        bundleId: (Payload) -> BundleID?
    ) throws(AppStoreError) -> Payload? {
        guard let jws else { return nil }
        let payload: Payload
        do {
            payload = try proven(chains.jws(jws), as: Payload.self, signature: signature, isInside: true).0
        } catch {
            throw .inner(Payload.kind, error)
        }
        guard bundleId(payload) == outer.bundleId else { throw .innerDisagrees(Payload.kind, field: "bundleId") }
        guard payload.originEnvironment == outer.environment else {
            throw .innerDisagrees(Payload.kind, field: "environment")
        }
        return payload
    }

    // MARK: - The app

    private func verified<Payload>(
        _ payload: Payload, _ signedDate: Instant, origin: PayloadOrigin, expecting expected: BundleID?
    ) throws(AppStoreError) -> Verified<Payload> {
        guard let bundleId = origin.bundleId, apps[bundleId] != nil, expected == nil || expected == bundleId else {
            throw .wrongBundleId(origin.bundleId)
        }
        let environment = try environment(origin.environment, listedBy: bundleId)
        return Verified(payload: payload, signedDate: signedDate, environment: environment, bundleId: bundleId)
    }

    /// In Production the number must be the app's; the sandbox may lack it or not know it.
    private func checkAppAppleId(_ origin: PayloadOrigin) throws(AppStoreError) {
        guard let app = origin.bundleId.flatMap({ apps[$0] }) else { throw .wrongBundleId(origin.bundleId) }
        guard origin.environment != .production || origin.appAppleId == app.appAppleId else {
            throw .wrongAppAppleId(origin.appAppleId)
        }
    }

    /// The environment, when the app lists it, or when any app does and none is named; never an unsigned one.
    private func environment(
        _ environment: AppStoreEnvironment?, listedBy bundleId: BundleID?
    ) throws(AppStoreError) -> AppStoreEnvironment {
        let candidates = bundleId.map { [$0] } ?? Array(apps.keys)
        let isListed = candidates.contains { name in
            environment.map { apps[name]?.environments.contains($0) == true } ?? false
        }
        guard let environment, environment.isSignedByApple, isListed else { throw .wrongEnvironment(environment) }
        return environment
    }
}
