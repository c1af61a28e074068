import CampaignCore
import FoundationEssentials
import Storage
import YAML

/// The body of `POST /v1/codes/claims`.
struct CodeClaimRequest: Sendable {
    let requestId: UUID
    let bundleId: BundleID
    let environment: AppStoreEnvironment
    let offer: OfferIdentifier
    /// The caller's own id for the person, without blanks around it; nil when the proof alone names them.
    let customer: String?
    let proof: CustomerFields
    /// SHA-256 that tells one body from another.
    let digest: [UInt8]

    static let customerFields = ["customer", "signedTransactionInfo", "signedAppTransactionInfo"]

    /// - Parameter role: that of the key. A device may not name a customer, so what it sends as one is not judged.
    init(_ fields: inout RequestFields, from role: APIRole) throws(Problem) {
        let requestId = fields.uuid("requestId")
        let bundleId = fields.identifier("bundleId")
        let environment = fields.identifier("environment")
        let offer = fields.identifier("offer")
        let customer = fields.optionalText("customer")
        self.customer = customer.map { CodeCustomer.id($0) ?? $0 }
        proof = CustomerFields(signedIn: &fields)
        if role != .device {
            if !Self.customerFields.contains(where: fields.has) {
                fields.misshapen(
                    "customer", "nobody is named: send one of \(Self.customerFields.joined(separator: ", "))")
            }
            if let customer, CodeCustomer.id(customer) == nil {
                fields.refuse(
                    "customer", "'customer' has to have 1 to 255 bytes, not only blanks and no control characters")
            }
        }
        if let problem = fields.shapeProblem(requestId: requestId) ?? fields.valueProblem(requestId: requestId) {
            throw problem
        }
        guard let requestId, let bundleId, let environment, let offer else {
            throw Problem(.internalFault, "a field was neither read nor refused; please report this request")
        }
        self.requestId = requestId
        self.bundleId = BundleID(bundleId)
        self.environment = AppStoreEnvironment(rawValue: environment)
        self.offer = OfferIdentifier(offer)
        digest = fields.digest
    }

    var hasProof: Bool { proof.signedTransactionInfo != nil || proof.signedAppTransactionInfo != nil }
}

extension Service {
    /// A device key is public, so a proof signed by Apple names its customer and nothing else does.
    func authorize(_ key: APIKey, claiming asked: CodeClaimRequest) throws(Problem) {
        guard key.role == .device else { return }
        try authorize(key, naming: asked.proof)
        guard asked.customer == nil else {
            throw Problem(
                .proofMissing, "a device is named by its proof alone; leave 'customer' out", fields: ["customer"])
        }
    }
}
