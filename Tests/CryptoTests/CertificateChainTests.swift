import Crypto
import TestSupport
import Testing

@Suite struct CertificateChainTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var leaf = "leaf"
        var intermediate = "intermediate"
        var root = "root"
        var date = midnight(2025, 6, 1)
        /// Nil when the chain is good.
        let fault: (@Sendable (CertificateFault) -> Bool)?

        var testDescription: String { "\(leaf) < \(intermediate) < \(root) at \(date)" }

        init(
            leaf: String = "leaf", intermediate: String = "intermediate", root: String = "root",
            at date: Int64 = midnight(2025, 6, 1), fault: (@Sendable (CertificateFault) -> Bool)? = nil
        ) {
            self.leaf = leaf
            self.intermediate = intermediate
            self.root = root
            self.date = date
            self.fault = fault
        }
    }

    static let start = midnight(2024, 1, 1)
    static let end = midnight(2026, 1, 1)
    static let isRefused: @Sendable (CertificateFault) -> Bool = {
        if case .refused = $0 { true } else { false }
    }
    static let isOutOfDate: @Sendable (CertificateFault) -> Bool = {
        switch $0 {
        case .expired, .notYetValid: true
        default: false
        }
    }
    static let cases: [Case] = [
        Case(),
        // Apple's own extensions and the curve are no matter of X.509; the App Store's rules add them.
        Case(leaf: "unmarked-leaf"),
        Case(leaf: "p384-leaf"),
        Case(at: start),
        Case(at: end - 1),
        Case(at: start - 1, fault: { $0 == .notYetValid(.leaf, notBefore: start, at: start - 1) }),
        Case(at: end, fault: { $0 == .expired(.leaf, notAfter: end, at: end) }),
        Case(
            leaf: "expired-intermediate-leaf", intermediate: "expired-intermediate",
            fault: { $0 == .expired(.intermediate, notAfter: midnight(2025, 1, 1), at: midnight(2025, 6, 1)) }),
        Case(
            leaf: "expired-intermediate-leaf", intermediate: "expired-intermediate", at: midnight(2024, 6, 1)),
        Case(at: midnight(2041, 1, 1), fault: isOutOfDate),
        Case(root: "other-root", fault: { $0 == .untrustedRoot }),
        Case(root: "same-name-root", fault: { $0 == .untrustedRoot }),
        Case(leaf: "other-leaf", intermediate: "other-intermediate", fault: { $0 == .untrustedRoot }),
        Case(intermediate: "other-intermediate", fault: { $0 == .notIssuedByNext(.leaf) }),
        Case(intermediate: "same-name-intermediate", fault: { $0 == .notIssuedByNext(.leaf) }),
        Case(leaf: "no-authority-leaf", intermediate: "no-authority", fault: { $0 == .notAnAuthority(.intermediate) }),
        Case(leaf: "sha1-leaf", fault: isRefused),
        Case(leaf: "second-leaf", intermediate: "second-intermediate", fault: { $0 == .untrustedRoot }),
        Case(at: .min, fault: isOutOfDate),
        Case(at: .max, fault: isOutOfDate),
    ]

    @Test(arguments: cases) func `accepts what openssl accepts, and names what is wrong`(_ chain: Case) throws {
        let leaf = try OpenSSLChains.certificate(chain.leaf)
        let intermediate = try OpenSSLChains.certificate(chain.intermediate)
        let root = try OpenSSLChains.certificate(chain.root)
        // openssl's command line cannot say every date.
        if (0..<midnight(2100, 1, 1)).contains(chain.date) {
            let isAccepted = try OpenSSLChains.accepts(
                leaf: chain.leaf, intermediate: chain.intermediate, root: chain.root, at: chain.date)
            #expect(isAccepted == (chain.fault == nil))
        }
        do {
            let proven = try CertificateChain.verify(
                leaf: leaf, intermediate: intermediate, trustedRoots: [root], at: chain.date)
            #expect(chain.fault == nil)
            #expect(proven.leaf == leaf && proven.intermediate == intermediate && proven.root == root)
            #expect(proven.validity.contains(chain.date))
            try proven.checkDates(at: chain.date)
        } catch let fault {
            #expect(chain.fault?(fault) == true, "\(fault)")
        }
    }

    /// openssl itself accepts a chain of two; the App Store's has three.
    @Test(arguments: [("root-leaf", "intermediate"), ("intermediate", "leaf")])
    func `refuses a leaf that the root issued itself`(leaf: String, intermediate: String) throws {
        let accepted = try OpenSSLChains.accepts(
            leaf: leaf, intermediate: intermediate, root: "root", at: midnight(2025, 6, 1))
        try #require(accepted)
        let leaf = try OpenSSLChains.certificate(leaf)
        let intermediate = try OpenSSLChains.certificate(intermediate)
        let root = try OpenSSLChains.certificate("root")
        #expect(throws: CertificateFault.wrongLength(2)) {
            try CertificateChain.verify(
                leaf: leaf, intermediate: intermediate, trustedRoots: [root], at: midnight(2025, 6, 1))
        }
    }

    @Test func `finds the right one of several trusted roots`() throws {
        let roots = try ["other-root", "same-name-root", "root"].map(OpenSSLChains.certificate)
        let chain = try CertificateChain.verify(
            leaf: OpenSSLChains.certificate("leaf"), intermediate: OpenSSLChains.certificate("intermediate"),
            trustedRoots: roots, at: midnight(2025, 6, 1))
        #expect(chain.root == roots[2])
    }

    @Test(arguments: [
        (Self.start - 1, CertificateFault.notYetValid(.leaf, notBefore: Self.start, at: Self.start - 1)),
        (Self.end, .expired(.leaf, notAfter: Self.end, at: Self.end)),
        (.min, .notYetValid(.leaf, notBefore: Self.start, at: .min)),
    ])
    func `dates are checked again as they were at first`(date: Int64, fault: CertificateFault) throws {
        let leaf = try OpenSSLChains.certificate("leaf")
        let intermediate = try OpenSSLChains.certificate("intermediate")
        let root = try OpenSSLChains.certificate("root")
        let chain = try CertificateChain.verify(
            leaf: leaf, intermediate: intermediate, trustedRoots: [root], at: Self.start)
        #expect(chain.validity == Self.start..<Self.end)
        #expect(throws: fault) { try chain.checkDates(at: date) }
        #expect(throws: CertificateFault.self) {
            try CertificateChain.verify(leaf: leaf, intermediate: intermediate, trustedRoots: [root], at: date)
        }
    }
}
