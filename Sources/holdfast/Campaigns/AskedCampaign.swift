import CampaignCore
import Server
import Storage

/// The campaign that a line names, with everything of the configuration that its decisions read.
struct AskedCampaign {
    let configuration: Configuration
    let campaigns: CampaignSet
    let campaign: Campaign
    /// The app that the campaign is for.
    let app: Configuration.App
    let catalog: Catalog

    /// Reads the configuration, its catalogues and its campaign files, all of which must be right.
    init(_ name: String, _ arguments: Arguments) throws(CommandError) {
        let configuration = try arguments.configuration(requiringFiles: false)
        let surroundings = try configuration.campaignSurroundings()
        let loaded: LoadedCampaigns
        do throws(CampaignFileError) {
            loaded = try LoadedCampaigns.load(folder: configuration.campaigns, apps: surroundings)
        } catch {
            switch error {
            case .unreadable: throw .failed(error)
            case .refused(let findings): throw .diagnosed(findings.map(\.description))
            }
        }
        guard let campaign = loaded.set.campaign(CampaignName(name)) else {
            throw .refused(
                "no campaign \(quotedName(name)) in '\(configuration.campaigns.path)'"
                    + didYouMean(name, among: loaded.set.campaigns.map(\.name.rawValue)))
        }
        let bundleId = campaign.audience.bundleId
        guard let app = configuration.app(bundleId) else {
            throw .refused("campaign '\(campaign.name)' is for '\(bundleId)', which is not configured; add the app")
        }
        if let other = arguments.text(.app), other != bundleId.rawValue {
            throw .refused("campaign '\(campaign.name)' is for '\(bundleId)', not for \(quotedName(other))")
        }
        self.configuration = configuration
        campaigns = loaded.set
        self.campaign = campaign
        self.app = app
        catalog = try app.readCatalog()
    }

    /// What a decision reads beside the subscriber's facts.
    var context: CampaignContext {
        CampaignContext(
            catalog: catalog, policy: app.accessPolicy, winBackRules: app.winBackOffers, isWinBackListKnown: false,
            offerGuard: app.offerGuard)
    }

    /// The code offers that the rules name.
    var codeOffers: Set<OfferIdentifier> {
        Set(
            campaign.rules.flatMap(\.offers).compactMap { offer in
                if case .offerCode(let identifier) = offer.kind { identifier } else { nil }
            })
    }
}

extension Option {
    /// The door that a decision is for.
    static let via = choice(
        "via", ["app", "webhook", "retentionMessage"], help: "through which door the offer would be given (default app)"
    )
}

extension Arguments {
    var via: Rule.Via { text(.via).flatMap(Rule.Via.init(rawValue:)) ?? .app }
}
