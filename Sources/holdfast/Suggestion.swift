/// `; did you mean 'config'?` when one of `names` is close to `text`, else nothing.
func didYouMean(_ text: String, among names: [String], prefix: String = "") -> String {
    guard let match = closestMatch(to: text, among: names) else { return "" }
    return "; did you mean '\(prefix)\(match)'?"
}

private func closestMatch(to text: String, among names: [String]) -> String? {
    let best = names.map { (name: $0, distance: distance(Array(text.utf8), Array($0.utf8))) }
        .min { $0.distance < $1.distance }
    guard let best, best.distance <= text.utf8.count / 2 else { return nil }
    return best.name
}

private func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (index, byte) in one.enumerated() {
        var previous = row[0]
        row[0] = index + 1
        for column in other.indices {
            let substituted = previous + (byte == other[column] ? 0 : 1)
            previous = row[column + 1]
            row[column + 1] = min(substituted, min(row[column], row[column + 1]) + 1)
        }
    }
    return row[other.count]
}
