/// The texts that `holdfast init` writes.
enum InitFiles {
    static let configuration = """
        # Holdfast's configuration. Paths are relative to this file. Unknown keys are errors, so a slip is found.
        # CHECKLIST.txt says where each value below is found; 'holdfast doctor' checks the whole.

        # Where the service listens. Put nginx with TLS in front of it; do not open this port to the world.
        listen: 127.0.0.1:8080

        # Made at the first start. sqlite:FILE
        database: sqlite:holdfast.sqlite

        # The folder of campaign files, one YAML file a campaign.
        campaigns: Campaigns

        apps:
          - bundleId: com.example.reader
            appAppleId: 6400000001
            environments: [Production, Sandbox]
            # The StoreKit configuration file that Xcode syncs: groups, products, offers.
            catalog: Reader.storekit
            signing:
              keyId: ABC123DEFG
              issuerId: 57246542-96fe-1a63-e053-0824d011072a
              # A secret is always a file of mode 600, never a value in this one.
              privateKeyFile: SubscriptionKey_ABC123DEFG.p8

            # All below is optional and shown with its default; take away '# ' to change it.

            # The most codes of one app and calendar quarter, the zone of the quarter, how long before its expiry a code
            # is no longer given, and below how many free codes an offer's stock is low: { BACK30: 5000 }, else 500.
            # offerCodes: { quarterlyLimit: 10000000, quarterTimeZone: UTC, expiryMargin: 24h, lowStock: {} }

            # The billing grace period set in App Store Connect: 3, 16 or 28 days.
            # gracePeriodDays: 16

            # What a customer may use while the App Store retries the payment: full, limited or none.
            # billingRetryAccess: limited

            # Which products open which level, lowest first: { basic: [reader.basic], pro: [reader.monthly] }
            # accessLevels: {}

            # Whom each win-back offer is for, in months, as App Store Connect has it; asked while Apple's own list is not
            # known. 'maximum' and 'waitBetweenOffersInMonths' may be left out. For example { back_30:
            # { paidSubscriptionDurationInMonths: 1, timeSinceLastSubscribedInMonths: { minimum: 2, maximum: 24 } } }
            # winBackOffers: {}

            # The most that campaigns give one customer in 365 days, how many promotional offers one may redeem and
            # cancel again, and how many accounts may use one subscription; none sets no bound.
            # offerGuard: { offersPerYear: 12, savesPerYear: 2, accountsPerSubscription: 3 }

            # How old a device's own proof of purchase may be.
            # deviceProofMaxAge: 90d

        # Root certificates, PEM or DER. When given they replace Apple Root CA - G3, so leave this out in production.
        # trust: { rootCertificates: [] }

        # Addresses of proxies whose X-Forwarded-For is believed.
        # trustedProxies: []

        # How long signed notifications are kept; what they told of a subscriber is kept longer.
        # retention: { notificationLog: 400d }

        # Who is told: - { url: https://crm.example.com/hooks/holdfast, secretFile: webhook.secret }
        # webhooks: []

        """

    static let checklist = """
        What to fetch before Holdfast can sign an offer
        ===============================================

        In App Store Connect (https://appstoreconnect.apple.com):

        [ ] bundleId        Apps > the app > App Information > Bundle ID. Copy it letter for letter.
        [ ] appAppleId      The same page > Apple ID, a number.
        [ ] private key     Users and Access > Integrations > In-App Purchase > generate a key (an Account Holder or
                            Admin may). The file SubscriptionKey_<KEYID>.p8 can be downloaded once. Put it beside
                            holdfast.yaml and take it from all others:  chmod 600 SubscriptionKey_*.p8
                            A team key (AuthKey_<KEYID>.p8) is another kind of key and does not sign offers.
        [ ] keyId           The same list > Key ID, ten characters; it is also in the file's name.
        [ ] issuerId        The same page > Issuer ID, a UUID.
        [ ] notifications   Apps > the app > App Information > App Store Server Notifications: the address of your service
                            with /v1/app-store/notifications behind it, Version 2, for Production and for Sandbox.
        [ ] grace period    Apps > the app > Subscriptions > Billing Grace Period: 3, 16 or 28 days (gracePeriodDays).

        In Xcode:

        [ ] catalog         File > New > File > StoreKit Configuration File, with 'Sync this file with an app in App
                            Store Connect' ticked. Save it as Reader.storekit beside holdfast.yaml, and sync it again
                            whenever a product or an offer changes.
                            Check it:  holdfast catalog check Reader.storekit

        Here:

        [ ] holdfast.yaml   Put the values above in place of the example's.
        [ ] campaigns       Campaigns/keep-readers.yaml is an example, and a draft. Put your bundleId in it, or remove it.
                            Check it:  holdfast campaign check Campaigns
        [ ] everything      holdfast doctor --config holdfast.yaml
        [ ] an API key      holdfast key create --role client --name backend --config holdfast.yaml
                            It is shown once; your back end sends it as 'Authorization: Bearer <key>'.

        """
}
