import YAML

/// `; did you mean 'config'?` when one of `names` is close to `text`, else nothing.
func didYouMean(_ text: String, among names: [String], prefix: String = "") -> String {
    guard let match = closestMatch(to: text, among: names) else { return "" }
    return "; did you mean '\(prefix)\(match)'?"
}
