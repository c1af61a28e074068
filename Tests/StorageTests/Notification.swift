import CampaignCore
import Crypto
import Foundation
import TestSupport

@testable import Storage

/// A notification as the App Store would write it, with signatures that nobody has to prove.
struct Notification {
    var uuid = UUID()
    var type = "DID_RENEW"
    var subtype: String?
    var signed: Int64 = 1_000
    var transaction: JWSTransactionDecodedPayload?
    var renewal: JWSRenewalInfoDecodedPayload?

    static let header = Base64URL.encode(Array(#"{"alg":"ES256","x5c":["MIIB","MIIC","MIID"]}"#.utf8))

    static func sign(_ json: Data) -> String {
        header + "." + Base64URL.encode(Array(json)) + "." + Base64URL.encode([UInt8](repeating: 9, count: 64))
    }

    func jws() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var data: [String: Any] = ["bundleId": "com.example.tide", "environment": "Production"]
        if let transaction { data["signedTransactionInfo"] = Self.sign(try encoder.encode(transaction)) }
        if let renewal { data["signedRenewalInfo"] = Self.sign(try encoder.encode(renewal)) }
        var object: [String: Any] = [
            "notificationType": type, "notificationUUID": uuid.uuidString, "signedDate": signed, "data": data,
        ]
        if let subtype { object["subtype"] = subtype }
        return Self.sign(try JSONSerialization.data(withJSONObject: object, options: .sortedKeys))
    }

    func entry(outcome: PayloadOutcome = .folded, codec: PayloadCodec = PayloadCodec()) throws -> NotificationEntry {
        NotificationEntry(
            notificationUUID: uuid, notificationType: type, subtype: subtype, bundleId: .init("com.example.tide"),
            environment: .production, signedDate: Instant(millisecondsSince1970: signed), receivedDate: Fixture.now,
            originalTransactionId: transaction?.originalTransactionId ?? renewal?.originalTransactionId,
            outcome: outcome, payload: codec.pack(try jws()))
    }

    /// The facts inside a text that `jws` wrote.
    static func read(_ text: String) throws -> ReplayedPayload {
        func payload(_ jws: String) -> Data {
            let parts = jws.split(separator: ".")
            return Data(parts.count == 3 ? Base64URL.decode(parts[1]) ?? [] : [])
        }
        let object = try JSONSerialization.jsonObject(with: payload(text)) as? [String: Any]
        let data = object?["data"] as? [String: Any]
        var replayed = ReplayedPayload(outcome: .folded)
        if let jws = data?["signedTransactionInfo"] as? String {
            let decoded = try JWSTransactionDecodedPayload(json: Array(payload(jws)))
            replayed.transactions.append(try TransactionFact(decoded))
        } else if object?["transactionId"] != nil {
            let decoded = try JWSTransactionDecodedPayload(json: Array(payload(text)))
            replayed.transactions.append(try TransactionFact(decoded))
        }
        if let jws = data?["signedRenewalInfo"] as? String {
            let decoded = try JWSRenewalInfoDecodedPayload(json: Array(payload(jws)))
            replayed.renewals.append(fact(decoded))
        }
        if replayed.transactions.isEmpty && replayed.renewals.isEmpty { replayed.outcome = .notFolded }
        return replayed
    }

    static func fact(_ payload: JWSRenewalInfoDecodedPayload) -> RenewalFact {
        var fact = RenewalFact(
            originalTransactionId: payload.originalTransactionId ?? .init(""),
            signedDate: payload.signedDate ?? Fixture.now)
        fact.autoRenewStatus = payload.autoRenewStatus
        fact.eligibleWinBackOfferIds = payload.eligibleWinBackOfferIds ?? []
        return fact
    }

    /// A random step of one of a few subscriptions, with dates so close that ties are common.
    static func random(using generator: inout SeededGenerator) -> Notification {
        func oneOf(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }
        let subscription = oneOf(1...5)
        let period = oneOf(0...3)
        let start = Fixture.now.millisecondsSince1970 + period * 1_000
        var notification = Notification()
        notification.signed = start + oneOf(0...5) * 100
        var transaction = JWSTransactionDecodedPayload.sample(
            "\(subscription)00\(period)", of: "\(subscription)", signed: notification.signed)
        transaction.purchaseDate = Instant(millisecondsSince1970: start)
        transaction.expiresDate = Instant(millisecondsSince1970: start + 1_000)
        transaction.appTransactionId = .init("70\(subscription)")
        if oneOf(0...4) == 0 { transaction.revocationDate = Instant(millisecondsSince1970: notification.signed) }
        notification.transaction = transaction
        if oneOf(0...3) > 0 {
            var renewal = JWSRenewalInfoDecodedPayload()
            renewal.originalTransactionId = transaction.originalTransactionId
            renewal.signedDate = transaction.signedDate
            renewal.autoRenewStatus = oneOf(0...1) == 0 ? .off : .on
            renewal.eligibleWinBackOfferIds = oneOf(0...1) == 0 ? nil : [.init("back\"1"), .init("back2")]
            notification.renewal = renewal
        }
        return notification
    }
}

extension Store {
    /// What the server does with a notification.
    @discardableResult
    func take(_ notification: Notification) throws -> LoggedNotification {
        try connection.begin()
        let logged = try logNotification(notification.entry(codec: codec))
        guard case .logged(let id) = logged else {
            try connection.commit()
            return logged
        }
        let app = BundleID("com.example.tide")
        var recorded: [RecordedFact] = []
        if let transaction = notification.transaction {
            let fact = try TransactionFact(transaction)
            recorded += [
                try recordTransaction(fact, bundleId: app, environment: .production, payload: id)
            ].compactMap(\.self)
        }
        if let renewal = notification.renewal {
            let fact = Notification.fact(renewal)
            recorded += [
                try recordRenewal(fact, bundleId: app, environment: .production, payload: id)
            ].compactMap(\.self)
        }
        if let subscription = recorded.first?.subscription { try refold(subscription) }
        if !recorded.contains(where: \.isNew) { try setOutcome(.stale, of: id) }
        try connection.commit()
        return logged
    }
}
