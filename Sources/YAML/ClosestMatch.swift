/// The one of `candidates` that `word` was probably meant to be, for "did you mean"; nil when none is near.
///
/// Near is one slip for every three letters, at least one; a slip is a letter too many, missing, wrong or swapped with
/// the next. Case does not count. Of equally near candidates the first is taken.
public func closestMatch(to word: String, among candidates: some Sequence<String>) -> String? {
    let letters = Array(word.lowercased())
    guard letters.count <= YAMLLimits.comparedCharacters else { return nil }
    var best: (candidate: String, slips: Int)?
    for candidate in candidates where candidate.count <= YAMLLimits.comparedCharacters {
        let slips = slipsBetween(letters, Array(candidate.lowercased()))
        let allowed = max(1, min(letters.count, candidate.count) / 3)
        if slips <= allowed, slips < (best?.slips ?? .max) { best = (candidate, slips) }
    }
    return best?.candidate
}

/// The optimal string alignment distance.
private func slipsBetween(_ one: [Character], _ other: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for row in 1..<(one.count + 1) {
        var current = [row]
        for column in 1..<(other.count + 1) {
            let differs = one[row - 1] == other[column - 1] ? 0 : 1
            var slips = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + differs)
            if row > 1, column > 1, one[row - 1] == other[column - 2], one[row - 2] == other[column - 1] {
                slips = min(slips, beforeLast[column - 2] + 1)
            }
            current.append(slips)
        }
        (beforeLast, last) = (last, current)
    }
    return last[other.count]
}
