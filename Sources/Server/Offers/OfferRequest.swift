import CampaignCore
import FoundationEssentials
import YAML

/// The body of `POST /v1/offers`.
struct OfferRequest: Sendable {
    let requestId: UUID
    let bundleId: BundleID
    let environment: AppStoreEnvironment
    let customer: CustomerFields
    /// The only campaign that is asked; nil for all.
    let campaign: CampaignName?
    /// The customer's IANA time zone.
    let timeZone: String?
    /// SHA-256 that tells one body from another.
    let digest: [UInt8]

    /// The only door of this route.
    static let via = Rule.Via.app

    init(_ fields: inout RequestFields) throws(Problem) {
        let requestId = fields.uuid("requestId")
        let bundleId = fields.identifier("bundleId")
        let environment = fields.identifier("environment")
        customer = CustomerFields(&fields)
        let via = fields.text("via")
        if let via, via != Self.via.rawValue {
            fields.refuse("via", "'via' is \(quoted(via, limit: Limits.quotedValue)); an app sends \"app\"")
        }
        campaign = fields.optionalIdentifier("campaign").map { CampaignName($0) }
        timeZone = fields.timeZone("timeZone")
        if let problem = fields.shapeProblem(requestId: requestId) ?? fields.valueProblem(requestId: requestId) {
            throw problem
        }
        guard let requestId, let bundleId, let environment else {
            throw Problem(.internalFault, "a field was neither read nor refused; please report this request")
        }
        self.requestId = requestId
        self.bundleId = BundleID(bundleId)
        self.environment = AppStoreEnvironment(rawValue: environment)
        digest = fields.digest
    }
}

extension RequestFields {
    /// The IANA name of a time zone, which may be left out.
    mutating func timeZone(_ field: String) -> String? {
        let name = optionalText(field)
        if let name, let cure = TimeZoneName.cure(for: name) {
            refuse(field, "'\(field)' is \(quoted(name, limit: Limits.quotedValue)); \(cure)")
        }
        return name
    }
}
