import CampaignCore
import Foundation
import TestSupport
import Testing

@Suite struct `Subscriptions folded from facts` {
    private static let hour: Int64 = 60 * 60 * 1000
    private static let token = UUID(uuidString: "7e3f0000-0000-4000-8000-000000000001")
    private static let otherToken = UUID(uuidString: "7e3f0000-0000-4000-8000-000000000002")

    private func folded(_ transactions: [TransactionFact], _ renewals: [RenewalFact] = []) throws -> Subscription {
        let subscription = try #require(Subscription(transactions: transactions, renewals: renewals))
        #expect(Subscription(transactions: transactions.reversed(), renewals: renewals.reversed()) == subscription)
        return subscription
    }

    @Test func `nothing of an auto-renewable subscription is no subscription`() {
        #expect(Subscription(transactions: [], renewals: []) == nil)
        #expect(Subscription(transactions: [], renewals: [renewal(signed: Moment.start)]) == nil)
        #expect(
            Subscription(transactions: [fact(type: .nonRenewingSubscription)], renewals: []) == nil)
        #expect(Subscription(transactions: [fact(until: nil)], renewals: []) == nil)
    }

    @Test func `N02 a renewal that comes after a refund of its transaction changes nothing`() throws {
        let refund = month("100", revoked: Moment.day(15), signed: Moment.day(15))
        let late = month("100", signed: Moment.start)
        let subscription = try folded([refund, late])
        #expect(subscription.revocationDate == Moment.day(15))
        let status = try subscription.status(Moment.day(16))
        #expect(status.state == .revoked && status.access == .none && status.message == .none)
    }

    @Test func `a refund of an earlier or of a replaced period leaves the present one`() throws {
        let earlier = fact("1", revoked: Moment.day(9), signed: Moment.day(9))
        let present = month("2")
        #expect(try folded([present, earlier]).status(Moment.day(10)).state == .active)
        let replaced = month("2", revoked: Moment.day(9), isUpgraded: true, signed: Moment.day(9))
        let yearly = month("3", product: "tide.yearly", from: Moment.day(5), until: Moment.day(370))
        let status = try folded([replaced, yearly]).status(Moment.day(10))
        #expect(status.state == .active && status.expiresDate == Moment.day(370))
    }

    @Test func `N07 the longer old period that an upgrade leaves behind gives nothing`() throws {
        let bought = month("1")
        let replaced = month(
            "1", revoked: Moment.day(5), isUpgraded: true, signed: Moment.day(5).adding(milliseconds: 9))
        let yearly = month("2", product: "tide.yearly", from: Moment.day(5), until: Moment.day(370))
        for transactions in [[bought, replaced, yearly], [bought, yearly]] {
            let subscription = try folded(transactions, [renewal(signed: Moment.day(5), next: "tide.yearly")])
            #expect(subscription.productId == "tide.yearly" && subscription.revocationDate == nil)
            let status = try subscription.status(Moment.day(6))
            #expect(status.state == .active && status.message == .none && status.saveWindow == nil)
            #expect(status.pendingChange == nil)
        }
        // A downgrade bought again in mid-period, whose longer predecessor still runs and was never marked.
        let week = month("3", product: "tide.weekly", from: Moment.day(6), until: Moment.day(13))
        #expect(try folded([bought, yearly, week]).status(Moment.day(14)).state == .expired)
    }

    @Test func `N07 while only the replaced side is known it gives nothing`() throws {
        let replaced = month("1", isUpgraded: true, signed: Moment.day(5))
        #expect(try folded([replaced]).status(Moment.day(6)).access == .none)
        // Bought in the same moment, the one that was not replaced is the present one.
        let successor = month("0", product: "tide.yearly", until: Moment.day(365))
        #expect(try folded([replaced, successor]).productId == "tide.yearly")
    }

    @Test func `N08 a reversed refund gives the access back`() throws {
        let sold = month("1")
        let refunded = month("1", revoked: Moment.day(5), signed: Moment.day(5))
        let reversed = month("1", signed: Moment.day(15))
        let now = Moment.day(15).adding(milliseconds: Self.hour)
        #expect(try folded([sold, refunded]).status(now).state == .revoked)
        let status = try folded([sold, refunded, reversed]).status(now)
        #expect(status.state == .active && status.access == .full)
    }

    @Test func `N09 a later version without a token never unlinks, and a later token replaces the known one`() throws {
        let bought = month("1", token: Self.token)
        let renewed = month("2", from: Moment.day(30), until: Moment.day(60))
        #expect(try folded([bought, renewed]).appAccountToken == Self.token)
        // The token came with a version that no longer holds.
        #expect(try folded([bought, month("1", signed: Moment.day(3))]).appAccountToken == Self.token)
        let changed = month("2", from: Moment.day(30), until: Moment.day(60), token: Self.otherToken)
        #expect(try folded([bought, renewed, changed]).appAccountToken == Self.otherToken)
    }

    @Test func `an extension moves the end of the period`() throws {
        let extended = month("1", until: Moment.day(44), signed: Moment.day(20))
        #expect(try folded([month("1"), extended]).expiresDate == Moment.day(44))
        #expect(try folded([month("1"), extended]).status(Moment.day(43)).state == .active)
    }

    @Test func `a renewal refunded before it began is passed over unless it is all there is`() throws {
        let ahead = month(
            "2", from: Moment.day(30), until: Moment.day(60), revoked: Moment.day(30), signed: Moment.day(30))
        #expect(try folded([month("1"), ahead]).transactionId == "1")
        #expect(try folded([ahead]).revocationDate == Moment.day(30))
        let begun = month(
            "2", from: Moment.day(30), until: Moment.day(60), revoked: Moment.day(30).adding(milliseconds: 1),
            signed: Moment.day(31))
        #expect(try folded([month("1"), begun]).transactionId == "2")
    }

    @Test(
        arguments: [
            (Int?.none, nil, true), (1, nil, false), (5, nil, true), (2, nil, true), (1, 5, true), (5, 1, false),
        ] as [(Int?, Int?, Bool)])
    func `a prorated refund ends the access unless Apple reported the subscription active with it`(
        first: Int?, second: Int?, isRevoked: Bool
    ) throws {
        func version(_ status: Int?, signed: Instant) -> TransactionFact {
            var fact = month("1", revoked: Moment.day(5), signed: signed)
            fact.revocationType = "REFUND_PRORATED"
            fact.reportedStatus = status
            return fact
        }
        var facts = [version(first, signed: Moment.day(5))]
        if let second { facts.append(version(second, signed: Moment.day(6))) }
        #expect((try folded(facts).revocationDate != nil) == isRevoked)
        // What a device sends later, or the same version again, reports nothing and takes nothing back.
        facts += [version(nil, signed: Moment.day(5)), version(nil, signed: Moment.day(7))]
        #expect((try folded(facts).revocationDate != nil) == isRevoked)
        for type in ["REFUND_FULL", "FAMILY_REVOKE", nil] {
            var full = version(1, signed: Moment.day(8))
            full.revocationType = type
            #expect(try folded(facts + [full]).revocationDate == Moment.day(5))
        }
    }

    @Test(arguments: [
        (Moment.day(30).adding(milliseconds: -60_001), false), (Moment.day(30).adding(milliseconds: -60_000), true),
        (Moment.day(40), true),
    ])
    func `a renewal info of the period before says nothing of this one`(signed: Instant, isHeard: Bool) throws {
        let periods = [month("1"), month("2", from: Moment.day(30), until: Moment.day(60))]
        let subscription = try folded(periods, [renewal(signed: signed, status: .off, next: "tide.yearly")])
        #expect((subscription.autoRenewStatus == .off) == isHeard)
        #expect((subscription.autoRenewProductId != nil) == isHeard)
        // Charged ahead, the period speaks from the first signature of its transaction on.
        let ahead = month("2", from: Moment.day(30), until: Moment.day(60), signed: Moment.day(29))
        #expect(try folded([month("1"), ahead], [renewal(signed: signed, status: .off)]).autoRenewStatus == .off)
    }

    @Test func `the save window opens with the first fact of the last stretch without renewal`() throws {
        func opens(_ renewals: [RenewalFact]) throws -> Instant? {
            try folded([month("1")], renewals).saveWindowOpensDate
        }
        let off = { (day: Int64) in renewal(signed: Moment.day(day), status: .off) }
        #expect(try opens([off(3), off(5)]) == Moment.day(3))
        #expect(try opens([off(3), renewal(signed: Moment.day(4)), off(5), off(6)]) == Moment.day(5))
        #expect(try opens([off(3), renewal(signed: Moment.day(4), status: nil), off(5)]) == Moment.day(3))
        #expect(try opens([off(3), renewal(signed: Moment.day(4))]) == nil)
        // A change of plan that turns renewal on again counts like any other.
        #expect(try opens([off(3), renewal(signed: Moment.day(4), next: "tide.yearly", change: .upgrade)]) == nil)
        #expect(try opens([renewal(signed: Moment.day(30), status: .off)]) == nil)
        #expect(
            try opens([renewal(signed: Moment.day(30).adding(milliseconds: -1), status: .off)])
                == Moment.day(30).adding(milliseconds: -1))
        #expect(try opens([renewal(signed: Moment.day(3), status: .off, inRetry: true), off(4)]) == nil)
    }

    @Test func `the plan change is what the notifications said of the product that comes next`() throws {
        func change(_ renewals: [RenewalFact]) throws -> PlanChange? {
            try folded([month("1")], renewals).planChange
        }
        let down = renewal(signed: Moment.day(1), next: "tide.gone", change: .downgrade)
        #expect(try change([down]) == .downgrade)
        #expect(try change([down, renewal(signed: Moment.day(2), next: "tide.gone")]) == .downgrade)
        #expect(try change([down, renewal(signed: Moment.day(2), next: "tide.other")]) == nil)
        #expect(try change([down, renewal(signed: Moment.day(2), next: "tide.monthly", change: .downgrade)]) == nil)
        #expect(try change([down, renewal(signed: Moment.day(2), next: "tide.gone", change: .upgrade)]) == .upgrade)
    }

    @Test func `periods that begin together are ordered by the number of their transaction`() throws {
        let transactions = (["9", "10", "100", "99"] as [TransactionID]).map { month($0) }
        for order in permutations(transactions) {
            #expect(Subscription(transactions: order, renewals: [])?.transactionId == "100")
        }
    }
}

@Suite(.enabled(if: Surroundings.hasShared, "needs the shared folder beside the project"))
struct `Subscriptions folded from real notifications` {
    private static func payload<Payload: AppStorePayload>(_ jws: String) throws -> Payload {
        var text = try #require(jws.split(separator: ".").dropFirst().first).replacing("-", with: "+")
            .replacing("_", with: "/")
        text += String(repeating: "=", count: (4 - text.count % 4) % 4)
        return try Payload(json: Array(#require(Data(base64Encoded: String(text)))))
    }

    @Test func `every order of the four gives the three answers`() throws {

        let facts = try Surroundings.realNotifications().map { file -> (TransactionFact, RenewalFact) in
            let text = try String(contentsOf: file, encoding: .utf8)
            let body: ResponseBodyV2DecodedPayload = try Self.payload(text)
            let data = try #require(body.data)
            let transaction: JWSTransactionDecodedPayload = try Self.payload(
                #require(data.signedTransactionInfo?.string))
            let renewal: JWSRenewalInfoDecodedPayload = try Self.payload(#require(data.signedRenewalInfo?.string))
            #expect(body.notificationType.map(NotificationType.init(rawValue:))?.folds == true)
            return (
                try TransactionFact(transaction),
                try RenewalFact(renewal, notificationType: body.notificationType, subtype: body.subtype)
            )
        }
        #expect(facts.count == 4)
        let catalog = try CatalogFixtures.tide()
        for order in permutations(facts) {
            func status(_ text: String) throws -> SubscriptionStatus {
                let now = try #require(Instant(rfc3339: text))
                let subscription = try #require(
                    Subscription(
                        transactions: order.map(\.0).filter { $0.signedDate <= now },
                        renewals: order.map(\.1).filter { $0.signedDate <= now }))
                return subscription.status(at: now, catalog: catalog, policy: AccessPolicy(), environment: .sandbox)
            }
            let cancelled = try status("2025-10-02T07:08:00Z")
            #expect(cancelled.state == .active && cancelled.autoRenewStatus == .off && cancelled.message == .saveOffer)
            #expect(cancelled.saveWindow?.opensDate.description == "2025-10-02T07:07:35.473Z")
            #expect(cancelled.saveWindow?.closesDate.description == "2025-10-02T07:09:07Z")
            let expired = try status("2025-10-02T07:11:00Z")
            #expect(expired.state == .expired && expired.expirationIntent == .customerCancelled)
            #expect(expired.message == .winBack)
            let renewing = try status("2025-10-01T07:09:00Z")
            #expect(renewing.state == .active && renewing.autoRenewStatus == .on && renewing.message == .none)
        }
    }
}
