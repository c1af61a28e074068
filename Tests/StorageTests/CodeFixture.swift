import CampaignCore
import Foundation
import TestSupport

@testable import Storage

extension Store {
    /// Imports codes as the command does, each as a line of the first file.
    @discardableResult
    func importCodes(
        _ codes: [String], _ change: (inout CodeBatchTerms) -> Void = { _ in }, limit: Int64 = 10_000_000,
        isDryRun: Bool = false, conflict: (CodePlace, OfferCode, CodeOwner) -> Void = { _, _, _ in }
    ) throws -> CodeImportResult {
        var terms = CodeBatchTerms.sample
        change(&terms)
        let work = try CodeImport(into: self)
        for (index, code) in codes.enumerated() {
            try Array(code.uppercased().utf8).withUnsafeBufferPointer {
                try work.add($0, at: CodePlace(file: 0, line: Int64(index + 1)))
            }
        }
        return try work.finish(
            terms, source: CodeSource(digest: [UInt8](repeating: 1, count: 32), bytes: Int64(codes.count)),
            quota: CodeQuota(limit: limit, zone: .utc), now: Fixture.now, isDryRun: isDryRun, conflict: conflict)
    }

    func claim(_ customer: String, _ change: (inout CodeClaim) -> Void = { _ in }, at now: Instant = Fixture.now)
        throws(StorageError) -> ClaimedCode?
    {
        var claim = CodeClaim(
            bundleId: .init("com.example.tide"), environment: .production, offer: .init("BACK30"), customer: customer,
            expiryMarginMilliseconds: 24 * 3_600_000)
        change(&claim)
        return try claimCode(claim, now: now)
    }
}

extension CodeBatchTerms {
    static let sample = CodeBatchTerms(
        bundleId: .init("com.example.tide"), environment: .production, productId: .init("tide.monthly"),
        offer: .init("BACK30"), name: nil, createdDate: Fixture.now,
        expiresDate: Fixture.now.adding(milliseconds: 90 * 86_400_000), timeZone: "UTC")
}

extension SeededGenerator {
    /// A random code of that many characters.
    mutating func code(_ length: Int = 18) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        return String((0..<length).map { _ in alphabet[Int.random(in: 0..<36, using: &self)] })
    }
}
