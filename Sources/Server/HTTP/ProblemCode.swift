/// Every error the server answers with: the stable word, its status and its title (design, section 4).
enum ProblemCode: String, CaseIterable, Sendable {
    case ambiguousHeaders
    case notJSON
    case wrongShape
    case keyMissing
    case keyUnknown
    case keyRevoked
    case roleNotAllowed
    case appNotAllowed
    case proofMissing
    case proofTooOld
    case notFound
    case methodNotAllowed
    case requestIdReused
    case bodyTooLarge
    case tooManyRequests
    case invalidValue
    case unknownApp
    case unknownEnvironment
    case unknownProduct
    case unknownCampaign
    case unverifiableProof
    case busy
    case storageUnavailable
    case internalFault

    var status: Int {
        switch self {
        case .ambiguousHeaders, .notJSON, .wrongShape: 400
        case .keyMissing, .keyUnknown, .keyRevoked: 401
        case .roleNotAllowed, .appNotAllowed, .proofMissing, .proofTooOld: 403
        case .notFound: 404
        case .methodNotAllowed: 405
        case .requestIdReused: 409
        case .bodyTooLarge: 413
        case .tooManyRequests: 429
        case .invalidValue, .unknownApp, .unknownEnvironment, .unknownProduct, .unknownCampaign, .unverifiableProof:
            422
        case .busy, .storageUnavailable: 503
        case .internalFault: 500
        }
    }

    /// The same for every answer with this code; `detail` speaks of the one at hand.
    var title: String {
        switch self {
        case .ambiguousHeaders: "the request's headers can be read in two ways"
        case .notJSON: "the body is not JSON"
        case .wrongShape: "the body has not the shape of this route"
        case .keyMissing: "an API key is needed"
        case .keyUnknown: "the API key is not known"
        case .keyRevoked: "the API key was revoked"
        case .roleNotAllowed: "the key's role may not use this route"
        case .appNotAllowed: "the key may not act for this app"
        case .proofMissing: "a device key needs a proof signed by Apple"
        case .proofTooOld: "the proof signed by Apple is too old"
        case .notFound: "there is nothing here"
        case .methodNotAllowed: "the route does not know this method"
        case .requestIdReused: "the requestId was used with another body"
        case .bodyTooLarge: "the body is too large"
        case .tooManyRequests: "too many requests in a short time"
        case .invalidValue: "a value cannot be"
        case .unknownApp: "the app is not configured"
        case .unknownEnvironment: "the environment is not configured"
        case .unknownProduct: "the product is not in the catalogue"
        case .unknownCampaign: "the campaign is not configured"
        case .unverifiableProof: "the signed information does not verify"
        case .busy: "too much work is waiting"
        case .storageUnavailable: "the database cannot be used"
        case .internalFault: "something is wrong here"
        }
    }
}
