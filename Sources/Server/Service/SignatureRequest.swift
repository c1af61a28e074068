import CampaignCore
import FoundationEssentials

/// The body of a route that signs, of the right shape; `Wanted` is what that route alone asks for.
struct SignatureRequest<Wanted: Sendable>: Sendable {
    let requestId: UUID
    let bundleId: BundleID
    let environment: AppStoreEnvironment
    let productId: ProductID
    let customer: CustomerFields
    let wanted: Wanted
    /// SHA-256 that tells one body from another.
    let digest: [UInt8]

    /// Reads the body; faults of shape come before faults of value, all of a kind at once.
    ///
    /// - Parameter read: reads the route's own fields; nil when one of them is at fault.
    init(_ fields: inout RequestFields, _ read: (inout RequestFields) -> Wanted?) throws(Problem) {
        let requestId = fields.uuid("requestId")
        let bundleId = fields.identifier("bundleId")
        let environment = fields.identifier("environment")
        let productId = fields.identifier("productId")
        let customer = CustomerFields(&fields)
        let wanted = read(&fields)
        if let problem = fields.shapeProblem(requestId: requestId) ?? fields.valueProblem(requestId: requestId) {
            throw problem
        }
        guard let requestId, let bundleId, let environment, let productId, let wanted else {
            throw Problem(.internalFault, "a field was neither read nor refused; please report this request")
        }
        self.requestId = requestId
        self.bundleId = BundleID(bundleId)
        self.environment = AppStoreEnvironment(rawValue: environment)
        self.productId = ProductID(productId)
        self.customer = customer
        self.wanted = wanted
        digest = fields.digest
    }
}
