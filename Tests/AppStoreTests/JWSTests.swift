import AppStore
import Crypto
import Foundation
import Testing

@Suite struct JWSTests {
    /// The example of RFC 7515, appendix A.3: ES256 over a payload with line breaks in it.
    @Test func `reads the example of the RFC and proves its signature`() throws {
        let jws = try JWS(
            "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19y"
                + "b290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6N"
                + "U1Q")
        #expect(jws.header.alg == "ES256")
        #expect(jws.header.x5c == nil)
        #expect(
            jws.payload
                == Array("{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}".utf8))
        let x = try #require(Base64URL.decode("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))
        let y = try #require(Base64URL.decode("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))
        // SubjectPublicKeyInfo of a point on P-256 (RFC 5480).
        let prefix = try #require(Base64.decode("MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE"))
        let key = try P256PublicKey(subjectPublicKeyInfo: prefix + x + y)
        #expect(jws.isSigned(by: key))
        #expect(!jws.isSigned(by: P256PrivateKey.generate().publicKey))
    }

    @Test(arguments: [
        (#"{"alg":5}"#, "'alg' has the wrong type"),
        (#"{"alg":"ES256","x5c":"AAAA"}"#, "'x5c' has the wrong type"),
        (#"{"alg":"ES256","x5c":{"0":"AAAA"}}"#, "'x5c' has the wrong type"),
        (#"{"alg":"ES256","crit":["b64"],"b64":false}"#, "'crit' asks for extensions that are unknown"),
        (#"["ES256"]"#, "it is no JSON object"),
        (#"{"alg":"ES256""#, "it is no JSON object"),
        (#"{"alg":"ES256"}x"#, "it is no JSON object"),
        ("\u{0}", "it is no JSON object"),
    ])
    func `refuses a header that is not as it should be`(header: String, detail: String) {
        #expect(throws: AppStoreError.malformedHeader(detail: detail)) {
            try JWS("\(Base64URL.encode(Array(header.utf8))).e30.AA")
        }
    }

    @Test func `a certificate that is no string is named by its place`() {
        #expect(throws: AppStoreError.malformedHeader(detail: "'x5c.1' has the wrong type")) {
            try JWS("\(Base64URL.encode(Array(#"{"alg":"ES256","x5c":["AAAA",1]}"#.utf8))).e30.AA")
        }
    }

    @Test func `has limits`() {
        let long = String(repeating: "A", count: AppStoreLimits.jwsBytes)
        #expect(throws: AppStoreError.tooLarge(bytes: long.utf8.count + 8, limit: AppStoreLimits.jwsBytes)) {
            try JWS("e30.\(long).AAA")
        }
        let header = String(repeating: "A", count: AppStoreLimits.jwsHeaderBytes + 4)
        #expect(throws: AppStoreError.tooLarge(bytes: header.utf8.count, limit: AppStoreLimits.jwsHeaderBytes)) {
            try JWS("\(header).e30.AA")
        }
        let dots = String(repeating: ".", count: 1000)
        #expect(throws: AppStoreError.wrongPartCount(1001)) { try JWS(dots) }
    }
}
