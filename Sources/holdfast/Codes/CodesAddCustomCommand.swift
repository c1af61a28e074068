import CampaignCore
import Server
import Storage

/// `holdfast codes add-custom CODE`: a code that many customers may use.
enum CodesAddCustomCommand {
    private static let code = Argument("CODE", help: "the code, in either case")
    private static let limit = Option.integer(
        "limit", "N", in: 1...1_000_000_000, help: "redemptions that App Store Connect allows it", isRequired: true)
    private static let expires = Option.text(
        "expires", "DATE", help: "last day of the code, or an instant (default no end)")
    private static let created = Option.instant(
        "created", help: "when App Store Connect made the code, which decides the quarter (default now)")

    static let command = Command(
        "add-custom",
        summary: "Record a custom code with its redemption limit",
        details: """
            A custom code is one word that many customers use. Its redemption limit counts against the quarter's limit \
            as one-time codes do.
            """,
        arguments: [code],
        options: [
            CodeOptions.offer, CodeOptions.product, limit, expires, created, CodeOptions.timeZone, .app, .environment,
            .at,
        ],
        examples: [
            Example(
                "holdfast codes add-custom SPRING27 --offer BACK30 --product reader.annual --limit 25000",
                "a code without an end")
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let target = try CodeTarget(arguments)
        let productId = ProductID(arguments.requiredText(CodeOptions.product))
        let offer = OfferIdentifier(arguments.requiredText(CodeOptions.offer))
        try target.requireOffer(offer, on: productId)
        let code = try CodeOptions.code(arguments[code] ?? "")
        let zone = try readTimeZone(arguments.text(CodeOptions.timeZone) ?? target.app.offerCodes.quarterTimeZone)
        let createdDate = arguments.instant(created) ?? arguments.now
        guard createdDate <= arguments.now else {
            throw .refused("the code cannot be made at \(createdDate), which is still to come; correct '--created'")
        }
        var expiresDate: Instant?
        if let text = arguments.text(expires) {
            do throws(CodeExpiry.Fault) {
                expiresDate = try CodeExpiry.end(text, now: arguments.now, zone: zone)
            } catch {
                throw .refused("'--expires' is '\(text)': \(error.description)")
            }
        }
        let custom = CustomCode(
            bundleId: target.app.bundleId, environment: target.environment, productId: productId, offer: offer,
            code: code, redemptionLimit: Int64(arguments.integer(limit) ?? 0), createdDate: createdDate,
            expiresDate: expiresDate, timeZone: zone.name)
        let store = try arguments.openStore(of: target.configuration)
        let quota = try target.quota()
        let refusal: CustomCodeRefusal?
        do throws(StorageError) {
            refusal = try store.addCustomCode(custom, quota: quota)
        } catch {
            throw .failed(error)
        }
        switch refusal {
        case nil: break
        case .known(let owner):
            throw .refused("the code is \(owner.place(askedFor: target.environment)) already; choose another one")
        case .quotaPassed(let use, let asked, let timeZone):
            throw .refused(
                CodeImportRefusal.quotaPassed(use, asked: asked, timeZone: timeZone).description)
        }
        output.write(line: "custom code \(code.masked) added with \(custom.redemptionLimit) redemptions")
        return .done
    }
}
