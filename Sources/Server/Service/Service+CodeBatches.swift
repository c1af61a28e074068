import CampaignCore
import Storage

extension Service {
    /// `GET /v1/code-batches`: what is left of every batch and offer, and of each app's quota.
    func listCodes(_ request: Request) throws(Problem) -> Response {
        let asked = try listedApp(request, for: .listCodes)
        let now = environment.now()
        let listed = apps.values.filter { asked == nil || $0.bundleId == asked }.sorted { $0.bundleId < $1.bundleId }
        let body = try read { store throws(StorageError) in
            let inventory = try store.codeInventory(of: asked, now: now) { pool in stockRule(of: pool) }
            var quotas: [JSON] = []
            for app in listed {
                guard let quota = app.offerCodes.quota else { continue }
                let present = CalendarQuarter(at: now, in: quota.zone)
                var uses: [CodeQuotaUse] = []
                for quarter in [present, present.next] {
                    uses.append(try store.codeQuotaUse(bundleId: app.bundleId, quarter: quarter, quota: quota))
                }
                quotas.append(CodeQuotaUse.json(of: app.bundleId, quota, uses))
            }
            return JSON.object(inventory.json + [.init("quotas", .array(quotas))])
        }
        counters.count("answered", on: Route.listCodes.name)
        return .json(body.bytes)
    }

    /// How the stock of a pool is judged, by the configuration in force.
    func stockRule(of pool: CodePool) -> CodeStockRule {
        apps[pool.bundleId]?.offerCodes.stockRule(of: pool.offer, in: pool.environment) ?? .none
    }
}
