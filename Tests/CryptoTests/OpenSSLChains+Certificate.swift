import Crypto
import TestSupport

extension OpenSSLChains {
    static func certificate(_ name: String) throws -> Certificate {
        try Certificate(der: PEM.blocks(in: file("\(name).pem"))[0].bytes)
    }
}
