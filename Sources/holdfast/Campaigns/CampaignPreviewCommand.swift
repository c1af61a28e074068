import CampaignCore
import Storage

/// `holdfast campaign preview ID`: what a campaign would give to whom, without giving it.
enum CampaignPreviewCommand {
    private static let id = Argument("ID", .one, help: "the campaign's name")

    static let command = Command(
        "preview",
        summary: "Count whom a campaign would reach and what each would get",
        details: """
            Decides for every known subscriber of the campaign's app and environment as if each asked at that instant \
            and the campaign were the only one. Nothing is given, written or reserved; a draft is counted as if it were \
            active. With '--at' in the past only facts that were signed by then count.

            The base is read a page at a time beside the running service, in little memory whatever its size.
            """,
        arguments: [id],
        options: [.at, .via, .app, .format(.text, .json, .csv)],
        examples: [
            Example("holdfast campaign preview keep-annual", "through the app, now"),
            Example(
                "holdfast campaign preview keep-annual --via webhook --at 2027-03-01T09:00:00Z --format csv",
                "what a send would find then, as a table"),
        ],
        run: run)

    static func run(_ arguments: Arguments, _ output: Output) throws(CommandError) -> ExitCode {
        let asked = try AskedCampaign(arguments[id] ?? "", arguments)
        // Opening it upgrades it when that is needed; the walk has a connection of its own that cannot write.
        _ = try arguments.openStore(of: asked.configuration)
        let path = try asked.configuration.databasePath
        var preview = CampaignPreview(of: asked.campaign, via: arguments.via, at: arguments.now)
        do throws(StorageError) {
            let reader = try CampaignFactsReader(
                asked, try Store(reading: path), at: arguments.instant(.at), now: arguments.now)
            try count(reader, asked, &preview, output)
        } catch {
            output.progress("")
            throw .failed(error)
        }
        output.progress("")
        switch arguments.format {
        case .json: output.write(preview.json)
        case .csv: for row in preview.csv { output.write(csv: row) }
        case .text: output.write(preview.text)
        }
        return .done
    }

    private static func count(
        _ reader: CampaignFactsReader, _ asked: AskedCampaign, _ preview: inout CampaignPreview, _ output: Output
    ) throws(StorageError) {
        var campaign = asked.campaign
        if campaign.status == .draft { campaign.status = .active }
        let alone = CampaignSet(campaigns: [campaign], messages: asked.campaigns.messages)
        var progress = CampaignProgress(total: try reader.subscriberCount())
        var last: SubscriptionRowID?
        repeat {
            let page = try reader.page(after: last)
            for facts in page.facts {
                preview.add(
                    alone.decide(
                        facts, via: preview.via, bundleId: campaign.audience.bundleId, in: asked.context,
                        now: preview.instant))
            }
            if let text = progress.text(read: preview.subscribers) { output.progress(text) }
            last = output.isOpen ? page.last : nil
        } while last != nil
    }
}
