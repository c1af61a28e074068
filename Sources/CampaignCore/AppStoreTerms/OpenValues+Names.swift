// The words that answers and stored rows use for Apple's numbers; a number without a word stays a number.

extension ExpirationIntent {
    private static let names: [Self: String] = [
        .customerCancelled: "customerCancelled", .billingError: "billingError",
        .customerDidNotConsentToPriceIncrease: "customerDidNotConsentToPriceIncrease",
        .productNotAvailable: "productNotAvailable", .other: "other",
    ]

    /// `customerCancelled` and the like; the number as text for a value that is new.
    public var name: String { Self.names[self] ?? String(rawValue) }

    /// Reads what `name` gives; nil for anything else.
    public init?(name: String) {
        let value = Self.names.first { $0.value == name }?.key ?? Int(name).map(Self.init(rawValue:))
        guard let value, value.name == name else { return nil }
        self = value
    }
}

extension AutoRenewStatus {
    /// `on` or `off`; the number as text for a value that is new.
    public var name: String {
        switch self {
        case .on: "on"
        case .off: "off"
        default: String(rawValue)
        }
    }

    /// Reads what `name` gives; nil for anything else.
    public init?(name: String) {
        switch name {
        case "on": self = .on
        case "off": self = .off
        default:
            guard let number = Int(name), Self(rawValue: number).name == name else { return nil }
            self.init(rawValue: number)
        }
    }
}
