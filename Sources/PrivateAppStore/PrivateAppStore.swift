public import CampaignCore
public import Crypto

/// An App Store of one's own: it signs what Apple would sign, for whoever trusts its root certificate.
///
/// Its chain has Apple's shape: a root and an intermediate on P-384, leaves on P-256, and the two extensions that mark
/// them. One leaf has expired since, so that what it signed in its time can be met as stored payloads are.
public struct PrivateAppStore: Sendable {
    public let root: CertificateAuthority
    public let intermediate: CertificateAuthority
    /// Valid from a year before the making, for eleven years.
    public let leaf: SigningIdentity
    /// Valid for the two years before `leaf`.
    public let expiredLeaf: SigningIdentity

    /// Makes all of it with new random keys.
    public init(now: Instant) throws(PrivateAppStoreError) {
        do {
            let ages = Ages(now: now)
            let root = try CertificateAuthority(
                rootNamed: "Private App Store Root", validity: ages.authority, comment: Comments.root)
            let intermediate = try root.issueIntermediate(
                named: "Private App Store Intermediate", validity: ages.authority,
                extensions: [Self.intermediateExtension], comment: Comments.intermediate)
            self.root = root
            self.intermediate = intermediate
            leaf = try Self.issueLeaf(by: intermediate, "Private App Store Signing", validity: ages.leaf)
            expiredLeaf = try Self.issueLeaf(by: intermediate, "Private App Store Expired", validity: ages.expiredLeaf)
        } catch let fault {
            throw .certificate(fault)
        }
    }

    init(
        root: CertificateAuthority, intermediate: CertificateAuthority, leaf: SigningIdentity, expired: SigningIdentity
    ) {
        self.root = root
        self.intermediate = intermediate
        self.leaf = leaf
        expiredLeaf = expired
    }

    /// What a verifier must trust, as the file that `trust: rootCertificates` names.
    public var rootCertificatePEM: String { root.certificate.pem }

    /// Marks Apple's leaf certificates that sign for the App Store.
    public static let leafExtension = "1.2.840.113635.100.6.11.1"
    /// Marks Apple's intermediate certificates.
    public static let intermediateExtension = "1.2.840.113635.100.6.2.1"

    /// A new key with a leaf certificate for it.
    public static func issueLeaf(
        by issuer: CertificateAuthority, _ name: String, validity: Range<Int64>,
        extensions: [String] = [leafExtension]
    ) throws(CertificateFault) -> SigningIdentity {
        let key = P256PrivateKey.generate()
        let certificate = try issuer.issueLeaf(
            named: name, for: key.publicKey, validity: validity, extensions: extensions, comment: Comments.leaf)
        return SigningIdentity(certificate: certificate, privateKey: key)
    }

    /// The leaf that was in use at `date`, as Apple changes leaves every two years.
    public func identity(at date: Instant) throws(PrivateAppStoreError) -> SigningIdentity {
        let milliseconds = date.millisecondsSince1970
        for identity in [leaf, expiredLeaf] {
            let validity = identity.certificate.notBefore..<identity.certificate.notAfter
            if validity.contains(milliseconds) { return identity }
        }
        throw .noCertificate(at: milliseconds)
    }
}

/// What the certificates say to whoever looks at them.
///
/// Apple's certificates are about as long, by their policies and addresses; so what is signed here takes the same room
/// in a log and the same time to read as what Apple signs.
private enum Comments {
    static let root = """
        Root of a private App Store. Trust it for rehearsals and tests on your own machines only; Apple did not issue it.
        """
    static let intermediate = """
        Intermediate of a private App Store, made by Holdfast. It signs the certificates that sign made-up \
        transactions, renewals and notifications. It stands where the intermediate of Apple Worldwide Developer \
        Relations stands in real payloads, and has the same kind of key and extensions.
        """
    static let leaf = """
        Signing certificate of a private App Store, made by Holdfast. What it signs was never bought: it serves to \
        rehearse subscriptions, notifications and offers on your own machines, with a service that was told to trust \
        the root of this chain. A service that trusts Apple's root alone refuses it, as it should. The key belongs to \
        one folder on one machine; whoever removes the folder ends this App Store, and nothing else is lost with it. \
        It has the same kind of key, the same extensions and about the same length as Apple's own.
        """
}

/// The validities of a private App Store's certificates, in milliseconds since 1970.
private struct Ages {
    let authority: Range<Int64>
    let leaf: Range<Int64>
    let expiredLeaf: Range<Int64>

    init(now: Instant) {
        let year: Int64 = 365 * 24 * 60 * 60 * 1000
        let now = now.millisecondsSince1970
        authority = (now - 6 * year)..<(now + 20 * year)
        leaf = (now - year)..<(now + 10 * year)
        expiredLeaf = (now - 3 * year)..<(now - year)
    }
}
