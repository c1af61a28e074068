// Campaign files and messages: YAML, every reader of a value, the comparison of rules and the check against a catalogue.
import FoundationEssentials
import YAML

@testable import CampaignCore
@testable import Server

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let diagnostics = Diagnostics()
    let zone = { (name: String) in TimeZoneRules.ofSystem(name).map(ZoneLookup.found) ?? .missing(cure: "write another") }
    let file = CampaignFile(yaml: bytes, zone: zone, into: diagnostics)
    precondition(file != nil || diagnostics.hasErrors, "a file was refused without a word")
    if let file {
        let app = CampaignSurroundings.App(
            bundleId: file.campaign.audience.bundleId, environments: [.production], catalog: catalog)
        file.check(
            against: CampaignSurroundings(apps: [app]), messages: RetentionMessages(), into: diagnostics)
    }
    let messages = Diagnostics()
    precondition(MessagesFile(yaml: bytes, into: messages) != nil || messages.hasErrors, "refused without a word")
    for diagnostic in diagnostics.all + messages.all {
        precondition(!diagnostic.line(path: "fuzz.yaml").contains("\n"), "a diagnostic has one line")
    }
    return 0
}

/// One product with one promotional offer.
private let catalog: Catalog = {
    let text = """
        { "version": { "major": 4 }, "subscriptionGroups": [{ "id": "1", "subscriptions": [{
          "productID": "reader.annual", "recurringSubscriptionPeriod": "P1Y", "groupNumber": 1, "displayPrice": "1",
          "adHocOffers": [{ "offerID": "save_50_1y", "paymentMode": "free", "numberOfPeriods": 1, "subscriptionPeriod": "P1M" }]
        }] }] }
        """
    return Catalog.read(storeKitFile: Array(text.utf8)).catalog ?? .empty
}()
