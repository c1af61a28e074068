import CampaignCore
import Crypto

/// Takes a compact JWS apart leniently, so that a diagnosis can go on behind the first fault.
struct SignedRequestReader {
    private(set) var faults: [SignatureFault] = []
    private(set) var header: JSON?
    private(set) var claims: JSON?
    /// The third part's bytes; nil when it cannot be read.
    private(set) var signature: [UInt8]?
    /// Header, dot and payload exactly as they stand.
    private(set) var signingInput: [UInt8] = []

    init(_ text: String) {
        guard text.utf8.count <= SignatureCheckLimits.jwsCharacters else {
            faults.append(.jws(.tooLarge(characters: text.utf8.count)))
            return
        }
        let plain = text.utf8.filter { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        if plain.count < text.utf8.count { faults.append(.jws(.spaceInside)) }
        let parts = plain.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else {
            faults.append(.jws(.partCount(parts.count)))
            return
        }
        header = object(parts[0], .header)
        claims = object(parts[1], .payload)
        signature = bytes(parts[2], .signature)
        signingInput = Array(plain[..<parts[1].endIndex])
    }

    private mutating func object(_ part: ArraySlice<UInt8>, _ name: JWSPart) -> JSON? {
        guard let bytes = bytes(part, name) else { return nil }
        guard let json = JSON.read(bytes), case .object = json else {
            faults.append(.jws(.partNotJSON(name)))
            return nil
        }
        return json
    }

    private mutating func bytes(_ part: ArraySlice<UInt8>, _ name: JWSPart) -> [UInt8]? {
        if let bytes = Base64URL.decode(part) { return bytes }
        var bare = Array(part)
        while bare.last == UInt8(ascii: "=") { bare.removeLast() }
        let isPadded = bare.count < part.count
        let isStandard = bare.contains(UInt8(ascii: "+")) || bare.contains(UInt8(ascii: "/"))
        let urlForm = bare.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        guard let bytes = Base64URL.decode(urlForm), isPadded || isStandard else {
            faults.append(.jws(.partUnreadable(name)))
            return nil
        }
        if isPadded { faults.append(.jws(.partPadded(name))) }
        if isStandard { faults.append(.jws(.partInStandardBase64(name))) }
        return bytes
    }
}
