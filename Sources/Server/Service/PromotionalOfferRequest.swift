import CampaignCore
import FoundationEssentials

/// The body of `POST /v1/signatures/promotional-offer`, of the right shape.
struct PromotionalOfferRequest: Sendable {
    let requestId: UUID
    let bundleId: BundleID
    let environment: AppStoreEnvironment
    let productId: ProductID
    let offerIdentifier: OfferIdentifier
    let customer: CustomerFields
    let wantsV1: Bool
    let wantsV2: Bool
    /// SHA-256 that tells one body from another.
    let digest: [UInt8]

    /// Reads the body; faults of shape come before faults of value, all of a kind at once.
    init(_ fields: inout RequestFields) throws(Problem) {
        let requestId = fields.uuid("requestId")
        let bundleId = fields.identifier("bundleId")
        let environment = fields.identifier("environment")
        let productId = fields.identifier("productId")
        let offerIdentifier = fields.identifier("offerIdentifier")
        let customer = CustomerFields(&fields)
        let formats = fields.optionalWords("formats", outOf: ["v1", "v2"])
        if let problem = fields.shapeProblem(requestId: requestId) ?? fields.valueProblem(requestId: requestId) {
            throw problem
        }
        guard let requestId, let bundleId, let environment, let productId, let offerIdentifier else {
            throw Problem(.internalFault, "a field was neither read nor refused; please report this request")
        }
        self.requestId = requestId
        self.bundleId = BundleID(bundleId)
        self.environment = AppStoreEnvironment(rawValue: environment)
        self.productId = ProductID(productId)
        self.offerIdentifier = OfferIdentifier(offerIdentifier)
        self.customer = customer
        wantsV1 = formats?.contains("v1") ?? true
        wantsV2 = formats?.contains("v2") ?? true
        digest = fields.digest
    }
}
