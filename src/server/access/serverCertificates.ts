import { webcrypto } from "node:crypto"
import { isIP } from "node:net"

interface KeyPair {
  readonly cert: string
  readonly key: string
}

/** Generated for each server. Only a data directory keeps them, for a restart. */
export interface ServerCertificates {
  /** The CA's private key is discarded, so it signs nothing else. */
  readonly ca: string
  readonly server: KeyPair
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const
const dayMillis = 86_400_000
const validDays = 365
/** Certificates start an hour ago, for clients whose clock is behind. */
const skewMillis = 3_600_000

export const generateCertificates = async (hosts: ReadonlyArray<string>): Promise<ServerCertificates> => {
  const {
    BasicConstraintsExtension,
    ExtendedKeyUsage,
    ExtendedKeyUsageExtension,
    KeyUsageFlags,
    KeyUsagesExtension,
    SubjectAlternativeNameExtension,
    X509CertificateGenerator
  } = await loadX509()
  const now = Date.now()
  const validity = {
    notBefore: new Date(now - skewMillis),
    notAfter: new Date(now + validDays * dayMillis)
  }
  const caKeys = await newKeys()
  const ca = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: "CN=charthouse-ca",
    keys: caKeys,
    signingAlgorithm: algorithm,
    extensions: [
      // A CA (true) of server certificates only (path length 0), as a critical extension (true).
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.digitalSignature, true)
    ]
  })
  const keys = await newKeys()
  const cert = await X509CertificateGenerator.create({
    ...validity,
    subject: "CN=charthouse",
    issuer: ca.subject,
    publicKey: keys.publicKey,
    signingKey: caKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(
        hosts.map((host) => ({ type: isIP(host) ? "ip" : "dns", value: host }))
      )
    ]
  })
  return {
    ca: `${ca.toString("pem")}\n`,
    server: { cert: `${cert.toString("pem")}\n`, key: await pemOf(keys.privateKey) }
  }
}

/** @peculiar/x509 needs reflect-metadata first: a bundle may reorder static imports. */
const loadX509 = async () => {
  await import("reflect-metadata")
  return import("@peculiar/x509")
}

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"])

const pemOf = async (key: webcrypto.CryptoKey): Promise<string> => {
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key)).toString("base64")
  return `-----BEGIN PRIVATE KEY-----\n${der.match(/.{1,64}/g)?.join("\n") ?? ""}\n-----END PRIVATE KEY-----\n`
}
