public import CampaignCore
import Crypto
import FoundationEssentials

/// What stands before the payload of a JWS; every field can be made wrong, for tests of those who refuse it.
public struct JWSHeader: Encodable, Sendable {
    public var alg: String
    /// The certificates in standard base64, leaf first. Nil leaves the field out.
    public var x5c: [String]?
    /// `x5c` under a name that nobody looks for.
    public var x5cwrong: [String]?

    public init(alg: String, x5c: [String]?) {
        self.alg = alg
        self.x5c = x5c
    }
}

extension PrivateAppStore {
    /// A `signedTransactionInfo`, by the leaf of its `signedDate`.
    public func signedTransaction(_ payload: JWSTransactionDecodedPayload) throws(PrivateAppStoreError) -> String {
        try sign(payload, signedDate: payload.signedDate)
    }

    /// A `signedRenewalInfo`, by the leaf of its `signedDate`.
    public func signedRenewalInfo(_ payload: JWSRenewalInfoDecodedPayload) throws(PrivateAppStoreError) -> String {
        try sign(payload, signedDate: payload.signedDate)
    }

    /// A `signedAppTransactionInfo`, by the leaf of its `receiptCreationDate`.
    public func signedAppTransaction(_ payload: AppTransaction) throws(PrivateAppStoreError) -> String {
        try sign(payload, signedDate: payload.receiptCreationDate)
    }

    /// The `signedPayload` of a retention message's request.
    public func signedRealtimeRequest(_ payload: DecodedRealtimeRequestBody) throws(PrivateAppStoreError) -> String {
        try sign(payload, signedDate: payload.signedDate)
    }

    /// The `signedPayload` of a notification, with `transaction` and `renewalInfo` signed into its `data`.
    public func signedNotification(
        _ payload: ResponseBodyV2DecodedPayload, transaction: JWSTransactionDecodedPayload? = nil,
        renewalInfo: JWSRenewalInfoDecodedPayload? = nil
    ) throws(PrivateAppStoreError) -> String {
        var payload = payload
        if let transaction { payload.data?.signedTransactionInfo = SignedText(try signedTransaction(transaction)) }
        if let renewalInfo { payload.data?.signedRenewalInfo = SignedText(try signedRenewalInfo(renewalInfo)) }
        return try sign(payload, signedDate: payload.signedDate)
    }

    /// Any bytes as a payload, signed with ES256 by `identity` (the present leaf when nil).
    ///
    /// - Parameter change: makes the header wrong before it is signed.
    public func sign(
        payload: [UInt8], with identity: SigningIdentity? = nil, header change: (inout JWSHeader) -> Void = { _ in }
    ) throws(PrivateAppStoreError) -> String {
        let identity = identity ?? leaf
        var header = plainHeader(of: identity)
        change(&header)
        let signingInput = Base64URL.encode(try Self.json(header)) + "." + Base64URL.encode(payload)
        let signature = P256Signer(identity.privateKey).rawSignature(over: Array(signingInput.utf8))
        return signingInput + "." + Base64URL.encode(signature)
    }

    /// The header as `identity` writes it, in JSON.
    func header(of identity: SigningIdentity) throws(PrivateAppStoreError) -> [UInt8] {
        try Self.json(plainHeader(of: identity))
    }

    private func plainHeader(of identity: SigningIdentity) -> JWSHeader {
        JWSHeader(
            alg: "ES256",
            x5c: [identity.certificate, intermediate.certificate, root.certificate].map { Base64.encode($0.der) })
    }

    /// A payload without a date is signed by the present leaf.
    private func sign(_ payload: some Encodable, signedDate: Instant?) throws(PrivateAppStoreError) -> String {
        let identity = try signedDate.map { date throws(PrivateAppStoreError) in try self.identity(at: date) }
        return try sign(payload: Self.json(payload), with: identity)
    }

    private static func json(_ value: some Encodable) throws(PrivateAppStoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        guard let data = try? encoder.encode(value) else { throw .payloadNotEncoded }
        return Array(data)
    }
}
