import AppStore
import CampaignCore
import FoundationEssentials
import Server
import YAML

/// `holdfast sign`: one signature without the service, for a client's test or an incident.
enum SignCommand {
    private static let product = Option.text(
        "product", "PRODUCTID", help: "the product that is bought", isRequired: true)
    private static let offer = Option.text("offer", "OFFERID", help: "the promotional offer on that product")
    private static let token = Option.uuid(
        "token", help: "the appAccountToken that the client passes; none is signed without it")
    private static let transaction = Option.text(
        "transaction", "ID", help: "any transaction id of the customer; advised for v2, needed with --introductory")
    private static let formats = Option.choice(
        "formats", ["v1,v2", "v1", "v2"], help: "the signatures of a promotional offer (default v1,v2)")
    private static let introductory = Option.flag(
        "introductory", help: "sign introductory-offer eligibility instead of a promotional offer")
    private static let allow = Option.choice(
        "allow", ["true", "false"], help: "with --introductory: whether the customer gets the offer")
    private static let nonce = Option.uuid("nonce", help: "sign with this nonce (default a fresh one)")

    static let command = Command(
        "sign",
        summary: "Sign one offer offline with the configured key",
        details: """
            The catalogue is checked, the customer is not: whether they may have the offer is for you to know. \
            Nothing is recorded. A signature is good for one purchase attempt within 24 hours.

            With '--format json' the answer has the shape of the service's own, so 'holdfast verify --reply' reads it.
            """,
        options: [
            product, offer, token, transaction, introductory, allow, .app, formats, nonce, .at, .format(.text, .json),
        ],
        examples: [
            Example("holdfast sign --product reader.monthly --offer save50", "a promotional offer, v1 and v2"),
            Example(
                "holdfast sign --introductory --product reader.monthly --transaction 2000000123456789 --allow true",
                "grant the introductory offer"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        try checkCombination(arguments)
        let app = try arguments.app(of: try arguments.configuration())
        let catalog = try app.readCatalog()
        let request = Signing(
            bundleId: app.bundleId, productId: ProductID(arguments.requiredText(product)),
            nonce: arguments.uuid(nonce) ?? UUID(), now: arguments.now)
        if let refusal = refusal(arguments, request.productId, catalog) {
            if arguments.format == .json { output.write(refused(refusal, request.productId)) }
            throw .refused(refusal.detail)
        }
        let key = try app.readSigningKey()
        let answer: SignedAnswer
        do {
            answer = try sign(arguments, request, with: OfferSigner(key))
        } catch {
            throw .refused(error)
        }
        if arguments.format == .json {
            output.write(answer.json)
        } else {
            output.write(answer.text)
            output.note(
                "signed for '\(app.bundleId)' with key \(quoted(key.keyId.rawValue)); the customer was not checked\n")
        }
        return .done
    }

    /// What every signature is made of.
    private struct Signing {
        let bundleId: BundleID
        let productId: ProductID
        let nonce: UUID
        let now: Instant
    }

    private static func checkCombination(_ arguments: Arguments) throws(CommandError) {
        guard arguments.has(introductory) else {
            if arguments.text(offer) == nil { throw arguments.wrongUsage("'sign' needs '\(offer.usage)'") }
            if arguments.text(allow) != nil { throw arguments.wrongUsage("'--allow' goes with '--introductory'") }
            return
        }
        for needed in [transaction, allow] where arguments.text(needed) == nil {
            throw arguments.wrongUsage("'--introductory' needs '\(needed.usage)'")
        }
        for other in [offer, token, formats] where arguments.isGiven(other) {
            throw arguments.wrongUsage("'--\(other.name)' is for promotional offers, not for '--introductory'")
        }
    }

    private static func refusal(_ arguments: Arguments, _ productId: ProductID, _ catalog: Catalog) -> Refusal? {
        if let offer = arguments.text(offer) {
            return catalog.missingPromotionalOffer(OfferIdentifier(offer), on: productId).map { .offerNotOnProduct($0) }
        }
        return catalog.introductoryOffers(on: productId).isEmpty ? .noIntroductoryOffer(productId: productId) : nil
    }

    private static func refused(_ refusal: Refusal, _ productId: ProductID) -> JSON {
        [
            "decision": "refused", "productId": .string(productId.rawValue),
            "reasons": [["code": .string(refusal.code), "detail": .string(refusal.detail)]],
        ]
    }

    private static func sign(
        _ arguments: Arguments, _ request: Signing, with signer: OfferSigner
    ) throws(OfferSigningError) -> SignedAnswer {
        let transactionId = arguments.text(transaction).map(TransactionID.init(_:))
        guard let identifier = arguments.text(offer).map(OfferIdentifier.init(_:)) else {
            let allows = arguments.text(allow) == "true"
            let jws = try signer.introductoryOfferEligibility(
                productId: request.productId, allowIntroductoryOffer: allows,
                transactionId: transactionId ?? TransactionID(""), bundleId: request.bundleId, nonce: request.nonce,
                issuedAt: request.now)
            return .introductory(productId: request.productId, allows: allows, compactJWS: jws)
        }
        let offer = PromotionalOffer(
            productId: request.productId, offerIdentifier: identifier, appAccountToken: arguments.uuid(token),
            nonce: request.nonce, timestamp: request.now)
        let formats = arguments.text(formats) ?? "v1,v2"
        return .promotional(
            offer,
            v1: formats == "v2" ? nil : try signer.v1(offer, bundleId: request.bundleId),
            v2: formats == "v1"
                ? nil : try signer.v2(offer, bundleId: request.bundleId, transactionId: transactionId))
    }
}
