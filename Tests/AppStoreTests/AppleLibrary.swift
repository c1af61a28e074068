import AppStore
import CampaignCore
import Crypto
import Foundation
import PrivateAppStore
import TestSupport

/// Apple's own verifier, from the Python library that `./setup test` installs, without its online checks.
enum AppleLibrary {
    /// Whether it accepts `jws` as what `kind` says.
    struct Question: Codable {
        let kind: String
        let environment: String
        let jws: String

        init(_ kind: SignedDataKind, _ environment: AppStoreEnvironment, _ jws: String) {
            self.kind = kind.rawValue
            self.environment = environment.rawValue
            self.jws = jws
        }
    }

    struct Failure: Error {
        let text: String
    }

    /// One answer a question, for the app of `PrivateChains` and trusting `root`.
    static func accepts(_ questions: [Question], root: Certificate) throws -> [Bool] {
        let input = try JSONEncoder().encode(questions)
        let result = try run(
            Surroundings.python,
            [
                "-c", script, Base64.encode(root.der), PrivateChains.bundleId.rawValue,
                String(PrivateChains.appAppleId),
            ], input: input)
        guard result.exitCode == 0 else { throw Failure(text: result.errorText) }
        return try JSONDecoder().decode([Bool].self, from: result.output)
    }

    private static let script = """
        import base64, json, sys
        from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException
        from appstoreserverlibrary.models.Environment import Environment
        root, bundle_id, app_apple_id = base64.b64decode(sys.argv[1]), sys.argv[2], int(sys.argv[3])
        def accepts(question):
            verifier = SignedDataVerifier(
                [root], False, Environment(question["environment"]), bundle_id, app_apple_id)
            decode = {
                "notification": verifier.verify_and_decode_notification,
                "transaction": verifier.verify_and_decode_signed_transaction,
                "renewalInfo": verifier.verify_and_decode_renewal_info,
                "appTransaction": verifier.verify_and_decode_app_transaction,
                "realtimeRequest": verifier.verify_and_decode_realtime_request,
            }[question["kind"]]
            try:
                decode(question["jws"])
                return True
            except VerificationException:
                return False
        print(json.dumps([accepts(question) for question in json.load(sys.stdin)]))
        """
}
