import CampaignCore
import FoundationEssentials
import Storage
import YAML

/// The query of `POST /v1/code-batches`, judged by the configuration.
struct CodeLoadRequest: Sendable {
    let requestId: UUID
    let terms: CodeBatchTerms
    let quota: CodeQuota
    let app: App
    /// The parameters but the requestId, as they are told from others.
    let digested: [UInt8]
}

extension Service {
    /// Judges everything that a code file's query says.
    func codeLoadRequest(_ request: Request, key: APIKey, now: Instant) throws(Problem) -> CodeLoadRequest {
        var fields = try RequestFields(request.query, digestedFor: Route.loadCodes.name)
        try authorize(key, for: fields.peek("bundleId"))
        let requestId = fields.uuid("requestId")
        let bundleId = fields.identifier("bundleId")
        let environment = fields.identifier("environment")
        let productId = fields.identifier("productId")
        let offer = fields.identifier("offer")
        let expires = fields.text("expires")
        let name = fields.optionalText("batch")
        let created = fields.optionalText("created")
        let zoneName = fields.optionalText("timeZone")
        if let name, !CodeBatchTerms.isName(name) {
            fields.refuse("batch", "'batch' has to have 1 to 100 bytes without control characters")
        }
        let createdDate = created.map { Instant(rfc3339: $0) } ?? now
        if createdDate.map({ $0 > now }) ?? true {
            fields.refuse(
                "created",
                "'created' is \(quoted(created ?? "", limit: Limits.quotedValue)); write an instant that has passed, such as "
                    + "'2026-09-05T12:00:00Z'")
        }
        let zone = zoneName.flatMap { TimeZoneRules.ofSystem($0) }
        if let zoneName, zone == nil {
            fields.refuse(
                "timeZone",
                "'timeZone' is \(quoted(zoneName, limit: Limits.quotedValue)); write an IANA name such as 'Europe/Berlin' "
                    + "or 'UTC'")
        }
        if let problem = fields.shapeProblem(requestId: requestId) ?? fields.valueProblem(requestId: requestId) {
            throw problem
        }
        guard let requestId, let bundleId, let environment, let productId, let offer, let expires, let createdDate
        else { throw Problem(.internalFault, "a parameter was neither read nor refused; please report this request") }
        do throws(Problem) {
            let app = try app(BundleID(bundleId), in: AppStoreEnvironment(rawValue: environment))
            guard app.catalog.subscription(ProductID(productId)) != nil else {
                throw Self.unknownProduct(ProductID(productId), of: app)
            }
            guard let quota = app.offerCodes.quota else {
                throw Problem(
                    .internalFault, "the time zone of the quota is not in the system's table; install 'tzdata'")
            }
            let zone = zone ?? quota.zone
            let terms = CodeBatchTerms(
                bundleId: app.bundleId, environment: AppStoreEnvironment(rawValue: environment),
                productId: ProductID(productId), offer: OfferIdentifier(offer), name: name, createdDate: createdDate,
                expiresDate: try Self.expiry(expires, created: createdDate, now: now, zone: zone), timeZone: zone.name)
            return CodeLoadRequest(
                requestId: requestId, terms: terms, quota: quota, app: app, digested: fields.digested)
        } catch {
            throw Problem(error.code, error.detail, fields: error.fields, requestId: requestId)
        }
    }

    private static func expiry(
        _ text: String, created: Instant, now: Instant, zone: TimeZoneRules
    ) throws(Problem) -> Instant {
        do throws(CodeExpiry.Fault) {
            return try CodeExpiry(text, created: created, now: now, zone: zone).expiresDate
        } catch {
            throw Problem(
                .invalidValue, "'expires' is \(quoted(text, limit: Limits.quotedValue)): \(error)", fields: ["expires"])
        }
    }

    static func unknownProduct(_ productId: ProductID, of app: App) -> Problem {
        Problem(
            .unknownProduct,
            "\(quoted(productId.rawValue, limit: Limits.quotedValue)) is no subscription in the catalogue of '\(app.bundleId)'; "
                + "'holdfast catalog show' lists them", fields: ["productId"])
    }
}
