public import CampaignCore

// Literals keep the tables readable; the program itself never makes an identifier out of a literal.
extension Tagged: ExpressibleByUnicodeScalarLiteral {
    public init(unicodeScalarLiteral value: String) { self.init(value) }
}
extension Tagged: ExpressibleByExtendedGraphemeClusterLiteral {
    public init(extendedGraphemeClusterLiteral value: String) { self.init(value) }
}
extension Tagged: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self.init(value) }
}
