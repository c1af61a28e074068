import CampaignCore
import Foundation
import Server
import Storage
import TestSupport
import Testing

/// A folder with the files that the fixtures name.
func configurationFolder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["Reader.storekit", "SubscriptionKey_ABC123DEFG.p8", "Root.pem", "webhook.secret", "webhook.old"] {
        try folder.write("", to: name)
    }
    try FileManager.default.createDirectory(atPath: folder.path("Campaigns"), withIntermediateDirectories: false)
    return folder
}

private func fixture(_ name: String) throws -> String {
    let file = Surroundings.project.appendingPathComponent("Fixtures/Configuration/\(name)")
    return try String(contentsOf: file, encoding: .utf8)
}

@Suite struct ConfigurationFixtureTests {
    @Test(arguments: ["spoiled", "unsigned", "broken"])
    func `a bad file is refused with exactly the lines beside it`(name: String) throws {
        let folder = try configurationFolder()
        try folder.write(fixture("\(name).yaml"), to: "holdfast.yaml")
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration.read(path: "holdfast.yaml", currentFolder: folder.url.path)
        }
        let text = (error?.description ?? "accepted").replacingOccurrences(of: folder.url.path, with: "/etc/holdfast")
        #expect(try text + "\n" == fixture("\(name).txt"))
    }
}

/// Reads `text` as `holdfast.yaml` of `folder`.
private func read(_ text: String, in folder: TemporaryFolder) throws -> Configuration {
    try folder.write(text, to: "holdfast.yaml")
    return try Configuration.read(path: folder.path("holdfast.yaml"))
}

extension ConfigurationFixtureTests {
    @Test func `the complete example has the documented value for every key, and every path is absolute`() throws {
        let folder = try configurationFolder()
        let configuration = try read(fixture("complete.yaml"), in: folder)
        #expect(configuration.path == folder.path("holdfast.yaml"))
        #expect(configuration.folder == folder.url.path)
        #expect(configuration.listen.description == "127.0.0.1:8080")
        #expect(configuration.database == .sqlite(path: folder.path("holdfast.sqlite")))
        #expect(configuration.campaigns.path == folder.path("Campaigns"))
        #expect("\(try #require(configuration.campaigns.mark))" == "4:12")
        #expect(configuration.trust.rootCertificates.isEmpty)
        #expect(configuration.trustedProxies.isEmpty)
        #expect(configuration.retention.notificationLogMilliseconds == 34_560_000_000)
        #expect(configuration.webhooks.isEmpty)
        #expect(configuration.warnings.isEmpty)
        try #require(configuration.apps.count == 1)
        let app = configuration.apps[0]
        #expect(app.bundleId.rawValue == "com.example.reader" && "\(app.mark)" == "6:15")
        #expect(app.appAppleId == 6_400_000_001)
        #expect(app.environments.map(\.rawValue) == ["Production", "Sandbox"])
        #expect(app.catalog.path == folder.path("Reader.storekit") && "\(app.catalog.mark)" == "9:14")
        #expect(app.gracePeriodDays == 16)
        #expect(app.billingRetryAccess == .limited)
        #expect(app.accessLevels.isEmpty)
        #expect(app.deviceProofMaxAgeMilliseconds == 7_776_000_000)
        #expect(app.offerCodes.quarterlyLimit == 10_000_000)
        #expect(app.offerCodes.quarterTimeZone == "UTC")
        #expect(app.offerCodes.expiryMarginMilliseconds == 86_400_000)
        try #require(app.signing.count == 1)
        #expect(app.signing[0].keyId.rawValue == "ABC123DEFG")
        #expect(app.signing[0].issuerId.rawValue == "57246542-96fe-1a63-e053-0824d011072a")
        guard case .file(let file) = app.signing[0].privateKey else {
            Issue.record("the key is a file")
            return
        }
        #expect(file.path == folder.path("SubscriptionKey_ABC123DEFG.p8"))
        #expect("\(file.mark)" == "10:99")
    }

    @Test func `what the smallest file leaves out has the values that the complete one shows`() throws {
        let folder = try configurationFolder()
        let complete = try read(fixture("complete.yaml"), in: folder)
        let smallest = try read(fixture("smallest.yaml"), in: folder)
        #expect(smallest.listen == complete.listen)
        #expect(smallest.database == complete.database)
        #expect(smallest.campaigns.path == complete.campaigns.path && smallest.campaigns.mark == nil)
        #expect(smallest.trust == complete.trust)
        #expect(smallest.trustedProxies == complete.trustedProxies)
        #expect(smallest.retention == complete.retention)
        #expect(smallest.webhooks == complete.webhooks)
        #expect(smallest.apps[0].offerCodes == complete.apps[0].offerCodes)
        #expect(smallest.apps[0].gracePeriodDays == complete.apps[0].gracePeriodDays)
        #expect(smallest.apps[0].billingRetryAccess == complete.apps[0].billingRetryAccess)
        #expect(smallest.apps[0].accessLevels == complete.apps[0].accessLevels)
        #expect(smallest.apps[0].deviceProofMaxAgeMilliseconds == complete.apps[0].deviceProofMaxAgeMilliseconds)
        #expect(smallest.apps[0].environments.map(\.rawValue) == ["Production"])
    }

    @Test func `every key can be set`() throws {
        let folder = try configurationFolder()
        let configuration = try read(fixture("changed.yaml"), in: folder)
        #expect(configuration.listen.description == "[::]:0")
        #expect(configuration.database == .postgresql(url: "postgresql://holdfast@db.example.com/holdfast"))
        #expect(configuration.campaigns.path == folder.url.path + "/.")
        #expect(configuration.trust.rootCertificates.map(\.path) == [folder.path("Root.pem")])
        #expect(configuration.trustedProxies.map(\.description) == ["10.0.0.0/8", "fd00::/8", "192.168.1.7"])
        #expect(configuration.retention.notificationLogMilliseconds == 1_209_600_000)
        #expect(
            configuration.webhooks.map(\.url.absoluteString) == [
                "https://crm.example.com/hooks?a=b", "https://[::1]:8443",
            ])
        #expect(configuration.webhooks.map(\.isDryRun) == [false, true])
        #expect(configuration.webhooks.map { "\($0.mark)" } == ["31:10", "33:10"])
        #expect(
            configuration.webhooks[1].secrets
                == [.environmentVariable(name: "WEBHOOK_SECRET", mark: configuration.webhooks[1].secrets[0].mark)])
        let old = configuration.webhooks[0].secrets.map { source -> String in
            if case .file(let file) = source { file.path } else { "not a file" }
        }
        #expect(old == [folder.path("webhook.secret"), folder.path("webhook.old")])
        let app = try #require(configuration.app(BundleID("com.example.writer")))
        #expect(configuration.apps.map(\.bundleId.rawValue) == ["com.example.reader", "com.example.writer"])
        #expect(app.environments.map(\.rawValue) == ["Sandbox"])
        #expect(app.gracePeriodDays == 28)
        #expect(app.billingRetryAccess == SubscriptionStatus.Access.none)
        #expect(app.offerCodes.quarterlyLimit == 1_000_000)
        #expect(app.offerCodes.quarterTimeZone == "America/Argentina/Buenos_Aires")
        #expect(app.offerCodes.expiryMarginMilliseconds == 0)
        #expect(app.offerCodes.lowStock == [OfferIdentifier("BACK30"): 5000])
        #expect(app.offerCodes.stockRule(of: OfferIdentifier("BACK30"), in: .production).lowStockThreshold == 5000)
        #expect(app.offerCodes.stockRule(of: OfferIdentifier("OTHER"), in: .production).lowStockThreshold == 500)
        #expect(app.offerCodes.stockRule(of: OfferIdentifier("BACK30"), in: .sandbox).lowStockThreshold == nil)
        #expect(app.accessLevels.map(\.name) == ["pro", "basic"])
        #expect(app.accessLevels.map { $0.productIds.map(\.rawValue) } == [["w.monthly", "w.annual"], ["w.basic"]])
        #expect(app.deviceProofMaxAgeMilliseconds == 2_700_000)
        // The first signs, so the order of the file is kept; another app may use the same key.
        #expect(app.signing.map(\.keyId.rawValue) == ["ZZZ999ZZZ9", "ABC123DEFG", "short"])
        #expect(
            ConfigurationError.refused(path: "holdfast.yaml", configuration.warnings).description
                == "holdfast.yaml:18:18: warning: 'keyId' is 'short', not ten of A-Z and 0-9; "
                + "compare it with App Store Connect")
    }
}
