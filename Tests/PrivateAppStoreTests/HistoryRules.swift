import CampaignCore
import Foundation
import PrivateAppStore

/// What no history of the App Store contains, checked from the notifications alone.
struct HistoryRules {
    private(set) var broken: [String] = []
    private let life: SimulatedLife
    private let span: Range<Instant>
    private var last: Instant?
    /// The newest purchase that is known.
    private var current: JWSTransactionDecodedPayload?
    private var failedSince: Instant?
    private var renewalIsOff = false
    private var known: [TransactionID: JWSTransactionDecodedPayload] = [:]

    init(_ life: SimulatedLife, within span: Range<Instant>) {
        self.life = life
        self.span = span
    }

    private mutating func expect(_ isTrue: Bool, _ rule: String, _ event: SimulatedEvent) {
        if !isTrue { broken.append("\(HistoryTests.name(event)) at \(event.signedDate): \(rule)") }
    }

    mutating func follow(_ event: SimulatedEvent) {
        let name = HistoryTests.name(event)
        expect(span.contains(event.signedDate), "outside the simulation", event)
        expect(last.map { $0 < event.signedDate } ?? true, "out of order", event)
        last = event.signedDate
        expect(event.notification.signedDate == event.signedDate, "another date outside", event)
        guard let transaction = event.transaction, let renewalInfo = event.renewalInfo else {
            return expect(event.transaction == nil && event.renewalInfo == nil, "half of its payloads", event)
        }
        expect(transaction.signedDate == event.signedDate, "another date inside", event)
        expect(renewalInfo.signedDate == event.signedDate, "another date inside", event)
        expect(transaction.originalTransactionId == life.originalTransactionId, "another subscription", event)
        checkPurchase(transaction, name, event)
        checkSame(transaction, event)
        checkEnd(transaction, renewalInfo, name, event)
        if current?.purchaseDate.map({ $0 <= transaction.purchaseDate ?? $0 }) ?? true { current = transaction }
        if transaction.transactionId == current?.transactionId { renewalIsOff = renewalInfo.autoRenewStatus == .off }
    }

    /// A purchase keeps its dates and price, except that an extension moves its end.
    private mutating func checkSame(_ transaction: JWSTransactionDecodedPayload, _ event: SimulatedEvent) {
        guard let id = transaction.transactionId else { return expect(false, "no transactionId", event) }
        if let before = known[id] {
            expect(before.purchaseDate == transaction.purchaseDate, "another purchaseDate", event)
            expect(before.productId == transaction.productId && before.price == transaction.price, "changed", event)
            if event.notification.notificationType != "RENEWAL_EXTENDED" {
                expect(before.expiresDate == transaction.expiresDate, "another expiresDate", event)
            }
        }
        known[id] = transaction
    }

    private mutating func checkPurchase(
        _ transaction: JWSTransactionDecodedPayload, _ name: String, _ event: SimulatedEvent
    ) {
        let isNew = transaction.transactionId.map { known[$0] == nil } ?? true
        let day: Int64 = 24 * 60 * 60 * 1000
        switch name {
        case "DID_RENEW", "DID_RENEW BILLING_RECOVERY":
            guard let current, let start = transaction.purchaseDate, let end = current.expiresDate else {
                return expect(false, "nothing to renew", event)
            }
            expect(isNew && transaction.transactionReason == "RENEWAL", "no new purchase", event)
            expect(current.revocationDate == nil, "a renewal after a refund of the current period", event)
            expect(start >= end, "a renewal within the period", event)
            expect(!renewalIsOff, "a renewal with auto-renew off", event)
            expect(start.millisecondsSince1970 - event.signedDate.millisecondsSince1970 <= day, "too early", event)
            if name == "DID_RENEW" { expect(start == end, "a gap without trouble", event) }
            if let failed = failedSince {
                expect(event.signedDate.millisecondsSince1970 - failed.millisecondsSince1970 <= 60 * day, "late", event)
            }
            expect((failedSince != nil) == (name == "DID_RENEW BILLING_RECOVERY"), "recovery of nothing", event)
            failedSince = nil
        case "SUBSCRIBED INITIAL_BUY":
            expect(current == nil, "a second first purchase", event)
        case "SUBSCRIBED RESUBSCRIBE":
            let isOver = current?.revocationDate != nil || current?.expiresDate.map { $0 < event.signedDate } ?? false
            expect(isNew && isOver, "bought again while it runs", event)
            failedSince = nil
        case "DID_CHANGE_RENEWAL_PREF UPGRADE", "OFFER_REDEEMED UPGRADE":
            expect(isNew && transaction.productId != current?.productId, "no new product", event)
        case "REFUND":
            expect(transaction.revocationDate.map { $0 <= event.signedDate } ?? false, "no date", event)
            expect(transaction.revocationType?.hasPrefix("REFUND_") == true, "no type", event)
        case "REFUND_REVERSED":
            expect(transaction.revocationDate == nil && current?.revocationDate != nil, "nothing to reverse", event)
        default:
            expect(!isNew, "a purchase without a notification of its own", event)
        }
    }

    private mutating func checkEnd(
        _ transaction: JWSTransactionDecodedPayload, _ renewalInfo: JWSRenewalInfoDecodedPayload, _ name: String,
        _ event: SimulatedEvent
    ) {
        let end = transaction.expiresDate ?? event.signedDate
        let days = Double(event.signedDate.millisecondsSince1970 - end.millisecondsSince1970) / 86_400_000
        switch event.notification.notificationType {
        case "DID_FAIL_TO_RENEW":
            failedSince = end
            expect(renewalInfo.isInBillingRetryPeriod == true, "not in retry", event)
            let grace = renewalInfo.gracePeriodExpiresDate
            expect((grace != nil) == (event.notification.subtype == "GRACE_PERIOD"), "grace", event)
            let length = grace.map { ($0.millisecondsSince1970 - end.millisecondsSince1970) / 86_400_000 }
            expect(length.map { [3, 6, 16, 28].contains($0) } ?? true, "no length of Apple's", event)
        case "GRACE_PERIOD_EXPIRED":
            expect(failedSince != nil && days >= 3 && days < 60, "no grace period", event)
        case "EXPIRED":
            expect(event.signedDate >= end, "expired before its end", event)
            let intents = [
                "VOLUNTARY": 1, "BILLING_RETRY": 2, "PRICE_INCREASE": 3, "PRODUCT_NOT_FOR_SALE": 4,
            ]
            let intent = event.notification.subtype.map { intents[$0] } ?? 5
            expect(renewalInfo.expirationIntent?.rawValue == intent, "another intent", event)
            if event.notification.subtype == "BILLING_RETRY" { expect(abs(days - 60) < 0.001, "not 60 days", event) }
            failedSince = nil
        default:
            break
        }
        if let ids = renewalInfo.eligibleWinBackOfferIds {
            expect(!ids.isEmpty && renewalInfo.expirationIntent?.rawValue == 1, "win-back too early", event)
        }
    }
}
