import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import TestSupport
import Testing

/// Apple's library and ours are asked the same.
@Suite struct SignedDataOracleTests {
    @Test func `what the private App Store signs, Apple's library and ours accept`() throws {
        let store = try PrivateChains.store.get()
        let realtime = PrivateChains.realtimeRequest()
        let old = PrivateChains.now.adding(milliseconds: -2 * 365 * 86_400_000)
        var questions: [AppleLibrary.Question] = []
        for environment in [AppStoreEnvironment.production, .sandbox] {
            let transaction = PrivateChains.transaction(environment)
            let renewalInfo = PrivateChains.renewalInfo(environment)
            let notification = PrivateChains.notification(environment, type: "DID_RENEW")
            questions += [
                .init(.transaction, environment, try store.signedTransaction(transaction)),
                .init(
                    .transaction, environment,
                    try store.signedTransaction(PrivateChains.transaction(environment, signedDate: old))),
                .init(.renewalInfo, environment, try store.signedRenewalInfo(renewalInfo)),
                .init(
                    .appTransaction, environment,
                    try store.signedAppTransaction(PrivateChains.appTransaction(environment))),
                .init(
                    .notification, environment,
                    try store.signedNotification(notification, transaction: transaction, renewalInfo: renewalInfo)),
                .init(
                    .notification, environment, try store.signedNotification(PrivateChains.notification(environment))),
            ]
        }
        questions.append(.init(.realtimeRequest, .sandbox, try store.signedRealtimeRequest(realtime)))

        let answers = try AppleLibrary.accepts(questions, root: store.root.certificate)
        #expect(answers == Array(repeating: true, count: questions.count))
        for question in questions {
            #expect(throws: Never.self, "\(question.kind)") { try Self.verify(question) }
            #expect(try PrivateChains.verifier().payload(question.jws).kind.rawValue == question.kind)
        }
    }

    @Test func `a payload of the expired leaf is judged at its date of signing`() throws {
        let store = try PrivateChains.store.get()
        let expired = store.expiredLeaf.certificate
        let during = Instant(millisecondsSince1970: expired.notAfter - 86_400_000)
        let after = Instant(millisecondsSince1970: expired.notAfter + 86_400_000)
        let before = Instant(millisecondsSince1970: expired.notBefore - 86_400_000)
        let questions = try [during, after, before].map { date in
            let payload = try PrivateChains.json(PrivateChains.transaction(signedDate: date))
            return AppleLibrary.Question(
                .transaction, .sandbox, try store.sign(payload: payload, with: store.expiredLeaf))
        }

        #expect(try AppleLibrary.accepts(questions, root: store.root.certificate) == [true, false, false])
        #expect(throws: Never.self) { try Self.verify(questions[0]) }
        let notAfter = Instant(millisecondsSince1970: expired.notAfter)
        #expect(throws: AppStoreError.certificateExpired(.leaf, notAfter: notAfter, signedDate: after)) {
            try Self.verify(questions[1])
        }
        let notBefore = Instant(millisecondsSince1970: expired.notBefore)
        #expect(throws: AppStoreError.certificateNotYetValid(.leaf, notBefore: notBefore, signedDate: before)) {
            try Self.verify(questions[2])
        }
    }

    @Test func `hostile tokens are refused by Apple's library and by ours`() throws {
        let store = try PrivateChains.store.get()
        let hostile = try HostileTokens.all(by: store)
        let questions = hostile.map { AppleLibrary.Question(.transaction, .sandbox, $0.jws) }
        let answers = try AppleLibrary.accepts(questions, root: store.root.certificate)
        for (token, isAccepted) in zip(hostile, answers) {
            #expect(isAccepted == token.isAcceptedByApple, "Apple's library on \(token.name)")
            let error = #expect(throws: AppStoreError.self, "\(token.name)") {
                try PrivateChains.verifier().transaction(token.jws)
            }
            guard let error else { continue }
            #expect(error.code == token.code, "\(token.name): \(error)")
            Self.expectSaysNothing(of: token.jws, error)
        }
    }

    private static func verify(_ question: AppleLibrary.Question) throws {
        let verifier = try PrivateChains.verifier(environments: [.init(rawValue: question.environment)])
        try verifier.verify(question.jws, as: #require(SignedDataKind(rawValue: question.kind)))
    }

    /// One line, lower case at its start, and no long piece of the token.
    private static func expectSaysNothing(of jws: String, _ error: AppStoreError) {
        let text = error.description
        #expect(!text.contains("\n") && text.count < 400)
        for part in jws.split(separator: ".") where part.count >= 32 {
            #expect(!text.contains(part.prefix(32)))
        }
    }
}
