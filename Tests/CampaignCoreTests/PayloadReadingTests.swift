import Foundation
import TestSupport
import Testing

@testable import CampaignCore

@Suite struct `Payload reading` {
    private static func notification(_ json: String) throws(PayloadFault) -> ResponseBodyV2DecodedPayload {
        try ResponseBodyV2DecodedPayload(json: Array(json.utf8))
    }

    @Test(arguments: [
        (#"{"data":{"status":"1"}}"#, "data.status"), (#"{"data":{"status":1.0}}"#, "data.status"),
        (#"{"data":{"status":9223372036854775808}}"#, "data.status"), (#"{"data":[]}"#, "data"),
        (#"{"data":"x"}"#, "data"), (#"{"signedDate":true}"#, "signedDate"),
        (#"{"notificationType":1}"#, "notificationType"),
        (#"{"notificationUUID":"00000000-0000-0000-0000-00000000000g"}"#, "notificationUUID"),
        (#"{"summary":{"storefrontCountryCodes":["USA",[1,2],3]}}"#, "summary.storefrontCountryCodes.1"),
        (#"{"data":{"signedTransactionInfo":{}}}"#, "data.signedTransactionInfo"),
        (#"{"version":1,"signedDate":"x"}"#, "version"), (#"{"v\u0065rsion":1}"#, "version"),
        ("[]", nil), ("\"x\"", nil), ("", nil), (#"{"version":1"#, nil), (#"{"version":1}}"#, nil),
        (#"{"new":{"a":1,"a":2}}"#, nil), (#"{"new":[{"a":1,"\u0061":2}]}"#, nil),
        (#"{"version":1,"version":"2"}"#, nil),
        (#"{"version":1,"new":"\q"}"#, nil), (#"{"version":1,"new":01}"#, nil),
    ])
    func `a fault names the field, or nothing when the text is no JSON as a whole`(json: String, field: String?) {
        #expect(throws: PayloadFault(field: field)) { try Self.notification(json) }
    }

    @Test func `null is absent, unknown keys are passed over, and escapes are read`() throws {
        let payload = try Self.notification(
            """
            { "new": {"signedDate": "x", "data": [{"status": 5}]}, "subtype": null, "data": { "status" : 2,
              "bundleId": "a\\u002eb", "bundle\\u0056ersion": "\\ud83d\\ude00\\n", "signedRenewalInfo": "e\\u0033.x.y",
              "environment": "S\u{e9}", "appAppleId": -9223372036854775808, "other": {} }, "version": "2.0" }
            """)
        #expect(payload.subtype == nil)
        #expect(payload.signedDate == nil)
        #expect(payload.version == "2.0")
        let data = try #require(payload.data)
        #expect(data.status == 2)
        #expect(data.bundleId == "a.b")
        #expect(data.bundleVersion == "😀\n")
        #expect(data.environment?.rawValue == "S\u{e9}")
        #expect(data.appAppleId == .min)
        #expect(data.signedRenewalInfo == SignedText("e3.x.y"))
        #expect(data.signedTransactionInfo == nil)
    }

    @Test(arguments: [1, 2, 40, 63, 64, 65, 66, 300])
    func `a key that comes twice is found, however many there are and however it is spelled`(count: Int) throws {
        let seed =
            ProcessInfo.processInfo.environment["HOLDFAST_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
        print("Payload reading: HOLDFAST_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        for round in 0..<50 {
            // Few letters and lengths, so that many share first, last and length.
            var keys: Set<String> = []
            while keys.count < count {
                let length = Int.random(in: 1...9, using: &generator)
                let letters = round % 2 == 0 ? "abc" : "abcé"
                keys.insert(String((0..<length).map { _ in letters.randomElement(using: &generator) ?? "a" }))
            }
            let texts = keys.map { "\"\($0)\":[{}]" }
            let joined = texts.joined(separator: ",")
            #expect(throws: Never.self) { try JSONText(Array("{\(joined)}".utf8)) }
            let again = try #require(keys.randomElement(using: &generator))
            let spelled = again.utf16.map { "\\u" + String(format: "%04x", $0) }.joined()
            for second in [again, spelled] {
                var members = texts
                members.insert("\"\(second)\":1", at: Int.random(in: 0...count, using: &generator))
                let text = "{\(members.joined(separator: ","))}"
                let fault = #expect(throws: JSONSyntaxError.self) { try JSONText(Array(text.utf8)) }
                #expect(fault?.message == "'\(again)' is twice in one object", "\(text)")
            }
        }
    }
}
