import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import TestSupport

/// Transactions that nobody may believe, each with the code of the fault that we name.
struct HostileToken {
    let name: String
    let jws: String
    let code: String
    /// True for the few that Apple's library lets through and we do not.
    var isAcceptedByApple = false
}

enum HostileTokens {
    static func all(by store: PrivateAppStore) throws -> [HostileToken] {
        try headers(by: store) + chains(by: store) + signatures(by: store) + payloads(by: store)
    }

    private static func headers(by store: PrivateAppStore) throws -> [HostileToken] {
        let payload = try PrivateChains.json(PrivateChains.transaction())
        let good = try store.sign(payload: payload)
        func token(_ name: String, _ code: String, _ change: (inout JWSHeader) -> Void) throws -> HostileToken {
            HostileToken(name: name, jws: try store.sign(payload: payload, header: change), code: code)
        }
        return [
            HostileToken(name: "nothing", jws: "", code: "wrongPartCount"),
            HostileToken(name: "a.b.c", jws: "a.b.c", code: "malformedEncoding"),
            HostileToken(name: "a.b.c.d", jws: "a.b.c.d", code: "wrongPartCount"),
            HostileToken(name: "two dots", jws: "..", code: "malformedHeader"),
            HostileToken(name: "four parts", jws: good + ".AAAA", code: "wrongPartCount"),
            try token("alg none", "unsupportedAlgorithm") { $0.alg = "none" },
            HostileToken(
                name: "alg none without a signature",
                jws: try unsigned(store, payload: payload, alg: "none", signature: []), code: "unsupportedAlgorithm"),
            HostileToken(
                name: "alg HS256 with the public key as its secret",
                jws: try hs256(store, payload: payload), code: "unsupportedAlgorithm"),
            try token("alg ES384", "unsupportedAlgorithm") { $0.alg = "ES384" },
            try token("alg es256", "unsupportedAlgorithm") { $0.alg = "es256" },
            try token("no x5c", "wrongCertificateCount") { $0.x5c = nil },
            try token("x5cwrong", "wrongCertificateCount") {
                $0.x5cwrong = $0.x5c
                $0.x5c = nil
            },
            try token("no certificates", "wrongCertificateCount") { $0.x5c = [] },
            try token("two certificates", "wrongCertificateCount") { $0.x5c?.removeLast() },
            try token("four certificates", "wrongCertificateCount") { $0.x5c = $0.x5c.map { $0 + [$0[2]] } },
        ]
    }

    private static func chains(by store: PrivateAppStore) throws -> [HostileToken] {
        let payload = try PrivateChains.json(PrivateChains.transaction())
        let other = try PrivateAppStore(now: PrivateChains.now)
        let unmarked = try store.root.issueIntermediate(
            named: "Unmarked", validity: validity(store), extensions: [])
        let plainLeaf = try PrivateAppStore.issueLeaf(
            by: store.intermediate, "Plain", validity: validity(store), extensions: [])
        let unmarkedLeaf = try PrivateAppStore.issueLeaf(by: unmarked, "Below", validity: validity(store))
        // A leaf that issues another leaf, as if it were an authority.
        let leafAuthority = try store.root.issueIntermediate(
            named: "Marked", validity: validity(store),
            extensions: [PrivateAppStore.intermediateExtension, PrivateAppStore.leafExtension])
        let below = try PrivateAppStore.issueLeaf(by: leafAuthority, "Below", validity: validity(store))
        func base64(_ certificate: Certificate) -> String { Base64.encode(certificate.der) }
        return [
            HostileToken(name: "foreign root", jws: try other.sign(payload: payload), code: "untrustedRoot"),
            HostileToken(
                name: "foreign chain under our root",
                jws: try other.sign(payload: payload) { $0.x5c?[2] = base64(store.root.certificate) },
                code: "brokenChain"),
            HostileToken(
                name: "swapped intermediate",
                jws: try store.sign(payload: payload) { $0.x5c?[1] = base64(other.intermediate.certificate) },
                code: "brokenChain"),
            HostileToken(
                name: "leaf without its extension", jws: try store.sign(payload: payload, with: plainLeaf),
                code: "missingExtension"),
            HostileToken(
                name: "intermediate without its extension",
                jws: try store.sign(payload: payload, with: unmarkedLeaf) { $0.x5c?[1] = base64(unmarked.certificate) },
                code: "missingExtension"),
            HostileToken(
                name: "a leaf of another intermediate",
                jws: try store.sign(payload: payload, with: below), code: "brokenChain"),
            HostileToken(
                name: "certificates in the wrong order",
                jws: try store.sign(payload: payload) { $0.x5c?.swapAt(0, 1) }, code: "missingExtension"),
            HostileToken(
                name: "root first",
                jws: try store.sign(payload: payload) { $0.x5c?.reverse() }, code: "untrustedRoot"),
            // Apple's library never looks at the third certificate; the design wants our own root there.
            HostileToken(
                name: "another root beside a good chain",
                jws: try store.sign(payload: payload) { $0.x5c?[2] = base64(other.root.certificate) },
                code: "untrustedRoot", isAcceptedByApple: true),
            HostileToken(
                name: "base64url in x5c",
                jws: try store.sign(payload: payload) { header in
                    header.x5c?[0] = Base64URL.encode(store.leaf.certificate.der) + "_-"
                }, code: "malformedCertificate"),
            HostileToken(
                name: "bytes after the leaf",
                jws: try store.sign(payload: payload) { $0.x5c?[0] = Base64.encode(store.leaf.certificate.der + [0]) },
                code: "malformedCertificate", isAcceptedByApple: true),
            HostileToken(
                name: "junk for a leaf",
                jws: try store.sign(payload: payload) { $0.x5c?[0] = "AAAA" }, code: "malformedCertificate"),
        ]
    }

    private static func signatures(by store: PrivateAppStore) throws -> [HostileToken] {
        let good = try store.sign(payload: PrivateChains.json(PrivateChains.transaction()))
        let parts = good.split(separator: ".").map(String.init)
        let signature = Base64URL.decode(parts[2]) ?? []
        let other = try store.sign(payload: PrivateChains.json(PrivateChains.transaction(.production)))
        var flipped = signature
        flipped[40] ^= 1
        func token(_ name: String, _ third: [UInt8]) -> HostileToken {
            HostileToken(
                name: name, jws: "\(parts[0]).\(parts[1]).\(Base64URL.encode(third))", code: "invalidSignature")
        }
        return [
            token("a flipped bit in the signature", flipped),
            token("a short signature", Array(signature.dropLast())),
            token("a long signature", signature + [0]),
            token("no signature", []),
            token("a signature of zeros", [UInt8](repeating: 0, count: 64)),
            token("the signature in DER", ECDSASignature.der(fromRaw: signature) ?? []),
            HostileToken(
                name: "another payload", jws: "\(parts[0]).\(other.split(separator: ".")[1]).\(parts[2])",
                code: "invalidSignature"),
            HostileToken(
                name: "signed by another key of the same chain",
                jws: try store.sign(payload: PrivateChains.json(PrivateChains.transaction()), with: store.expiredLeaf) {
                    $0.x5c?[0] = Base64.encode(store.leaf.certificate.der)
                }, code: "invalidSignature"),
        ]
    }

    private static func payloads(by store: PrivateAppStore) throws -> [HostileToken] {
        var otherApp = PrivateChains.transaction()
        otherApp.bundleId = BundleID("com.example.wrong")
        var noApp = PrivateChains.transaction()
        noApp.bundleId = nil
        var noEnvironment = PrivateChains.transaction()
        noEnvironment.environment = nil
        var undated = PrivateChains.transaction()
        undated.signedDate = nil
        func token(_ name: String, _ json: String, _ code: String) throws -> HostileToken {
            HostileToken(name: name, jws: try store.sign(payload: Array(json.utf8)), code: code)
        }
        func token(_ name: String, _ payload: some Encodable, _ code: String) throws -> HostileToken {
            HostileToken(name: name, jws: try store.sign(payload: PrivateChains.json(payload)), code: code)
        }
        let early = PrivateChains.transaction(signedDate: Instant(millisecondsSince1970: .min))
        let late = PrivateChains.transaction(signedDate: Instant(millisecondsSince1970: .max))
        var dateless = try token("no date of signing", undated, "missingSignedDate")
        // Apple's library takes the present instant then; we never guess a date.
        dateless.isAcceptedByApple = true
        return [
            try token("another app", otherApp, "wrongBundleId"),
            try token("no app", noApp, "wrongBundleId"),
            try token("no environment", noEnvironment, "wrongEnvironment"),
            try token("an unknown environment", PrivateChains.transaction(.init(rawValue: "Moon")), "wrongEnvironment"),
            try token("Xcode", PrivateChains.transaction(.xcode), "unsignedEnvironment"),
            try token("LocalTesting", PrivateChains.transaction(.localTesting), "unsignedEnvironment"),
            dateless,
            try token("signed before all time", early, "certificateNotYetValid"),
            try token("signed after all time", late, "certificateExpired"),
            try token("renewal info", PrivateChains.renewalInfo(), "wrongKind"),
            try token("no JSON", "hello", "malformedPayload"),
            try token("an array", "[1]", "malformedPayload"),
            try token("a date in words", #"{"signedDate":"today"}"#, "malformedPayload"),
            try token("a number for bundleId", #"{"bundleId":5,"signedDate":1}"#, "malformedPayload"),
            try token("deep nesting", String(repeating: "[", count: 100_000), "malformedPayload"),
            try token("nothing inside", "", "malformedPayload"),
        ]
    }

    private static func validity(_ store: PrivateAppStore) -> Range<Int64> {
        store.leaf.certificate.notBefore..<store.leaf.certificate.notAfter
    }

    private static func unsigned(
        _ store: PrivateAppStore, payload: [UInt8], alg: String, signature: [UInt8]
    ) throws -> String {
        let parts = try store.sign(payload: payload) { $0.alg = alg }.split(separator: ".")
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
    }

    /// A confused verifier would take the public key's PEM for the secret of an HMAC.
    private static func hs256(_ store: PrivateAppStore, payload: [UInt8]) throws -> String {
        let parts = try store.sign(payload: payload) { $0.alg = "HS256" }.split(separator: ".")
        let key = try store.leaf.certificate.publicKey().pem
        let told = try run(
            "openssl",
            [
                "dgst", "-sha256", "-mac", "HMAC", "-binary", "-macopt",
                "hexkey:" + key.utf8.map { String(format: "%02x", $0) }.joined(),
            ], input: Data("\(parts[0]).\(parts[1])".utf8))
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(Array(told.output)))"
    }
}
