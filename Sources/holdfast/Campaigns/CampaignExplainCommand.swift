import CampaignCore
import Storage

/// `holdfast campaign explain ID SUBSCRIBER`: why a subscriber gets what a campaign gives, or gets nothing.
enum CampaignExplainCommand {
    private static let id = Argument("ID", .one, help: "the campaign's name")
    private static let subscriber = Argument("SUBSCRIBER", .one, help: "the subscription's originalTransactionId")

    static let command = Command(
        "explain",
        summary: "Print what held and what did not for one subscriber of a campaign",
        details: """
            Asks the one campaign, with the files as they are now, and prints every condition with what was wanted and \
            what was found: whether it runs, the audience, holdout and variant, the caps, each rule and the offers of the \
            rule that is used. Nothing is given or written. With '--at' in the past only what was signed and given by \
            then counts; an arm that was stored since counts too.
            """,
        arguments: [id, subscriber],
        options: [.at, .via, .app, .environment, .format(.text, .json)],
        examples: [
            Example("holdfast campaign explain keep-annual 2000000000000001", "through the app, now"),
            Example(
                "holdfast campaign explain keep-annual 2000000000000001 --via webhook --at 2027-03-01T09:00:00Z",
                "what a send would have found then"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let asked = try AskedCampaign(arguments[id] ?? "", arguments)
        _ = try arguments.openStore(of: asked.configuration)
        let path = try asked.configuration.databasePath
        let known: KnownSubscription
        let facts: CampaignFacts?
        do {
            let store = try Store(reading: path)
            known = try find(arguments[subscriber] ?? "", asked.campaign, arguments, store)
            facts = try CampaignFactsReader(asked, store, at: arguments.instant(.at), now: arguments.now)
                .facts(of: known)
        } catch let error as CommandError {
            throw error
        } catch {
            throw .failed(error)
        }
        guard let facts else {
            throw .refused(
                "nothing was signed about subscriber '\(known.originalTransactionId)' by \(arguments.now); "
                    + "ask for a later instant")
        }
        let explanation = asked.campaigns.explain(
            asked.campaign.name, facts, via: arguments.via, in: asked.context, now: arguments.now)
        guard let explanation else { throw .refused("no campaign '\(asked.campaign.name)'") }
        let view = CampaignExplanationView(
            explanation: explanation, campaign: asked.campaign, subscriber: known.originalTransactionId,
            instant: arguments.now)
        switch arguments.format {
        case .json: output.write(view.json)
        case .text, .csv: output.write(view.text)
        }
        return .done
    }

    /// The subscriber in the campaign's app and environment, where an id is only once.
    private static func find(
        _ id: String, _ campaign: Campaign, _ arguments: Arguments, _ store: Store
    ) throws -> KnownSubscription {
        let audience = campaign.audience
        let found = try store.subscription(
            originalTransactionId: OriginalTransactionID(id), bundleId: audience.bundleId,
            environment: audience.environment)
        let isAsked = arguments.text(.environment).map { $0 == audience.environment.rawValue } ?? true
        if isAsked, let found { return found }
        let known = try SubscriberShowCommand.find(id, arguments, store)
        throw CommandError.refused(
            "subscriber '\(known.originalTransactionId)' is of '\(known.bundleId)' in \(known.environment), and campaign "
                + "'\(campaign.name)' is for '\(audience.bundleId)' in \(audience.environment)")
    }
}
