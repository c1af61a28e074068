import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import Testing

/// Faults seen in the field with the verification of signed data.
@Suite struct SignedDataFieldCaseTests {
    @Test func `J01 a sandbox payload is for the verifier of the sandbox`() throws {
        let jws = try PrivateChains.store.get().signedNotification(PrivateChains.notification(.sandbox))
        let notification = try PrivateChains.verifier(environments: [.sandbox]).notification(jws)
        #expect(notification.payload.notificationType == "TEST")
        #expect(notification.environment == .sandbox)
        #expect(throws: AppStoreError.wrongEnvironment(.sandbox)) {
            try PrivateChains.verifier(environments: [.production]).notification(jws)
        }
        // A service with both is told which by the payload alone.
        #expect(try PrivateChains.verifier().notification(jws).environment == .sandbox)
    }

    @Test(arguments: [SignedDataKind.notification, .transaction, .renewalInfo, .appTransaction, .realtimeRequest])
    func `J02 no x5c, four parts, junk parts and alg none are refused`(kind: SignedDataKind) throws {
        let store = try PrivateChains.store.get()
        let payload = try PrivateChains.payload(of: kind)
        let good = try store.sign(payload: payload)
        let parts = good.split(separator: ".")
        let tokens: [(String, AppStoreError)] = [
            ("a.b.c", .malformedEncoding(part: .header)),
            ("a.b.c.d", .wrongPartCount(4)),
            (good + ".AAAA", .wrongPartCount(4)),
            ("\(parts[0]).\(parts[1])", .wrongPartCount(2)),
            (try store.sign(payload: payload) { ($0.x5cwrong, $0.x5c) = ($0.x5c, nil) }, .wrongCertificateCount(0)),
            (try store.sign(payload: payload) { $0.alg = "none" }, .unsupportedAlgorithm("none")),
            (try store.sign(payload: payload) { $0.alg = "HS256" }, .unsupportedAlgorithm("HS256")),
            (try store.sign(payload: payload) { $0.x5c?.removeLast() }, .wrongCertificateCount(2)),
            (try store.sign(payload: payload) { $0.x5c?.append("AAAA") }, .wrongCertificateCount(4)),
        ]
        let verifier = try PrivateChains.verifier()
        #expect(throws: Never.self) { try verifier.verify(good, as: kind) }
        for (token, fault) in tokens {
            #expect(throws: fault) { try verifier.verify(token, as: kind) }
            #expect(throws: fault) { try verifier.payload(token) }
        }
    }

    @Test func `J03 a wrong bundleId or appAppleId is refused`() throws {
        let store = try PrivateChains.store.get()
        let verifier = try PrivateChains.verifier()
        for environment in [AppStoreEnvironment.production, .sandbox] {
            let wrong = BundleID("com.example.wrong")
            var notification = PrivateChains.notification(environment)
            notification.data?.bundleId = wrong
            var transaction = PrivateChains.transaction(environment)
            transaction.bundleId = wrong
            var appTransaction = PrivateChains.appTransaction(environment)
            appTransaction.bundleId = wrong
            #expect(throws: AppStoreError.wrongBundleId(wrong)) {
                try verifier.notification(store.signedNotification(notification))
            }
            #expect(throws: AppStoreError.wrongBundleId(wrong)) {
                try verifier.transaction(store.signedTransaction(transaction))
            }
            #expect(throws: AppStoreError.wrongBundleId(wrong)) {
                try verifier.appTransaction(store.signedAppTransaction(appTransaction))
            }
        }
        #expect(throws: AppStoreError.wrongAppAppleId(1235)) {
            try verifier.notification(
                store.signedNotification(PrivateChains.notification(.production, appAppleId: 1235)))
        }
        var appTransaction = PrivateChains.appTransaction(.production)
        appTransaction.appAppleId = 1235
        #expect(throws: AppStoreError.wrongAppAppleId(1235)) {
            try verifier.appTransaction(store.signedAppTransaction(appTransaction))
        }
        var realtime = PrivateChains.realtimeRequest(.production)
        realtime.appAppleId = 1235
        #expect(throws: AppStoreError.wrongAppAppleId(1235)) {
            try verifier.realtimeRequest(store.signedRealtimeRequest(realtime))
        }
    }

    @Test func `J04 the sandbox may lack appAppleId, Production may not`() throws {
        let store = try PrivateChains.store.get()
        let verifier = try PrivateChains.verifier()
        let sandbox = try store.signedNotification(PrivateChains.notification(.sandbox, appAppleId: nil))
        #expect(try verifier.notification(sandbox).bundleId == PrivateChains.bundleId)
        let production = try store.signedNotification(PrivateChains.notification(.production, appAppleId: nil))
        #expect(throws: AppStoreError.wrongAppAppleId(nil)) { try verifier.notification(production) }
    }

    @Test(arguments: ["Xcode", "LocalTesting"])
    func `J05 a payload that Apple does not sign is refused by name`(name: String) throws {
        let store = try PrivateChains.store.get()
        let environment = AppStoreEnvironment(rawValue: name)
        let own = try PrivateAppStore(now: PrivateChains.now)
        let json = try PrivateChains.json(PrivateChains.transaction(environment))
        // Xcode's tokens have one certificate, made on the developer's machine.
        let xcode = try own.sign(payload: json) { $0.x5c = $0.x5c.map { [$0[0]] } }
        let wellSigned = try store.sign(payload: json)
        // An operator who lists it by mistake opens nothing.
        for listed in [[AppStoreEnvironment.production], [.sandbox], [environment]] {
            let verifier = try PrivateChains.verifier(environments: listed)
            for token in [xcode, wellSigned] {
                #expect(throws: AppStoreError.unsignedEnvironment(environment)) { try verifier.transaction(token) }
                #expect(throws: AppStoreError.unsignedEnvironment(environment)) { try verifier.payload(token) }
            }
            let notification = try store.signedNotification(PrivateChains.notification(environment))
            #expect(throws: AppStoreError.unsignedEnvironment(environment)) {
                try verifier.notification(notification)
            }
            let app = try store.signedAppTransaction(PrivateChains.appTransaction(environment))
            #expect(throws: AppStoreError.unsignedEnvironment(environment)) { try verifier.appTransaction(app) }
            let renewal = try store.signedRenewalInfo(PrivateChains.renewalInfo(environment))
            #expect(throws: AppStoreError.unsignedEnvironment(environment)) { try verifier.renewalInfo(renewal) }
        }
    }

    @Test func `J07 base64url with its own two characters is read, padded or standard base64 is not`() throws {
        let payload = "eyJub3RlIjoiPz8-Pn5-w78iLCJ2IjoxfQ"
        #expect(try JWS("e30.\(payload).AA").payload == Array(#"{"note":"??>>~~ÿ","v":1}"#.utf8))
        #expect(throws: AppStoreError.malformedEncoding(part: .payload)) { try JWS("e30.\(payload)==.AA") }
        let standard = payload.replacingOccurrences(of: "-", with: "+")
        #expect(throws: AppStoreError.malformedEncoding(part: .payload)) { try JWS("e30.\(standard).AA") }

        // The same with a real signature over it: `-` and `_` in the payload, and only that form is accepted.
        let store = try PrivateChains.store.get()
        var json = String(decoding: try PrivateChains.json(PrivateChains.transaction()), as: UTF8.self)
        json.removeLast()
        let jws = try store.sign(payload: Array((json + #","note":"??>>~~ÿ????"}"#).utf8))
        let parts = jws.split(separator: ".").map(String.init)
        try #require(parts[1].contains("-") && parts[1].contains("_"))
        let verifier = try PrivateChains.verifier()
        #expect(try verifier.transaction(jws).payload.transactionId == PrivateChains.transaction().transactionId)
        let mangled = parts[1].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        for other in [parts[1] + "=", parts[1] + "==", parts[1] + "\n", " " + parts[1], mangled] {
            #expect(throws: AppStoreError.malformedEncoding(part: .payload)) {
                try verifier.transaction("\(parts[0]).\(other).\(parts[2])")
            }
        }
    }
}
