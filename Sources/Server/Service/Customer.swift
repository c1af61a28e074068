import AppStore
import CampaignCore
import FoundationEssentials
import Storage

/// How a request names its customer: any of four ways, all of them about the same person.
struct CustomerFields: Sendable {
    static let names = [
        "originalTransactionId", "appAccountToken", "signedTransactionInfo", "signedAppTransactionInfo",
    ]

    let originalTransactionId: OriginalTransactionID?
    let appAccountToken: UUID?
    let signedTransactionInfo: String?
    let signedAppTransactionInfo: String?

    /// Reads the two fields that Apple signed, either of which may be left out.
    init(signedIn fields: inout RequestFields) {
        originalTransactionId = nil
        appAccountToken = nil
        signedTransactionInfo = fields.optionalText("signedTransactionInfo")
        signedAppTransactionInfo = fields.optionalText("signedAppTransactionInfo")
    }

    /// Reads the four fields; a request that names nobody is misshapen.
    init(_ fields: inout RequestFields) {
        originalTransactionId = fields.optionalTransactionId("originalTransactionId").map { OriginalTransactionID($0) }
        appAccountToken = fields.optionalUUID("appAccountToken")
        signedTransactionInfo = fields.optionalText("signedTransactionInfo")
        signedAppTransactionInfo = fields.optionalText("signedAppTransactionInfo")
        if !Self.names.contains(where: fields.has) {
            fields.misshapen(
                "originalTransactionId", "nobody is named: send one of \(Self.names.joined(separator: ", "))")
        }
    }
}

extension CustomerFields {
    /// The first of the fields that the request has.
    var firstName: String {
        if originalTransactionId != nil { return "originalTransactionId" }
        if appAccountToken != nil { return "appAccountToken" }
        return signedTransactionInfo != nil ? "signedTransactionInfo" : "signedAppTransactionInfo"
    }
}

/// What a customer's own signed information proved.
struct CustomerProof: Sendable {
    var transaction: JWSTransactionDecodedPayload?
    var appTransaction: AppTransaction?

    /// When Apple signed the newest of what was sent; nil without any.
    var signedDate: Instant? {
        [transaction?.signedDate, appTransaction?.receiptCreationDate].compactMap(\.self).max()
    }
}

extension Service {
    /// Verifies what the customer sent; the problem names each field with its fault, never the payload.
    func proof(
        of customer: CustomerFields, for app: App, in environment: AppStoreEnvironment
    ) -> Result<CustomerProof, Problem> {
        var proof = CustomerProof()
        var faults: [(field: String, text: String)] = []
        if let jws = customer.signedTransactionInfo {
            do throws(AppStoreError) {
                let verified = try verifier.transaction(jws, app: app.bundleId)
                proof.transaction = verified.payload
                if verified.environment != environment {
                    faults.append(("signedTransactionInfo", Self.otherEnvironment(verified.environment, environment)))
                }
            } catch {
                faults.append(("signedTransactionInfo", "\(error.code): \(error)"))
            }
        }
        if let jws = customer.signedAppTransactionInfo {
            do throws(AppStoreError) {
                let verified = try verifier.appTransaction(jws, app: app.bundleId)
                proof.appTransaction = verified.payload
                if verified.environment != environment {
                    faults.append(
                        ("signedAppTransactionInfo", Self.otherEnvironment(verified.environment, environment)))
                }
            } catch {
                faults.append(("signedAppTransactionInfo", "\(error.code): \(error)"))
            }
        }
        if let transaction = proof.transaction {
            do throws(CampaignCoreError) {
                _ = try TransactionFact(transaction)
            } catch {
                faults.append(("signedTransactionInfo", "\(error)"))
            }
        }
        guard !faults.isEmpty else { return .success(proof) }
        return .failure(
            Problem(
                .unverifiableProof, faults.map { "'\($0.field)': \($0.text)" }.joined(separator: "; "),
                fields: faults.map(\.field)))
    }

    private static func otherEnvironment(_ signed: AppStoreEnvironment, _ asked: AppStoreEnvironment) -> String {
        "wrongEnvironment: Apple signed it for '\(signed)' and the request says '\(asked)'; "
            + "send \"environment\": \"\(signed)\""
    }

    /// A device key is public, so each of its requests carries a proof and names nobody else.
    func authorize(_ key: APIKey, naming customer: CustomerFields) throws(Problem) {
        guard key.role == .device else { return }
        guard customer.signedTransactionInfo != nil || customer.signedAppTransactionInfo != nil else {
            throw Problem(
                .proofMissing,
                "send 'signedTransactionInfo', or 'signedAppTransactionInfo' for someone without a purchase",
                fields: ["signedTransactionInfo"])
        }
        guard customer.originalTransactionId == nil else {
            throw Problem(
                .proofMissing, "a device is named by its proof alone; leave 'originalTransactionId' out",
                fields: ["originalTransactionId"])
        }
    }

    /// Refuses a device's proof that is older than its app allows.
    func checkAge(
        of proof: CustomerProof, key: APIKey, _ customer: CustomerFields, app: App, now: Instant
    ) throws(Problem) {
        guard key.role == .device, let signed = proof.signedDate else { return }
        let oldest = now.adding(milliseconds: -app.deviceProofMaxAgeMilliseconds)
        guard signed >= oldest else {
            throw Problem(
                .proofTooOld, "it was signed at \(signed); send one signed after \(oldest)",
                fields: [customer.signedTransactionInfo == nil ? "signedAppTransactionInfo" : "signedTransactionInfo"])
        }
    }
}
