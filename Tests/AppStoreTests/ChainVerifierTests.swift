import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import TestSupport
import Testing

/// Chains that the openssl command line made, behind payloads that their leaves sign.
@Suite struct ChainVerifierTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var leaf = "leaf"
        var intermediate = "intermediate"
        var root = "root"
        var date = midnight(2025, 6, 1)
        /// Nil when it is to be believed.
        var code: String?
        var testDescription: String { "\(leaf) < \(intermediate) < \(root) at \(date)" }
    }

    static let cases = [
        Case(),
        Case(date: midnight(2024, 1, 1)),
        Case(date: midnight(2026, 1, 1) - 1),
        Case(date: midnight(2024, 1, 1) - 1, code: "certificateNotYetValid"),
        Case(date: midnight(2026, 1, 1), code: "certificateExpired"),
        Case(
            leaf: "expired-intermediate-leaf", intermediate: "expired-intermediate", date: midnight(2024, 12, 31)),
        Case(leaf: "expired-intermediate-leaf", intermediate: "expired-intermediate", code: "certificateExpired"),
        Case(root: "other-root", code: "untrustedRoot"),
        Case(root: "same-name-root", code: "untrustedRoot"),
        Case(leaf: "other-leaf", intermediate: "other-intermediate", root: "other-root", code: "untrustedRoot"),
        Case(leaf: "other-leaf", intermediate: "other-intermediate", code: "brokenChain"),
        Case(intermediate: "other-intermediate", code: "brokenChain"),
        Case(intermediate: "same-name-intermediate", code: "brokenChain"),
        Case(leaf: "unmarked-leaf", code: "missingExtension"),
        Case(leaf: "unmarked-intermediate-leaf", intermediate: "unmarked-intermediate", code: "missingExtension"),
        Case(leaf: "p384-leaf", code: "unsupportedLeafKey"),
        Case(leaf: "root-leaf", code: "brokenChain"),
        Case(leaf: "second-leaf", intermediate: "second-intermediate", code: "brokenChain"),
        Case(leaf: "no-authority-leaf", intermediate: "no-authority", code: "missingExtension"),
    ]

    @Test(arguments: cases) func `chains made by openssl are believed or refused by name`(_ chain: Case) throws {
        let verifier = SignedDataVerifier(
            chains: ChainVerifier(roots: [try Self.certificate("root")]),
            apps: [
                AppIdentity(
                    bundleId: PrivateChains.bundleId, appAppleId: PrivateChains.appAppleId, environments: [.sandbox])
            ])
        let jws = try Self.jws(chain)
        guard let code = chain.code else {
            #expect(try verifier.transaction(jws).environment == .sandbox)
            #expect(
                try OpenSSLChains.accepts(
                    leaf: chain.leaf, intermediate: chain.intermediate, root: chain.root, at: chain.date))
            return
        }
        let error = #expect(throws: AppStoreError.self) { try verifier.transaction(jws) }
        #expect(error?.code == code)
    }

    /// A forged intermediate beside the real root: to call the root untrusted would send its owner after the wrong file.
    @Test(arguments: [("leaf", CertificateRole.leaf), ("other-leaf", .intermediate)])
    func `a foreign certificate under the trusted root is named`(leaf: String, role: CertificateRole) throws {
        let verifier = Self.verifier(ChainVerifier(roots: [try Self.certificate("root")]))
        let jws = try Self.jws(Case(leaf: leaf, intermediate: "other-intermediate"))
        let error = #expect(throws: AppStoreError.brokenChain(.notIssuedByNext(role))) {
            try verifier.transaction(jws)
        }
        #expect(
            error?.description == "the certificates in 'x5c' do not prove each other: the \(role) certificate was not "
                + "issued by the one after it; take the chain as it was sent")
    }

    @Test func `a proven chain is remembered, and its dates are checked again on each hit`() throws {
        let chains = ChainVerifier(roots: [try Self.certificate("root")])
        let verifier = Self.verifier(chains)
        let during = try Self.jws(Case())
        let after = try Self.jws(Case(date: midnight(2026, 1, 1)))
        let before = try Self.jws(Case(date: midnight(2024, 1, 1) - 1))

        _ = try verifier.transaction(during)
        #expect(chains.counters == VerifiedChainCounters(hits: 0, misses: 1, entries: 1))
        _ = try verifier.transaction(during)
        #expect(chains.counters == VerifiedChainCounters(hits: 1, misses: 1, entries: 1))
        for (jws, code) in [(after, "certificateExpired"), (before, "certificateNotYetValid")] {
            let remembered = #expect(throws: AppStoreError.self) { try verifier.transaction(jws) }
            let fresh = #expect(throws: AppStoreError.self) {
                try Self.verifier(ChainVerifier(roots: chains.roots)).transaction(jws)
            }
            #expect(remembered == fresh)
            #expect(remembered?.code == code)
        }
        #expect(chains.counters == VerifiedChainCounters(hits: 3, misses: 1, entries: 1))
        // The signature is proven on a hit as on a miss.
        let parts = during.split(separator: ".")
        let other = after.split(separator: ".")
        #expect(throws: AppStoreError.invalidSignature) {
            try verifier.transaction("\(parts[0]).\(parts[1]).\(other[2])")
        }
    }

    @Test func `only proven chains are remembered, the least recently used goes, and it stays within its bound`() throws
    {
        let store = try PrivateChains.store.get()
        let chains = ChainVerifier(roots: [store.root.certificate], capacity: 2)
        let verifier = Self.verifier(chains)
        let payload = try PrivateChains.json(PrivateChains.transaction())
        let validity = store.leaf.certificate.notBefore..<store.leaf.certificate.notAfter
        let tokens = try (0..<4).map { index in
            try store.sign(
                payload: payload,
                with: PrivateAppStore.issueLeaf(by: store.intermediate, "Leaf \(index)", validity: validity))
        }
        for token in tokens {
            _ = try verifier.transaction(token)
            #expect(chains.counters.entries <= 2)
        }
        _ = try verifier.transaction(tokens[3])
        _ = try verifier.transaction(tokens[2])
        #expect(chains.counters == VerifiedChainCounters(hits: 2, misses: 4, entries: 2))
        // Number 3 was used longer ago than number 2, so it goes.
        _ = try verifier.transaction(tokens[0])
        _ = try verifier.transaction(tokens[2])
        #expect(chains.counters == VerifiedChainCounters(hits: 3, misses: 5, entries: 2))
        _ = try verifier.transaction(tokens[3])
        #expect(chains.counters.misses == 6)

        let untrusted = try PrivateAppStore(now: PrivateChains.now).sign(payload: payload)
        for _ in 0..<2 {
            #expect(throws: AppStoreError.untrustedRoot) { try verifier.transaction(untrusted) }
        }
        #expect(chains.counters == VerifiedChainCounters(hits: 3, misses: 8, entries: 2))
    }

    @Test func `many threads share one verifier`() async throws {
        let store = try PrivateChains.store.get()
        let chains = ChainVerifier(roots: [store.root.certificate], capacity: 2)
        let verifier = Self.verifier(chains)
        let payload = try PrivateChains.json(PrivateChains.transaction())
        let validity = store.leaf.certificate.notBefore..<store.leaf.certificate.notAfter
        let tokens = try (0..<3).map { index in
            try store.sign(
                payload: payload,
                with: PrivateAppStore.issueLeaf(by: store.intermediate, "Leaf \(index)", validity: validity))
        }
        let verified = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    (0..<50).count { index in
                        (try? verifier.transaction(tokens[(index * task) % tokens.count])) != nil
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(verified == 400)
        #expect(chains.counters.hits + chains.counters.misses == 400)
        #expect(chains.counters.entries == 2)
    }

    @Test func `the pinned root is Apple Root CA - G3`() throws {
        let root = AppleRootCertificate.g3
        #expect(root.fingerprint == "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179")
        #expect(root.subject == "C=US,O=Apple Inc.,OU=Apple Certification Authority,CN=Apple Root CA - G3")
        #expect(root.notBefore / 86_400_000 == midnight(2014, 4, 30) / 86_400_000)
        #expect(root.notAfter / 86_400_000 == midnight(2039, 4, 30) / 86_400_000)
    }

    private static func verifier(_ chains: ChainVerifier) -> SignedDataVerifier {
        SignedDataVerifier(
            chains: chains,
            apps: [
                AppIdentity(
                    bundleId: PrivateChains.bundleId, appAppleId: PrivateChains.appAppleId, environments: [.sandbox])
            ])
    }

    private static func certificate(_ name: String) throws -> Certificate {
        try Certificate(der: PEM.blocks(in: OpenSSLChains.file("\(name).pem"))[0].bytes)
    }

    /// A transaction signed at the case's date by the case's leaf; a leaf on another curve gets a signature of no worth.
    private static func jws(_ chain: Case) throws -> String {
        let payload = PrivateChains.transaction(signedDate: Instant(millisecondsSince1970: chain.date))
        let key = (try? P256PrivateKey(pkcs8: OpenSSLChains.file("\(chain.leaf).key"))) ?? P256PrivateKey.generate()
        let identity = SigningIdentity(certificate: try certificate(chain.leaf), privateKey: key)
        let x5c = try [chain.leaf, chain.intermediate, chain.root].map { Base64.encode(try certificate($0).der) }
        return try PrivateChains.store.get().sign(payload: PrivateChains.json(payload), with: identity) {
            $0.x5c = x5c
        }
    }
}
