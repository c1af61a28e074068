import CampaignCore
struct StubApp { let catalog: Catalog }
extension Arguments {
    func configuredApp() throws(CommandError) -> StubApp { throw .failed("later") }
}
