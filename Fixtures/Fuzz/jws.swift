// What claims to be signed by the App Store: anyone can send it.
//
// The first byte chooses what the others are: a whole compact JWS, its header, or a payload that is properly signed by
// a private App Store, so that the readers behind the signature are reached as well.
import AppStore
import CampaignCore
import Crypto
import FoundationEssentials
import PrivateAppStore

private let now = Instant(millisecondsSince1970: 1_789_041_600_000)
private let store: PrivateAppStore = {
    guard let store = try? PrivateAppStore(now: now) else { fatalError("no private App Store") }
    return store
}()
private let verifier = SignedDataVerifier(
    chains: ChainVerifier(roots: [store.root.certificate]),
    apps: [
        AppIdentity(
            bundleId: BundleID("com.example.tide"), appAppleId: 6_400_000_001,
            environments: [.production, .sandbox])
    ])

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let kind = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    switch kind % 3 {
    case 0:
        let text = String(decoding: bytes, as: UTF8.self)
        precondition(!verify(text), "what nobody signed was believed")
    case 1:
        _ = verify(Base64URL.encode(bytes) + ".e30." + Base64URL.encode([UInt8](repeating: 1, count: 64)))
    default:
        if let signed = try? store.sign(payload: bytes) { _ = verify(signed) }
    }
    return 0
}

/// Whether any reader believed it.
private func verify(_ text: String) -> Bool {
    _ = try? JWS(text)
    var isBelieved = false
    do throws(AppStoreError) {
        _ = try verifier.payload(text)
        isBelieved = true
    } catch {
        precondition(!"\(error)".contains("\n"), "an error has one line")
    }
    isBelieved = (try? verifier.transaction(text)) != nil || isBelieved
    isBelieved = (try? verifier.appTransaction(text)) != nil || isBelieved
    isBelieved = (try? verifier.notification(text)) != nil || isBelieved
    isBelieved = (try? verifier.realtimeRequest(text)) != nil || isBelieved
    return isBelieved
}
