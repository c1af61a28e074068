/// The catalogue of the field cases: two groups, a promotional offer on one product only, one product without any offer.
let tideCatalog = """
    {
      "identifier": "7E57CA5E", "nonRenewingSubscriptions": [],
      "products": [{ "productID": "tide.coins", "type": "Consumable", "displayPrice": "0.99", "referenceName": "Coins" }],
      "subscriptionGroups": [
        { "id": "21500001", "name": "Tide", "subscriptions": [
          { "productID": "tide.monthly", "referenceName": "Monthly", "type": "RecurringSubscription",
            "subscriptionGroupID": "21500001", "groupNumber": 2, "recurringSubscriptionPeriod": "P1M",
            "displayPrice": "4.99", "codeOffers": [], "winbackOffers": [],
            "introductoryOffer": { "internalID": "1", "paymentMode": "free", "subscriptionPeriod": "P1W" },
            "adHocOffers": [{ "internalID": "2", "offerID": "save50", "referenceName": "Half", "paymentMode": "payAsYouGo",
              "displayPrice": "2.49", "numberOfPeriods": 3, "subscriptionPeriod": "P1M" }] },
          { "productID": "tide.yearly", "referenceName": "Yearly", "type": "RecurringSubscription",
            "subscriptionGroupID": "21500001", "groupNumber": 1, "recurringSubscriptionPeriod": "P1Y",
            "displayPrice": "39.99", "introductoryOffer": null },
          { "productID": "tide.plain", "referenceName": "Plain", "type": "RecurringSubscription",
            "subscriptionGroupID": "21500001", "groupNumber": 2, "recurringSubscriptionPeriod": "P1M",
            "displayPrice": "3.99", "introductoryOffer": null }
        ] },
        { "id": "21500002", "name": "Kids", "subscriptions": [
          { "productID": "tide.kids.monthly", "referenceName": "Kids", "type": "RecurringSubscription",
            "subscriptionGroupID": "21500002", "groupNumber": 1, "recurringSubscriptionPeriod": "P1M",
            "displayPrice": "1.99", "introductoryOffer": null }
        ] }
      ],
      "version": { "major": 4, "minor": 0 }
    }
    """
