/// The campaign of the demo.
enum DemoCampaign {
    static let folder = "Campaigns"
    static let name = "keep-readers"
    static let file = "\(folder)/\(name).yaml"

    static let text = """
        schema: 1
        campaign: \(name)
        status: active
        audience: { bundleId: \(DemoFolder.bundleId), environment: Production, productId: \(DemoFolder.productId) }

        rules:
          # Who has turned auto-renew off and is still here.
          - rule: save
            when: { status: active, autoRenewStatus: off }
            offers:
              - promotionalOffer: save_50_3mo
            message: stay-at-half-price

          # Nobody is offered a discount for a card that failed.
          - rule: fix-payment
            when: { status: [billingRetry, billingGracePeriod] }
            message: update-payment

        """
}
