import CampaignCore
import Synchronization

/// What was answered since the start, as Prometheus counts it.
///
/// Labels are words of ours alone (routes, decisions, codes), so their number is bounded whatever clients send.
final class Counters: Sendable {
    private let answers = Mutex<[Answer: Int]>([:])
    private let refusals = Mutex<[String: Int]>([:])
    private let notifications = Mutex<[String: Int]>([:])
    private let unknownWinBackOffers = Atomic<Int>(0)
    private let decisions = Mutex<[CampaignResult: Int]>([:])
    private let durations = Mutex<[String: Histogram]>([:])

    private struct Answer: Hashable {
        let route: String
        let outcome: String
    }

    private struct CampaignResult: Hashable {
        /// nil when none gave anything.
        let campaign: CampaignName?
        let result: String
    }

    /// Counts a decision of the campaigns; `campaign` is the one that gave.
    func countDecision(_ result: String, campaign: CampaignName?) {
        decisions.withLock { $0[CampaignResult(campaign: campaign, result: result), default: 0] += 1 }
    }

    /// Counts an answer of `route`; `outcome` is a decision word or a problem's code.
    func count(_ outcome: String, on route: String) {
        answers.withLock { $0[Answer(route: route, outcome: outcome), default: 0] += 1 }
    }

    /// Counts every reason of a refusal.
    func countRefusals(_ reasons: [String]) {
        if reasons.isEmpty { return }
        refusals.withLock { counts in
            for reason in reasons { counts[reason, default: 0] += 1 }
        }
    }

    /// Counts a verified notification by its type; all types that we do not know share one label.
    func countNotification(_ type: NotificationType) {
        notifications.withLock { $0[type.isKnown ? type.rawValue : "unknown", default: 0] += 1 }
    }

    /// Counts win-back offers that Apple lists for a customer and the catalogue does not have.
    func countUnknownWinBackOffers(_ count: Int) {
        if count > 0 { unknownWinBackOffers.add(count, ordering: .relaxed) }
    }

    /// Counts how long an answer of `route` took.
    func record(nanoseconds: UInt64, on route: String) {
        durations.withLock { $0[route, default: .durations].record(nanoseconds) }
    }

    func write(to text: inout PrometheusText) {
        text.samples(
            "holdfast_answers_total", .counter, "Answers by route and outcome: a decision or a problem's code.",
            answers.withLock { $0 }.map {
                .init($0.value, [(name: "route", value: $0.key.route), (name: "outcome", value: $0.key.outcome)])
            })
        text.samples(
            "holdfast_refusals_total", .counter, "Refusals by reason; one refusal may have several.",
            refusals.withLock { $0 }.map { .init($0.value, [(name: "reason", value: $0.key)]) })
        text.samples(
            "holdfast_campaign_decisions_total", .counter,
            "Decisions by the campaign that gave, if one did, and result.",
            decisions.withLock { $0 }.map { entry in
                let campaign = entry.key.campaign.map { [(name: "campaign", value: $0.rawValue)] } ?? []
                return .init(entry.value, campaign + [(name: "result", value: entry.key.result)])
            })
        text.samples(
            "holdfast_notifications_total", .counter, "Verified notifications by type, repeated ones included.",
            notifications.withLock { $0 }.map { .init($0.value, [(name: "type", value: $0.key)]) })
        text.value(
            "holdfast_unknown_win_back_offers_total", .counter,
            "Win-back offers that Apple listed for a customer and the catalogue does not have.",
            unknownWinBackOffers.load(ordering: .relaxed))
        text.histograms(
            "holdfast_request_duration_seconds", "From the whole request read to its answer decided and durable.",
            label: "route", durations.withLock { $0 })
    }
}
