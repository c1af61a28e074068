// Request bodies and catalogues: what anyone with a key, or a marketer with a file, can send.
//
// The first byte chooses what the others are: a body of either route that signs, or a StoreKit configuration file.
import CampaignCore
import FoundationEssentials

@testable import Server

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let kind = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch kind % 3 {
    case 0: body(bytes, of: .signPromotionalOffer) { PromotionalOfferWanted(&$0) }
    case 1: body(bytes, of: .signIntroductoryOfferEligibility) { IntroductoryOfferWanted(&$0) }
    default: _ = Catalog.read(storeKitFile: bytes)
    }
    return 0
}

private func body<Wanted: Sendable>(
    _ bytes: [UInt8], of route: Route, _ read: (inout RequestFields) -> Wanted?
) {
    do throws(Problem) {
        var fields = try RequestFields(bytes, of: route.name)
        let asked = try SignatureRequest(&fields, read)
        precondition(asked.digest.count == 32 && asked.digest == fields.digest)
        precondition(!asked.productId.rawValue.isEmpty)
    } catch {
        // A caller is told to send other things; a fault of ours would be told as one.
        precondition((400..<500).contains(error.code.status), "\(error)")
        precondition(JSON.read(error.response.body) != nil, "the answer is no JSON")
    }
    // What is read is written again as the same value.
    if let value = JSON.read(bytes) { precondition(JSON.read(value.bytes) == value) }
}
