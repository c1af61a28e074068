import AppStore
import CampaignCore
import Crypto
import Testing

@Suite struct AppStoreErrorTests {
    static let date = Instant(millisecondsSince1970: 1_788_609_600_000)
    /// One of each; programs and dashboards know the codes, so none may change.
    static let all: [(AppStoreError, String)] = [
        (.tooLarge(bytes: 9, limit: 8), "tooLarge"),
        (.wrongPartCount(4), "wrongPartCount"),
        (.malformedEncoding(part: .payload), "malformedEncoding"),
        (.malformedHeader(detail: "it is no JSON object"), "malformedHeader"),
        (.unsupportedAlgorithm("none"), "unsupportedAlgorithm"),
        (.unsupportedAlgorithm(nil), "unsupportedAlgorithm"),
        (.wrongCertificateCount(2), "wrongCertificateCount"),
        (.malformedCertificate(.leaf), "malformedCertificate"),
        (.untrustedRoot, "untrustedRoot"),
        (.missingExtension(.leaf, oid: "1.2"), "missingExtension"),
        (.certificateExpired(.leaf, notAfter: date, signedDate: date), "certificateExpired"),
        (.certificateNotYetValid(.root, notBefore: date, signedDate: date), "certificateNotYetValid"),
        (.brokenChain(.wrongLength(2)), "brokenChain"),
        (.unsupportedLeafKey, "unsupportedLeafKey"),
        (.invalidSignature, "invalidSignature"),
        (.malformedPayload(.transaction, field: "bundleId"), "malformedPayload"),
        (.malformedPayload(nil, field: nil), "malformedPayload"),
        (.missingSignedDate(.appTransaction), "missingSignedDate"),
        (.wrongKind(expected: .transaction), "wrongKind"),
        (.wrongKind(expected: nil), "wrongKind"),
        (.wrongBundleId(BundleID("com.example.wrong")), "wrongBundleId"),
        (.wrongAppAppleId(5), "wrongAppAppleId"),
        (.wrongEnvironment(.sandbox), "wrongEnvironment"),
        (.unsignedEnvironment(.xcode), "unsignedEnvironment"),
        (.innerDisagrees(.transaction, field: "bundleId"), "innerDisagrees"),
        (.inner(.renewalInfo, .invalidSignature), "invalidSignature"),
    ]

    @Test(arguments: all) func `each has its code and one line that says what to do`(error: AppStoreError, code: String)
    {
        #expect(error.code == code)
        let text = error.description
        #expect(text.contains("; ") && !text.contains("\n") && !text.hasSuffix("."))
        #expect(text.first?.isLowercase == true)
    }

    @Test func `an unproven value cannot break a line of a log or fill it`() {
        let text = AppStoreError.unsupportedAlgorithm("no\nne\u{1B}[31m" + String(repeating: "x", count: 500))
            .description
        #expect(text.contains("'no\\u{a}ne\\u{1b}[31mxxxxxxxxxxxxxx…'"))
        #expect(text.count < 200)
    }
}
