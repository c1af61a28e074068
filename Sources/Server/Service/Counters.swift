import Synchronization

/// What was answered since the start, as Prometheus counts it.
final class Counters: Sendable {
    private let answers = Mutex<[Answer: Int]>([:])
    private let refusals = Mutex<[String: Int]>([:])

    private struct Answer: Hashable {
        let route: String
        let outcome: String
    }

    /// Counts an answer of `route`; `outcome` is a decision word or a problem's code.
    func count(_ outcome: String, on route: String) {
        answers.withLock { $0[Answer(route: route, outcome: outcome), default: 0] += 1 }
    }

    /// Counts every reason of a refusal.
    func countRefusals(_ reasons: [String]) {
        refusals.withLock { counts in
            for reason in reasons { counts[reason, default: 0] += 1 }
        }
    }

    /// Prometheus text, sorted so that the same counts give the same bytes.
    var prometheusText: String {
        let answered = answers.withLock { $0 }
            .map { "holdfast_answers_total{route=\"\($0.key.route)\",outcome=\"\($0.key.outcome)\"} \($0.value)" }
        let refused = refusals.withLock { $0 }
            .map { "holdfast_refusals_total{reason=\"\($0.key)\"} \($0.value)" }
        return
            ([
                "# HELP holdfast_answers_total Answers by route and outcome: a decision or a problem's code.",
                "# TYPE holdfast_answers_total counter",
            ] + answered.sorted() + [
                "# HELP holdfast_refusals_total Refusals by reason; one refusal may have several.",
                "# TYPE holdfast_refusals_total counter",
            ] + refused.sorted() + [""]).joined(separator: "\n")
    }
}
