import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import TestSupport
import Testing

@testable import AppStore
@testable import Server

/// A year of the field cases' app with subscribers of every kind, and how its notifications reach the intake.
struct SimulatedYear {
    static let starts = TestServer.start.adding(milliseconds: -300 * 86_400_000)
    static let ends = starts.adding(milliseconds: 365 * 86_400_000)
    /// Every way in which notifications go astray.
    static let astray = DeliveryOptions(delays: true, repeats: 0.1, reorders: true)

    let simulation: Simulation
    let deliveries: [Delivery]

    init(_ count: Int, seed: UInt64) throws {
        simulation = Simulation(
            bundleId: TestServer.bundleId, appAppleId: 6_400_000_001, environment: .production,
            products: try Self.products(), subscriberCount: count, seed: seed, starts: Self.starts, ends: Self.ends)
        deliveries = simulation.deliveriesInOrder(0..<count, Self.astray)
    }

    private static func products() throws -> [SimulatedProduct] {
        let month = try #require(Period("P1M"))
        let week = try #require(Period("P1W"))
        let offers: [SimulatedOffer] = [
            .init(
                offerType: .introductoryOffer, offerIdentifier: nil, offerDiscountType: "FREE_TRIAL", period: week,
                numberOfPeriods: 1, price: 0),
            .init(
                offerType: .promotionalOffer, offerIdentifier: OfferIdentifier("save50"),
                offerDiscountType: "PAY_AS_YOU_GO",
                period: month, numberOfPeriods: 3, price: 2490),
            .init(
                offerType: .offerCode, offerIdentifier: OfferIdentifier("SPRING"), offerDiscountType: "FREE_TRIAL",
                period: month,
                numberOfPeriods: 1, price: 0, codeEligibility: [.new, .existing, .expired]),
            .init(
                offerType: .winBackOffer, offerIdentifier: OfferIdentifier("back50"), offerDiscountType: "PAY_UP_FRONT",
                period: month,
                numberOfPeriods: 1, price: 1990),
        ]
        let products: [(name: String, level: Int, period: Period, offers: [SimulatedOffer])] = [
            ("tide.pro", 1, month, offers), ("tide.monthly", 2, month, offers),
            ("tide.yearly", 2, try #require(Period("P1Y")), []), ("tide.weekly", 3, week, []),
        ]
        return products.map { product in
            SimulatedProduct(
                productId: ProductID(product.name),
                subscriptionGroupIdentifier: SubscriptionGroupIdentifier("21500001"), level: product.level,
                period: product.period, price: 4990, currency: "USD", isFamilyShareable: product.level == 1,
                offers: product.offers)
        }
    }

    /// What a verifier gives for the event; the payload that would prove it is a stand-in of the same name.
    func unsigned(_ event: SimulatedEvent) throws -> VerifiedNotification {
        let uuid = try #require(event.notification.notificationUUID)
        return VerifiedNotification(
            jws: try JWS("e30.\(Base64URL.encode(Array(uuid.uuidString.utf8))).AA"), payload: event.notification,
            signedDate: event.signedDate, environment: simulation.environment,
            bundleId: simulation.bundleId, transaction: event.transaction, renewalInfo: event.renewalInfo,
            appTransaction: nil, notificationUUID: uuid,
            notificationType: NotificationType(rawValue: try #require(event.notification.notificationType)))
    }
}

extension SubscriptionStatus {
    /// What the referee answers too.
    func comparable(_ subscription: Subscription) -> NaiveSubscriber.Answer {
        NaiveSubscriber.Answer(
            status: state, isRenewing: autoRenewStatus.map { $0 == .on }, productId: subscription.productId,
            expiresDate: expiresDate, grace: gracePeriodExpiresDate, intent: expirationIntent?.rawValue,
            saveWindowOpens: saveWindow?.opensDate)
    }
}

extension SimulatedTruth {
    /// Whether an answer says what really was; a life tells no intent before Apple does.
    func agrees(with answer: NaiveSubscriber.Answer) -> Bool {
        let isOff = autoRenewStatus == .off
        return answer.status == status && answer.isRenewing == !isOff && answer.productId == productId
            && answer.expiresDate == expiresDate
            && (status != .billingGracePeriod || answer.grace == gracePeriodExpiresDate)
            && (status != .expired || expirationIntent == nil || answer.intent == expirationIntent?.rawValue)
            && (status != .active || answer.saveWindowOpens == (isOff ? cancelledDate : nil))
    }
}

extension NaiveSubscriber.Answer {
    /// What a route answers; nil when it is no status.
    init?(_ json: [String: Any]) {
        guard let state = (json["status"] as? String).flatMap(SubscriptionStatus.State.init) else { return nil }
        let instant = { (value: Any?) in (value as? Int64).map(Instant.init(millisecondsSince1970:)) }
        // Apple's numbers, by their names in its API.
        let intents = [
            "customerCancelled": 1, "billingError": 2, "customerDidNotConsentToPriceIncrease": 3,
            "productNotAvailable": 4, "other": 5,
        ]
        self.init(
            status: state, isRenewing: (json["autoRenewStatus"] as? String).map { $0 == "on" },
            productId: (json["productId"] as? String).map(ProductID.init(_:)),
            expiresDate: instant(json["expiresDate"]), grace: instant(json["gracePeriodExpiresDate"]),
            intent: (json["expirationIntent"] as? String).flatMap { intents[$0] },
            saveWindowOpens: instant((json["saveWindow"] as? [String: Any])?["opensDate"]))
    }
}
