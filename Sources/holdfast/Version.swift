/// The version that `holdfast --version` tells.
let version = "0.1.0"
