import CampaignCore

/// The demo's StoreKit configuration file: a reader app with two products, each with offers of every kind.
///
/// The same format that Xcode writes, so the demo goes through the same reader as a real file.
enum DemoCatalog {
    static let fileName = "Reader.storekit"
    /// The one code offer in it, and its product.
    static let codeOffer = OfferIdentifier("SPRING")
    static let codeProductId = ProductID("reader.annual")

    static let text = """
        {
          "identifier" : "5EADE201",
          "nonRenewingSubscriptions" : [],
          "products" : [],
          "settings" : { "_locale" : "en_US", "_storefront" : "USA" },
          "subscriptionGroups" : [
            {
              "id" : "21500001",
              "localizations" : [],
              "name" : "Reader",
              "subscriptions" : [
                {
                  "adHocOffers" : [
                    {
                      "displayPrice" : "29.99", "internalID" : "A0000001", "numberOfPeriods" : 1,
                      "offerID" : "save_50_1y", "paymentMode" : "payUpFront", "referenceName" : "Half price for a year",
                      "subscriptionPeriod" : "P1Y"
                    }
                  ],
                  "codeOffers" : [
                    {
                      "eligibility" : ["new", "expired"], "internalID" : "A0000002", "isStackable" : false,
                      "numberOfPeriods" : 1, "paymentMode" : "free", "referenceName" : "SPRING",
                      "subscriptionPeriod" : "P1M"
                    }
                  ],
                  "displayPrice" : "59.99", "familyShareable" : false, "groupNumber" : 1, "internalID" : "A0000000",
                  "introductoryOffer" : {
                    "internalID" : "A0000003", "numberOfPeriods" : 1, "paymentMode" : "free", "subscriptionPeriod" : "P1W"
                  },
                  "localizations" : [{ "description" : "", "displayName" : "Annual", "locale" : "en_US" }],
                  "productID" : "reader.annual", "recurringSubscriptionPeriod" : "P1Y", "referenceName" : "Annual",
                  "subscriptionGroupID" : "21500001", "type" : "RecurringSubscription",
                  "winbackOffers" : [
                    {
                      "displayPrice" : "39.99", "internalID" : "A0000004", "isEligible" : true, "numberOfPeriods" : 1,
                      "offerID" : "back_33_1y", "paymentMode" : "payUpFront", "referenceName" : "Come back",
                      "subscriptionPeriod" : "P1Y"
                    }
                  ]
                },
                {
                  "adHocOffers" : [
                    {
                      "displayPrice" : "2.99", "internalID" : "B0000001", "numberOfPeriods" : 3,
                      "offerID" : "save_50_3mo", "paymentMode" : "payAsYouGo",
                      "referenceName" : "Half price for three months", "subscriptionPeriod" : "P1M"
                    },
                    {
                      "internalID" : "B0000002", "numberOfPeriods" : 1, "offerID" : "free_month",
                      "paymentMode" : "free", "referenceName" : "A month on us", "subscriptionPeriod" : "P1M"
                    },
                    {
                      "displayPrice" : "4.99", "internalID" : "B0000004", "numberOfPeriods" : 12,
                      "offerID" : "old_price_12mo", "paymentMode" : "payAsYouGo",
                      "referenceName" : "The old price for a year", "subscriptionPeriod" : "P1M"
                    }
                  ],
                  "codeOffers" : [],
                  "displayPrice" : "5.99", "familyShareable" : false, "groupNumber" : 2, "internalID" : "B0000000",
                  "introductoryOffer" : null,
                  "localizations" : [{ "description" : "", "displayName" : "Monthly", "locale" : "en_US" }],
                  "productID" : "reader.monthly", "recurringSubscriptionPeriod" : "P1M", "referenceName" : "Monthly",
                  "subscriptionGroupID" : "21500001", "type" : "RecurringSubscription",
                  "winbackOffers" : [
                    {
                      "displayPrice" : "2.99", "internalID" : "B0000003", "isEligible" : true, "numberOfPeriods" : 2,
                      "offerID" : "back_50_2mo", "paymentMode" : "payAsYouGo",
                      "referenceName" : "Half price for two months", "subscriptionPeriod" : "P1M"
                    }
                  ]
                }
              ]
            }
          ],
          "version" : { "major" : 4, "minor" : 0 }
        }
        """
}
