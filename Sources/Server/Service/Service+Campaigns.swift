import CampaignCore
import Storage

extension Service {
    /// `GET /v1/campaigns`: every campaign in force, in the order of asking, with what it gave.
    func listCampaigns(_ request: Request) throws(Problem) -> Response {
        let asked = try listedApp(request, for: .listCampaigns)
        let listed = campaigns.set.campaigns.filter { asked == nil || $0.audience.bundleId == asked }
        let rows = try read { store throws(StorageError) in
            let arms = try store.campaignArmTotals()
            return try listed.map { campaign throws(StorageError) in
                campaign.json(try store.campaignTotal(campaign.name), arms: arms)
            }
        }
        counters.count("answered", on: Route.listCampaigns.name)
        return .json((["campaigns": .array(rows)] as JSON).bytes)
    }
}

extension Campaign {
    /// - Parameter arms: how many subscriptions have each arm.
    fileprivate func json(_ total: CampaignTotal, arms: [CampaignArm: Int]) -> JSON {
        let heldOut = holdout.map { arms[CampaignArm(key: $0.key(of: name), arm: CampaignArm.heldOut)] ?? 0 }
        return [
            "campaign": .string(name.rawValue),
            "bundleId": .string(audience.bundleId.rawValue),
            "environment": .string(audience.environment.rawValue),
            "status": .string(status.rawValue),
            "priority": .integer(Int64(priority)),
            "starts": .instant(starts),
            "ends": .instant(ends),
            "digest": .string(digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()),
            "rules": .array(rules.map { .string($0.name.rawValue) }),
            "given": .integer(Int64(total.given)),
            "redeemed": .integer(Int64(total.redeemed)),
            "heldOut": .integer(Int64(heldOut ?? 0)),
        ]
    }
}

extension Store {
    /// Keeps every file of a set that comes into force.
    func record(_ campaigns: LoadedCampaigns, loadedDate: Instant) throws(StorageError) {
        try connection.transaction { () throws(StorageError) in
            for file in campaigns.files {
                try recordCampaignFile(file.name, digest: file.digest, text: file.text, loadedDate: loadedDate)
            }
        }
    }
}
