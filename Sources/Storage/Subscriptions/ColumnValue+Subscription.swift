import CampaignCore

extension AutoRenewStatus: ColumnValue {}
extension ExpirationIntent: ColumnValue {}
extension PlanChange: ColumnValue {}

/// Apple's ordered list of offers, kept as JSON; an empty one is null.
struct OfferList: ColumnValue {
    let offers: [OfferIdentifier]

    /// Nil for an empty list.
    init?(_ offers: [OfferIdentifier]) {
        guard !offers.isEmpty else { return nil }
        self.offers = offers
    }

    var sqlValue: SQL.Value {
        .text(String(decoding: JSON.array(offers.map { .string($0.rawValue) }).bytes, as: UTF8.self))
    }

    init?(_ column: Column) {
        guard let text = column.text, let json = JSON.read(Array(text.utf8)), case .array(let values) = json
        else { return nil }
        offers = values.compactMap(\.string).map { OfferIdentifier($0) }
        guard offers.count == values.count else { return nil }
    }
}
