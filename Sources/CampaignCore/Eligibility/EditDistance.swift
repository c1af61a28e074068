/// The name among `names` that `name` was probably meant to be; nil when none is close, or when `name` is too long.
///
/// Close is at most one slip for every three characters, where a slip is a missing, extra, wrong or swapped character;
/// another case is no slip. Of equally close names the first is taken.
func nearest(to name: String, in names: some Sequence<String>) -> String? {
    guard name.utf8.count <= Limits.nearestNameBytes else { return nil }
    let characters = Array(name.lowercased().unicodeScalars)
    var best: (name: String, distance: Int)?
    for other in names where other.utf8.count <= Limits.nearestNameBytes {
        let distance = editDistance(characters, Array(other.lowercased().unicodeScalars))
        if distance <= max(1, characters.count / 3), distance < best?.distance ?? .max { best = (other, distance) }
    }
    return best?.name
}

/// How many characters must be inserted, removed, replaced or swapped with their neighbour to turn one into the other.
private func editDistance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, scalar) in one.enumerated() {
        var current = [row + 1]
        for (column, otherScalar) in other.enumerated() {
            var least = min(last[column + 1], current[column]) + 1
            least = min(least, last[column] + (scalar == otherScalar ? 0 : 1))
            if row > 0, column > 0, scalar == other[column - 1], one[row - 1] == otherScalar {
                least = min(least, beforeLast[column - 1] + 1)
            }
            current.append(least)
        }
        (beforeLast, last) = (last, current)
    }
    return last[other.count]
}
