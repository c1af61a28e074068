import CampaignCore
import Storage

extension [CodeStock] {
    /// What Prometheus is told of the stock; labels are the names of configured apps and of loaded offers.
    func write(to text: inout PrometheusText) {
        func samples(_ name: String, _ help: String, _ value: (CodeStock) -> Int) {
            text.samples(
                name, .gauge, help,
                map { stock in
                    .init(
                        value(stock),
                        [
                            (name: "bundleId", value: stock.pool.bundleId.rawValue),
                            (name: "environment", value: stock.pool.environment.rawValue),
                            (name: "offer", value: stock.pool.offer.rawValue),
                        ])
                })
        }
        samples("holdfast_offer_codes_free", "Codes of an offer that nobody has and that have not expired.") {
            Int($0.free)
        }
        samples("holdfast_offer_codes_claimed", "Codes of an offer that customers have.") { Int($0.claimed) }
        samples("holdfast_offer_codes_low", "1 when fewer codes are free than the offer's threshold.") {
            $0.isLow ? 1 : 0
        }
        samples(
            "holdfast_offer_codes_draining_fast",
            "1 when codes are claimed at ten times the pace of the week before and would be gone within a day."
        ) { $0.drain.isUnusual ? 1 : 0 }
    }
}
