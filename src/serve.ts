import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import type { Scope } from "effect/Scope"
import { CannotServe } from "./cannotServe.ts"
import { kubeconfigText } from "./api/kubeconfig.ts"
import { serveApi } from "./api/server.ts"
import type { Access } from "./api/kubeconfig.ts"
import type { Cluster } from "./cluster.ts"

/** How a cluster is served. */
export interface ServeOptions {
  /** 127.0.0.1 where it is left out: nobody but this machine. */
  readonly host?: string
  /** Any that is free where it is left out, or 0. */
  readonly port?: number
  /** Of the cluster in the kubeconfig: the context is called `charthouse-NAME`. `charthouse` by default. */
  readonly name?: string
  /** With a fresh certificate authority, unless this is false. */
  readonly tls?: boolean
  /** What clients must know to be let in; made up where it is left out. */
  readonly token?: string
}

/** A cluster that is being served. */
export interface Served extends Access {
  /** A kubeconfig for this server and no other, as `kubectl --kubeconfig` reads it. */
  readonly kubeconfig: string
}

const tokenBytes = 24
const hostDefault = "127.0.0.1"

/**
 * Serves a cluster as a Kubernetes API until the scope ends. Everybody who knows the token may do everything; nobody
 * else is let in.
 */
export const serve = Effect.fnUntraced(function* (
  cluster: Pick<Cluster["Service"], "store" | "view" | "nowMillis" | "step" | "publishCertificate">,
  options: ServeOptions = {}
): Effect.fn.Return<Served, CannotServe, Scope> {
  const { host = hostDefault, port = 0, name = "charthouse", tls = true } = options
  const token = options.token ?? randomBytes(tokenBytes).toString("base64url")
  const certificates = tls ? yield* Effect.promise(() => certificatesFor(host)) : undefined
  const { store, view, nowMillis, step } = cluster
  const services = { store, view, nowMillis }
  const { url } = yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: () => serveApi({ services, step, host, port, token, certificates }),
      catch: (error) => new CannotServe({ address: `${host}:${port}`, why: wordsOf(error) })
    }),
    (server) => Effect.promise(server.close)
  )
  if (certificates !== undefined) yield* cluster.publishCertificate(certificates.ca)
  const access = { name, url, ca: certificates?.ca, token }
  return { ...access, kubeconfig: kubeconfigText(access) }
})

/** Loaded when it is needed: a server without TLS starts without it. */
const certificatesFor = async (host: string) => {
  const { makeCertificates } = await import("./api/certificates.ts")
  return makeCertificates([...new Set([host, "127.0.0.1", "localhost", "::1"])])
}

const wordsOf = (error: unknown): string => {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return reasons[code] ?? (error instanceof Error ? error.message : String(error))
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no such host"
}
