// Spans are written as a whole number and a unit: '45m', '24h', '90d', '2w'. A day is always 24 hours.

private let unitsMilliseconds: [(unit: Character, milliseconds: Int64)] = [
    ("w", 7 * 24 * 60 * 60 * 1000), ("d", 24 * 60 * 60 * 1000), ("h", 60 * 60 * 1000), ("m", 60 * 1000),
]

/// The milliseconds of a span such as `90d`; nil when `text` is none or over `YAMLLimits.spanMilliseconds`.
public func milliseconds(ofSpan text: String) -> Int64? {
    guard let unit = unitsMilliseconds.first(where: { $0.unit == text.last }),
        let count = wholeNumber(text.dropLast()), count >= 0
    else { return nil }
    let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
    return overflow || milliseconds > YAMLLimits.spanMilliseconds ? nil : milliseconds
}

/// `milliseconds`, a multiple of a minute, as a span in days or the largest smaller unit that fits.
public func span(ofMilliseconds milliseconds: Int64) -> String {
    for (unit, length) in unitsMilliseconds.dropFirst() where milliseconds % length == 0 && milliseconds > 0 {
        return "\(milliseconds / length)\(unit)"
    }
    return "\(milliseconds / 60_000)m"
}

/// A whole number as people write it: digits, perhaps a minus, no plus sign, no leading zero, no separators.
///
/// `010` is refused because YAML 1.1 reads it as eight.
func wholeNumber(_ text: some StringProtocol) -> Int64? {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        digits == "0" || !digits.hasPrefix("0"), text != "-0"
    else { return nil }
    return Int64(text)
}
