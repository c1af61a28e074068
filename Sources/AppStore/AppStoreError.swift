public import CampaignCore
public import Crypto

/// Why something that should come from the App Store is not believed.
///
/// No case holds a payload or a signature, so an error may be logged and answered.
public enum AppStoreError: Error, Hashable, Sendable {
    case tooLarge(bytes: Int, limit: Int)
    case wrongPartCount(Int)
    /// A part that is no base64url, or one with padding or stray bits.
    case malformedEncoding(part: JWSPart)
    case malformedHeader(detail: String)
    /// Nil when the header names none.
    case unsupportedAlgorithm(String?)
    case wrongCertificateCount(Int)
    case malformedCertificate(CertificateRole)
    case untrustedRoot
    case missingExtension(CertificateRole, oid: String)
    case certificateExpired(CertificateRole, notAfter: Instant, signedDate: Instant)
    case certificateNotYetValid(CertificateRole, notBefore: Instant, signedDate: Instant)
    /// The certificates do not prove each other.
    case brokenChain(CertificateFault)
    case unsupportedLeafKey
    case invalidSignature

    /// `field` is the path of the field that is missing or has the wrong type; nil when it is no JSON object at all.
    case malformedPayload(SignedDataKind?, field: String?)
    /// It names no instant of signing, so no date tells whether its certificates were valid.
    case missingSignedDate(SignedDataKind)
    /// It is properly signed and of another kind.
    case wrongKind(expected: SignedDataKind?)
    case wrongBundleId(BundleID?)
    case wrongAppAppleId(AppAppleID?)
    case wrongEnvironment(AppStoreEnvironment?)
    /// `Xcode` or `LocalTesting`.
    case unsignedEnvironment(AppStoreEnvironment)
    /// `field` of what a notification carries inside says something else than the notification.
    case innerDisagrees(SignedDataKind, field: String)
    /// What a notification carries inside is not believed.
    indirect case inner(SignedDataKind, AppStoreError)
}

/// The parts of a compact JWS.
public enum JWSPart: String, Sendable {
    case header
    case payload
    case signature
}

/// What the App Store signs.
public enum SignedDataKind: String, Sendable, CaseIterable {
    case notification
    case transaction
    case renewalInfo
    case appTransaction
    case realtimeRequest
}

extension AppStoreError {
    /// A stable name for programs and logs; what `inner` wraps keeps its own.
    public var code: String {
        switch self {
        case .tooLarge: "tooLarge"
        case .wrongPartCount: "wrongPartCount"
        case .malformedEncoding: "malformedEncoding"
        case .malformedHeader: "malformedHeader"
        case .unsupportedAlgorithm: "unsupportedAlgorithm"
        case .wrongCertificateCount: "wrongCertificateCount"
        case .malformedCertificate: "malformedCertificate"
        case .untrustedRoot: "untrustedRoot"
        case .missingExtension: "missingExtension"
        case .certificateExpired: "certificateExpired"
        case .certificateNotYetValid: "certificateNotYetValid"
        case .brokenChain: "brokenChain"
        case .unsupportedLeafKey: "unsupportedLeafKey"
        case .invalidSignature: "invalidSignature"
        case .malformedPayload: "malformedPayload"
        case .missingSignedDate: "missingSignedDate"
        case .wrongKind: "wrongKind"
        case .wrongBundleId: "wrongBundleId"
        case .wrongAppAppleId: "wrongAppAppleId"
        case .wrongEnvironment: "wrongEnvironment"
        case .unsignedEnvironment: "unsignedEnvironment"
        case .innerDisagrees: "innerDisagrees"
        case .inner(_, let error): error.code
        }
    }
}

extension AppStoreError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            "the JWS has '\(bytes)' bytes where at most '\(limit)' are read; send one signed payload as Apple made it"
        case .wrongPartCount(let count):
            "a compact JWS has '3' parts between dots and this has '\(count)'; send it whole and nothing else"
        case .malformedEncoding(let part):
            "the JWS's \(part) is no base64url without padding; send the JWS exactly as Apple made it"
        case .malformedHeader(let detail):
            "the JWS's header cannot be read: \(detail); send the JWS exactly as Apple made it"
        case .unsupportedAlgorithm(let name):
            "the JWS's 'alg' is \(name.map { quoted($0, limit: AppStoreLimits.quotedCharacters) } ?? "missing") where the App Store signs with 'ES256' only; "
                + "send what Apple signed"
        case .wrongCertificateCount(let count):
            "the JWS's 'x5c' has '\(count)' certificates where the App Store sends '3'; send what Apple signed"
        case .malformedCertificate(let role):
            "the \(role) certificate in 'x5c' is no DER in standard base64; send the JWS exactly as Apple made it"
        case .untrustedRoot:
            "the root certificate in 'x5c' is not trusted here; "
                + "name it under 'trust: rootCertificates' if it is your own private App Store"
        case .missingExtension(let role, let oid):
            "the \(role) certificate lacks Apple's extension '\(oid)', so it is not for the App Store; "
                + "send what Apple signed"
        case .certificateExpired(let role, let notAfter, let signedDate):
            "the \(role) certificate ran out at '\(notAfter)' and the payload says it was signed at '\(signedDate)'; "
                + "fetch it from Apple anew"
        case .certificateNotYetValid(let role, let notBefore, let signedDate):
            "the \(role) certificate is valid from '\(notBefore)' and the payload says it was signed at '\(signedDate)'; "
                + "fetch it from Apple anew"
        case .brokenChain(let fault): "the certificates in 'x5c' do not prove each other: \(fault)"
        case .unsupportedLeafKey: "the leaf certificate's key is not on 'P-256'; send what Apple signed"
        case .invalidSignature:
            "the signature is not the leaf certificate's over this header and payload; "
                + "send the JWS exactly as Apple made it"
        default: contentDescription
        }
    }

    /// The texts of the faults that are found in a payload.
    private var contentDescription: String {
        switch self {
        case .malformedPayload(let kind, nil):
            "the payload is no JSON object of a \(kind?.rawValue ?? "known kind"); send what Apple signed"
        case .malformedPayload(let kind, let field?):
            "the \(kind?.rawValue ?? "payload") has no usable '\(field)'; send what Apple signed"
        case .missingSignedDate(let kind):
            "the \(kind) names no date of signing, so its certificates cannot be judged; fetch it from Apple anew"
        case .wrongKind(nil):
            "this is none of the payloads that the App Store signs; send a notification, transaction or the like"
        case .wrongKind(let expected?):
            "this is signed, but it is no \(expected); send the right one of the App Store's payloads"
        case .wrongBundleId(let found):
            "the payload is for bundleId '\(found?.rawValue ?? "")', which is not the app asked for; "
                + "check 'apps' in the configuration"
        case .wrongAppAppleId(let found):
            "the payload's appAppleId is '\(found.map(String.init) ?? "")', which is not the app's; "
                + "check 'apps' in the configuration"
        case .wrongEnvironment(let found):
            "the payload is of environment '\(found?.rawValue ?? "")', which the app does not list; "
                + "check 'environments' in the configuration"
        case .unsignedEnvironment(let found):
            "the payload is of environment '\(found)', which Apple does not sign; buy in the sandbox instead"
        case .innerDisagrees(let kind, let field):
            "the \(kind) inside the notification has another '\(field)' than the notification; fetch it from Apple anew"
        case .inner(let kind, let error): "inside the notification, \(kind): \(error)"
        default: code
        }
    }
}

extension AppStoreError {
    /// The fault of a chain whose root is trusted, in the words of a payload signed at `signedDate`.
    init(_ fault: CertificateFault, signedDate: Instant) {
        switch fault {
        // The root in the chain is one of ours, so it is the intermediate that does not lead there.
        case .untrustedRoot: self = .brokenChain(.notIssuedByNext(.intermediate))
        case .expired(let role, let notAfter, _):
            self = .certificateExpired(
                role, notAfter: Instant(millisecondsSince1970: notAfter), signedDate: signedDate)
        case .notYetValid(let role, let notBefore, _):
            self = .certificateNotYetValid(
                role, notBefore: Instant(millisecondsSince1970: notBefore), signedDate: signedDate)
        default: self = .brokenChain(fault)
        }
    }
}

extension AppStoreError {
    /// The code, with that of what a notification carries inside: `inner.renewalInfo.invalidSignature`.
    public var fault: String {
        if case .inner(let kind, let error) = self { "inner.\(kind.rawValue).\(error.fault)" } else { code }
    }
}
