import CampaignCore
import FoundationEssentials
import YAML

/// Which subscription a `GET` asks for.
struct SubscriberQuery {
    let originalTransactionId: OriginalTransactionID
    let bundleId: BundleID
    let environment: AppStoreEnvironment

    /// Reads the parameters of the query and the argument of the path.
    init(_ fields: inout RequestFields, originalTransactionId argument: String) throws(Problem) {
        let bundleId = fields.identifier("bundleId")
        let environment = fields.identifier("environment")
        let name = fields.transactionId(inPath: argument, named: "originalTransactionId")
        if let problem = fields.shapeProblem(requestId: nil) ?? fields.valueProblem(requestId: nil) { throw problem }
        guard let bundleId, let environment, let name else {
            throw Problem(.internalFault, "a parameter was neither read nor refused; please report this request")
        }
        originalTransactionId = OriginalTransactionID(name)
        self.bundleId = BundleID(bundleId)
        self.environment = AppStoreEnvironment(rawValue: environment)
    }
}

/// The body of `POST /v1/subscribers/status`.
struct SubscriberStatusRequest {
    let bundleId: BundleID
    let environment: AppStoreEnvironment
    let customer: CustomerFields
    /// The customer's IANA time zone, for quiet hours.
    let timeZone: String?

    init(_ fields: inout RequestFields) throws(Problem) {
        let bundleId = fields.identifier("bundleId")
        let environment = fields.identifier("environment")
        customer = CustomerFields(&fields)
        timeZone = fields.timeZone("timeZone")
        if let problem = fields.shapeProblem(requestId: nil) ?? fields.valueProblem(requestId: nil) { throw problem }
        guard let bundleId, let environment else {
            throw Problem(.internalFault, "a field was neither read nor refused; please report this request")
        }
        self.bundleId = BundleID(bundleId)
        self.environment = AppStoreEnvironment(rawValue: environment)
    }
}
