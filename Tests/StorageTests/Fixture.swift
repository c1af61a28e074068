import CampaignCore
import Foundation
import TestSupport

@testable import Storage

/// A database in a folder of its own, and the `sqlite3` program as a second opinion on what is in it.
struct Fixture {
    static let now = Instant(millisecondsSince1970: 1_790_000_000_000)

    let folder: TemporaryFolder
    var path: String { folder.path("holdfast.sqlite") }

    init() throws {
        folder = try TemporaryFolder()
    }

    func open() throws(StorageError) -> Store {
        try Store(path, now: Self.now)
    }

    /// What `sqlite3` prints for `script`, without the last line break.
    @discardableResult
    func sqlite3(_ script: String, file: String? = nil, options: [String] = []) throws -> String {
        let result = try run("sqlite3", ["-batch", "-bail"] + options + [file ?? path, script])
        guard result.exitCode == 0 else { throw SQLite3Failed(text: result.errorText) }
        return result.text.trimmingCharacters(in: .newlines)
    }
}

struct SQLite3Failed: Error {
    let text: String
}

extension Grant {
    /// A grant with every field set.
    static func sample(requestId: UUID = UUID(), answer: String = "{}") -> Grant {
        var grant = Grant(
            requestId: requestId, kind: "promotionalOffer", bodyDigest: [UInt8](repeating: 7, count: 32),
            keyName: "backend", bundleId: .init("com.example.tide"), environment: .sandbox,
            productId: .init("tide.monthly"),
            decision: .offered, issuedDate: Fixture.now, expiresDate: Fixture.now.adding(milliseconds: 86_400_000),
            answer: Array(answer.utf8))
        grant.offerIdentifier = .init("save50")
        grant.originalTransactionId = .init("2000000000000001")
        grant.appAccountToken = UUID()
        grant.nonce = UUID()
        grant.timestamp = Fixture.now
        grant.keyId = .init("ABC123DEFG")
        return grant
    }
}

extension JWSTransactionDecodedPayload {
    /// A transaction with the fields that each one has.
    static func sample(
        _ transactionId: String = "2000000000000001", of originalTransactionId: String = "2000000000000001",
        signed milliseconds: Int64 = Fixture.now.millisecondsSince1970, token: UUID? = nil
    ) -> Self {
        var transaction = Self()
        transaction.transactionId = TransactionID(transactionId)
        transaction.originalTransactionId = OriginalTransactionID(originalTransactionId)
        transaction.bundleId = .init("com.example.tide")
        transaction.environment = .production
        transaction.productId = .init("tide.monthly")
        transaction.type = .autoRenewableSubscription
        transaction.subscriptionGroupIdentifier = .init("21500001")
        transaction.expiresDate = Fixture.now.adding(milliseconds: 30 * 86_400_000)
        transaction.purchaseDate = Fixture.now
        transaction.signedDate = Instant(millisecondsSince1970: milliseconds)
        transaction.appAccountToken = token
        return transaction
    }
}

extension Store {
    /// Records what a payload says, as a fact that is in no log.
    @discardableResult
    func record(_ payload: JWSTransactionDecodedPayload) throws -> RecordedFact? {
        try recordTransaction(
            TransactionFact(payload), bundleId: payload.bundleId ?? .init(""),
            environment: payload.environment ?? .production, payload: nil)
    }
}
