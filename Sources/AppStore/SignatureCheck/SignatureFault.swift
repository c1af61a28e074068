/// One thing that is wrong with a signature, with a stable code for programs and a sentence for people.
public enum SignatureFault: Hashable, Sendable {
    /// How the signature is written down.
    case encoding(SignatureEncodingFault)
    /// A field or claim that is wrong by itself, whoever signed it.
    case field(SignatureFieldFault)
    /// What the V1 signature really covers, or who made it.
    case signingInput(SigningInputFault)
    /// A compact JWS of ours that is not built as Apple asks.
    case jws(SignedRequestFault)

    /// A stable name, unique among all faults.
    public var code: String {
        switch self {
        case .encoding(let fault): fault.code
        case .field(let fault): fault.code
        case .signingInput(let fault): fault.code
        case .jws(let fault): fault.code
        }
    }
}

extension SignatureFault: CustomStringConvertible {
    /// What is wrong, the value in quotes and what to change, in one line.
    public var description: String {
        switch self {
        case .encoding(let fault): fault.description
        case .field(let fault): fault.description
        case .signingInput(let fault): fault.description
        case .jws(let fault): fault.description
        }
    }
}
