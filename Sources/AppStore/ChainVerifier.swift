import CampaignCore
public import Crypto

/// Proves Apple's chains of three certificates against the trusted roots, and remembers the proven ones.
///
/// All apps and threads share one, so that they share its cache; other roots need another one.
public final class ChainVerifier: Sendable {
    public let roots: [Certificate]

    private let cache: VerifiedChainCache

    /// - Parameter capacity: how many proven chains are kept.
    public init(roots: [Certificate], capacity: Int = AppStoreLimits.verifiedChains) {
        self.roots = roots
        cache = VerifiedChainCache(capacity: capacity)
    }

    /// For metrics.
    public var counters: VerifiedChainCounters { cache.counters }

    /// Marks leaf certificates that sign for the App Store.
    public static let leafExtension = "1.2.840.113635.100.6.11.1"

    /// Marks the intermediate certificates of Apple's Worldwide Developer Relations.
    public static let intermediateExtension = "1.2.840.113635.100.6.2.1"

    /// Takes a compact JWS apart; what is known of its header need not be read again.
    func jws(_ compact: SignedText) throws(AppStoreError) -> JWS {
        try JWS(compact, proven: cache)
    }

    /// The leaf's key, once the chain in the header of `jws` is proven as of `signedDate`.
    ///
    /// In order: three certificates, a root that is one of ours byte for byte, Apple's two extensions, the chain by RFC
    /// 5280. A chain that was proven before only has its dates checked again.
    func leafKey(of jws: JWS, signedDate: Instant) throws(AppStoreError) -> P256PublicKey {
        if let known = jws.provenChain {
            do {
                try known.chain.checkDates(at: signedDate.millisecondsSince1970)
            } catch {
                throw AppStoreError(error, signedDate: signedDate)
            }
            return known.leafKey
        }
        let x5c = jws.header.x5c ?? []
        guard x5c.count == 3 else { throw .wrongCertificateCount(x5c.count) }
        let proven = try prove(x5c, signedDate: signedDate)
        cache.insert(.init(headerText: jws.headerText, header: jws.header, chain: proven))
        return proven.leafKey
    }

    private func prove(_ x5c: [String], signedDate: Instant) throws(AppStoreError) -> VerifiedChain {
        guard let rootDER = Base64.decode(x5c[2]) else { throw .malformedCertificate(.root) }
        guard let root = roots.first(where: { $0.der == rootDER }) else { throw .untrustedRoot }
        let leaf = try Self.certificate(x5c[0], .leaf)
        let intermediate = try Self.certificate(x5c[1], .intermediate)
        guard leaf.contains(extension: Self.leafExtension) else {
            throw .missingExtension(.leaf, oid: Self.leafExtension)
        }
        guard intermediate.contains(extension: Self.intermediateExtension) else {
            throw .missingExtension(.intermediate, oid: Self.intermediateExtension)
        }
        let chain: CertificateChain
        do {
            chain = try CertificateChain.verify(
                leaf: leaf, intermediate: intermediate, trustedRoots: [root], at: signedDate.millisecondsSince1970)
        } catch {
            throw AppStoreError(error, signedDate: signedDate)
        }
        guard let key = try? leaf.publicKey() else { throw .unsupportedLeafKey }
        return VerifiedChain(chain: chain, leafKey: key)
    }

    private static func certificate(_ base64: String, _ role: CertificateRole) throws(AppStoreError) -> Certificate {
        guard let der = Base64.decode(base64), let certificate = try? Certificate(der: der) else {
            throw .malformedCertificate(role)
        }
        return certificate
    }
}
