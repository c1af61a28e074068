extension InitFiles {
    /// An example that fits every catalogue, because the offers in it are comments.
    static let campaign = """
        # A campaign says who gets what, when and how often. This one is a draft: nobody sees it but its testCustomers.
        # Check it after every change: holdfast campaign check Campaigns
        # An editor helps with keys and values when it has the schema: holdfast campaign schema > campaign.schema.json
        schema: 1
        campaign: keep-readers           # never reused: caps, holdouts and results are counted under it
        priority: 10                     # higher is asked first
        owner: growth@example.com
        status: draft                    # draft | active | paused | ended
        # starts: 2027-01-05T09:00:00+01:00
        # ends: 2027-04-01T00:00:00+02:00

        audience:
          bundleId: com.example.reader
          environment: Production
          # productId: [reader.annual, reader.monthly]
          inAppOwnershipType: PURCHASED  # the payer, not family members
          # storefront: { not: [CHN] }

        # One in ten gets nothing, so that what the offers do can be told from what would have happened anyway.
        holdout: { percent: 10 }
        testCustomers: ["0f1e2d3c-4b5a-4968-8778-695a4b3c2d1e"]   # appAccountTokens or originalTransactionIds

        limits:
          frequencyCap: [{ atMost: 1, every: 30d }, { atMost: 3, every: 365d, across: allCampaigns }]
          quietHours: { from: "21:00", to: "09:00", timeZone: subscriber, otherwise: Europe/Berlin }

        # Tried in order: the first that holds is used, and of its offers the first that is available.
        rules:
          - rule: save
            when: { status: active, autoRenewStatus: off, untilExpires: { atLeast: 1d } }
            via: [app, webhook]
            sendAt: [opens+1h]
            # offers:
            #   - promotionalOffer: save_50_3mo
            message: please-stay

          # - rule: win-back
          #   when: { status: expired, expirationIntent: customerCancelled, sinceExpired: { atLeast: 3d } }
          #   offers:
          #     - winBackOffer: back_30_1mo
          #     - offerCode: BACK30

          # A failed card is no wish to leave: remind, never discount.
          - rule: fix-payment
            when: { status: [billingRetry, billingGracePeriod] }
            via: [app, webhook]
            message: update-payment

        """
}
