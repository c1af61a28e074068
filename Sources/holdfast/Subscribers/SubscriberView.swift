import CampaignCore
import FoundationEssentials
import Server
import Storage
import YAML

/// One subscriber at an instant, with everything that led there.
struct SubscriberView {
    private let known: KnownSubscription
    private let subscription: Subscription
    private let status: SubscriptionStatus
    private let instant: Instant
    private let history: [Entry]
    private let grants: [Grant]
    private let campaignGrants: [CampaignGrant]
    private let codes: [HeldCode]
    /// Whether the log still has what the oldest facts were told by; retention removes it, and facts stay.
    private let isHistoryComplete: Bool

    /// One thing that Apple signed, with the status that it left.
    private struct Entry {
        let payload: LoggedPayload
        let status: SubscriptionStatus?
    }

    /// Reads it; nil when nothing was signed by `at`.
    ///
    /// - Parameters:
    ///   - at: counts only what was signed by then; nil counts everything.
    ///   - now: the instant of the status, `at` when there is one.
    init?(
        of known: KnownSubscription, at: Instant?, now: Instant, app: SubscriberApps.App, _ store: Store
    ) throws(StorageError) {
        let facts = try store.facts(of: known.id, signedBy: at)
        guard let subscription = Subscription(transactions: facts.transactions, renewals: facts.renewals) else {
            return nil
        }
        self.known = known
        self.subscription = subscription
        instant = now
        status = subscription.status(
            at: now, catalog: app.catalog, policy: app.policy, environment: known.environment)
        let environment = known.environment
        let entries = try store.history(of: known.id).filter { at == nil || $0.signedDate <= now }
        history = entries.map { payload in
            let then = payload.signedDate
            let known = Subscription(
                transactions: facts.transactions.filter { $0.signedDate <= then },
                renewals: facts.renewals.filter { $0.signedDate <= then })
            return Entry(
                payload: payload,
                status: known?.status(
                    at: then, catalog: app.catalog, policy: app.policy, environment: environment))
        }
        let oldest = (facts.transactions.map(\.signedDate) + facts.renewals.map(\.signedDate)).min()
        let first = entries.first?.signedDate.adding(milliseconds: -Limits.innerSignatureMilliseconds)
        isHistoryComplete = if let oldest, let first { first <= oldest } else { false }
        grants = try store.grants(
            originalTransactionId: known.originalTransactionId, bundleId: known.bundleId,
            environment: known.environment
        ).filter { at == nil || $0.issuedDate <= now }
        campaignGrants = try store.campaignGrants(of: known.id).filter { at == nil || $0.givenDate <= now }
        let ids = CodeCustomer.possibleIds(
            tokens: Self.unique(facts.transactions.compactMap(\.appAccountToken)),
            downloads: Self.unique(facts.transactions.compactMap(\.appTransactionId)),
            subscriptions: [known.originalTransactionId])
        codes = try store.claimedCodes(by: ids, bundleId: known.bundleId, environment: known.environment)
            .filter { at == nil || $0.claimedDate <= now }
    }

    private static func unique<Name: Hashable>(_ names: [Name]) -> [Name] { Array(Set(names)) }

    // MARK: - JSON

    var json: JSON {
        guard
            case .object(let members) = status.json(
                of: subscription, bundleId: known.bundleId, environment: known.environment)
        else { return .null }
        return .object(
            members + [
                .init("history", .array(history.map(Self.json))),
                .init("isHistoryComplete", .bool(isHistoryComplete)),
                .init("grants", .array(grants.map(Self.json))),
                .init("campaignGrants", .array(campaignGrants.map(Self.json))),
                .init("codes", .array(codes.map(\.json))),
            ])
    }

    private static func json(_ entry: Entry) -> JSON {
        [
            "signedDate": .instant(entry.payload.signedDate),
            "receivedDate": .instant(entry.payload.receivedDate),
            "source": .string(entry.payload.source.rawValue),
            "notificationType": .text(entry.payload.notificationType),
            "subtype": .text(entry.payload.subtype),
            "notificationUUID": .text(entry.payload.notificationUUID?.lowercaseString),
            "outcome": .string(entry.payload.outcome.rawValue),
            "detail": .text(entry.payload.detail),
            "status": .text(entry.status?.state.rawValue),
            "autoRenewStatus": .text(entry.status?.autoRenewStatus?.name),
        ]
    }

    private static func json(_ grant: Grant) -> JSON {
        [
            "requestId": .string(grant.requestId.lowercaseString),
            "kind": .string(grant.kind),
            "decision": .string(grant.decision.rawValue),
            "productId": .text(grant.productId?.rawValue),
            "offerIdentifier": .text(grant.offerIdentifier?.rawValue),
            "issuedDate": .instant(grant.issuedDate),
            "expiresDate": .instant(grant.expiresDate),
        ]
    }

    private static func json(_ grant: CampaignGrant) -> JSON {
        [
            "grantId": .string(grant.grantId.lowercaseString),
            "campaign": .string(grant.campaign.rawValue),
            "rule": .string(grant.rule.rawValue),
            "variant": .text(grant.variant?.rawValue),
            "via": .string(grant.via.rawValue),
            "offerType": .string(grant.offerType?.name ?? "message"),
            "productId": .text(grant.productId?.rawValue),
            "offerIdentifier": .text(grant.offerIdentifier?.rawValue),
            "message": .text(grant.message?.rawValue),
            "givenDate": .instant(grant.givenDate),
            "outcome": .text(grant.outcome?.rawValue),
            "redeemedDate": .instant(grant.redeemedDate),
            "facts": grant.facts,
            "refusals": grant.refusals,
        ]
    }

    // MARK: - Text

    var text: String {
        var rows: [[String]] = [
            ["subscriber", known.originalTransactionId.rawValue],
            ["app", "\(known.bundleId), \(known.environment)"],
            ["product", shown(subscription.productId.rawValue, limit: Limits.quotedName)],
            ["status", Self.words(status)],
            ["as of", instant.description],
            ["access", status.accessLevel.map { "\(status.access.rawValue), level \($0)" } ?? status.access.rawValue],
            ["message", Self.words(status.message)],
            ["expires", status.expiresDate.description],
        ]
        if let window = status.saveWindow {
            rows.append(["save window", "\(window.opensDate) to \(window.closesDate)"])
        }
        if let end = status.gracePeriodExpiresDate {
            rows.append(["grace period", "to \(end), \(status.daysRemaining ?? 0) days left"])
        }
        if let change = status.pendingChange {
            let product = shown(change.productId.rawValue, limit: Limits.quotedName)
            rows.append(["pending", "\(change.kind.rawValue) to \(product) at \(change.effectiveDate)"])
        }
        if !status.eligibleWinBackOfferIds.isEmpty {
            let offers = status.eligibleWinBackOfferIds.map { shown($0.rawValue, limit: Limits.quotedName) }
            rows.append(["win-back", offers.joined(separator: ", ")])
        }
        var lines = columns(rows)
        lines += historyLines
        if !grants.isEmpty {
            lines.append("\nSignatures that were asked for")
            lines += columns(grants.map(Self.row)).map { "  " + $0 }
        }
        if !campaignGrants.isEmpty {
            lines.append("\nWhat campaigns gave")
            lines += columns(campaignGrants.map(Self.row)).map { "  " + $0 }
        }
        if !codes.isEmpty {
            lines.append("\nOffer codes that were claimed")
            lines += columns(codes.map(Self.row)).map { "  " + $0 }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func row(_ grant: CampaignGrant) -> [String] {
        let offer = grant.offerIdentifier?.rawValue ?? grant.message?.rawValue ?? ""
        let outcome = grant.redeemedDate.map { "redeemed \($0)" } ?? grant.outcome?.rawValue ?? ""
        return [
            grant.givenDate.description, "\(grant.campaign)/\(grant.rule)",
            shown(offer, limit: Limits.quotedName), outcome,
        ]
    }

    private static func row(_ held: HeldCode) -> [String] {
        [
            held.claimedDate.description, held.code.masked, shown(held.offer.rawValue, limit: Limits.quotedName),
            held.isProbablyRedeemed ? "probably redeemed" : "expires \(held.expiresDate)",
        ]
    }

    private var historyLines: [String] {
        guard let first = history.first else {
            return ["\nThe history has left the log after its time; what it told is kept, so the status is right."]
        }
        var lines = ["\nHistory, by the date of signing"]
        if !isHistoryComplete {
            lines.append("  what was signed before \(first.payload.signedDate) has left the log; what it told is kept")
        }
        return lines + columns(history.map(Self.row)).map { "  " + $0 }
    }

    private static func row(_ entry: Entry) -> [String] {
        let payload = entry.payload
        let what = payload.notificationType.map { shown($0, limit: Limits.quotedName) } ?? "proved by a client"
        let subtype = payload.subtype.map { " " + shown($0, limit: Limits.quotedName) } ?? ""
        let outcome = payload.outcome == .folded ? "" : payload.outcome.rawValue
        return [payload.signedDate.description, what + subtype, entry.status.map(words) ?? "", outcome]
    }

    private static func row(_ grant: Grant) -> [String] {
        let offer = grant.offerIdentifier.map { shown($0.rawValue, limit: Limits.quotedName) } ?? grant.kind
        return [
            grant.issuedDate.description, grant.decision.rawValue, offer,
            grant.productId.map { shown($0.rawValue, limit: Limits.quotedName) } ?? "",
        ]
    }

    /// The message with what it asks an app to do.
    private static func words(_ message: SubscriptionStatus.Message) -> String {
        switch message {
        case .none: "none"
        case .saveOffer: "saveOffer: make an offer to stay, while the save window is open"
        case .graceCountdown: "graceCountdown: ask for another means of payment, and say how many days are left"
        case .fixPayment: "fixPayment: ask for another means of payment; no offer"
        case .winBack: "winBack: make an offer to come back"
        case .resubscribe: "resubscribe: invite back at full price; the payment failed, not the wish"
        }
    }

    /// `active, auto-renew off` or `expired, customerCancelled`.
    private static func words(_ status: SubscriptionStatus) -> String {
        switch status.state {
        case .active:
            switch status.autoRenewStatus {
            case .on: "active, will renew"
            case .off: "active, auto-renew off"
            default: "active"
            }
        case .expired: status.expirationIntent.map { "expired, \($0.name)" } ?? "expired"
        case .billingRetry, .billingGracePeriod, .revoked: status.state.rawValue
        }
    }
}
