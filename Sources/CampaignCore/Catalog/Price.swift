/// `text`, a decimal price such as `9.99`, in milliunits of its currency; nil when it is none or not exact.
///
/// Binary fractions would turn 4.35 into 4349 milliunits, so only digits are counted.
func milliunits(decimal text: String) -> Int64? {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let isDigits = { (part: Substring) in
        !part.isEmpty && part.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    guard parts.allSatisfy(isDigits), let whole = Int64(parts[0]) else { return nil }
    var fraction = parts.count == 2 ? parts[1] : "0"
    while fraction.utf8.count > 3, fraction.utf8.last == UInt8(ascii: "0") { fraction.removeLast() }
    guard fraction.utf8.count <= 3,
        let thousandths = Int64(fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
    else { return nil }
    let (units, overflow) = whole.multipliedReportingOverflow(by: 1000)
    let (sum, carried) = units.addingReportingOverflow(thousandths)
    return overflow || carried ? nil : sum
}
